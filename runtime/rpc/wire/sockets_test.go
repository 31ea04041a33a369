package wire

import (
	"context"
	"testing"

	"eddy/runtime/webapi/websocket"
)

// await is the next message of an end.
func await(t *testing.T, e *websocket.End) websocket.Message {
	t.Helper()
	for {
		if m, ok := e.Take(); ok {
			return m
		}
		woken := make(chan struct{})
		e.Notify(func() { close(woken) })
		<-woken
	}
}

// opened is a WebSocket between two sides: the caller's end, and the one that the Worker has kept.
func opened(t *testing.T) (p *pair, caller, worker *websocket.End) {
	t.Helper()
	p = connect(t, newHost(nil))
	given, kept := websocket.NewPipe()
	over := make(chan struct{})
	t.Cleanup(func() { <-over })
	p.far.o.Fetch = func(a Asked) {
		a.Answer(nil, &Reply{Head: a.Head, Socket: given, Over: func() { close(over) }})
	}
	r, err := p.near.Entry(Entry{Worker: "w"}).Fetch(context.Background(), Question{Head: []byte("head")})
	if err != nil || string(r.Head) != "head" || r.Body != nil {
		t.Fatalf("%+v %v", r, err)
	}
	return p, r.Socket, kept
}

// Messages go both ways in their order; a close of both sides ends the socket, and nothing is kept.
func TestSocket(t *testing.T) {
	p, caller, worker := opened(t)
	for _, m := range []websocket.Message{{Text: "a"}, {Kind: websocket.Binary, Data: []byte("b")}} {
		for _, ends := range [][2]*websocket.End{{caller, worker}, {worker, caller}} {
			if !ends[0].Send(m) {
				t.Fatal("it is not sent")
			}
			if got := await(t, ends[1]); got.Kind != m.Kind || got.Text+string(got.Data) != m.Text+string(m.Data) {
				t.Errorf("got %+v", got)
			}
		}
	}
	caller.Send(websocket.Message{Kind: websocket.Close, Code: 4000, Reason: "r"})
	if got := await(t, worker); got.Kind != websocket.Close || got.Code != 4000 || got.Reason != "r" {
		t.Errorf("got %+v", got)
	}
	worker.Send(websocket.Message{Kind: websocket.Close, Code: 4000, Reason: "r"})
	if got := await(t, caller); got.Kind != websocket.Close {
		t.Errorf("got %+v", got)
	}
	p.empty(t)
}

// A connection that one side loses is lost for the other; so is one whose wire ends.
func TestSocketIsLost(t *testing.T) {
	p, caller, worker := opened(t)
	caller.Lose(nil)
	if got := await(t, worker); got.Kind != websocket.Lost {
		t.Errorf("got %+v", got)
	}
	p.empty(t)
	p, caller, worker = opened(t)
	p.far.End(nil)
	for _, e := range []*websocket.End{caller, worker} {
		if got := await(t, e); got.Kind != websocket.Lost {
			t.Errorf("after the end: %+v", got)
		}
	}
	p.empty(t)
}
