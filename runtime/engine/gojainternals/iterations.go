package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// goja begins to go over an array as over anything: it looks a method up, which makes an iterator, looks up that one's
// next, and makes a record. Where nobody has changed how arrays are gone through ours makes iterator and record in one
// piece. What takes all elements at once needs no iterator then.

// iterationFields say where a runtime keeps what arrays are gone through by.
type iterationFields struct {
	values uintptr // the code of Array.prototype.values
	call   uintptr // of a native function
	proto  uintptr // of what a runtime keeps built-ins in: the prototype of iterators of arrays
}

// iteration is what is known in a runtime of how arrays are gone through: the functions that were found to be goja's.
type iteration struct {
	iterate, next unsafe.Pointer
	call          func(goja.FunctionCall) goja.Value
	slot          uint32 // of next
}

// arrayIteratorMirror is an iterator of an array.
type arrayIteratorMirror struct {
	baseObject baseMirror
	obj        *goja.Object
	nextIdx    int64
	kind       int
}

// iteratorRecordMirror is what loops know of an iterator.
type iteratorRecordMirror struct {
	iterator *goja.Object
	next     func(goja.FunctionCall) goja.Value
}

// loopMirror is what the machine keeps of a loop over an iterator.
type loopMirror struct {
	val  goja.Value     //lint:ignore U1000 the names are compared with goja's
	f    unsafe.Pointer //lint:ignore U1000 as above; a function
	iter unsafe.Pointer
}

// madeIterator is an iterator of an array, with what goes with it.
type madeIterator struct {
	iterator arrayIteratorMirror
	object   goja.Object
	record   iteratorRecordMirror
}

func (l *Layout) readIterations(r *reader) {
	f := &l.quick.iteration
	iterator, values := r.object("[1][Symbol.iterator]()"), r.object("[][Symbol.iterator]")
	_, vm := r.field(reflect.TypeFor[goja.Runtime](), "vm", nil)
	_, global := r.field(reflect.TypeFor[goja.Runtime](), "global", nil)
	if r.err != nil {
		return
	}
	f.proto, _ = r.field(global, "ArrayIteratorPrototype", reflect.TypeFor[*goja.Object]())
	_, items := r.field(vm.Elem(), "iterStack", nil)
	concrete, _ := self(iterator)
	t, _ := self(values)
	native, ok := l.natives[t]
	if !ok {
		r.fail("Array.prototype.values is no native function")
	}
	if r.err != nil {
		return
	}
	_, record := r.field(items.Elem(), "iter", nil)
	r.alike(reflect.TypeFor[arrayIteratorMirror](), concrete.Elem())
	r.alike(reflect.TypeFor[loopMirror](), items.Elem())
	r.alike(reflect.TypeFor[iteratorRecordMirror](), record.Elem())
	f.call = native.call
	f.values = codeOf(*(*func(goja.FunctionCall) goja.Value)(unsafe.Add(l.data(values), f.call)))
}

// usual tells whether an array is gone through by goja's own iterators, whose next is goja's too: then it knows the
// prototype of these. It runs no script.
func (l *Layout) usual(vm unsafe.Pointer, o *goja.Object) (know *iteration, proto *goja.Object) {
	if !l.isArray(o) {
		return nil, nil
	}
	know, arrays, proto := l.iterated(vm)
	if b := l.baseOf(o); know == nil || b.prototype != arrays || b.symValues != nil {
		return nil, nil
	}
	return l.usualOf(know, arrays, proto)
}

// iterated is what is known of how a machine goes through arrays, with the prototypes of these and of their iterators;
// know is nil where one of them was not made yet.
func (l *Layout) iterated(vm unsafe.Pointer) (know *iteration, arrays, proto *goja.Object) {
	f := l.findsOf(vm)
	global := unsafe.Add(*(*unsafe.Pointer)(unsafe.Add(vm, l.machine.runtime)), l.quick.global)
	arrays = *(**goja.Object)(unsafe.Add(global, l.plain.array))
	proto = *(**goja.Object)(unsafe.Add(global, l.quick.iteration.proto))
	if f == nil || arrays == nil || proto == nil {
		return nil, nil, nil
	}
	return &f.iteration, arrays, proto
}

// Iterates tells whether a new array is gone through so, where the region runs.
func (r *Region) Iterates() bool {
	know, arrays, proto := r.layout.iterated(r.vm)
	if know == nil {
		return false
	}
	know, _ = r.layout.usualOf(know, arrays, proto)
	return know != nil
}

// usualOf is usual for all arrays that have that prototype.
func (l *Layout) usualOf(know *iteration, arrays, proto *goja.Object) (*iteration, *goja.Object) {
	iterate, next := l.symbolValue(arrays, goja.SymIterator), l.nextOf(know, proto)
	if iterate == nil || next == nil {
		return nil, nil
	}
	if iterate != know.iterate {
		if l.nativeCode(iterate) != l.quick.iteration.values {
			return nil, nil
		}
		know.iterate = iterate
	}
	if next != know.next {
		if l.nativeCode(next) != l.quick.arrays.next {
			return nil, nil
		}
		know.next = next
		call := unsafe.Add(l.data((*goja.Object)(next)), l.quick.iteration.call)
		know.call = *(*func(goja.FunctionCall) goja.Value)(call)
	}
	return know, proto
}

// nativeCode is the code of a native function; 0 for any other object.
func (l *Layout) nativeCode(p unsafe.Pointer) uintptr {
	o := (*goja.Object)(p)
	if l.kind(o) != l.twins.native {
		return 0
	}
	return codeOf(*(*func(goja.FunctionCall) goja.Value)(unsafe.Add(l.data(o), l.quick.iteration.call)))
}

// symbolValue is an object that an object keeps as a value under a symbol; nil if there is none.
func (l *Layout) symbolValue(o *goja.Object, symbol goja.Value) unsafe.Pointer {
	e := l.symbolEntry(l.data(o), symbol)
	if e == nil {
		return nil
	}
	return l.objectIn(*(*goja.Value)(unsafe.Add(e, l.thens.value)))
}

// objectIn is an object that a property has as a value, with attributes or without; nil for any other.
func (l *Layout) objectIn(v goja.Value) unsafe.Pointer {
	held, _ := l.heldIn(nil, v)
	if p := pair(&held); p[0] == l.quick.object {
		return p[1]
	}
	return nil
}

// nextOf is the method next of the prototype of iterators of arrays; nil if that is not kept as an object.
func (l *Layout) nextOf(know *iteration, proto *goja.Object) unsafe.Pointer {
	if !l.plainKind(l.kind(proto)) {
		return nil
	}
	const name unistring.String = "next"
	values := l.baseOf(proto).values
	at := slotAt(values, know.slot, name)
	if at == nil {
		number, ok := uint32(0), false
		if _, has := values[name]; has {
			number, ok = slotWith(values, name)
		}
		if !ok {
			return nil
		}
		know.slot = number
		at = slotAt(values, number, name)
	}
	return l.objectIn(*at)
}

// goThrough begins a loop over an array; false if goja must do it.
func (l *Layout) goThrough(vm unsafe.Pointer, o *goja.Object) bool {
	know, proto := l.usual(vm, o)
	if know == nil {
		return false
	}
	m := new(madeIterator)
	b := &m.iterator.baseObject
	b.class, b.val, b.extensible, b.prototype = "Object", &m.object, true, proto
	b.values = map[unistring.String]goja.Value{}
	m.iterator.obj, m.iterator.kind = o, int(l.quick.arrays.values)
	l.become(*(**goja.Runtime)(unsafe.Add(vm, l.machine.runtime)), &m.object, l.quick.arrays.object, unsafe.Pointer(m))
	m.record.iterator, m.record.next = &m.object, know.call
	items := (*[]loopMirror)(unsafe.Add(vm, l.quick.items))
	*items = append(*items, loopMirror{iter: unsafe.Pointer(&m.record)})
	return true
}

// spread is what going over a whole array gives, a part of the array's own list; ok is false if goja must find out, and
// nothing has happened.
func (l *Layout) spread(vm unsafe.Pointer, o *goja.Object) (values []goja.Value, ok bool) {
	if values, ok = l.Whole(o); !ok || len(values) > manyValues {
		return nil, false
	}
	know, _ := l.usual(vm, o)
	return values, know != nil
}
