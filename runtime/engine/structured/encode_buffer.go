package structured

import (
	"math"
	"math/big"
	"reflect"

	"github.com/dop251/goja"
)

var nan = math.NaN()

type bigValue = *big.Int

// transfer is one buffer of EncodeOptions.Transfer.
type transfer struct {
	obj *goja.Object
	buf goja.ArrayBuffer
	max int64 // maxByteLength, -1 for a fixed length
}

// viewTypes are the Go types as which goja exports typed arrays.
var viewTypes = map[reflect.Type]bool{
	reflect.TypeFor[[]byte](): true, reflect.TypeFor[[]int8](): true,
	reflect.TypeFor[[]int16](): true, reflect.TypeFor[[]uint16](): true,
	reflect.TypeFor[[]int32](): true, reflect.TypeFor[[]uint32](): true,
	reflect.TypeFor[[]float32](): true, reflect.TypeFor[[]float64](): true,
	reflect.TypeFor[[]int64](): true, reflect.TypeFor[[]uint64](): true,
}

func viewOf(typ reflect.Type) bool {
	return typ != objectType && typ != nil && typ.Kind() == reflect.Slice && viewTypes[typ]
}

// registerTransfers notes the buffers to move. They stay attached until the
// value is written, because getters may still look at them.
func (e *Encoder) registerTransfers(list []goja.Value) {
	for _, v := range list {
		obj, ok := v.(*goja.Object)
		if !ok {
			throw(e.codec.newError("TypeError", "Object is not transferable"))
		}
		if viewOf(obj.ExportType()) {
			obj = e.codec.in.call("typedBuffer", obj).(*goja.Object)
		} else if e.codec.in.brandOf(obj) == brandDataView {
			obj = e.codec.in.call("viewBuffer", obj).(*goja.Object)
		}
		buf, ok := obj.Export().(goja.ArrayBuffer)
		if !ok {
			throw(e.codec.newError("TypeError", "Object is not transferable"))
		}
		if e.transferIndex(obj) >= 0 {
			continue
		}
		max := int64(-1)
		if ex := e.codec.vm.Try(func() {
			if e.resizable(obj) {
				max = e.codec.in.call("bufferMaxLength", obj).ToInteger()
			}
		}); ex != nil { // a SharedArrayBuffer
			throw(e.codec.newError("TypeError", "Object is not transferable"))
		}
		e.transfers = append(e.transfers, transfer{obj, buf, max})
	}
}

func (e *Encoder) transferIndex(obj *goja.Object) int {
	for i, t := range e.transfers {
		if t.obj == obj {
			return i
		}
	}
	return -1
}

// releaseTransfers detaches the buffers and returns what they held.
func (e *Encoder) releaseTransfers() []TransferredBuffer {
	var out []TransferredBuffer
	for _, t := range e.transfers {
		out = append(out, TransferredBuffer{t.buf.Bytes(), t.max})
		t.buf.Detach()
	}
	return out
}

func (e *Encoder) arrayBuffer(obj *goja.Object) {
	if i := e.transferIndex(obj); i >= 0 {
		e.tag(tagBufferTransfer)
		e.varint(uint64(i))
		return
	}
	buf := obj.Export().(goja.ArrayBuffer)
	if buf.Detached() {
		e.Refuse("An ArrayBuffer is detached and could not be cloned.")
	}
	data := buf.Bytes()
	if e.resizable(obj) {
		e.tag(tagResizableBuffer)
		e.varint(uint64(len(data)))
		e.varint(uint64(e.codec.in.call("bufferMaxLength", obj).ToInteger()))
	} else {
		e.tag(tagArrayBuffer)
		e.varint(uint64(len(data)))
	}
	e.meter.room(e.codec, len(e.buf)+len(data))
	e.buf = append(e.buf, data...)
}

// resizable reports whether the runtime has resizable buffers and this is one.
func (e *Encoder) resizable(buf *goja.Object) bool {
	if e.codec.in.fn["bufferResizable"] == nil || e.codec.in.fn["bufferMaxLength"] == nil {
		return false
	}
	return e.codec.in.call("bufferResizable", buf).ToBoolean()
}

func (e *Encoder) typedArray(obj *goja.Object) {
	in := e.codec.in
	name := in.call("typedTag", obj).String()
	for _, k := range viewKinds {
		if k.name == name {
			e.view(obj, k.tag, "typed")
			return
		}
	}
	e.codec.refuse(obj)
}

func (e *Encoder) dataView(obj *goja.Object) { e.view(obj, '?', "view") }

// view writes the window that a view opens on the buffer before it; family is
// the prefix of its captured getters.
func (e *Encoder) view(obj *goja.Object, tag byte, family string) {
	in := e.codec.in
	e.tag(tagArrayBufferView)
	e.varint(uint64(tag))
	e.varint(uint64(in.call(family+"Offset", obj).ToInteger()))
	e.varint(uint64(in.call(family+"Length", obj).ToInteger()))
	var flags uint64
	if buf, ok := in.call(family+"Buffer", obj).(*goja.Object); ok && e.resizable(buf) {
		flags = viewOnResizable
		if follows := e.codec.LengthTracking; follows != nil && follows(obj) {
			flags |= viewLengthTracking
		}
	}
	e.varint(flags)
}
