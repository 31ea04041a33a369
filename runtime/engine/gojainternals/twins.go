package gojainternals

import (
	"reflect"
	"strings"
	"unsafe"

	"github.com/dop251/goja"
)

// A twin does the frequent case of a built-in function where a script calls it: on the machine's stack, without the
// frame that goja makes for native functions and without what eddy has put around it. The function object has a method
// table of ours, whose way to call it from a script is the twin; all else is goja's.

// twinFields are what twins need.
type twinFields struct {
	native unsafe.Pointer // the kind of native functions
	tables [][]uintptr    // of twins
}

// nativeCall is goja's own way to call a native function from a script.
var nativeCall struct {
	call func(p, vm unsafe.Pointer, n int)
	code uintptr
}

// twins are those that there are, with the ways to the built-ins.
var twins = []struct {
	owner string
	names string
	call  func(p, vm unsafe.Pointer, n int)
}{
	{"Array.prototype", "push", twinPush},
	{"Object", "keys", twinKeys},
	{"Object", "values", twinValues},
	{"Object", "entries", twinEntries},
	{"Object", "assign", twinAssign},
	{"Object", "getOwnPropertyDescriptors", twinDescriptors},
	{"Object", "getPrototypeOf", twinPrototype},
	{"Object.prototype", "hasOwnProperty", twinOwns},
	{"Object.prototype", "toString", twinToString},
	{"Function.prototype", "call", twinCall},
	{"Map.prototype", "get", twinMapGet},
	{"Map.prototype", "has", twinMapHas},
	{"Map.prototype", "set", twinMapSet},
	{"Set.prototype", "has", twinSetHas},
	{"Set.prototype", "add", twinSetAdd},
	{"Array.prototype", "pop", twinPop},
	{"Array.prototype", "shift", twinShift},
	{"Array.prototype", "unshift reverse indexOf lastIndexOf includes", twinLending},
	{"String.prototype", "charCodeAt", twinCharCodeAt},
	{"String.prototype", "charAt", twinCharAt},
	{"String.prototype", "slice", twinSlice},
	{"String.prototype", "substring", twinSubstring},
	{"String.prototype", "includes", twinIncludes},
	{"String.prototype", "startsWith", twinStartsWith},
	{"String.prototype", "endsWith", twinEndsWith},
	{"String.prototype", "indexOf", twinIndexOf},
	{"String.prototype", "lastIndexOf", twinLastIndexOf},
	{"String.prototype", "trim", twinTrim},
	{"String.prototype", "trimStart", twinTrimStart},
	{"String.prototype", "trimEnd", twinTrimEnd},
	{"String.prototype", "toLowerCase", twinLower},
	{"String.prototype", "toUpperCase", twinUpper},
	{"String.prototype", "at", twinTextAt},
	{"String.prototype", "padStart", twinPadStart},
	{"String.prototype", "padEnd", twinPadEnd},
	{"String.prototype", "repeat", twinRepeat},
	{"String.prototype", "concat", twinConcat},
	{"String.prototype", "replaceAll", twinReplaceAll},
	{"String.prototype", "codePointAt", twinCharCodeAt},
	{"Array.prototype", "join", twinJoin},
	{"RegExp.prototype", "test", twinTest},
	{"RegExp.prototype", "exec", twinExec},
	{"String.prototype", "replace", twinReplace},
	{"String.prototype", "match", twinMatch},
	{"String.prototype", "split", twinSplit},
	{"Array.prototype", "at", twinAt},
	{"Array", "isArray", twinIsArray},
	{"Array.prototype", "slice splice filter map sort copyWithin fill with toReversed toSorted toSpliced " +
		"toLocaleString",
		twinSettling},
	{"Array", "from", twinSettling},
	{"Function.prototype", "apply", twinApply},
	{"Reflect", "apply", twinReflectApply},
	{"Reflect", "construct", twinSettling},
}

func (l *Layout) readTwins(r *reader) {
	probe := r.object("[].push")
	_, iface := r.field(reflect.TypeFor[goja.Object](), "self", nil)
	if r.err != nil {
		return
	}
	concrete, _ := self(probe)
	l.twins.native = l.kind(probe)
	methodAt(iface, l.twins.native, "vmCall", &nativeCall.code, unsafe.Pointer(&nativeCall.call))
	for _, t := range twins {
		table, err := methodTable(iface, concrete, l.twins.native, map[string]any{"vmCall": t.call})
		if err != nil {
			r.err = err
			return
		}
		l.twins.tables = append(l.twins.tables, table)
	}
}

// Twins gives the built-ins of a runtime their twins. It comes after whatever replaces built-ins.
func (l *Layout) Twins(rt *goja.Runtime) {
	for i, t := range twins {
		owner := rt.GlobalObject()
		for name := range strings.SplitSeq(t.owner, ".") {
			owner, _ = owner.Get(name).(*goja.Object)
		}
		for _, name := range strings.Fields(t.names) {
			o, ok := owner.Get(name).(*goja.Object)
			if !ok {
				continue
			}
			kind := (*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(o), l.objectSelf))
			if *kind == l.twins.native {
				*kind = unsafe.Pointer(&l.twins.tables[i][0])
			}
		}
	}
}

// arguments are this and the arguments of a call of a native function with n arguments.
func (l *Layout) arguments(vm unsafe.Pointer, n int) (this *goja.Object, arguments []goja.Value) {
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := *(*int)(unsafe.Add(vm, l.machine.sp))
	if p := pair(&stack[sp-n-2]); p[0] == l.quick.object {
		this = (*goja.Object)(p[1])
	}
	return this, stack[sp-n : sp]
}

// answer ends a call of a native function with n arguments.
func (l *Layout) answer(vm unsafe.Pointer, n int, v goja.Value) {
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	stack[*sp-n-2] = v
	*sp -= n + 1
	*(*int)(unsafe.Add(vm, l.quick.pc))++
}

// unindexed tells whether neither the prototype of arrays nor its own has elements, so that an array gets a new one
// without anybody to ask.
func (l *Layout) unindexed(rt *goja.Runtime, a *baseMirror) bool {
	global := unsafe.Add(unsafe.Pointer(rt), l.quick.global)
	arrays := *(**goja.Object)(unsafe.Add(global, l.plain.array))
	objects := *(**goja.Object)(unsafe.Add(global, l.plain.object))
	if arrays == nil || a.prototype != arrays {
		return false
	}
	b, c := l.baseOf(arrays), l.baseOf(objects)
	return b.prototype == objects && c.prototype == nil && b.named() && c.named()
}

// named tells whether no property of an object has a number for a name. As goja does it looks only at what has come
// since it looked last.
func (b *baseMirror) named() bool {
	for _, name := range b.propNames[min(b.lastSortedPropLen, len(b.propNames)):] {
		if name == "" || name[0] >= '0' && name[0] <= '9' {
			return false
		}
	}
	b.lastSortedPropLen = len(b.propNames)
	return b.idxPropCount == 0
}

// changeable is an array whose elements can be taken off, or nil: it has no holes at its end, and nothing with
// attributes.
func (l *Layout) changeable(o *goja.Object) *arrayMirror {
	if o == nil || !l.isArray(o) {
		return nil
	}
	a := (*arrayMirror)(l.data(o))
	if len(a.values) == 0 || uint64(a.length) != uint64(len(a.values)) || a.propValueCount != 0 ||
		!a.lengthProp.writable {
		return nil
	}
	return a
}

// twinPop is Array.prototype.pop of arrays.
func twinPop(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	o, _ := l.arguments(vm, n)
	if a := l.changeable(o); a != nil {
		last := &a.values[len(a.values)-1]
		if v := *last; v != nil && kindOf(v) != l.quick.accessor {
			*last = nil
			a.shorten()
			l.answer(vm, n, v)
			return
		}
	}
	twinSettling(p, vm, n)
}

// twinShift is Array.prototype.shift of arrays.
func twinShift(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	o, _ := l.arguments(vm, n)
	if a := l.changeable(o); a != nil && len(a.values) < manyValues && l.plainValues(a.values) {
		v := a.values[0]
		copy(a.values, a.values[1:])
		a.values[len(a.values)-1] = nil
		a.shorten()
		l.answer(vm, n, v)
		return
	}
	twinSettling(p, vm, n)
}

// plainValues tells whether a list has neither holes nor properties with attributes.
func (l *Layout) plainValues(list []goja.Value) bool {
	for _, v := range list {
		if kind := kindOf(v); kind == nil || kind == l.quick.accessor {
			return false
		}
	}
	return true
}

// shorten takes off the last place of a list.
func (a *arrayMirror) shorten() {
	a.values = a.values[:len(a.values)-1]
	a.length--
	a.objCount--
}

// twinPush is Array.prototype.push of arrays.
func twinPush(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	o, list := l.arguments(vm, n)
	if o != nil && l.isArray(o) {
		a := (*arrayMirror)(l.data(o))
		b := &a.baseObject
		if uint64(a.length) == uint64(len(a.values)) && len(a.values) < maxPushed && b.extensible &&
			a.lengthProp.writable && l.unindexed(l.runtimeOf(o), b) {
			a.values = append(a.values, list...)
			a.length += uint32(n)
			a.objCount += n
			l.answer(vm, n, l.integer(int64(a.length)))
			return
		}
	}
	nativeCall.call(p, vm, n)
}

// maxPushed is the length up to which an array grows without a look at its bounds.
const maxPushed = 1 << 24

// twinSettling is a method that knows arrays by their method table.
func twinSettling(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := *(*int)(unsafe.Add(vm, l.machine.sp))
	l.settle(stack[sp-n-2 : sp])
	nativeCall.call(p, vm, n)
}

// twinLending is a method that knows arrays by their method table, and runs no script if all elements are values and no
// argument is a place in the array: the array has that table as long as the method runs.
func twinLending(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	o, _ := l.arguments(vm, n)
	if o == nil || l.kind(o) != l.arrays.light {
		nativeCall.call(p, vm, n)
		return
	}
	a := (*arrayMirror)(l.data(o))
	if n > 1 || a.propValueCount > 0 || uint64(a.length) != uint64(len(a.values)) ||
		a.objCount != len(a.values) || !l.unindexed(l.runtimeOf(o), &a.baseObject) {
		twinSettling(p, vm, n)
		return
	}
	kind := (*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(o), l.objectSelf))
	*kind = l.arrays.kind
	defer func() { *kind = l.arrays.light }()
	nativeCall.call(p, vm, n)
}
