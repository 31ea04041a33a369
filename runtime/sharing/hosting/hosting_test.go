package hosting

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"eddy/runtime/clock"
	"eddy/runtime/cluster/engine"
	"eddy/runtime/cluster/node"
	"eddy/runtime/report"
	"eddy/runtime/sharing/peer"
)

// part tells of the shard.
type part struct {
	*Hosting
	gained chan *node.Shard
}

func (p part) Gained(s *node.Shard) {
	p.Hosting.Gained(s)
	p.gained <- s
}

// The queues leave a node that waits, because it is starting, before it can tell an event that another node has sent:
// it did not come to an end with them, nobody served them, and so it never came to its own.
func TestLeavesWhileStarting(t *testing.T) {
	n, err := node.Start(t.Context(), node.Options{Engine: engine.NewMemory(1), Token: "0123456789abcdef", Name: "a",
		Listen: "127.0.0.1:0", Lease: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close(context.Background())
	waits := make(chan struct{})
	h := New(Options{Node: n, State: t.TempDir(), Clock: clock.Real{}, Random: rand.Reader,
		Report: report.New(report.Options{Out: io.Discard}),
		Fire: func(leaving <-chan struct{}, _ []byte, done func(error)) {
			close(waits)
			<-leaving
			done(errors.New("the queues leave"))
		},
		Opened: func() error { return nil }, Closed: func() {}})
	n.Handle(h)
	p := part{h, make(chan *node.Shard, 1)}
	n.Queues(p)
	shard := <-p.gained
	guest, err := peer.Open(t.Context(), peer.Options{Token: n.Token(), Find: h.Find, Node: n.Guest})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = guest.Close() }() // it never was the owner
	guest.Fire([]byte("{}"), func(error) {})
	<-waits
	ready := make(chan struct{})
	h.Handing(shard, func() { close(ready) })
	<-ready
}

// What keeps the queues from being served is tried again while their shard is here: the node kept it, and served
// nothing for good.
func TestOpensAgain(t *testing.T) {
	n, err := node.Start(t.Context(), node.Options{Engine: engine.NewMemory(1), Token: "0123456789abcdef", Name: "a",
		Listen: "127.0.0.1:0", Lease: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close(context.Background())
	scratch := filepath.Join(t.TempDir(), "scratch")
	if err := os.WriteFile(scratch, nil, 0o600); err != nil { // no folder can be made below it
		t.Fatal(err)
	}
	var h *Hosting
	var opened, closed int // by the goroutine that opens, until the hub is there
	served := make(chan struct{})
	h = New(Options{Node: n, State: scratch, Clock: clock.Real{}, Random: rand.Reader,
		Report: report.New(report.Options{Out: io.Discard}),
		Fire:   func(_ <-chan struct{}, _ []byte, done func(error)) { done(nil) },
		Opened: func() error {
			if h.Broker() == nil {
				t.Error("opened without a broker")
			}
			if opened++; opened < 3 {
				return errors.New("the control API has no port")
			}
			close(served)
			return nil
		}, Closed: func() { closed++ }})
	n.Handle(h)
	p := part{h, make(chan *node.Shard, 1)}
	n.Queues(p)
	shard := <-p.gained
	if err := os.Remove(scratch); err != nil {
		t.Fatal(err)
	}
	<-served
	guest, err := peer.Open(t.Context(), peer.Options{Token: n.Token(), Find: h.Find, Node: n.Guest})
	if err != nil {
		t.Fatal(err)
	}
	if err := guest.Close(); err != nil {
		t.Error(err)
	}
	if opened != 3 || closed != 2 {
		t.Errorf("opened %d times, closed %d times", opened, closed)
	}
	ready := make(chan struct{})
	h.Handing(shard, func() { close(ready) })
	<-ready
}

// A shard that goes away while the queues cannot be opened is not waited for.
func TestLeavesUnopened(t *testing.T) {
	n, err := node.Start(t.Context(), node.Options{Engine: engine.NewMemory(1), Token: "0123456789abcdef", Name: "a",
		Listen: "127.0.0.1:0", Lease: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close(context.Background())
	failed := make(chan struct{}, 100)
	h := New(Options{Node: n, State: t.TempDir(), Clock: clock.Real{}, Random: rand.Reader,
		Report: report.New(report.Options{Out: io.Discard}),
		Opened: func() error { failed <- struct{}{}; return errors.New("never") }, Closed: func() {}})
	p := part{h, make(chan *node.Shard, 1)}
	n.Queues(p)
	shard := <-p.gained
	<-failed
	<-failed
	ready := make(chan struct{})
	h.Handing(shard, func() { close(ready) })
	<-ready
	if h.Hub() != nil || h.Broker() != nil {
		t.Error("something is served")
	}
	h.Stop()
}

// A guest that comes while the queues are being opened has its link as soon as they are: it was refused, and tried
// again after a pause.
func TestLinkWaitsForTheQueues(t *testing.T) {
	n, err := node.Start(t.Context(), node.Options{Engine: engine.NewMemory(1), Token: "0123456789abcdef", Name: "a",
		Listen: "127.0.0.1:0", Lease: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close(context.Background())
	came, opening := make(chan struct{}, 10), make(chan struct{})
	h := New(Options{Node: n, State: t.TempDir(), Clock: clock.Real{}, Random: rand.Reader,
		Report: report.New(report.Options{Out: io.Discard}),
		Fire:   func(_ <-chan struct{}, _ []byte, done func(error)) { done(nil) },
		Opened: func() error { close(opening); <-came; return nil }, Closed: func() {}})
	var links atomic.Int32
	n.Handle(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		links.Add(1)
		came <- struct{}{}
		h.ServeHTTP(w, r)
	}))
	p := part{h, make(chan *node.Shard, 1)}
	n.Queues(p)
	<-p.gained
	<-opening // all that takes long is done
	guest, err := peer.Open(t.Context(), peer.Options{Token: n.Token(), Find: h.Find, Node: n.Guest})
	if err != nil {
		t.Fatal(err)
	}
	if links.Load() != 1 {
		t.Errorf("the guest came %d times", links.Load())
	}
	if err := guest.Close(); err != nil {
		t.Log(err) // it never was the owner
	}
	h.Stop()
}
