package sharing

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"eddy/runtime/cluster/engine"
	"eddy/runtime/journal"
	"eddy/runtime/sharing/peer"
)

// serveJournal gives a command, or another node, what was recorded on this one.
func (s *Sharing) serveJournal(w http.ResponseWriter, r *http.Request) {
	ctx, end := context.WithCancel(r.Context())
	defer end()
	go func() {
		select {
		case <-s.ending:
			end()
		case <-ctx.Done():
		}
	}()
	rc := http.NewResponseController(w)
	send := func(e *journal.Entry) error { return journal.Send(w, e) }
	past, dir := send, s.o.State.Journals()
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		http.Error(w, "Nothing is recorded on this node: it runs with --journal=off.", http.StatusNotFound)
		return
	}
	if r.URL.Query().Get("past") == "0" {
		past = nil
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Cache-Control", "no-store")
	// A failure ends the stream: whoever reads sees that it is not whole, or has gone.
	if room, err := strconv.ParseInt(r.URL.Query().Get("recent"), 10, 64); err == nil {
		recent := journal.NewRecent(dir, room)
		defer recent.Close()
		if _, err := recent.Read(send); err != nil {
			panic(http.ErrAbortHandler)
		}
		return
	}
	if r.URL.Query().Get("follow") != "1" {
		if journal.Read(dir, nil, send) != nil {
			panic(http.ErrAbortHandler)
		}
		return
	}
	_ = journal.Follow(ctx, dir, past, func() { _ = rc.Flush() }, nil, func(e *journal.Entry) error {
		return errors.Join(send(e), rc.Flush())
	})
}

// Recorded are the entries of all nodes of a cluster that run, in the order in which the events were over, for somebody
// who is none of the nodes, e.g. a command.
func Recorded(ctx context.Context, e engine.Engine, token string) (list []*journal.Entry, err error) {
	return recorded(ctx, e, token, url.Values{})
}

// Recorded are the entries of all nodes, the latest ones if room says how many bytes are read of each journal, 0 for
// all. With an error it has those of the nodes that have answered.
func (s *Sharing) Recorded(ctx context.Context, room int64) (list []*journal.Entry, err error) {
	ask := url.Values{}
	if room > 0 {
		ask.Set("recent", strconv.FormatInt(room, 10))
	}
	return recorded(ctx, s.o.Cluster.Engine(), s.token, ask)
}

// Watch is [Watch], for this node.
func (s *Sharing) Watch(ctx context.Context, opened func() error, gone func(node string, err error),
	f func(*journal.Entry) error) error {
	return Watch(ctx, s.o.Cluster.Engine(), s.token, opened, gone, f)
}

func recorded(ctx context.Context, e engine.Engine, token string, ask url.Values) (list []*journal.Entry, err error) {
	v, err := e.Look(ctx)
	if err != nil {
		return nil, err
	}
	if len(v.Nodes) == 0 {
		return nil, errors.New("no node of the cluster runs, and each has what was recorded on it")
	}
	var mu sync.Mutex // guards list
	errs := make([]error, len(v.Nodes))
	var all sync.WaitGroup
	for i, n := range v.Nodes {
		all.Go(func() {
			errs[i] = entriesOf(ctx, n, token, ask, func() {}, func(x *journal.Entry) error {
				mu.Lock()
				defer mu.Unlock()
				list = append(list, x)
				return nil
			})
		})
	}
	all.Wait()
	slices.SortStableFunc(list, func(a, b *journal.Entry) int { return a.End().Compare(b.End()) })
	return list, errors.Join(errs...)
}

// joinPause is how often Watch looks for nodes that have come.
const joinPause = time.Second

// Watch calls f with what happens from now on at all nodes of a cluster, also at those that come later, until ctx ends
// or f returns an error; opened when it has begun, which may show what was before; and gone with the name of a node
// that gives nothing any more, and why. The calls are made one at a time.
func Watch(ctx context.Context, e engine.Engine, token string, opened func() error,
	gone func(node string, err error), f func(*journal.Entry) error) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	var mu sync.Mutex // held while something is told
	watched := map[engine.NodeID]bool{}
	begun, all := sync.WaitGroup{}, sync.WaitGroup{}
	watch := func(n engine.Seen, ready func()) {
		ask := url.Values{"follow": {"1"}, "past": {"0"}}
		err := entriesOf(ctx, n, token, ask, ready, func(x *journal.Entry) error {
			mu.Lock()
			defer mu.Unlock()
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := f(x); err != nil {
				end(err)
				return err
			}
			return nil
		})
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() == nil {
			gone(n.ID.Name(), err)
		}
	}
	for first := true; ; first = false {
		v, err := e.Look(ctx)
		if first && err != nil {
			return err
		}
		if first && len(v.Nodes) == 0 {
			return errors.New("no node of the cluster runs")
		}
		for _, n := range v.Nodes {
			if watched[n.ID] {
				continue
			}
			watched[n.ID] = true
			begun.Add(1)
			all.Go(func() {
				ready := sync.OnceFunc(begun.Done)
				defer ready()
				watch(n, ready)
			})
		}
		if first {
			begun.Wait()
			mu.Lock()
			err := opened()
			mu.Unlock()
			if err != nil {
				end(err)
			}
		}
		select {
		case <-time.After(joinPause):
		case <-ctx.Done():
			all.Wait()
			return context.Cause(ctx)
		}
	}
}

// entriesOf reads the entries of one node. ready is called when the node has begun to answer.
func entriesOf(ctx context.Context, n engine.Seen, token string, ask url.Values, ready func(),
	f func(*journal.Entry) error) error {
	at := peer.Address{URL: n.URL, Token: token, Cert: string(n.Cert)}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, n.URL+peer.JournalPath+"?"+ask.Encode(), nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := (&http.Client{Transport: at.Transport()}).Do(req)
	if err != nil {
		return fmt.Errorf("node %s does not answer: %w", n.ID.Name(), err)
	}
	defer func() { _ = res.Body.Close() }() // it was read, or is not wanted
	if res.StatusCode == http.StatusNotFound {
		return fmt.Errorf("node %s records nothing: it runs with --journal=off", n.ID.Name())
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("node %s answers %s", n.ID.Name(), res.Status)
	}
	ready()
	if err := journal.Receive(res.Body, f); err != nil {
		return fmt.Errorf("node %s: %w", n.ID.Name(), err)
	}
	return nil
}
