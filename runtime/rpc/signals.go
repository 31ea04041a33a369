package rpc

import (
	"sync"

	"github.com/dop251/goja"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/structured"
	"eddy/runtime/webapi/clone"
	"eddy/runtime/webapi/events"
)

// Kinds of AbortSignal on the wire.
const (
	signalPlain uint32 = iota
	signalNever
	signalIncoming
)

// AbortTrigger is an AbortSignal on its way: it aborts the receiver's copy when the sender's signal is aborted.
type AbortTrigger struct {
	mu struct {
		sync.Mutex
		fired   bool
		reason  []byte // structured clone
		deliver func(reason []byte)
	}
}

// drop implements handle. A signal that nobody receives needs no release.
func (t *AbortTrigger) drop() {}

// Fire aborts it; reason is a structured clone. Any goroutine.
func (t *AbortTrigger) Fire(reason []byte) {
	t.mu.Lock()
	t.mu.fired, t.mu.reason = true, reason
	deliver := t.mu.deliver
	t.mu.Unlock()
	if deliver != nil {
		deliver(reason)
	}
}

// Then sets deliver, which is called with the reason of the abort. The abort may have happened already.
func (t *AbortTrigger) Then(deliver func(reason []byte)) {
	t.mu.Lock()
	t.mu.deliver = deliver
	fired, reason := t.mu.fired, t.mu.reason
	t.mu.Unlock()
	if fired {
		deliver(reason)
	}
}

// describeSignal lets an AbortSignal cross under the flag enable_abortsignal_rpc; without it, it is refused (RPC10).
func (k *Kit) describeSignal(sig *events.Signal, s *sending) structured.HostObject {
	switch {
	case !k.h.Enabled("enable_abortsignal_rpc"):
		return structured.HostObject{Refusal: "AbortSignal serialization is not enabled."}
	case s == nil:
		return structured.HostObject{Refusal: "AbortSignal can only be serialized for RPC."}
	}
	return structured.HostObject{
		Tag: structured.TagAbortSignal, Write: func(e *structured.Encoder) { k.writeSignal(e, sig, s) }}
}

func (k *Kit) writeSignal(e *structured.Encoder, sig *events.Signal, s *sending) {
	kind := signalPlain
	switch {
	case sig.Never:
		kind = signalNever
	case sig.Incoming:
		kind = signalIncoming
	}
	aborted := uint32(0)
	if sig.Aborted() {
		aborted = 1
	}
	e.WriteUint32(aborted)
	e.WriteUint32(kind)
	e.WriteValue(sig.Reason())
	if sig.Aborted() || sig.Never {
		return
	}
	t := &AbortTrigger{}
	e.WriteUint32(s.add(t))
	sig.OnAbort(func() { k.sendAbort(t, sig) })
}

// sendAbort tells the other side of the abort when all that was written before is confirmed (GT7), as for everything
// that leaves a scope. A reason that cannot be cloned fails as an un-awaited call would.
func (k *Kit) sendAbort(t *AbortTrigger, sig *events.Signal) {
	k.h.Guard(func() {
		out, err := clone.Codec(k.h).Encode(sig.Reason(), structured.EncodeOptions{})
		if err != nil {
			panic(k.h.Realm.ErrorValue(err))
		}
		k.h.Scope().Output(func(err error) {
			if err == nil {
				t.Fire(out.Data)
			}
		})
	})
}

func (k *Kit) readSignal(d *structured.Decoder, r *receiving) *goja.Object {
	aborted, kind := d.ReadUint32() == 1, d.ReadUint32()
	reason := d.ReadValue()
	sig := events.NewSignal(k.h)
	sig.Never, sig.Incoming = kind == signalNever, kind == signalIncoming
	switch {
	case aborted:
		sig.Abort(k.h, reason)
	case !sig.Never:
		t := goodOf(k.taken(d, r)).Trigger
		if t == nil {
			d.Refuse("Deserialization failed: an AbortSignal is missing.")
		}
		scope := k.h.Scope()
		shut := scope.Open() // the sender may abort it at any time
		t.Then(func(reason []byte) {
			k.h.Loop.Post(func() {
				shut()
				k.abort(scope, sig, reason)
			})
		})
	}
	return sig.Object()
}

// abort triggers the receiver's copy.
func (k *Kit) abort(scope *eventloop.Scope, sig *events.Signal, reason []byte) {
	if scope.Closed() {
		return
	}
	scope.EnterNow(func() {
		k.h.Guard(func() {
			v, err := clone.Codec(k.h).Decode(reason, structured.DecodeOptions{DropErrorStacks: true})
			if err != nil {
				panic(k.h.Realm.ErrorValue(err))
			}
			sig.Abort(k.h, v)
		})
	})
}
