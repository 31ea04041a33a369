package structured

import (
	"github.com/dop251/goja"
)

func (d *Decoder) arrayBuffer(tag byte) *goja.Object {
	vm := d.codec.vm
	if tag == tagBufferTransfer {
		i := d.varint()
		if i >= uint64(len(d.opts.Transferred)) {
			d.fail()
		}
		moved := d.opts.Transferred[i]
		if moved.Max >= 0 {
			return d.resizableBuffer(moved.Data, moved.Max)
		}
		obj := vm.ToValue(vm.NewArrayBuffer(moved.Data)).(*goja.Object)
		d.register(obj)
		return obj
	}
	size := uint64(d.ReadUint32())
	if tag == tagArrayBuffer {
		obj := vm.ToValue(vm.NewArrayBuffer(clone(d.ReadBytes(size)))).(*goja.Object)
		d.register(obj)
		return obj
	}
	limit := uint64(d.ReadUint32())
	if limit < size {
		d.fail()
	}
	content := d.ReadBytes(size)
	if d.codec.in.fn["bufferResizable"] == nil || limit > maxReservedBuffer {
		// The runtime has no resizable buffers, or the input asks for memory it
		// does not hold: the content arrives in a buffer of fixed length.
		obj := vm.ToValue(vm.NewArrayBuffer(clone(content))).(*goja.Object)
		d.register(obj)
		return obj
	}
	return d.resizableBuffer(content, int64(limit))
}

// resizableBuffer makes a buffer that holds a copy of content.
func (d *Decoder) resizableBuffer(content []byte, limit int64) *goja.Object {
	vm := d.codec.vm
	options := vm.NewObject()
	define(options, "maxByteLength", vm.ToValue(limit))
	obj := d.construct("arrayBuffer", vm.ToValue(len(content)), options)
	if buf, ok := obj.Export().(goja.ArrayBuffer); ok && len(buf.Bytes()) >= len(content) {
		copy(buf.Bytes(), content)
	}
	return obj
}

// maxReservedBuffer bounds the memory that a resizable buffer may reserve
// beyond what the input holds.
const maxReservedBuffer = 128 << 20

func clone(b []byte) []byte {
	c := make([]byte, len(b))
	copy(c, b)
	return c
}

// readView reads the view on the buffer that was just read.
func (d *Decoder) readView(buf *goja.Object) *goja.Object {
	tag := d.varint()
	offset, length := uint64(d.ReadUint32()), uint64(d.ReadUint32())
	var flags uint64
	if d.version >= 14 {
		flags = d.varint()
	}
	ab, ok := buf.Export().(goja.ArrayBuffer)
	if !ok || flags&^(viewLengthTracking|viewOnResizable) != 0 {
		d.fail()
	}
	size := uint64(len(ab.Bytes()))
	if offset > size || length > size-offset {
		d.fail()
	}
	var kind *viewKind
	for i := range viewKinds {
		if uint64(viewKinds[i].tag) == tag {
			kind = &viewKinds[i]
		}
	}
	if kind == nil || offset%uint64(kind.elemSize) != 0 || length%uint64(kind.elemSize) != 0 {
		d.fail()
	}
	ctor := d.codec.in.views[kind.tag]
	if ctor == nil {
		d.Refuse("Deserialization failed: this runtime has no " + kind.name + ".")
	}
	vm := d.codec.vm
	args := []goja.Value{buf, vm.ToValue(offset), vm.ToValue(length / uint64(kind.elemSize))}
	if flags&viewLengthTracking != 0 && d.codec.in.fn["bufferResizable"] != nil {
		args = args[:2]
	}
	view, err := vm.New(ctor, args...)
	if err != nil {
		panic(err)
	}
	d.register(view)
	return view
}
