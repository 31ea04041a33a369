package runtime

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// The counter example on a cluster that loses a node while clients count: what was acknowledged is counted, and nothing
// twice that was sent once.
func TestCounterOnCluster(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../examples/counter")); err != nil {
		t.Fatal(err)
	}
	c := newTestCluster(t)
	if err := c.start(dir, false); err != nil {
		t.Fatal(Explain(err, false))
	}
	var sent, acknowledged atomic.Int64
	var clients sync.WaitGroup
	half := make(chan struct{})
	halfway := sync.OnceFunc(func() { close(half) })
	urls := c.urls()
	for client := range 8 {
		clients.Go(func() {
			for n := range 30 {
				if n == 15 {
					halfway()
				}
				sent.Add(1)
				res, err := http.Post(urls[(client+n)%len(urls)]+"/hits", "", nil)
				if err != nil {
					continue // the node is gone: it may be counted, or not
				}
				_ = res.Body.Close()
				if res.StatusCode == http.StatusNoContent {
					acknowledged.Add(1)
				}
			}
		})
	}
	<-half
	c.kill(1)
	clients.Wait()
	var got struct{ Total int64 }
	c.read("/hits", &got)
	if got.Total < acknowledged.Load() || got.Total > sent.Load() || acknowledged.Load() == 0 {
		t.Errorf("%d are counted; %d were sent, %d acknowledged", got.Total, sent.Load(), acknowledged.Load())
	}
}

// Messages of a key come in order also when the node with the queues is lost while they are sent and delivered; one
// that was under way may come again.
func TestLanesOnCluster(t *testing.T) {
	c := newTestCluster(t)
	if err := c.start(writeProject(t, map[string]string{"wrangler.jsonc": script("cluster", "lanes.jsonc"),
		"index.js": script("cluster", "lanes.js")}), false); err != nil {
		t.Fatal(Explain(err, false))
	}
	const keys, each = 4, 20
	var senders sync.WaitGroup
	half := make(chan struct{})
	halfway := sync.OnceFunc(func() { close(half) })
	urls := c.urls()
	for key := range keys {
		senders.Go(func() {
			for n, at := 0, 0; n < each; at++ {
				if n == each/2 {
					halfway()
				}
				res, err := http.Get(fmt.Sprintf("%s/send?key=%d&n=%d", urls[at%len(urls)], key, n))
				if err != nil {
					continue // through another node, until it is acknowledged
				}
				b, err := io.ReadAll(res.Body)
				_ = res.Body.Close()
				if err == nil && string(b) == "sent" {
					n++
				}
			}
		})
	}
	<-half
	c.kill(slices.IndexFunc(c.nodes, (*Session).HasQueues))
	senders.Wait()
	for key := range keys {
		var came []int
		for !slices.Contains(came, each-1) {
			c.read(fmt.Sprint("/came?key=", key), &came)
		}
		next := 0
		for _, n := range came {
			if n > next {
				t.Fatalf("key %d: %v: %d came before %d", key, came, n, next)
			}
			next = max(next, n+1)
		}
	}
}

// urls are where the nodes answer.
func (c *testCluster) urls() (list []string) {
	for _, web := range c.webs {
		list = append(list, web.URL)
	}
	return list
}

// read asks the next node until it answers with JSON.
func (c *testCluster) read(path string, into any) {
	c.t.Helper()
	for {
		c.turn.Add(1)
		res, err := http.Get(c.web(0) + path)
		if err != nil {
			c.t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err == nil && res.StatusCode == http.StatusOK {
			err = json.NewDecoder(strings.NewReader(string(text))).Decode(into)
		}
		if err != nil {
			c.t.Fatal(err)
		}
		if res.StatusCode == http.StatusOK {
			return
		}
	}
}
