package wire

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"eddy/runtime/rpc"
)

// slowBody is a stream that gives nothing until it is closed.
type slowBody struct {
	asked, closed chan struct{}
	ask, end      sync.Once
}

func newSlowBody() *slowBody {
	return &slowBody{asked: make(chan struct{}), closed: make(chan struct{})}
}

// Read implements io.Reader.
func (b *slowBody) Read([]byte) (int, error) {
	b.ask.Do(func() { close(b.asked) })
	<-b.closed
	return 0, io.ErrClosedPipe
}

// Close implements io.Closer.
func (b *slowBody) Close() error {
	b.end.Do(func() { close(b.closed) })
	return nil
}

// stuckSink takes a write and never ends it, until it is aborted.
type stuckSink struct {
	asked, aborted chan struct{}
	end            sync.Once
}

func newStuckSink() *stuckSink {
	return &stuckSink{asked: make(chan struct{}), aborted: make(chan struct{})}
}

// Write implements streams.Sink.
func (s *stuckSink) Write([]byte) error {
	close(s.asked)
	<-s.aborted
	return errors.New("aborted")
}

// Close implements streams.Sink.
func (s *stuckSink) Close() error { return nil }

// Abort implements streams.Sink.
func (s *stuckSink) Abort(error) { s.end.Do(func() { close(s.aborted) }) }

// keptSink keeps what it gets, and fails at "bad".
type keptSink struct {
	bytes.Buffer
	over chan string
}

// Write implements streams.Sink.
func (s *keptSink) Write(p []byte) error {
	if string(p) == "bad" {
		return rpc.FailType("no " + string(p))
	}
	s.Buffer.Write(p)
	return nil
}

// Close implements streams.Sink.
func (s *keptSink) Close() error { s.over <- "closed"; return nil }

// Abort implements streams.Sink.
func (s *keptSink) Abort(error) { s.over <- "aborted" }

// passed gives a good to the other side.
func passed(t *testing.T, g rpc.Good) (*pair, rpc.Good) {
	t.Helper()
	arrived := make(chan rpc.Good, 1)
	p := connect(t, newHost(func(op *rpc.Op) {
		arrived <- op.Unload().Goods[0]
		op.ReplyWith(nil, &rpc.Cargo{})
	}))
	out, _ := ask(p.near.Entry(Entry{}), "f", &rpc.Cargo{Goods: []rpc.Good{g}})
	<-out
	return p, <-arrived
}

// A stream arrives whole, with its length, and ends; nothing is read before somebody asks (RPC11).
func TestReader(t *testing.T) {
	text := strings.Repeat("0123456789", 50_000)
	p, g := passed(t, rpc.Good{Reader: io.NopCloser(strings.NewReader(text)), Length: int64(len(text))})
	b, err := io.ReadAll(g.Reader)
	if err != nil || string(b) != text || g.Length != int64(len(text)) {
		t.Fatalf("%d bytes of %d, %v", len(b), g.Length, err)
	}
	p.empty(t)
	// One that fails, one that is canceled, and one that nobody keeps.
	p, g = passed(t, rpc.Good{Reader: io.NopCloser(io.MultiReader(strings.NewReader("x"), failing{})), Length: -1})
	if b, err = io.ReadAll(g.Reader); err == nil || string(b) != "x" || err.Error() != "broken" {
		t.Errorf("%q %v", b, err)
	}
	p.empty(t)
	body := newSlowBody()
	p, g = passed(t, rpc.Good{Reader: body, Length: -1})
	if err := g.Reader.Close(); err != nil {
		t.Fatal(err)
	}
	<-body.closed
	p.empty(t)
	body = newSlowBody()
	p, g = passed(t, rpc.Good{Reader: body, Length: -1})
	g = rpc.Good{}
	_ = g
	p.empty(t)
	<-body.closed
}

type failing struct{}

// Read implements io.Reader.
func (failing) Read([]byte) (int, error) { return 0, errors.New("broken") }

// Each write waits for the sink on the other side and gets its error; close and abort arrive (RPC11).
func TestSink(t *testing.T) {
	to := &keptSink{over: make(chan string, 1)}
	p, g := passed(t, rpc.Good{Sink: to})
	big := strings.Repeat("b", 3*maxPiece)
	for _, text := range []string{"a", big} {
		if err := g.Sink.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Sink.Write([]byte("bad")); err == nil || err.Error() != "no bad" {
		t.Errorf("a write that fails: %v", err)
	}
	if err := g.Sink.Close(); err != nil {
		t.Fatal(err)
	}
	if got := <-to.over; got != "closed" || to.String() != "a"+big {
		t.Errorf("%s after %d bytes", got, to.Len())
	}
	p.empty(t)
	p, g = passed(t, rpc.Good{Sink: to})
	g.Sink.Abort(nil)
	if got := <-to.over; got != "aborted" {
		t.Errorf("got %s", got)
	}
	if err := g.Sink.Write([]byte("x")); err == nil {
		t.Error("a write after the abort succeeds")
	}
	p.empty(t)
}

// An AbortSignal aborts the copy on the other side; one that nobody has any more leaves nothing.
func TestTrigger(t *testing.T) {
	trigger := &rpc.AbortTrigger{}
	p, g := passed(t, rpc.Good{Trigger: trigger})
	reason := make(chan string, 1)
	g.Trigger.Then(func(b []byte) { reason <- string(b) })
	trigger.Fire([]byte("why"))
	if got := <-reason; got != "why" {
		t.Errorf("got %s", got)
	}
	p.empty(t)
	p, _ = passed(t, rpc.Good{Trigger: &rpc.AbortTrigger{}})
	p.empty(t)
}
