package runtime

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"eddy/runtime/bindings/objectstore"
)

// effects counts what steps of instances have done, by instance and step. What it answers first decides, if it is set.
type effects struct {
	*httptest.Server
	mu    sync.Mutex // guards the rest
	count map[string]int
	enter func(path string) // called before a step's effect is answered
}

func newEffects(t *testing.T) *effects {
	e := &effects{count: map[string]int{}}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.mu.Lock()
		e.count[r.URL.Path]++
		n, enter := e.count[r.URL.Path], e.enter
		e.mu.Unlock()
		if enter != nil {
			enter(r.URL.Path)
		}
		_, _ = fmt.Fprint(w, r.URL.Path, " ", n)
	}))
	t.Cleanup(e.Close)
	return e
}

func (e *effects) of(path string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.count[path]
}

// flow calls a method of the workflow, or of one of its instances, through the next node.
func (c *testCluster) flow(method, id string, arg any) string {
	c.t.Helper()
	c.turn.Add(1)
	ask, err := json.Marshal(map[string]any{"method": method, "id": id, "arg": arg})
	if err != nil {
		c.t.Fatal(err)
	}
	res, err := http.Post(c.web(0), "application/json", bytes.NewReader(ask))
	if err != nil {
		c.t.Fatal(err)
	}
	text, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if err != nil || res.StatusCode != http.StatusOK {
		c.t.Fatalf("%s %s: %d %s, %v", method, id, res.StatusCode, text, err)
	}
	return string(text)
}

// await asks for an instance's status until it is one of these.
func (c *testCluster) await(id string, statuses ...string) string {
	c.t.Helper()
	for {
		text := c.flow("status", id, nil)
		var got struct{ Status string }
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			c.t.Fatalf("status of %s: %s", id, text)
		}
		if slices.Contains(statuses, got.Status) {
			return text
		}
		if slices.Contains([]string{"complete", "errored", "terminated"}, got.Status) {
			c.t.Fatalf("status of %s: %s, want %v", id, text, statuses)
		}
	}
}

// hasFlow is the node that has the workflow.
func (c *testCluster) hasFlow(name string) int {
	c.t.Helper()
	key, id := objectstore.Name{Kind: objectstore.Workflows, ID: name}.Object()
	at := slices.IndexFunc(c.nodes, func(s *Session) bool {
		return s.Node().Place(s.Node().ShardOf(key, id)).Shard != nil
	})
	if at < 0 {
		c.t.Fatalf("no node has the workflow %s", name)
	}
	return at
}

func startFlows(t *testing.T) (*testCluster, *effects) {
	t.Helper()
	c, e := newTestCluster(t), newEffects(t)
	if err := c.start(writeProject(t, map[string]string{"wrangler.jsonc": script("clusterflows", "wrangler.jsonc"),
		"index.js": script("clusterflows", "index.js")}), false); err != nil {
		t.Fatal(Explain(err, false))
	}
	return c, e
}

// An instance that sleeps on a node which is lost goes on by itself on another one. What its steps have given is not
// made again (FLOW-23, FLOW-62, FLOW-157).
func TestFlowOutlivesItsNode(t *testing.T) {
	t.Parallel()
	c, e := startFlows(t)
	params := map[string]any{"url": e.URL, "nap": 500, "type": "go", "timeout": "1 hour"}
	if got := c.flow("create", "a", params); got != `"a"` {
		t.Fatal(got)
	}
	c.await("a", "waiting")
	c.kill(c.hasFlow("flow"))
	for e.of("/a/second") == 0 { // nobody asks for the instance meanwhile
		http.DefaultClient.CloseIdleConnections()
	}
	if got := c.flow("sendEvent", "a", []any{map[string]any{"type": "go", "payload": 7}}); got != "null" {
		t.Fatal(got)
	}
	want := `{"status":"complete","__LOCAL_DEV_STEP_OUTPUTS":["/a/first 1","/a/second 1",7],` +
		`"output":["/a/first 1","/a/second 1",7]}`
	if got := c.await("a", "complete"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
