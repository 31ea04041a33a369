package sharing

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"sync"

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
	dir := s.o.State.Journals()
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		http.Error(w, "Nothing is recorded on this node: it runs with --journal=off.", http.StatusNotFound)
		return
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
	flush := func() { _ = rc.Flush() }
	live := func(e *journal.Entry) error { return errors.Join(send(e), rc.Flush()) }
	if after, ok := spanOf(r.URL.Query().Get("after")); ok {
		resumed := func(found bool) {
			how := peer.JournalPart
			if found {
				how = peer.JournalWhole
			}
			w.Header().Set(peer.JournalResumed, how)
		}
		_ = journal.Resume(ctx, dir, after, resumed, flush, live)
		return
	}
	past, opened := send, flush
	if r.URL.Query().Get("past") == "0" {
		last := peer.JournalEmpty
		past = func(e *journal.Entry) error { last = hex.EncodeToString(e.Span[:]); return nil }
		opened = func() { w.Header().Set(peer.JournalLast, last); flush() }
	}
	_ = journal.Follow(ctx, dir, past, opened, nil, live)
}

// spanOf reads the span of an entry.
func spanOf(text string) (span [8]byte, ok bool) {
	b, err := hex.DecodeString(text)
	return [8]byte(append(b, make([]byte, 8)...)), err == nil && len(b) == len(span)
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
			errs[i] = entriesOf(ctx, n, token, ask, func(http.Header) {}, func(x *journal.Entry) error {
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

// errOff is the error of a node that records nothing.
var errOff = errors.New("it runs with --journal=off")

// entriesOf reads the entries of one node. ready is called when the node has begun to answer, with its headers.
func entriesOf(ctx context.Context, n engine.Seen, token string, ask url.Values, ready func(http.Header),
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
		return fmt.Errorf("node %s records nothing: %w", n.ID.Name(), errOff)
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("node %s answers %s", n.ID.Name(), res.Status)
	}
	ready(res.Header)
	if err := journal.Receive(res.Body, f); err != nil {
		return fmt.Errorf("node %s: %w", n.ID.Name(), err)
	}
	return nil
}
