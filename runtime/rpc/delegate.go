package rpc

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/structured"
	"eddy/runtime/webapi/clone"
	"eddy/runtime/webapi/events"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/streams"
)

// rpcDelegate lets structured clone carry this package's objects and those of HTTP (RPC9 to RPC11).
type rpcDelegate struct{ k *Kit }

// Describe implements [structured.Delegate].
func (c rpcDelegate) Describe(obj *goja.Object, kind structured.DelegateKind, context any) (structured.HostObject,
	bool) {
	s, _ := context.(*sending)
	k := c.k
	switch kind {
	case structured.KindFunction:
		return k.describeCallable(obj, s, context)
	case structured.KindProxy:
		if s == nil {
			return structured.HostObject{}, false
		}
		own, ok := k.stubType(obj)
		if !ok {
			return structured.HostObject{Refusal: "Proxy could not be serialized because it is not a valid RPC " +
				"receiver type. The Proxy must emulate either a plain object or an RpcTarget, as indicated by the " +
				"Proxy's prototype chain."}, true
		}
		return k.describeTarget(obj, own, s), true
	case structured.KindError:
		return k.describeError(obj)
	}
	switch state := k.h.Realm.State(obj).(type) {
	case fetcherState:
		return k.describeFetcher(state, s, context)
	case *fetch.Headers:
		return structured.HostObject{
			Tag: structured.TagHeaders, Write: func(e *structured.Encoder) { k.writeHeaders(e, obj) }}, true
	case *fetch.Request:
		return structured.HostObject{
			Tag: structured.TagRequest, Write: func(e *structured.Encoder) { k.writeRequest(e, obj, s) }}, true
	case *fetch.Response:
		return structured.HostObject{
			Tag: structured.TagResponse, Write: func(e *structured.Encoder) { k.writeResponse(e, obj, s) }}, true
	case *fetch.Blob:
		return structured.HostObject{
			Tag: structured.TagBlob, Write: func(e *structured.Encoder) { writeBlob(e, state) }}, true
	case *events.Signal:
		return k.describeSignal(state, s), true
	case nil:
	case Passenger:
		return state.Cross(s != nil), true
	case structured.Refuser:
		return structured.HostObject{Refusal: state.Refusal()}, true
	default:
		// A platform class that does not take part is refused by its name.
		return structured.HostObject{Class: k.className(obj)}, true
	}
	if streams.Is(k.h, obj) {
		if s == nil {
			return structured.HostObject{Refusal: "ReadableStream can only be serialized for RPC."}, true
		}
		return structured.HostObject{
			Tag: structured.TagReadableStream, Write: func(e *structured.Encoder) { k.writeReadable(e, obj, s) }}, true
	}
	if streams.IsWritable(k.h, obj) {
		if s == nil {
			return structured.HostObject{Refusal: "WritableStream can only be serialized for RPC."}, true
		}
		return structured.HostObject{
			Tag: structured.TagWritableStream, Write: func(e *structured.Encoder) { k.writeWritable(e, obj, s) }}, true
	}
	if k.isTarget(obj) {
		if s == nil {
			return structured.HostObject{Refusal: "Remote RPC references can only be serialized for RPC."}, true
		}
		return k.describeTarget(obj, false, s), true
	}
	return structured.HostObject{}, false
}

// Passenger is the state of another package's platform object that has its own rules for crossing.
type Passenger interface {
	// Cross says how the object is serialized, for RPC or for anywhere else.
	Cross(forRPC bool) structured.HostObject
}

// FromRPC tells whether the context of a decoding is that of an RPC message.
func FromRPC(context any) bool {
	r, _ := context.(*receiving)
	return r != nil
}

// className is the name under which a platform object is refused.
func (k *Kit) className(obj *goja.Object) string {
	name := "Object"
	k.h.Realm.Try(func() {
		if tag := obj.GetSymbol(goja.SymToStringTag); tag != nil {
			name = tag.String()
		}
	})
	return name
}

// describeCallable is for functions, and for the callable objects of this package.
func (k *Kit) describeCallable(obj *goja.Object, s *sending, context any) (structured.HostObject, bool) {
	switch state := k.h.Realm.State(obj).(type) {
	case *stub:
		switch {
		case context == any(clone.Local{}):
			return structured.HostObject{Refusal: "#<RpcStub> could not be cloned."}, true
		case s == nil:
			return k.describeStored(state.token, context), true
		}
		return structured.HostObject{
			Tag: structured.TagRPCStub, Write: func(e *structured.Encoder) { k.writeStub(e, state, s) }}, true
	case fetcherState:
		return k.describeFetcher(state, s, context)
	case *promise:
		return structured.HostObject{Class: "RpcPromise"}, true
	case *property:
		return structured.HostObject{Class: "RpcProperty"}, true
	}
	if s == nil {
		return structured.HostObject{}, false
	}
	if k.isTarget(obj) {
		return k.describeTarget(obj, false, s), true
	}
	return k.describeTarget(obj, true, s), true
}

func (k *Kit) writeStub(e *structured.Encoder, st *stub, s *sending) {
	var c Client
	switch {
	case st.owner != nil && st.owner.scope != s.scope:
		k.h.Realm.ThrowError("Error", errOtherScope, "Client")
	case st.gone && s.piped && st.moved != nil:
		c = st.moved.Dup()
	case st.gone:
		c = st.client // the receiver's stub fails when it is used
	case s.transfers():
		c = st.take()
		if s.result {
			st.moved = c
			k.adopt(c, s.hold)
		}
	default:
		c = st.client.Dup()
	}
	writeHandle(e, s.add(clientHandle{c}), st.token)
}

// describeTarget makes a stub of an object on the way. An argument with a dup method is asked for a duplicate, which
// the receiver then owns (flag rpc_params_dup_stubs).
func (k *Kit) describeTarget(obj *goja.Object, own bool, s *sending) structured.HostObject {
	return structured.HostObject{Tag: structured.TagRPCStub, Write: func(e *structured.Encoder) {
		if !s.transfers() {
			if dup, ok := goja.AssertFunction(obj.Get("dup")); ok {
				v, err := dup(obj)
				if err != nil {
					panic(k.h.Realm.ErrorValue(err))
				}
				other, isObj := v.(*goja.Object)
				same := false
				if isObj {
					var otherOwn bool
					otherOwn, same = k.stubType(other)
					same = same && otherOwn == own
				}
				if !same {
					e.Refuse("Couldn't create a stub for the object because it has a dup() method which did not " +
						"return an object of the same kind. Either remove the dup() method or make sure it returns " +
						"an RpcTarget or function as the object itself is.")
				}
				obj = other
			}
		}
		writeHandle(e, s.add(clientHandle{k.export(obj, own, s.hold)}), nil)
	}}
}

// describeError writes a DOMException in the platform's form; other errors are the codec's business.
func (k *Kit) describeError(obj *goja.Object) (structured.HostObject, bool) {
	name, message, ok := k.h.Realm.DOMExceptionParts(obj)
	if !ok {
		return structured.HostObject{}, false
	}
	return structured.HostObject{Tag: structured.TagDOMExceptionV2, Write: func(e *structured.Encoder) {
		rt := k.h.Runtime()
		e.WriteValue(rt.ToValue(name))
		e.WriteValue(rt.ToValue(message))
		rest := rt.NewObject()
		if stack := obj.Get("stack"); stack != nil && !goja.IsUndefined(stack) {
			_ = rest.Set("stack", stack)
		}
		e.WriteValue(rest)
	}}, true
}

// Read implements [structured.Delegate].
func (c rpcDelegate) Read(d *structured.Decoder, tag uint32) *goja.Object {
	k := c.k
	r, _ := d.Context().(*receiving)
	switch tag {
	case structured.TagRPCStub:
		return k.readStub(d, r)
	case structured.TagReadableStream:
		return k.readReadable(d, r)
	case structured.TagWritableStream:
		return k.readWritable(d, r)
	case structured.TagHeaders:
		return k.readHeaders(d)
	case structured.TagRequest:
		return k.readRequest(d)
	case structured.TagResponse:
		return k.readResponse(d)
	case structured.TagServiceStub, structured.TagActorClass:
		return k.readFetcher(d)
	case structured.TagBlob:
		return k.readBlob(d)
	case structured.TagAbortSignal:
		return k.readSignal(d, r)
	case structured.TagDOMExceptionV2:
		return k.readDOMException(d)
	}
	return nil
}

func (k *Kit) taken(d *structured.Decoder, r *receiving) handle {
	if r == nil {
		d.Refuse("This value can only be deserialized from RPC.")
	}
	h := r.take(d.ReadUint32())
	if h == nil {
		d.Refuse("Deserialization failed: a reference is missing.")
	}
	return h
}

func (k *Kit) readDOMException(d *structured.Decoder) *goja.Object {
	name, message := d.ReadValue().String(), d.ReadValue().String()
	rest := d.ReadValue()
	obj := k.h.Realm.DOMException(name, message)
	_ = rest // its stack is the sender's
	return obj
}
