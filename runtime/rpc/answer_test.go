package rpc

import (
	"runtime"
	"strings"
	"sync"
	"testing"
)

// RPC2, RPC5: what is called on a result before it is there waits, in order, and goes straight on afterwards.
func TestAnswerOrder(t *testing.T) {
	var log []string
	op := func(name string) *Op {
		return &Op{Path: []string{name}, reply: func(r *OpResult) { log = append(log, name+"="+r.Failure.Message) }}
	}
	a := &Answer{}
	a.Send(op("a"))
	a.Send(op("b"))
	served := func(how string) func(*Op) { return func(op *Op) { log = append(log, how+op.Path[0]) } }
	a.resolve(served("now "), served("later "))
	a.Send(op("c"))
	a.over(Fail("too late"))
	a.Send(op("d"))
	if got := strings.Join(log, "|"); got != "now a|now b|later c|later d" {
		t.Error(got)
	}

	log = nil
	b := &Answer{}
	b.Send(op("a"))
	b.over(Fail("boom"))
	b.Send(op("b"))
	if got := strings.Join(log, "|"); got != "a=boom|b=boom" {
		t.Error(got)
	}
}

// An op has one result; what comes later is let go.
func TestOpReplyOnce(t *testing.T) {
	n := 0
	op := &Op{answer: &Answer{}, reply: func(*OpResult) { n++ }}
	op.Fail(Fail("first"))
	dropped := &handleCount{}
	op.Reply(&OpResult{msg: &Parcel{handles: []handle{dropped}}})
	if n != 1 || dropped.n != 1 || !op.Over() {
		t.Error(n, dropped.n)
	}
}

// RPC5: what is asked of a call that fails in another process fails in the order of the asking, also while one of the
// failures comes home by itself.
func TestAnswerFailsInOrder(t *testing.T) {
	var mu sync.Mutex
	var log []string
	note := func(name string) {
		mu.Lock()
		defer mu.Unlock()
		log = append(log, name)
	}
	handing, hand := make(chan struct{}), make(chan struct{})
	first := &Op{reply: func(*OpResult) {
		close(handing)
		<-hand
		note("first")
	}}
	second := &Op{reply: func(*OpResult) { note("second") }}
	a := &Answer{}
	a.Redirect(func(*Op) {})
	a.Send(first)
	a.Send(second)
	var both sync.WaitGroup
	both.Go(func() { first.Fail(Fail("no")) })
	<-handing
	both.Go(func() { a.over(Fail("no")) })
	for range 1000 {
		runtime.Gosched()
	}
	close(hand)
	both.Wait()
	if got := strings.Join(log, ", "); got != "first, second" {
		t.Error(got)
	}
}

type handleCount struct{ n int }

func (h *handleCount) drop() { h.n++ }

// RPC14: standard classes keep their name, others put it into the message.
func TestStandard(t *testing.T) {
	for _, c := range [][4]string{
		{"TypeError", "x", "TypeError", "x"}, {"MyErr", "custom", "Error", "MyErr: custom"},
		{"MyErr", "", "Error", "MyErr"}} {
		if f := Standard(c[0], c[1]); f.Name != c[2] || f.Message != c[3] {
			t.Errorf("%v: %+v", c, f)
		}
	}
}

// What is asked of a result in another process fails there as the call did, whenever it arrives; once the failure has
// come home, it fails here, on the caller's side.
func TestAnswerElsewhere(t *testing.T) {
	failed := Fail("no").With(func(f *RemoteError) { f.Remote = true })
	ask := func(a *Answer) *RemoteError {
		var got *RemoteError
		a.Send(&Op{reply: func(r *OpResult) { got = r.Failure }})
		return got
	}
	_, callee := Arrival{Reply: func(*RemoteError, *Cargo) {}}.Op()
	callee.over(failed)
	if got := ask(callee); got == nil || !got.Remote {
		t.Errorf("asked before the failure has come home: %+v", got)
	}
	caller := &Answer{}
	sent := 0
	caller.Redirect(func(*Op) { sent++ })
	if got := ask(caller); got != nil || sent != 1 {
		t.Errorf("%+v, sent %d times", got, sent)
	}
	caller.over(failed)
	if got := ask(caller); got == nil || got.Remote || sent != 1 {
		t.Errorf("asked afterwards: %+v, sent %d times", got, sent)
	}
}

// What has been asked of a result in another process fails with the call, in its order, and its own answer comes too
// late; what has its result already, or was asked of a call that went well, is left alone.
func TestAskedElsewhereFailsWithTheCall(t *testing.T) {
	var log []string
	op := func(name string) *Op {
		return &Op{Path: []string{name}, reply: func(r *OpResult) {
			if r.Failure == nil {
				log = append(log, name)
			} else {
				log = append(log, name+"="+r.Failure.Message)
			}
		}}
	}
	a := &Answer{}
	early, first, second := op("early"), op("first"), op("second")
	a.Send(early)
	a.Redirect(func(*Op) {})
	a.Send(first)
	a.Send(second)
	early.Reply(&OpResult{})
	a.over(Fail("no"))
	second.Fail(Fail("late"))
	if got := strings.Join(log, "|"); got != "early|first=no|second=no" {
		t.Error(got)
	}

	log = nil
	a = &Answer{}
	a.Redirect(func(*Op) {})
	a.Send(op("asked"))
	a.over(nil)
	a.over(Fail("no"))
	if len(log) != 0 || a.mu.sent != nil {
		t.Error(log, a.mu.sent)
	}
}
