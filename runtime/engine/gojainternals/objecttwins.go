package gojainternals

import (
	"strconv"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// Twins of what scripts ask of plain objects, whose properties are values under names that are no numbers, and of
// Function.prototype.call.

// listing is what a list of the properties of an object has.
type listing uint8

const (
	listsKeys listing = iota
	listsValues
	listsEntries
)

func twinKeys(p, vm unsafe.Pointer, n int)    { twinList(p, vm, n, listsKeys) }
func twinValues(p, vm unsafe.Pointer, n int)  { twinList(p, vm, n, listsValues) }
func twinEntries(p, vm unsafe.Pointer, n int) { twinList(p, vm, n, listsEntries) }

func twinList(p, vm unsafe.Pointer, n int, what listing) {
	l := polled.layout
	if _, arguments := l.arguments(vm, n); n > 0 {
		if of := pair(&arguments[0]); of[0] == l.quick.object {
			o := (*goja.Object)(of[1])
			if list, ok := l.listed(o, what); ok {
				if a := l.lightArray(l.runtimeOf(o), list); a != nil {
					l.answer(vm, n, a)
					return
				}
			}
		}
	}
	nativeCall.call(p, vm, n)
}

// listed are the names, the values or both of a plain object; ok is false if goja must list them.
func (l *Layout) listed(o *goja.Object, what listing) (list []goja.Value, ok bool) {
	if l.isArray(o) {
		return l.listedElements(o, what)
	}
	if l.kind(o) != l.states.kind {
		return nil, false
	}
	b := l.baseOf(o)
	names := b.propNames
	if len(names) > manyNames || len(names) != len(b.values) {
		return nil, false
	}
	list = make([]goja.Value, len(names))
	texts := make([]string, len(names)) // of which the values are parts
	for i, name := range names {
		v := b.values[name]
		if v == nil || kindOf(v) == l.quick.accessor || !plainName(name) || name.AsUtf16() != nil {
			return nil, false
		}
		if what == listsValues {
			list[i] = v
			continue
		}
		texts[i] = string(name)
		key := &list[i]
		*pair(key) = [2]unsafe.Pointer{l.operands.ascii, unsafe.Pointer(&texts[i])}
		if what == listsEntries {
			entry := l.lightArray(l.runtimeOf(o), []goja.Value{*key, v})
			if entry == nil {
				return nil, false
			}
			list[i] = entry
		}
	}
	return list, true
}

// listedElements is listed of an array that has nothing but elements.
func (l *Layout) listedElements(o *goja.Object, what listing) (list []goja.Value, ok bool) {
	values, whole := l.Whole(o)
	if !whole || len(values) > manyNames || l.kind(o) == l.arrays.match || len(l.baseOf(o).propNames) != 1 {
		return nil, false
	}
	list = make([]goja.Value, len(values))
	for i, v := range values {
		if what == listsValues {
			list[i] = v
			continue
		}
		key := l.ASCII(strconv.Itoa(i))
		if list[i] = key; what == listsEntries {
			entry := l.lightArray(l.runtimeOf(o), []goja.Value{key, v})
			if entry == nil {
				return nil, false
			}
			list[i] = entry
		}
	}
	return list, true
}

// twinAssign is Object.assign of plain objects to one that nobody around has an eye on. Where a later object is another
// one, goja does all again, which nobody sees.
func twinAssign(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	_, list := l.arguments(vm, n)
	done := n > 1
	for i := 1; i < n && done; i++ {
		done = l.assign(list[0], list[i])
	}
	if !done {
		nativeCall.call(p, vm, n)
		return
	}
	l.answer(vm, n, list[0])
}

// assign sets the properties of a plain object in another one. It does nothing, and tells so, where goja must do it.
func (l *Layout) assign(to, from goja.Value) bool {
	if kindOf(to) != l.quick.object || kindOf(from) != l.quick.object {
		return false
	}
	target, source := (*goja.Object)(pair(&to)[1]), (*goja.Object)(pair(&from)[1])
	if l.kind(target) != l.states.kind {
		return false
	}
	var names []unistring.String
	if z, literal := l.literal(source); literal {
		names = z.group.names[:z.index]
	} else if l.kind(source) == l.states.kind {
		names = l.baseOf(source).propNames
	} else {
		return false
	}
	b := l.baseOf(target)
	if !b.extensible || len(names) > manyNames {
		return false
	}
	for _, name := range names {
		if b.values[name] == nil && !l.free(b.prototype, name) {
			return false
		}
	}
	return l.copyOwn(to, from, nil)
}

// twinPrototype is Object.getPrototypeOf of objects that have no traps.
func twinPrototype(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	if _, arguments := l.arguments(vm, n); n > 0 {
		if of := pair(&arguments[0]); of[0] == l.quick.object {
			if prototype, known := l.above((*goja.Object)(of[1])); known {
				if prototype == nil {
					l.answer(vm, n, goja.Null())
				} else {
					l.answer(vm, n, prototype)
				}
				return
			}
		}
	}
	nativeCall.call(p, vm, n)
}

// twinOwns is Object.prototype.hasOwnProperty.
func twinOwns(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	o, arguments := l.arguments(vm, n)
	if o != nil && n > 0 && l.kind(o) == l.states.kind {
		if key := pair(&arguments[0]); key[0] == l.operands.ascii {
			_, has := l.baseOf(o).values[unistring.String(*(*string)(key[1]))]
			l.answer(vm, n, l.boolean(has))
			return
		}
	}
	nativeCall.call(p, vm, n)
}

// twinToString is Object.prototype.toString, which is mostly called by call.
func twinToString(p, vm unsafe.Pointer, n int) { nativeCall.call(p, vm, n) }

// twinCall is Function.prototype.call: what is called lies on the stack, and takes the place of call itself.
func twinCall(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	f, arguments := l.arguments(vm, n)
	if f == nil || lightFunctionOf(l.kind(f)) == nil && l.keepers.of(l.kind(f)) != keepsCalled {
		nativeCall.call(p, vm, n)
		return
	}
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	bottom := *sp - n - 2
	stack[bottom+1] = f
	if n == 0 {
		stack[bottom] = goja.Undefined()
	} else {
		stack[bottom] = arguments[0]
		copy(arguments, arguments[1:])
		*sp--
		n--
	}
	l.callOnStack(vm, f, n)
}

// callOnStack calls what lies on the stack below n arguments, in the place of the native function that was called.
func (l *Layout) callOnStack(vm unsafe.Pointer, f *goja.Object, n int) {
	self := (*[2]unsafe.Pointer)(unsafe.Add(unsafe.Pointer(f), l.objectSelf))
	target := (*goja.Value)(unsafe.Add(vm, l.making.target))
	leaks := *target != nil && hasTarget(self[0])
	slot := unsafe.Add(self[0], l.async.call) // a function value is a pointer to the address of its code
	(*(*func(unsafe.Pointer, unsafe.Pointer, int))(unsafe.Pointer(&slot)))(self[1], vm, n)
	if leaks {
		*target = nil
	}
}

// mostApplied is how many arguments apply takes from a list without a look at the stack's bounds.
const mostApplied = 256

// twinApply is Function.prototype.apply, and twinReflectApply is Reflect.apply, of functions of scripts with a plain
// array: as with twinCall what is called takes the place of apply.
func twinApply(p, vm unsafe.Pointer, n int) {
	f, arguments := polled.layout.arguments(vm, n)
	if n != 2 || f == nil || !polled.layout.apply(vm, f, arguments[0], arguments[1], n) {
		twinSettling(p, vm, n)
	}
}

func twinReflectApply(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	if _, arguments := l.arguments(vm, n); n == 3 {
		if f := pair(&arguments[0]); f[0] == l.quick.object &&
			l.apply(vm, (*goja.Object)(f[1]), arguments[1], arguments[2], n) {
			return
		}
	}
	twinSettling(p, vm, n)
}

// apply calls a function with this and a list in the place of a native function that has got n arguments. It does
// nothing if goja must do it.
func (l *Layout) apply(vm unsafe.Pointer, f *goja.Object, this, from goja.Value, n int) bool {
	o, is := from.(*goja.Object)
	if !is || lightFunctionOf(l.kind(f)) == nil {
		return false
	}
	list, whole := l.Whole(o)
	if !whole || len(list) > mostApplied {
		return false
	}
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	bottom := *sp - n - 2
	stack := l.room(vm, bottom+2+len(list))
	stack[bottom], stack[bottom+1] = this, f
	copy(stack[bottom+2:], list)
	*sp = bottom + 2 + len(list)
	l.callOnStack(vm, f, len(list))
	return true
}

// twinDescriptors is Object.getOwnPropertyDescriptors. goja writes the length of an array down where it is asked for
// that alone, and here it is not.
func twinDescriptors(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	if _, list := l.arguments(vm, n); n > 0 && kindOf(list[0]) == l.quick.object {
		if o := (*goja.Object)(pair(&list[0])[1]); l.isArray(o) {
			a := (*arrayMirror)(l.data(o))
			a.lengthProp.value = l.integer(int64(a.length))
		}
	}
	nativeCall.call(p, vm, n)
}
