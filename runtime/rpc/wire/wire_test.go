package wire

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"

	"eddy/runtime/rpc"
)

// A call carries its path, its arguments and a stub; the callee calls the stub back, and the answer has one, too. What
// was given is released on the other side, and nothing is kept.
func TestCall(t *testing.T) {
	given := newHost(func(op *rpc.Op) {
		op.ReplyWith(nil, &rpc.Cargo{Data: append([]byte("back:"), op.Unload().Data...)})
	})
	answered := newHost(func(op *rpc.Op) { op.ReplyWith(nil, &rpc.Cargo{Data: []byte("second")}) })
	p := connect(t, newHost(func(op *rpc.Op) {
		in := op.Unload()
		back, _ := ask(in.Goods[0].Client, "f", &rpc.Cargo{Data: in.Data})
		go func() {
			r := <-back
			in.Goods[0].Client.Release()
			op.ReplyWith(nil, &rpc.Cargo{Data: append([]byte(op.Path[0]+" "), r.cargo.Data...),
				Goods: []rpc.Good{{Client: answered}}})
		}()
	}))
	out, promise := ask(p.near.Entry(Entry{Worker: "w"}), "method", &rpc.Cargo{Data: []byte("x"),
		Goods: []rpc.Good{{Client: given}}})
	r := <-out
	if r.failure != nil || string(r.cargo.Data) != "method back:x" {
		t.Fatalf("%v %+v", r.failure, r.cargo)
	}
	<-given.released
	stub := r.cargo.Goods[0].Client
	second, other := ask(stub, "again", nil)
	if r := <-second; string(r.cargo.Data) != "second" {
		t.Fatalf("%+v", r)
	}
	dup := stub.Dup()
	stub.Release()
	third, another := ask(dup, "again", nil)
	if r := <-third; string(r.cargo.Data) != "second" {
		t.Fatalf("%+v", r)
	}
	dup.Release()
	<-answered.released
	_, _, _ = promise, other, another
	p.empty(t)
}

// A stub that goes back to where it came from is the thing itself there, not a proxy of a proxy.
func TestStubGoesHome(t *testing.T) {
	given := newHost(nil)
	var got rpc.Client
	var kept rpc.Client
	p := connect(t, newHost(func(op *rpc.Op) {
		in := op.Unload()
		if op.Path[0] == "keep" {
			kept = in.Goods[0].Client
			op.ReplyWith(nil, &rpc.Cargo{})
			return
		}
		op.ReplyWith(nil, &rpc.Cargo{Goods: []rpc.Good{{Client: kept}}})
	}))
	far := p.near.Entry(Entry{})
	out, _ := ask(far, "keep", &rpc.Cargo{Goods: []rpc.Good{{Client: given}}})
	<-out
	out, _ = ask(far, "give", nil)
	got = (<-out).cargo.Goods[0].Client
	if got != rpc.Client(given) {
		t.Errorf("it is a %T", got)
	}
	got.Release()
	<-given.released
	p.empty(t)
}

// What is asked of a result goes to the callee at once, before there is a result, and in order (RPC5).
func TestPipelining(t *testing.T) {
	var order []string
	var first *rpc.Op
	p := connect(t, newHost(func(op *rpc.Op) {
		order = append(order, op.Path[0])
		first = op
		op.Pipelined().Redirect(func(next *rpc.Op) {
			order = append(order, next.Path[0])
			next.ReplyWith(nil, &rpc.Cargo{Data: []byte(next.Path[0])})
			if next.Path[0] == "b" {
				first.ReplyWith(rpc.Fail("late"), nil)
			}
		})
	}))
	out, answer := ask(p.near.Entry(Entry{}), "start", nil)
	a, _ := ask(answer, "a", nil)
	b, _ := ask(answer, "b", nil)
	if got := string((<-a).cargo.Data) + string((<-b).cargo.Data); got != "ab" {
		t.Errorf("got %q", got)
	}
	if r := <-out; r.failure == nil || r.failure.Message != "late" {
		t.Errorf("the call itself: %+v", r)
	}
	if strings.Join(order, " ") != "start a b" {
		t.Errorf("order: %v", order)
	}
	answer = nil
	_ = answer
	p.empty(t)
}

// A failure arrives with all that it has (RPC14 to RPC17), and a disposer is called once.
func TestFailure(t *testing.T) {
	want := &rpc.RemoteError{Name: "AbortError", Message: "m", DOM: true, Remote: true, Retryable: true,
		Overloaded: true, Reset: true, ObjectID: "id", Data: []byte{1}}
	disposed := make(chan struct{})
	p := connect(t, newHost(func(op *rpc.Op) {
		if op.Get {
			op.ReplyWith(nil, &rpc.Cargo{Dispose: func() { close(disposed) }})
			return
		}
		op.ReplyWith(want, nil)
	}))
	out, _ := ask(p.near.Entry(Entry{}), "f", nil)
	got := (<-out).failure
	if got.Name != want.Name || got.Message != want.Message || !got.DOM || !got.Remote || !got.Retryable ||
		!got.Overloaded || !got.Reset || got.ObjectID != "id" || !bytes.Equal(got.Data, want.Data) {
		t.Errorf("%+v", got)
	}
	a := rpc.Arrival{Path: []string{"x"}, Get: true, Reply: func(_ *rpc.RemoteError, c *rpc.Cargo) { c.Dispose() }}
	op, _ := a.Op()
	p.near.Entry(Entry{}).Send(op)
	<-disposed
	p.empty(t)
}

// An object that was opened is one Client on the other side until it is released.
func TestObject(t *testing.T) {
	target := newHost(func(op *rpc.Op) { op.ReplyWith(nil, &rpc.Cargo{}) })
	p := connect(t, target)
	o := p.near.Object([]byte("name"))
	for range 3 {
		out, _ := ask(o, "f", nil)
		if r := <-out; r.failure != nil {
			t.Fatal(r.failure)
		}
	}
	o.Release()
	p.empty(t)
	target.mu.Lock()
	defer target.mu.Unlock()
	if target.refs != 1 {
		t.Errorf("%d references", target.refs)
	}
}

// The end of either side in the middle of a call, a stream and a write fails all with the platform's error, gives back
// what was given, and leaves nothing (RPC17).
func TestEnd(t *testing.T) {
	for _, side := range []string{"near", "far"} {
		given := newHost(nil)
		body := newSlowBody()
		into := newStuckSink()
		arrived := make(chan *rpc.Cargo, 1)
		p := connect(t, newHost(func(op *rpc.Op) { arrived <- op.Unload() }))
		out, answer := ask(p.near.Entry(Entry{}), "f", &rpc.Cargo{Goods: []rpc.Good{{Client: given},
			{Reader: body, Length: -1}, {Sink: into}, {Trigger: &rpc.AbortTrigger{}}}})
		in := <-arrived
		read, wrote := make(chan error, 1), make(chan error, 1)
		go func() { _, err := in.Goods[1].Reader.Read(make([]byte, 10)); read <- err }()
		go func() { wrote <- in.Goods[2].Sink.Write([]byte("w")) }()
		<-body.asked
		<-into.asked
		if side == "near" {
			p.near.End(nil)
		} else {
			p.far.End(nil)
		}
		for what, err := range map[string]error{"call": (<-out).failure, "read": <-read, "write": <-wrote} {
			if err == nil || err.Error() != "Network connection lost." {
				t.Errorf("%s ends: the %s gives %v", side, what, err)
			}
		}
		<-given.released
		<-body.closed
		<-into.aborted
		next, _ := ask(p.near.Entry(Entry{}), "f", nil)
		if r := <-next; r.failure == nil || r.failure.Message != "Network connection lost." {
			t.Errorf("a call after the end: %+v", r)
		}
		piped, _ := ask(answer, "f", nil)
		if r := <-piped; r.failure == nil {
			t.Error("a call of the result is answered")
		}
		// What the receiver does with what it has left is heard by nobody.
		in.Goods[0].Client.Release()
		in.Goods[2].Sink.Abort(nil)
		p.empty(t)
	}
}

// A version that this side does not speak is refused by name, on both sides, and calls say so.
func TestVersion(t *testing.T) {
	a, b := net.Pipe()
	w := New(Options{Name: "near"})
	out, _ := ask(w.Entry(Entry{}), "f", nil)
	over := make(chan error, 1)
	go func() { over <- w.Run(a) }()
	go func() { _, _ = io.Copy(io.Discard, b) }()
	if err := writeFrame(b, &frame{kind: kindHello, number: 7, text: "The session of process 5"}); err != nil {
		t.Fatal(err)
	}
	const want = "The session of process 5 speaks version 7 of the protocol between sessions; this one speaks " +
		"version 2: use the same version of eddy for both"
	if err := <-over; err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	if r := <-out; r.failure == nil || r.failure.Message != want {
		t.Errorf("%+v", r)
	}
}
