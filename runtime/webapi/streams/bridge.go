package streams

import (
	"strconv"

	"github.com/dop251/goja"

	"eddy/runtime/engine/gojainternals"
	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
)

// bridge holds the functions that the JavaScript half exports.
type bridge struct {
	h       *host.Host
	rt      *goja.Runtime
	classes *goja.Object
	kit     *goja.Object
	// shared is SharedArrayBuffer.prototype: such buffers are the engine's ordinary ones with another prototype.
	shared *goja.Object

	isReadable, isWritable, locked, disturbed, expectedLength, writableLocked goja.Callable
	cancel, tee, teeNative, nativeUntouched, pipe, from                       goja.Callable
	nativeReadable, nativeWritable, transform                                 goja.Callable
	writer, writerWrite, writerClose, writerAbort                             goja.Callable
	takeNative, finishNative, drain, detach, inner                            goja.Callable
}

func newBridge(h *host.Host) *bridge {
	rt := h.Runtime()
	b := &bridge{h: h, rt: rt}
	if ctor, ok := rt.Get("SharedArrayBuffer").(*goja.Object); ok {
		b.shared, _ = ctor.Get("prototype").(*goja.Object)
	}
	v, err := rt.RunProgram(program())
	if err != nil {
		panic(err)
	}
	main, _ := goja.AssertFunction(v)
	res, err := main(goja.Undefined(), b.native())
	if err != nil {
		panic(err)
	}
	exports := res.(*goja.Object)
	b.classes = exports.Get("classes").(*goja.Object)
	b.kit = exports.Get("kit").(*goja.Object)
	for name, f := range map[string]*goja.Callable{
		"isReadable": &b.isReadable, "isWritable": &b.isWritable, "locked": &b.locked, "disturbed": &b.disturbed,
		"expectedLength": &b.expectedLength, "writableLocked": &b.writableLocked, "cancel": &b.cancel, "tee": &b.tee,
		"teeNative": &b.teeNative, "nativeUntouched": &b.nativeUntouched, "pipe": &b.pipe, "from": &b.from,
		"nativeReadable": &b.nativeReadable, "nativeWritable": &b.nativeWritable, "transform": &b.transform,
		"writer": &b.writer, "writerWrite": &b.writerWrite, "writerClose": &b.writerClose,
		"writerAbort": &b.writerAbort,
		"takeNative":  &b.takeNative, "finishNative": &b.finishNative, "drain": &b.drain, "detach": &b.detach,
		"inner": &b.inner,
	} {
		fn, ok := goja.AssertFunction(exports.Get(name))
		if !ok {
			panic("streams: the script does not export " + name)
		}
		*f = fn
	}
	h.Inner = append(h.Inner, b.innerOf)
	return b
}

// innerOf is what console shows of a stream beside its accessors.
func (b *bridge) innerOf(o *goja.Object) (list []host.InnerProperty) {
	inner, ok := b.call(b.inner, o).(*goja.Object)
	if !ok {
		return nil
	}
	for i := range int(inner.Get("length").ToInteger()) / 2 {
		list = append(list, host.InnerProperty{
			Name: inner.Get(strconv.Itoa(2 * i)).String(), Value: inner.Get(strconv.Itoa(2*i + 1)),
		})
	}
	return list
}

// call calls an exported function; what it throws goes on to whoever called the Go side.
func (b *bridge) call(f goja.Callable, args ...goja.Value) goja.Value {
	v, err := f(goja.Undefined(), args...)
	if err != nil {
		b.h.Realm.Throw(b.h.Realm.ErrorValue(err))
	}
	return v
}

// native makes the object of functions that the script works with.
func (b *bridge) native() *goja.Object {
	rt, realm := b.rt, b.h.Realm
	o := rt.NewObject()
	set := func(name string, v any) {
		if err := o.Set(name, v); err != nil {
			panic(err)
		}
	}
	fn := func(name string, f func(goja.FunctionCall) goja.Value) { set(name, realm.Function(name, f)) }
	set("illegalInvocation", webidl.IllegalInvocation)
	// Before this flag the platform let writes to a TransformStream go on whatever its readable side held.
	set("transformBackpressure", b.h.Flag == nil || b.h.Enabled("fixup-transform-stream-backpressure"))
	set("asyncIteratorPrototype", b.asyncIteratorPrototype())
	b.promises(set)
	fn("transfer", b.transfer)
	fn("copyBytes", b.copyBytes)
	fn("isDetached", func(c goja.FunctionCall) goja.Value {
		ab, ok := arrayBuffer(c.Argument(0))
		return rt.ToValue(ok && ab.Detached())
	})
	fn("isArrayBuffer", func(c goja.FunctionCall) goja.Value {
		_, ok := b.own(c.Argument(0))
		return rt.ToValue(ok)
	})
	fn("utf8", func(c goja.FunctionCall) goja.Value {
		return realm.Uint8Array([]byte(webidl.USVString(c.Argument(0))))
	})
	fn("enabled", func(c goja.FunctionCall) goja.Value { return rt.ToValue(b.h.Enabled(c.Argument(0).String())) })
	errorProto := rt.Get("Error").ToObject(rt).Get("prototype").ToObject(rt)
	fn("isError", func(c goja.FunctionCall) goja.Value { return rt.ToValue(inherits(c.Argument(0), errorProto)) })
	fn("abortController", func(goja.FunctionCall) goja.Value {
		ctor := rt.Get("AbortController")
		if ctor == nil {
			realm.ThrowError("Error", "AbortController is not available in this isolate.")
		}
		obj, err := rt.New(ctor)
		if err != nil {
			realm.Throw(realm.ErrorValue(err))
		}
		return obj
	})
	fn("isAbortSignal", func(c goja.FunctionCall) goja.Value {
		ctor, ok := rt.Get("AbortSignal").(*goja.Object)
		if !ok {
			return rt.ToValue(false)
		}
		proto, ok := ctor.Get("prototype").(*goja.Object)
		return rt.ToValue(ok && inherits(c.Argument(0), proto))
	})
	fn("pull", b.pull)
	fn("ended", func(c goja.FunctionCall) goja.Value { return rt.ToValue(sourceOf(c.Argument(0)).ended()) })
	fn("cancel", func(c goja.FunctionCall) goja.Value {
		sourceOf(c.Argument(0)).close(b.h.Loop.Clock())
		return goja.Undefined()
	})
	fn("tee", b.teeSource)
	return o
}

// inherits tells whether proto is on the prototype chain of v.
func inherits(v goja.Value, proto *goja.Object) bool {
	obj, ok := v.(*goja.Object)
	if !ok {
		return false
	}
	for p := obj.Prototype(); p != nil; p = p.Prototype() {
		if p == proto {
			return true
		}
	}
	return false
}

// asyncIteratorPrototype is the prototype of AsyncIterator if there is a global of that name, else a plain object with
// the method that %AsyncIteratorPrototype% has.
func (b *bridge) asyncIteratorPrototype() goja.Value {
	if ctor, ok := b.rt.Get("AsyncIterator").(*goja.Object); ok {
		if p, ok := ctor.Get("prototype").(*goja.Object); ok {
			return p
		}
	}
	v, err := b.rt.RunString(`({ [Symbol.asyncIterator ?? Symbol.for('Symbol.asyncIterator')]() { return this; } })`)
	if err != nil {
		panic(err)
	}
	return v
}

// transfer is TransferArrayBuffer: it makes a new object over the same bytes and detaches the old one.
func (b *bridge) transfer(c goja.FunctionCall) goja.Value {
	ab, ok := b.own(c.Argument(0))
	if !ok {
		b.h.Realm.ThrowType("Unable to use non-detachable ArrayBuffer.")
	}
	if ab.Detached() {
		b.h.Realm.ThrowType("Cannot perform Construct on a detached ArrayBuffer")
	}
	bytes := ab.Bytes()
	if !ab.Detach() {
		b.h.Realm.ThrowType("Unable to use non-detachable ArrayBuffer.")
	}
	return b.rt.ToValue(b.rt.NewArrayBuffer(bytes))
}

// copyBytes copies between ArrayBuffers: (to, toOffset, from, fromOffset, length).
func (b *bridge) copyBytes(c goja.FunctionCall) goja.Value {
	to, ok1 := arrayBuffer(c.Argument(0))
	from, ok2 := arrayBuffer(c.Argument(2))
	if !ok1 || !ok2 || to.Detached() || from.Detached() {
		b.h.Realm.ThrowType("Cannot perform copy on a detached ArrayBuffer")
	}
	at, start, n := int(c.Argument(1).ToInteger()), int(c.Argument(3).ToInteger()), int(c.Argument(4).ToInteger())
	copy(to.Bytes()[at:at+n], from.Bytes()[start:start+n])
	return goja.Undefined()
}

// own is the buffer that v is, if it can be detached.
func (b *bridge) own(v goja.Value) (goja.ArrayBuffer, bool) {
	ab, ok := arrayBuffer(v)
	if !ok || b.shared != nil && inherits(v, b.shared) {
		return goja.ArrayBuffer{}, false
	}
	return ab, true
}

// arrayBuffer is the buffer that v is. Only buffers are exported: goja panics on typed arrays whose buffer is detached.
func arrayBuffer(v goja.Value) (goja.ArrayBuffer, bool) {
	obj, ok := v.(*goja.Object)
	if !ok || obj.ExportType() != gojainternals.ArrayBufferType {
		return goja.ArrayBuffer{}, false
	}
	ab, ok := obj.Export().(goja.ArrayBuffer)
	return ab, ok
}
