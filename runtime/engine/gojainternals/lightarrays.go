package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// A light array shares its map of named properties, which has nothing but length, with all others: that map is most of
// what an array takes, and hardly any array gets another name. It is goja's struct with a method table of ours, by
// which it is known. What would change the map gives the array one of its own first, and goja's table. goja's built-ins
// know their quick way by that table, so that an array is handed to them with it.

// lightArrays is what Read has found. A method in a method table has no other way to it.
var lightArrays struct {
	table  []uintptr
	values map[unistring.String]goja.Value
	names  []unistring.String
	layout *Layout

	setStr    func(unsafe.Pointer, unistring.String, goja.Value, bool) bool
	setIdx    func(unsafe.Pointer, int64, goja.Value, bool) bool
	defineStr func(unsafe.Pointer, unistring.String, goja.PropertyDescriptor, bool) bool
	defineIdx func(unsafe.Pointer, int64, goja.PropertyDescriptor, bool) bool
	put       func(unsafe.Pointer, unistring.String, goja.Value, bool, bool, bool) goja.Value
	iterate   func(unsafe.Pointer) unsafe.Pointer
	prevent   func(unsafe.Pointer, bool) bool
	codes     [7]uintptr
}

// sparseFrom is the index from which on goja may keep the elements of an array in another way.
const sparseFrom = 4096

func (l *Layout) readLightArrays(r *reader) {
	probe := r.object("[]")
	_, iface := r.field(reflect.TypeFor[goja.Object](), "self", nil)
	if r.err != nil {
		return
	}
	concrete, _ := self(probe)
	r.alike(reflect.TypeFor[arrayMirror](), concrete.Elem())
	r.alike(reflect.TypeFor[propertyMirror](), l.regions.property.Elem())
	if r.err != nil {
		return
	}
	a := &lightArrays
	a.layout = l
	a.names = sharedNames("length")
	a.values = map[unistring.String]goja.Value{"length": l.attributed(&propertyMirror{writable: true})}
	own := map[string]any{
		"setOwnStr": lightSetStr, "setOwnIdx": lightSetIdx, "defineOwnPropertyStr": lightDefineStr,
		"defineOwnPropertyIdx": lightDefineIdx, "_putProp": lightPut,
		"iterateStringKeys": lightIterate, "preventExtensions": lightPrevent,
	}
	if a.table, r.err = methodTable(iface, concrete, l.arrays.kind, own); r.err != nil {
		return
	}
	l.arrays.light = unsafe.Pointer(&a.table[0])
	if l.readMatches(r, iface, concrete, own); r.err != nil {
		return
	}
	for i, m := range []struct {
		name string
		to   unsafe.Pointer
	}{
		{"setOwnStr", unsafe.Pointer(&a.setStr)}, {"setOwnIdx", unsafe.Pointer(&a.setIdx)},
		{"defineOwnPropertyStr", unsafe.Pointer(&a.defineStr)},
		{"defineOwnPropertyIdx", unsafe.Pointer(&a.defineIdx)}, {"_putProp", unsafe.Pointer(&a.put)},
		{"iterateStringKeys", unsafe.Pointer(&a.iterate)}, {"preventExtensions", unsafe.Pointer(&a.prevent)},
	} {
		methodAt(iface, l.arrays.kind, m.name, &a.codes[i], m.to)
	}
}

// methodAt lets the function at to be the method of that name in a method table. The code stays at a place of ours.
func methodAt(iface reflect.Type, tab unsafe.Pointer, name string, code *uintptr, to unsafe.Pointer) {
	for i := range iface.NumMethod() {
		if iface.Method(i).Name == name {
			*code = *(*uintptr)(unsafe.Add(tab, uintptr(methodTableHead+i)*unsafe.Sizeof(uintptr(0))))
			*(**uintptr)(to) = code // a function value is a pointer to the address of its code
		}
	}
}

// madeArray is an array with its object, in one piece.
type madeArray struct {
	array  arrayMirror
	object goja.Object
}

// lightArray makes an array of values; the list becomes the array's. It is nil if the runtime has no prototype of
// arrays yet.
func (l *Layout) lightArray(rt *goja.Runtime, values []goja.Value) *goja.Object {
	proto := *(**goja.Object)(unsafe.Add(unsafe.Pointer(rt), l.quick.global+l.plain.array))
	if proto == nil {
		return nil
	}
	m := new(madeArray)
	l.fillArray(m, proto, values)
	l.become(rt, &m.object, l.arrays.light, unsafe.Pointer(m))
	return &m.object
}

// fillArray gives a new array what it has from the beginning.
func (l *Layout) fillArray(m *madeArray, proto *goja.Object, values []goja.Value) {
	a := &m.array
	b := &a.baseObject
	b.class, b.val, b.prototype, b.extensible = "Array", &m.object, proto, true
	b.values, b.propNames = lightArrays.values, lightArrays.names
	a.values, a.length, a.objCount, a.lengthProp.writable = values, uint32(len(values)), len(values), true
}

// become gives a new object its runtime and its implementation.
func (l *Layout) become(rt *goja.Runtime, o *goja.Object, kind, data unsafe.Pointer) {
	*(**goja.Runtime)(unsafe.Add(unsafe.Pointer(o), polled.runtime)) = rt
	*(*[2]unsafe.Pointer)(unsafe.Add(unsafe.Pointer(o), l.objectSelf)) = [2]unsafe.Pointer{kind, data}
}

// settleArray makes goja's own array of a light one.
func (l *Layout) settleArray(p unsafe.Pointer) {
	a := (*arrayMirror)(p)
	o := a.baseObject.val
	kind := (*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(o), l.objectSelf))
	switch *kind {
	case l.arrays.light:
		a.baseObject.values = map[unistring.String]goja.Value{"length": l.attributed(&a.lengthProp)}
	case l.arrays.match:
		(*madeMatch)(p).settle(l)
	default:
		return
	}
	*kind = l.arrays.kind
}

// settle makes goja's own of those values that are light arrays.
func (l *Layout) settle(values []goja.Value) {
	for i := range values {
		if p := pair(&values[i]); p[0] == l.quick.object {
			if kind := l.kind((*goja.Object)(p[1])); kind == l.arrays.light || kind == l.arrays.match {
				l.settleArray(l.data((*goja.Object)(p[1])))
			}
		}
	}
}

// isArray tells whether an object is an array whose elements are a list, light or not.
func (l *Layout) isArray(o *goja.Object) bool {
	kind := l.kind(o)
	return kind == l.arrays.light || kind == l.arrays.kind || kind == l.arrays.match
}

func lightSetStr(p unsafe.Pointer, name unistring.String, v goja.Value, throw bool) bool {
	if name != "length" {
		lightArrays.layout.settleArray(p)
	}
	return lightArrays.setStr(p, name, v, throw)
}

func lightSetIdx(p unsafe.Pointer, i int64, v goja.Value, throw bool) bool {
	if i >= sparseFrom && i >= int64(len((*arrayMirror)(p).values)) || i < 0 {
		lightArrays.layout.settleArray(p)
	}
	return lightArrays.setIdx(p, i, v, throw)
}

func lightDefineStr(p unsafe.Pointer, name unistring.String, d goja.PropertyDescriptor, throw bool) bool {
	lightArrays.layout.settleArray(p)
	return lightArrays.defineStr(p, name, d, throw)
}

func lightDefineIdx(p unsafe.Pointer, i int64, d goja.PropertyDescriptor, throw bool) bool {
	lightArrays.layout.settleArray(p)
	return lightArrays.defineIdx(p, i, d, throw)
}

func lightPut(p unsafe.Pointer, name unistring.String, v goja.Value, w, e, c bool) goja.Value {
	lightArrays.layout.settleArray(p)
	return lightArrays.put(p, name, v, w, e, c)
}

// lightIterate is for whoever gets the properties themselves: Object.freeze changes them.
func lightIterate(p unsafe.Pointer) unsafe.Pointer {
	lightArrays.layout.settleArray(p)
	return lightArrays.iterate(p)
}

func lightPrevent(p unsafe.Pointer, throw bool) bool {
	lightArrays.layout.settleArray(p)
	return lightArrays.prevent(p, throw)
}

// arrayLiteral begins an array literal.
type arrayLiteral struct {
	goja   instruction
	layout *Layout
	n      int
}

func (a *arrayLiteral) wrapped() instruction { return a.goja }

func (a *arrayLiteral) exec(vm unsafe.Pointer) {
	l := a.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	if *sp < len(stack) {
		var list []goja.Value
		if a.n > 0 {
			list = make([]goja.Value, 0, a.n)
		}
		if o := l.lightArray(*(**goja.Runtime)(unsafe.Add(vm, l.machine.runtime)), list); o != nil {
			stack[*sp] = o
			*sp++
			*(*int)(unsafe.Add(vm, l.quick.pc))++
			return
		}
	}
	a.goja.exec(vm)
}

// arrayItem is an element of an array literal; nil stands for a hole.
type arrayItem struct {
	goja   instruction
	layout *Layout
}

func (a *arrayItem) wrapped() instruction { return a.goja }

func (a *arrayItem) exec(vm unsafe.Pointer) {
	l := a.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	array := (*arrayMirror)(l.data((*goja.Object)(pair(&stack[*sp-2])[1])))
	v := stack[*sp-1]
	array.length++ // a list of 2³² elements needs 64 GB
	array.values = append(array.values, v)
	if v != nil {
		array.objCount++
	}
	*sp--
	*(*int)(unsafe.Add(vm, l.quick.pc))++
}

// restArguments makes the array of a parameter ...rest.
type restArguments struct {
	goja   instruction
	layout *Layout
	from   int
}

func (a *restArguments) wrapped() instruction { return a.goja }

func (a *restArguments) exec(vm unsafe.Pointer) {
	l := a.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	if *sp < len(stack) {
		var list []goja.Value
		if n := *(*int)(unsafe.Add(vm, l.shortcut.args)) - a.from; n > 0 {
			from := *(*int)(unsafe.Add(vm, l.machine.sb)) + a.from + 1
			list = append(make([]goja.Value, 0, n), stack[from:from+n]...)
		}
		if o := l.lightArray(*(**goja.Runtime)(unsafe.Add(vm, l.machine.runtime)), list); o != nil {
			stack[*sp] = o
			*sp++
			*(*int)(unsafe.Add(vm, l.quick.pc))++
			return
		}
	}
	a.goja.exec(vm)
}
