package ecma

import (
	"fmt"
	"reflect"
	"sync"
	"unsafe"

	"github.com/dop251/goja"
)

// viewLayout holds the offsets of the fields behind ArrayBuffer objects and their views.
type viewLayout struct {
	bufferType   reflect.Type // the struct, not the pointer to it
	bufferValue  uintptr
	bufferData   uintptr
	bufferGone   uintptr
	typed        windowFields
	typedElem    uintptr
	typedCtor    uintptr
	typedStore   uintptr
	storeType    reflect.Type // the interface of an element type
	data         windowFields
	bufferKind   unsafe.Pointer
	typedKind    unsafe.Pointer
	dataViewKind unsafe.Pointer
}

// windowFields says where a view keeps its buffer, its start and its length (elements for typed arrays, else bytes).
type windowFields struct{ buffer, offset, length uintptr }

var viewInternals = sync.OnceValues(readViewLayout)

func readViewLayout() (*viewLayout, error) {
	in, err := internals()
	if err != nil {
		return nil, err
	}
	rt := goja.New()
	v, err := rt.RunString("const b = new ArrayBuffer(8); [b, new Uint16Array(b), new DataView(b)]")
	if err != nil {
		return nil, fmt.Errorf("ecma: probe of views: %w", err)
	}
	list := v.(*goja.Object)
	at := func(i string) *goja.Object { return list.Get(i).(*goja.Object) }
	r, l := &layoutReader{}, &viewLayout{}
	intT, objT := reflect.TypeOf(0), reflect.TypeOf((*goja.Object)(nil))

	bt, _ := selfOf(at("0"))
	l.bufferType, l.bufferKind = bt.Elem(), in.kind(at("0"))
	l.bufferValue, _ = r.field(l.bufferType, "val", objT)
	l.bufferData, _ = r.field(l.bufferType, "data", reflect.TypeOf([]byte(nil)))
	l.bufferGone, _ = r.field(l.bufferType, "detached", reflect.TypeOf(true))

	tt, _ := selfOf(at("1"))
	l.typedKind = in.kind(at("1"))
	l.typed.buffer, _ = r.field(tt.Elem(), "viewedArrayBuf", bt)
	l.typed.offset, _ = r.field(tt.Elem(), "offset", intT)
	l.typed.length, _ = r.field(tt.Elem(), "length", intT)
	l.typedElem, _ = r.field(tt.Elem(), "elemSize", intT)
	l.typedCtor, _ = r.field(tt.Elem(), "defaultCtor", objT)
	l.typedStore, l.storeType = r.field(tt.Elem(), "typedArray", nil)
	if r.err == nil && l.storeType.Kind() != reflect.Interface {
		return nil, fmt.Errorf("ecma: goja's %s.typedArray is a %s", tt, l.storeType)
	}

	dt, _ := selfOf(at("2"))
	l.dataViewKind = in.kind(at("2"))
	l.data.buffer, _ = r.field(dt.Elem(), "viewedArrayBuf", bt)
	l.data.offset, _ = r.field(dt.Elem(), "byteOffset", intT)
	l.data.length, _ = r.field(dt.Elem(), "byteLen", intT)
	return l, r.err
}

// bufferBytes points at the slice of an ArrayBuffer; every typed array on it reads through this very slice.
func (l *viewLayout) bufferBytes(in *layout, buf *goja.Object) *[]byte {
	return (*[]byte)(unsafe.Add(in.data(buf), l.bufferData))
}

// ghost makes what a view out of bounds looks at: a detached buffer that is known to scripts as buf.
func (l *viewLayout) ghost(buf *goja.Object) unsafe.Pointer {
	p := reflect.New(l.bufferType).UnsafePointer()
	*(**goja.Object)(unsafe.Add(p, l.bufferValue)) = buf
	*(*bool)(unsafe.Add(p, l.bufferGone)) = true
	return p
}

// window is a view's access to its own fields.
type window struct {
	buffer         *unsafe.Pointer
	offset, length *int
	elem           int // bytes per unit of offset and length
}

// window returns the fields of a typed array or DataView; ok is false for any other object.
func (l *viewLayout) window(in *layout, o *goja.Object) (w window, ok bool) {
	f := l.typed
	w.elem = 1
	p := in.data(o)
	switch in.kind(o) {
	case l.typedKind:
		w.elem = *(*int)(unsafe.Add(p, l.typedElem))
	case l.dataViewKind:
		f = l.data
	default:
		return window{}, false
	}
	w.buffer = (*unsafe.Pointer)(unsafe.Add(p, f.buffer))
	w.offset = (*int)(unsafe.Add(p, f.offset))
	w.length = (*int)(unsafe.Add(p, f.length))
	return w, true
}

// gone tells whether the buffer under a view is detached, or the view out of bounds.
func (l *viewLayout) gone(w window) bool {
	return *(*bool)(unsafe.Add(*w.buffer, l.bufferGone))
}

// bufferOf is the ArrayBuffer under a view, as scripts know it.
func (l *viewLayout) bufferOf(w window) *goja.Object {
	return *(**goja.Object)(unsafe.Add(*w.buffer, l.bufferValue))
}
