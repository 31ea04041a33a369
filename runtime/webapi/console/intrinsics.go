package console

import (
	"math/big"
	"reflect"
	"strconv"
	"sync"
	"unicode/utf16"

	"github.com/dop251/goja"

	"eddy/runtime/engine/gojainternals"
	"eddy/runtime/engine/host"
)

var (
	mapType    = reflect.TypeFor[[][2]any]()
	setType    = reflect.TypeFor[[]any]()
	bigIntType = reflect.TypeFor[*big.Int]()
)

// intrinsics are the functions of one isolate that the inspector uses. They are taken before user code can replace
// them.
type intrinsics struct {
	rt                                                        *goja.Runtime
	internals                                                 *gojainternals.Layout
	descriptorOf, symbolsOf                                   goja.Callable
	mapSize, mapEntries, mapNext, setSize, setValues, setNext goja.Callable
	functionText, regexpText, dateISO, dateTime, dateText     goja.Callable
	weakMapHas, weakSetHas, symbolText, errorText             goja.Callable
	errorClass                                                *goja.Object
	customSymbol                                              *goja.Symbol
	inspectFunction, stylize                                  goja.Value
	// wellKnown names built-in prototypes, because scripts may change their constructor property.
	wellKnown map[*goja.Object]string
	// language are the names of ECMAScript's own globals, platform those of the platform's; see platformNames.
	language, platform map[string]bool
}

type intrinsicsKey struct{}

func intrinsicsOf(h *host.Host) *intrinsics {
	if in, ok := h.Value(intrinsicsKey{}).(*intrinsics); ok {
		return in
	}
	in := captureIntrinsics(h)
	h.SetValue(intrinsicsKey{}, in)
	return in
}

var languageClasses = []string{"Object", "Function", "Array", "Number", "Boolean", "String", "Symbol", "BigInt", "Date",
	"Promise", "RegExp", "Error", "AggregateError", "EvalError", "RangeError", "ReferenceError", "SyntaxError",
	"TypeError",
	"URIError", "ArrayBuffer", "SharedArrayBuffer", "Uint8Array", "Int8Array", "Uint16Array", "Int16Array",
	"Uint32Array",
	"Int32Array", "Float16Array", "Float32Array", "Float64Array", "Uint8ClampedArray", "BigUint64Array",
	"BigInt64Array",
	"DataView", "Map", "Set", "WeakMap", "WeakSet", "WeakRef", "Proxy", "FinalizationRegistry", "Iterator",
	"SuppressedError", "DisposableStack", "AsyncDisposableStack"}

var languageNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, name := range languageClasses {
		names[name] = true
	}
	return names
})

var wellKnownClasses = []string{"Array", "ArrayBuffer", "Function", "Map", "Set", "Object", "RegExp", "Date",
	"DataView", "Error", "Boolean", "Number", "String", "Promise", "WeakMap", "WeakSet"}

// captureProgram collects the functions, in the order in which captureIntrinsics takes them.
var captureProgram = sync.OnceValue(func() *goja.Program {
	return goja.MustCompile("console:intrinsics", `(() => {
	const describe = Object.getOwnPropertyDescriptor;
	return [
		describe, Object.getOwnPropertySymbols,
		describe(Map.prototype, "size").get, Map.prototype.entries, new Map().entries().next,
		describe(Set.prototype, "size").get, Set.prototype.values, new Set().values().next,
		Function.prototype.toString, RegExp.prototype.toString,
		Date.prototype.toISOString, Date.prototype.getTime, Date.prototype.toString,
		WeakMap.prototype.has, WeakSet.prototype.has,
		Symbol.prototype.toString, Error.prototype.toString,
		Symbol.for("nodejs.util.inspect.custom"),
	];
})()`, true)
})

func captureIntrinsics(h *host.Host) *intrinsics {
	rt := h.Runtime()
	in := &intrinsics{rt: rt, wellKnown: make(map[*goja.Object]string, len(wellKnownClasses)+1),
		language: languageNames()}
	v, err := rt.RunProgram(captureProgram())
	if err != nil {
		panic("console: " + err.Error())
	}
	if in.internals, err = gojainternals.Read(); err != nil {
		panic("console: " + err.Error())
	}
	captured := v.(*goja.Object)
	functions := []*goja.Callable{
		&in.descriptorOf, &in.symbolsOf, &in.mapSize, &in.mapEntries, &in.mapNext, &in.setSize, &in.setValues,
		&in.setNext, &in.functionText, &in.regexpText, &in.dateISO, &in.dateTime, &in.dateText, &in.weakMapHas,
		&in.weakSetHas, &in.symbolText, &in.errorText,
	}
	for i, to := range functions {
		f, ok := goja.AssertFunction(captured.Get(strconv.Itoa(i)))
		if !ok {
			panic("console: captured function " + strconv.Itoa(i) + " is none")
		}
		*to = f
	}
	global := rt.GlobalObject()
	in.errorClass = global.Get("Error").(*goja.Object)
	in.customSymbol = captured.Get(strconv.Itoa(len(functions))).(*goja.Symbol)
	for _, name := range wellKnownClasses {
		in.wellKnown[global.Get(name).(*goja.Object).Get("prototype").(*goja.Object)] = name
	}
	typed := global.Get("Uint8Array").(*goja.Object).Prototype()
	in.wellKnown[typed.Get("prototype").(*goja.Object)] = "TypedArray"
	in.inspectFunction = h.Realm.Function("inspect", func(fc goja.FunctionCall) goja.Value {
		options, _ := fc.Argument(1).(*goja.Object)
		return rt.ToValue(Inspect(h, fc.Argument(0), OptionsFrom(options)))
	})
	in.stylize = h.Realm.Function("stylize", func(fc goja.FunctionCall) goja.Value {
		text := fc.Argument(0).String()
		if s, ok := styleNames[fc.Argument(1).String()]; ok {
			text = mark(text, s)
		}
		return rt.ToValue(text)
	})
	return in
}

// platformNames are the hidden globals that look like classes. All of the platform's classes are hidden, and nothing
// that a script assigns is. They are collected on first use, when every API has been installed.
func (in *intrinsics) platformNames() map[string]bool {
	if in.platform == nil {
		in.platform = map[string]bool{}
		global := in.rt.GlobalObject()
		for _, name := range global.GetOwnPropertyNames() {
			if name != "" && name[0] >= 'A' && name[0] <= 'Z' && !in.language[name] &&
				!in.ownNamed(global, name).enumerable {
				in.platform[name] = true
			}
		}
	}
	return in.platform
}

// must throws on what a call into JavaScript has thrown.
func must(v goja.Value, err error) goja.Value {
	if err != nil {
		panic(err)
	}
	return v
}

// property is a property descriptor; ok is false when there is none.
type property struct {
	value, get, set goja.Value // nil when undefined
	enumerable, ok  bool
}

// own is the descriptor of an own property.
func (in *intrinsics) own(obj *goja.Object, key goja.Value) property {
	d, ok := must(in.descriptorOf(nil, obj, key)).(*goja.Object)
	if !ok {
		return property{}
	}
	part := func(name string) goja.Value { return option(d, name) }
	e := d.Get("enumerable")
	return property{
		value: part("value"), get: part("get"), set: part("set"), enumerable: e != nil && e.ToBoolean(), ok: true}
}

// ownNamed is own for a string key.
func (in *intrinsics) ownNamed(obj *goja.Object, key string) property {
	return in.own(obj, in.rt.ToValue(key))
}

// hiddenSymbols are all own symbols that scripts can see; the slot of platform objects is not among them.
func (in *intrinsics) hiddenSymbols(obj *goja.Object) []goja.Value {
	list, ok := must(in.symbolsOf(nil, obj)).(*goja.Object)
	if !ok {
		return nil
	}
	var out []goja.Value
	for k := range int(list.Get("length").ToInteger()) {
		out = append(out, list.Get(strconv.Itoa(k)))
	}
	return out
}

func utf16Of(s string) []uint16 { return utf16.Encode([]rune(s)) }
