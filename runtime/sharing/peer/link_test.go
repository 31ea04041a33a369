package peer

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"eddy/queues"
)

// puppet is an owner that the test plays itself, packet by packet. It has the log's lock until release.
type puppet struct {
	t       testing.TB
	pipes   chan *pipe
	release func() error
}

func (w *world) puppet() *puppet {
	p := &puppet{t: w.t, pipes: make(chan *pipe, 1)}
	b, _, err := queues.Open(queues.Options{Dir: "log", FS: w.fs})
	if err != nil {
		w.t.Fatal(err)
	}
	if err := b.Declare(w.t.Context(), producing("q")); err != nil {
		w.t.Fatal(err)
	}
	p.release = b.Close
	web := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(rw, r, nil)
		if err != nil {
			w.t.Error(err)
			return
		}
		pipe := newPipe(ws)
		p.pipes <- pipe
		<-pipe.written
	}))
	w.t.Cleanup(web.Close)
	w.announce(Address{URL: web.URL, Token: "x"})
	return p
}

func (p *puppet) want(pipe *pipe, k kind) *packet {
	p.t.Helper()
	f, err := pipe.read(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	if f.Kind != k {
		p.t.Fatalf("a packet of kind %q, want %q", f.Kind, k)
	}
	return f
}

// welcome plays the introduction with the next guest, which join starts.
func (p *puppet) welcome(join func()) *pipe {
	joined := make(chan struct{})
	go func() { defer close(joined); join() }()
	pipe := <-p.pipes
	p.want(pipe, kindHello)
	pipe.put(&packet{Kind: kindAnswer, Seq: 1, Session: &Member{PID: 7, URL: "http://localhost:1"}})
	p.want(pipe, kindWorkers)
	<-joined
	return pipe
}

// If an owner is killed before it answers a send, nobody knows whether the message is in the log. The send fails with
// that text and is not repeated. Requests that only ask are repeated.
func TestUnansweredSend(t *testing.T) {
	w := newWorld(t)
	p := w.puppet()
	var guest *node
	pipe := p.welcome(func() { guest = w.join("b") })
	sent := guest.start("q", "one")
	asked := make(chan answer, 1)
	guest.MetricsAsync("q", func(m queues.Metrics, err error) { asked <- answer{m, err} })
	p.want(pipe, kindSend)
	p.want(pipe, kindMetrics)
	w.announce(Address{})
	pipe.end()
	if a := <-sent; a.err == nil || !strings.Contains(a.err.Error(),
		"the session that owns the queues (process 7 at http://localhost:1) ended before it confirmed this; the "+
			"message may be in the queue or not") {
		t.Errorf("the send: %v", a.err)
	}
	guest.await(Lost)
	if err := p.release(); err != nil {
		t.Fatal(err)
	}
	guest.await(Took)
	if a := <-asked; a.err != nil || a.m.BacklogCount != 0 {
		t.Errorf("metrics: %+v", a)
	}
}

// What a guest tells a new owner at once is told anew to whoever comes after it: an owner that is killed before it
// answers leaves a guest that becomes the owner itself, and goes on.
func TestOwnersKilledOneAfterTheOther(t *testing.T) {
	w := newWorld(t)
	p := w.puppet()
	var guest *node
	pipe := p.welcome(func() { guest = w.join("b") })
	declared := make(chan struct{})
	go func() { defer close(declared); guest.declare(producing("q")) }()
	pipe.put(&packet{Kind: kindAnswer, Seq: p.want(pipe, kindDeclare).Seq})
	<-declared
	for range 2 { // each is another owner to the guest
		pipe.end()
		guest.await(Lost)
		pipe = <-p.pipes
		pipe.put(&packet{Kind: kindAnswer, Seq: p.want(pipe, kindHello).Seq,
			Session: &Member{PID: 7, URL: "http://localhost:1"}})
		guest.await(Found)
		p.want(pipe, kindDeclare)
	}
	w.announce(Address{})
	pipe.end()
	guest.await(Lost)
	if err := p.release(); err != nil {
		t.Fatal(err)
	}
	guest.await(Took)
	if a := <-guest.start("q", "one"); a.err != nil {
		t.Error(a.err)
	}
}

// An owner's bye says which request it handled last; those after it are made again, in order, by whoever is next.
func TestByeLeavesTheRest(t *testing.T) {
	w := newWorld(t)
	p := w.puppet()
	var guest *node
	pipe := p.welcome(func() { guest = w.join("b") })
	one, two, three := guest.start("q", "one"), guest.start("q", "two"), guest.start("q", "three")
	first := p.want(pipe, kindSend)
	p.want(pipe, kindSend)
	p.want(pipe, kindSend)
	w.announce(Address{})
	pipe.put(&packet{Kind: kindAnswer, Seq: first.Seq, Metrics: &queues.Metrics{BacklogCount: 41}})
	pipe.put(&packet{Kind: kindBye, Seq: first.Seq})
	pipe.close()
	if a := <-one; a.err != nil || a.m.BacklogCount != 41 {
		t.Errorf("one: %+v", a)
	}
	guest.await(Lost)
	if err := p.release(); err != nil {
		t.Fatal(err)
	}
	for i, ch := range []<-chan answer{two, three} {
		if a := <-ch; a.err != nil || a.m.BacklogCount != int64(i) {
			t.Errorf("%d: %+v", i, a)
		}
	}
}

// An owner whose packets make no sense is left; so is one that is of another version.
func TestBadOwner(t *testing.T) {
	w := newWorld(t)
	p := w.puppet()
	var guest *node
	pipe := p.welcome(func() { guest = w.join("b") })
	pipe.put(&packet{Kind: kindSend, Seq: 9, Messages: []message{{Type: 1}}})
	if e := guest.await(Lost); e.Err == nil || !strings.Contains(e.Err.Error(), `an owner sent "send"`) {
		t.Errorf("lost: %v", e.Err)
	}
	next := <-p.pipes // it tries again
	p.want(next, kindHello)
	next.put(&packet{Kind: kindAnswer, Seq: 1, Error: &failure{Text: "speaks protocol 2"}})
	if e := guest.await(Failed); !strings.Contains(e.Err.Error(), "speaks protocol 2") {
		t.Errorf("failed: %v", e.Err)
	}
	if a := <-guest.start("q", "x"); a.err == nil || !strings.Contains(a.err.Error(), "speaks protocol 2") {
		t.Errorf("a send without an owner: %v", a.err)
	}
	if err := p.release(); err != nil {
		t.Fatal(err)
	}
}

// An owner takes only those who know its token and speak its protocol.
func TestBadGuest(t *testing.T) {
	w := newWorld(t)
	first := w.join("a")
	_, err := first.dial(t.Context(), Address{URL: first.web.URL, Token: "guessed"})
	if err == nil || !strings.Contains(err.Error(), "The token of this session is in running.json") {
		t.Errorf("a wrong token: %v", err)
	}
	header := http.Header{"Authorization": {"Bearer " + first.o.Token}}
	for _, c := range []struct {
		f    *packet
		want string
	}{
		{&packet{Kind: kindHello, Seq: 1, Hello: &hello{Version: version + 1}}, "speaks protocol 1; this one speaks 2"},
		{&packet{Kind: kindMetrics, Seq: 1}, `the first packet is "metrics"`},
	} {
		ws, _, err := websocket.Dial(t.Context(), first.web.URL+Path, &websocket.DialOptions{HTTPHeader: header})
		if err != nil {
			t.Fatal(err)
		}
		p := newPipe(ws)
		p.put(c.f)
		f, err := p.read(context.Background())
		if err != nil || f.Error == nil || !strings.Contains(f.Error.Text, c.want) {
			t.Errorf("%+v, %v", f, err)
		}
		if _, err := p.read(context.Background()); err == nil {
			t.Error("the link stays open")
		}
		p.end()
	}
	// A packet over the limit ends the link, not the owner.
	ws, _, err := websocket.Dial(t.Context(), first.web.URL+Path, &websocket.DialOptions{HTTPHeader: header})
	if err != nil {
		t.Fatal(err)
	}
	p := newPipe(ws)
	p.putEncoded(make([]byte, maxPacket+1))
	if _, err := p.read(context.Background()); err == nil {
		t.Error("the link stays open")
	}
	p.end()
	first.declare(producing("q"))
	if m := first.send("q", "x"); m.BacklogCount != 0 {
		t.Errorf("%+v", m)
	}
	if _, err := w.tryJoin("a"); !errors.As(err, new(*Refused)) {
		t.Errorf("the same Worker: %v", err)
	}
}
