package structured

import (
	"fmt"
	"sync"

	"github.com/dop251/goja"
)

// captureProgram collects the built-ins that the codec calls. Getters and
// methods are taken off their prototypes once, so that later changes to those
// prototypes neither mislead the codec nor run user code inside it.
var captureProgram = sync.OnceValue(func() *goja.Program {
	return goja.MustCompile("structured:intrinsics", `(() => {
	const getter = (o, k) => Object.getOwnPropertyDescriptor(o, k).get;
	const typed = Object.getPrototypeOf(Uint8Array.prototype);
	const maybeGetter = (o, k) => { const d = Object.getOwnPropertyDescriptor(o, k); return d && d.get; };
	return {
		descriptor: Object.getOwnPropertyDescriptor,
		enumerableKeys: Object.keys,
		reflectGet: Reflect.get,
		defineProperty: Object.defineProperty,
		objectToString: Object.prototype.toString,
		functionToString: Function.prototype.toString,
		mapForEach: Map.prototype.forEach, mapSet: Map.prototype.set,
		setForEach: Set.prototype.forEach, setAdd: Set.prototype.add,
		numberValue: Number.prototype.valueOf, stringValue: String.prototype.valueOf,
		booleanValue: Boolean.prototype.valueOf, bigintValue: BigInt.prototype.valueOf,
		typedTag: getter(typed, Symbol.toStringTag),
		typedBuffer: getter(typed, "buffer"), typedOffset: getter(typed, "byteOffset"),
			typedLength: getter(typed, "byteLength"),
		viewBuffer: getter(DataView.prototype, "buffer"), viewOffset: getter(DataView.prototype, "byteOffset"),
			viewLength: getter(DataView.prototype, "byteLength"),
		bufferResizable: maybeGetter(ArrayBuffer.prototype, "resizable"),
			bufferMaxLength: maybeGetter(ArrayBuffer.prototype, "maxByteLength"),
		date: Date, map: Map, set: Set, regexp: RegExp, object: Object, arrayBuffer: ArrayBuffer,
		protos: [
			["dataview", DataView.prototype], ["number", Number.prototype], ["string", String.prototype],
			["boolean", Boolean.prototype], ["bigint", BigInt.prototype], ["symbol", Symbol.prototype],
			["map", Map.prototype], ["set", Set.prototype], ["date", Date.prototype], ["regexp", RegExp.prototype],
			["opaque", WeakMap.prototype], ["opaque", WeakSet.prototype], ["opaque", Promise.prototype],
			["opaque", typeof WeakRef === "function" ? WeakRef.prototype : undefined],
			["opaque", typeof FinalizationRegistry === "function" ? FinalizationRegistry.prototype : undefined],
			["tagged", Object.getPrototypeOf(function*(){}).prototype],
			["tagged", Object.getPrototypeOf([][Symbol.iterator]())],
			["tagged", Object.getPrototypeOf(new Map()[Symbol.iterator]())],
			["tagged", Object.getPrototypeOf(new Set()[Symbol.iterator]())],
			["tagged", Object.getPrototypeOf(""[Symbol.iterator]())],
			["tagged", Object.getPrototypeOf("".matchAll(/a/g))],
		],
	};
})()`, true)
})

// Prepare compiles what every codec runs, once for the process. Any goroutine.
func Prepare() { captureProgram() }

// brand is what an object's prototype chain says about its internal kind.
type brand int

const (
	brandNone brand = iota
	brandDataView
	brandNumber
	brandString
	brandBoolean
	brandBigInt
	brandSymbol
	brandMap
	brandSet
	brandDate
	brandRegExp
	// brandOpaque are built-ins that cannot be cloned: promises, weak
	// collections.
	brandOpaque
	// brandTagged are iterators and generators: not cloneable either, and
	// described by their tag, since they have no constructor of their own.
	brandTagged
)

var brandNames = map[string]brand{
	"dataview": brandDataView, "number": brandNumber, "string": brandString, "boolean": brandBoolean,
	"bigint": brandBigInt, "symbol": brandSymbol, "map": brandMap, "set": brandSet, "date": brandDate,
	"regexp": brandRegExp, "opaque": brandOpaque, "tagged": brandTagged,
}

// errorNames are the standard error classes that the codec rebuilds.
var errorNames = []string{
	"Error", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError", "AggregateError",
	"SuppressedError",
}

// intrinsics are built-ins as they were when the codec was made.
type intrinsics struct {
	fn          map[string]goja.Callable
	objectProto *goja.Object
	brands      map[*goja.Object]brand
	ctors       map[string]*goja.Object
	errors      map[string]*goja.Object
	views       map[byte]*goja.Object
	toString    *goja.Object // the function Object.prototype.toString, to describe values
}

func captureIntrinsics(vm *goja.Runtime) *intrinsics {
	v, err := vm.RunProgram(captureProgram())
	if err != nil {
		panic(fmt.Errorf("structured: the runtime lacks a built-in: %w", err))
	}
	found := v.(*goja.Object)
	in := &intrinsics{
		fn:     map[string]goja.Callable{},
		brands: map[*goja.Object]brand{},
		ctors:  map[string]*goja.Object{},
		errors: map[string]*goja.Object{},
		views:  map[byte]*goja.Object{},
	}
	for _, name := range found.Keys() {
		obj, ok := found.Get(name).(*goja.Object)
		if !ok || name == "protos" {
			continue
		}
		if call, ok := goja.AssertFunction(obj); ok {
			in.fn[name] = call
			in.ctors[name] = obj
		}
	}
	in.toString = in.ctors["objectToString"]
	in.objectProto = in.ctors["object"].Get("prototype").(*goja.Object)
	list := found.Get("protos").(*goja.Object)
	for _, i := range list.Keys() {
		pair := list.Get(i).(*goja.Object)
		if proto, ok := pair.Get("1").(*goja.Object); ok {
			in.brands[proto] = brandNames[pair.Get("0").String()]
		}
	}
	global := vm.GlobalObject()
	for _, name := range errorNames {
		if ctor, ok := global.Get(name).(*goja.Object); ok {
			in.errors[name] = ctor
		}
	}
	for _, k := range viewKinds {
		if ctor, ok := global.Get(k.name).(*goja.Object); ok {
			in.views[k.tag] = ctor
		}
	}
	return in
}

// call runs a captured built-in and throws on what it throws.
func (in *intrinsics) call(name string, this goja.Value, args ...goja.Value) goja.Value {
	v, err := in.fn[name](this, args...)
	if err != nil {
		panic(err)
	}
	return v
}

// brandOf walks the prototype chain of obj. An object whose prototype was
// replaced by hand loses its brand and is written as a plain object.
func (in *intrinsics) brandOf(obj *goja.Object) brand {
	for p := obj.Prototype(); p != nil && p != in.objectProto; p = p.Prototype() {
		if b, ok := in.brands[p]; ok {
			return b
		}
	}
	return brandNone
}
