package worker

import (
	"context"
	"encoding/hex"
	"sync"

	"github.com/dop251/goja"
)

// StreamTail is the event of a streaming tail Worker's tailStream() handler: one stream from its first event to its
// last (BIND-140). Make one with [Isolate.StreamTail].
type StreamTail struct {
	head StreamHead

	mu      sync.Mutex // nobody waits while holding it
	waiting []StreamEvent
	inv     *Invocation // once it takes events
	over    bool        // nothing is taken any more

	// Loop goroutine only.
	handler *goja.Object // a function, or an object with one for each type of event
	release func()
}

// StreamTail sends a stream to a Worker. What it returns takes the events, the first of them first, from any one
// goroutine at a time.
func (iso *Isolate) StreamTail(head StreamHead) func(StreamEvent) {
	t := &StreamTail{head: head}
	sent := false
	return func(e StreamEvent) {
		t.mu.Lock()
		if t.over {
			t.mu.Unlock()
			return
		}
		t.waiting = append(t.waiting, e)
		ready := t.inv != nil
		t.mu.Unlock()
		switch {
		case ready:
			iso.Loop.Post(t.drain)
		case !sent:
			if sent = true; !iso.Dispatch(context.Background(), t, DispatchOptions{Patient: true}) {
				t.end()
			}
		}
	}
}

// Kind implements [Event].
func (t *StreamTail) Kind() string { return "tailstream" }

// Run implements [Event].
func (t *StreamTail) Run(inv *Invocation) goja.Value {
	t.mu.Lock()
	first := t.waiting[0]
	t.waiting = t.waiting[1:]
	t.mu.Unlock()
	h, ok := inv.Handler("tailStream")
	if !ok {
		inv.Isolate.Realm.ThrowError("Error", "Handler does not export a tailStream() function.")
	}
	t.release = inv.HoldOpen()
	return h.Call(inv, inv.Isolate.streamEvent(&t.head, &first))
}

// Settle implements [Event].
func (t *StreamTail) Settle(inv *Invocation, value, failure goja.Value) {
	if failure != nil {
		inv.Isolate.Uncaught(failure)
	}
	t.handler, _ = value.(*goja.Object)
	if t.handler == nil { // it wants no more of this stream (BIND-142)
		t.end()
		return
	}
	t.mu.Lock()
	t.inv = inv
	t.mu.Unlock()
	t.drain()
}

// Done implements [Event].
func (t *StreamTail) Done(*Invocation, error) {
	t.mu.Lock()
	t.over, t.waiting = true, nil
	t.mu.Unlock()
}

// end gives the stream up. Loop goroutine, unless the event was never sent.
func (t *StreamTail) end() {
	t.Done(nil, nil)
	if t.release != nil {
		release := t.release
		t.release = nil
		release()
	}
}

// drain hands out what has come, in order.
func (t *StreamTail) drain() {
	for {
		t.mu.Lock()
		if t.over || len(t.waiting) == 0 {
			t.mu.Unlock()
			return
		}
		e := t.waiting[0]
		t.waiting = t.waiting[1:]
		t.mu.Unlock()
		t.inv.Scope.EnterNow(func() {
			iso := t.inv.Isolate
			if ex := iso.Realm.Try(func() { t.give(&e) }); ex != nil {
				iso.Uncaught(ex)
			}
		})
		if e.Last {
			t.end()
		}
	}
}

// give calls the handler of an event.
func (t *StreamTail) give(e *StreamEvent) {
	iso := t.inv.Isolate
	obj := iso.streamEvent(&t.head, e)
	fn, ok := goja.AssertFunction(t.handler)
	var this goja.Value = goja.Undefined()
	if !ok {
		kind := obj.Get("event").ToObject(iso.Runtime()).Get("type").String()
		fn, ok = goja.AssertFunction(t.handler.Get(kind))
		this = t.handler
	}
	if !ok {
		return
	}
	v, err := fn(this, obj)
	if err != nil {
		panic(iso.Realm.ErrorValue(err))
	}
	if p, ok := v.(*goja.Object); ok && thenable(p) {
		t.inv.WaitUntil(p)
	}
}

// streamEvent makes the object of an event, with the properties in the platform's order.
func (iso *Isolate) streamEvent(head *StreamHead, e *StreamEvent) *goja.Object {
	rt := iso.Runtime()
	ctx := rt.NewObject()
	setOwn(ctx, "traceId", rt.ToValue(hex.EncodeToString(head.Trace[:])))
	if e.Span != [8]byte{} {
		setOwn(ctx, "spanId", rt.ToValue(hex.EncodeToString(e.Span[:])))
	}
	date := func(v goja.Value) goja.Value {
		d, err := rt.New(rt.Get("Date"), v)
		if err != nil {
			panic(iso.Realm.ErrorValue(err))
		}
		return d
	}
	event := iso.parse(e.Body).ToObject(rt)
	if info, ok := event.Get("info").(*goja.Object); ok {
		if at := info.Get("scheduledTime"); at != nil && !goja.IsUndefined(at) {
			setOwn(info, "scheduledTime", date(at))
		}
	}
	obj := rt.NewObject()
	setOwn(obj, "spanContext", ctx)
	setOwn(obj, "invocationId", rt.ToValue(hex.EncodeToString(head.Invocation[:])))
	setOwn(obj, "timestamp", date(rt.ToValue(e.At.UnixMilli())))
	setOwn(obj, "sequence", rt.ToValue(e.Sequence))
	setOwn(obj, "event", event)
	return obj
}
