package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
)

// viewFields says where ArrayBuffer objects and their views keep their parts.
type viewFields struct {
	bufferKind, typedKind, dataViewKind unsafe.Pointer

	buffer       reflect.Type // the struct behind an ArrayBuffer, not the pointer to it
	bufferObject uintptr
	bufferData   uintptr
	detached     uintptr

	typed        windowFields
	element      uintptr
	constructor  uintptr
	store        uintptr
	storeType    reflect.Type // the interface of an element type
	storeOfProbe reflect.Type // uint16Array
	dataView     windowFields
}

// windowFields says where a view keeps its buffer, its start and its length (elements for typed arrays, else bytes).
type windowFields struct{ buffer, offset, length uintptr }

func (l *Layout) readViews(r *reader) {
	v := &l.views
	buffer := r.object("new ArrayBuffer(8)")
	typed, dataView := r.object("new Uint16Array(2)"), r.object("new DataView(new ArrayBuffer(8))")
	if r.err != nil {
		return
	}
	v.bufferKind, v.typedKind, v.dataViewKind = l.kind(buffer), l.kind(typed), l.kind(dataView)
	integer, object := reflect.TypeFor[int](), reflect.TypeFor[*goja.Object]()

	bt, _ := self(buffer)
	v.buffer = bt.Elem()
	v.bufferObject, _ = r.field(v.buffer, "val", object)
	v.bufferData, _ = r.field(v.buffer, "data", reflect.TypeFor[[]byte]())
	v.detached, _ = r.field(v.buffer, "detached", reflect.TypeFor[bool]())

	tt, at := self(typed)
	v.typed.buffer, _ = r.field(tt.Elem(), "viewedArrayBuf", bt)
	v.typed.offset, _ = r.field(tt.Elem(), "offset", integer)
	v.typed.length, _ = r.field(tt.Elem(), "length", integer)
	v.element, _ = r.field(tt.Elem(), "elemSize", integer)
	v.constructor, _ = r.field(tt.Elem(), "defaultCtor", object)
	if v.store, v.storeType = r.field(tt.Elem(), "typedArray", nil); r.err != nil {
		return
	}
	if v.storeType.Kind() != reflect.Interface {
		r.fail("%s.typedArray is a %s", tt, v.storeType)
		return
	}
	v.storeOfProbe = reflect.NewAt(tt.Elem(), at).Elem().FieldByName("typedArray").Elem().Type()

	dt, _ := self(dataView)
	v.dataView.buffer, _ = r.field(dt.Elem(), "viewedArrayBuf", bt)
	v.dataView.offset, _ = r.field(dt.Elem(), "byteOffset", integer)
	v.dataView.length, _ = r.field(dt.Elem(), "byteLen", integer)
}

// IsArrayBuffer tells whether o is an ArrayBuffer.
func (l *Layout) IsArrayBuffer(o *goja.Object) bool { return l.kind(o) == l.views.bufferKind }

// IsTypedArray tells whether o is a typed array.
func (l *Layout) IsTypedArray(o *goja.Object) bool { return l.kind(o) == l.views.typedKind }

// BufferBytes points at the slice of an ArrayBuffer. Every typed array on it reads through this very slice.
func (l *Layout) BufferBytes(buffer *goja.Object) *[]byte {
	return (*[]byte)(unsafe.Add(l.data(buffer), l.views.bufferData))
}

// Window is a typed array's or DataView's view of its buffer.
type Window struct {
	layout         *Layout
	buffer         *unsafe.Pointer
	offset, length *int
	unit           int
}

// Window returns the window of a typed array or DataView; ok is false for any other object.
func (l *Layout) Window(view *goja.Object) (w Window, ok bool) {
	f, p := l.views.typed, l.data(view)
	w.unit = 1
	switch l.kind(view) {
	case l.views.typedKind:
		w.unit = *(*int)(unsafe.Add(p, l.views.element))
	case l.views.dataViewKind:
		f = l.views.dataView
	default:
		return Window{}, false
	}
	w.layout = l
	w.buffer = (*unsafe.Pointer)(unsafe.Add(p, f.buffer))
	w.offset = (*int)(unsafe.Add(p, f.offset))
	w.length = (*int)(unsafe.Add(p, f.length))
	return w, true
}

// Unit is how many bytes the offset and the length count by.
func (w Window) Unit() int { return w.unit }

// Offset is where the view begins, in units.
func (w Window) Offset() int { return *w.offset }

// Length is how long the view is, in units.
func (w Window) Length() int { return *w.length }

// Gone tells whether the buffer is detached or the view out of its bounds.
func (w Window) Gone() bool { return *(*bool)(unsafe.Add(*w.buffer, w.layout.views.detached)) }

// Buffer is the ArrayBuffer under the view, as scripts know it.
func (w Window) Buffer() *goja.Object {
	return *(**goja.Object)(unsafe.Add(*w.buffer, w.layout.views.bufferObject))
}

// SameMemory tells whether two views look at the same memory.
func (w Window) SameMemory(other Window) bool { return *w.buffer == *other.buffer }

// Show points the view at a part of a buffer, in units, which must lie within it.
func (w Window) Show(buffer *goja.Object, offset, length int) {
	*w.buffer, *w.offset, *w.length = w.layout.data(buffer), offset, length
}

// Leave puts the view out of the bounds of a buffer: scripts still see a view of that buffer, goja sees a view of a
// detached one.
func (w Window) Leave(buffer *goja.Object) {
	v := &w.layout.views
	ghost := reflect.New(v.buffer).UnsafePointer()
	*(**goja.Object)(unsafe.Add(ghost, v.bufferObject)) = buffer
	*(*bool)(unsafe.Add(ghost, v.detached)) = true
	*w.buffer, *w.offset, *w.length = ghost, 0, 0
}
