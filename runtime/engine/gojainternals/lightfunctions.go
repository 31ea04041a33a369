package gojainternals

import (
	"maps"
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// A light function shares its properties, name and length, with all that the same instruction makes: they are most of
// what a closure takes, and hardly anybody looks at them. As a light array it is goja's struct with a method table of
// ours. What would change its properties, or asks for its prototype, which goja makes then, gives it its own first, and
// goja's table.

// lightKind is a kind of functions that can be light.
type lightKind struct {
	native unsafe.Pointer // goja's own
	table  []uintptr
	codes  [lightMethods]uintptr

	getStr        func(unsafe.Pointer, unistring.String, goja.Value) goja.Value
	getOwnStr     func(unsafe.Pointer, unistring.String) goja.Value
	setOwnStr     func(unsafe.Pointer, unistring.String, goja.Value, bool) bool
	setForeignStr func(unsafe.Pointer, unistring.String, goja.Value, goja.Value, bool) (bool, bool)
	defineStr     func(unsafe.Pointer, unistring.String, goja.PropertyDescriptor, bool) bool
	deleteStr     func(unsafe.Pointer, unistring.String, bool) bool
	iterate       func(unsafe.Pointer) unsafe.Pointer
	prevent       func(unsafe.Pointer, bool) bool
	put           func(unsafe.Pointer, unistring.String, goja.Value, bool, bool, bool) goja.Value
}

const lightMethods = 9

// The kinds of light functions.
const (
	lightFunction = iota
	lightArrow
	lightMethod
)

// lightFunctions is what Read has found, by kind.
var lightFunctions [3]lightKind

// supers are the instructions that look for a method's home or for the class around an arrow function, for which goja
// knows functions by their method tables. Functions that have them, within arrow functions too, are never light.
var supers = map[string]bool{"_loadSuper": true, "superCall": true, "_superCallVariadic": true,
	"callEval": true, "callEvalStrict": true, "_callEvalVariadic": true, "_callEvalVariadicStrict": true}

func (l *Layout) readLightFunctions(r *reader) {
	_, iface := r.field(reflect.TypeFor[goja.Object](), "self", nil)
	_, vm := r.field(reflect.TypeFor[goja.Runtime](), "vm", nil)
	_, global := r.field(reflect.TypeFor[goja.Runtime](), "global", nil)
	if r.err != nil {
		return
	}
	l.making.private, _ = r.field(vm.Elem(), "privEnv", nil)
	l.making.target, _ = r.field(vm.Elem(), "newTarget", reflect.TypeFor[goja.Value]())
	l.making.functions, _ = r.field(global, "FunctionPrototype", reflect.TypeFor[*goja.Object]())
	for i, form := range []string{"(function () {})", "(() => {})", "({ m() {} }).m"} {
		probe := r.object(form)
		l.readMaker(r, form, i)
		if r.err != nil {
			return
		}
		concrete, _ := self(probe)
		ours := [...]reflect.Type{reflect.TypeFor[functionMirror](), reflect.TypeFor[arrowMirror](),
			reflect.TypeFor[methodMirror]()}[i]
		if r.alike(ours, concrete.Elem()); r.err != nil {
			return
		}
		f := &lightFunctions[i]
		f.native = l.kind(probe)
		own := maps.Clone(lightFunctionMethods)
		if i == lightFunction {
			own["getStr"] = lightFunctionGet
		}
		if f.table, r.err = methodTable(iface, concrete, f.native, own); r.err != nil {
			return
		}
		f.find(iface)
		known, _ := l.regions.function(f.native)
		known.kind = unsafe.Pointer(&f.table[0])
		l.regions.functions = append(l.regions.functions, known)
	}
}

// find finds goja's own methods.
func (f *lightKind) find(iface reflect.Type) {
	for i, m := range []struct {
		name string
		to   unsafe.Pointer
	}{
		{"getStr", unsafe.Pointer(&f.getStr)}, {"getOwnPropStr", unsafe.Pointer(&f.getOwnStr)},
		{"setOwnStr", unsafe.Pointer(&f.setOwnStr)}, {"setForeignStr", unsafe.Pointer(&f.setForeignStr)},
		{"defineOwnPropertyStr", unsafe.Pointer(&f.defineStr)}, {"deleteStr", unsafe.Pointer(&f.deleteStr)},
		{"iterateStringKeys", unsafe.Pointer(&f.iterate)}, {"_putProp", unsafe.Pointer(&f.put)},
		{"preventExtensions", unsafe.Pointer(&f.prevent)},
	} {
		methodAt(iface, f.native, m.name, &f.codes[i], m.to)
	}
}

// settleFunction gives a light function its own properties and returns goja's methods of it.
func settleFunction(p unsafe.Pointer) *lightKind {
	l, m := polled.layout, (*baseFunctionMirror)(p)
	b := &m.baseObject
	kind := (*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(b.val), l.objectSelf))
	f := lightFunctionOf(*kind)
	if f == nil {
		f = &lightNatives.lightKind
	}
	if *kind == f.native {
		return f
	}
	name, length := b.values["name"], b.values["length"]
	m.lenProp = *(*propertyMirror)(pair(&length)[1])
	named := *(*propertyMirror)(pair(&name)[1])
	b.values = map[unistring.String]goja.Value{"length": l.attributed(&m.lenProp), "name": l.attributed(&named)}
	*kind = f.native
	return f
}

// lightFunctionOf finds a kind of functions by a method table, goja's or ours; nil if it is of none.
func lightFunctionOf(table unsafe.Pointer) *lightKind {
	for i := range lightFunctions {
		if f := &lightFunctions[i]; table == unsafe.Pointer(&f.table[0]) || table == f.native {
			return f
		}
	}
	return nil
}

// SettleFunction gives a function its own properties, if it shares them, and goja's methods with them, by which goja's
// built-ins know functions.
func (l *Layout) SettleFunction(v goja.Value) {
	if o, ok := v.(*goja.Object); ok {
		l.settleIfFunction(o)
	}
}

// settleIfFunction gives a function its own properties, if it shares them.
func (l *Layout) settleIfFunction(o *goja.Object) {
	if kind := l.kind(o); lightFunctionOf(kind) != nil || isLightNative(kind) {
		settleFunction(l.data(o))
	}
}

// lightFunctionMethods are the methods of light functions that are not goja's. The look at a property by a function
// that has a prototype is one more.
var lightFunctionMethods = map[string]any{
	"getOwnPropStr": func(p unsafe.Pointer, n unistring.String) goja.Value {
		return settleFunction(p).getOwnStr(p, n)
	},
	"setOwnStr": func(p unsafe.Pointer, n unistring.String, v goja.Value, throw bool) bool {
		return settleFunction(p).setOwnStr(p, n, v, throw)
	},
	"setForeignStr": func(p unsafe.Pointer, n unistring.String, v, r goja.Value, throw bool) (bool, bool) {
		return settleFunction(p).setForeignStr(p, n, v, r, throw)
	},
	"defineOwnPropertyStr": func(p unsafe.Pointer, n unistring.String, d goja.PropertyDescriptor, throw bool) bool {
		return settleFunction(p).defineStr(p, n, d, throw)
	},
	"deleteStr": func(p unsafe.Pointer, n unistring.String, throw bool) bool {
		return settleFunction(p).deleteStr(p, n, throw)
	},
	// Object.freeze changes the properties themselves.
	"iterateStringKeys": func(p unsafe.Pointer) unsafe.Pointer { return settleFunction(p).iterate(p) },
	"preventExtensions": func(p unsafe.Pointer, throw bool) bool { return settleFunction(p).prevent(p, throw) },
	"_putProp": func(p unsafe.Pointer, n unistring.String, v goja.Value, w, e, c bool) goja.Value {
		return settleFunction(p).put(p, n, v, w, e, c)
	},
}

func lightFunctionGet(p unsafe.Pointer, n unistring.String, r goja.Value) goja.Value {
	if n == "prototype" {
		return settleFunction(p).getStr(p, n, r)
	}
	return lightFunctions[lightFunction].getStr(p, n, r)
}
