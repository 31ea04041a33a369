package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// Native functions that the engine makes for a script, as those that settle a promise, are light as functions of
// scripts are: they share their properties, a name that is empty and a length of one, until somebody would change them.

// lightNatives is the kind of light native functions.
var lightNatives struct {
	lightKind
	resolve []uintptr // of those that resolve a promise, which have a way of their own to be called from a script
	values  map[unistring.String]goja.Value
}

func (l *Layout) readLightNatives(r *reader) {
	probe := r.object("[].push")
	_, iface := r.field(reflect.TypeFor[goja.Object](), "self", nil)
	if r.err != nil {
		return
	}
	concrete, _ := self(probe)
	if r.alike(reflect.TypeFor[nativeMirror](), concrete.Elem()); r.err != nil {
		return
	}
	f := &lightNatives
	f.native = l.twins.native
	if f.table, r.err = methodTable(iface, concrete, f.native, lightFunctionMethods); r.err != nil {
		return
	}
	own := map[string]any{"vmCall": callResolve}
	for name, method := range lightFunctionMethods {
		own[name] = method
	}
	if f.resolve, r.err = methodTable(iface, concrete, f.native, own); r.err != nil {
		return
	}
	f.find(iface)
	resolving.resolve, resolving.reject = codeOf((&resolvers{}).resolve), codeOf((&resolvers{}).reject)
	quickThenCode = codeOf((&quickThen{}).then)
	f.values = map[unistring.String]goja.Value{
		"length": l.attributed(&propertyMirror{value: l.integer(1), configurable: true}),
		"name":   l.attributed(&propertyMirror{value: l.ASCII(""), configurable: true}),
	}
}

// isLightNative tells whether a method table is of light native functions.
func isLightNative(table unsafe.Pointer) bool {
	return table == unsafe.Pointer(&lightNatives.table[0]) || table == unsafe.Pointer(&lightNatives.resolve[0])
}

// makeNative makes a light native function of a function and its object, which lie in one piece with what they are made
// for.
func (l *Layout) makeNative(rt *goja.Runtime, o *goja.Object, m *nativeMirror, table []uintptr) {
	b := &m.baseObject
	b.class, b.val, b.extensible = "Function", o, true
	b.prototype = *(**goja.Object)(unsafe.Add(unsafe.Pointer(rt), l.quick.global+l.making.functions))
	b.values, b.propNames = lightNatives.values, functionNames
	l.become(rt, o, unsafe.Pointer(&table[0]), unsafe.Pointer(m))
}

// newNative is a light native function.
func (l *Layout) newNative(rt *goja.Runtime, f func(goja.FunctionCall) goja.Value) *goja.Object {
	x := &struct {
		native nativeMirror
		object goja.Object
	}{}
	x.native.f = f
	l.makeNative(rt, &x.object, &x.native, lightNatives.table)
	return &x.object
}
