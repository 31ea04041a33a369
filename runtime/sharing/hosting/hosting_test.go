package hosting

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"testing"

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
		Listen: "127.0.0.1:0"})
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
