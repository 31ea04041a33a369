package bounds

import (
	"embed"

	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
	"eddy/runtime/engine/gojainternals"
)

// Bounds are those of one runtime. They belong to its goroutine.
type Bounds struct {
	rt    *goja.Runtime
	in    *gojainternals.Layout
	b     *builtin.Builder
	told  func(bytes uint64) // Install's reserve
	comma goja.String

	lengthKey goja.Value    // "length"
	describe  goja.Callable // Object.getOwnPropertyDescriptor

	joining map[*goja.Object]struct{} // arrays whose join is under way
	steps   int                       // how often step was called
	taken   int64                     // bytes that were taken, and that told does not know of yet
	resumed int                       // how many generators have resumed each other and run
	stepped gojainternals.Native      // the constructor Proxy
	each    goja.Callable             // makes a generator of what an iterable gives
	entries goja.Callable             // makes a generator of the entries that an iterable gives, without holes

	longTexts bool      // a long text was seen
	bareLists bool      // an array, or its like, was seen whose lookups cannot poll
	written   *textSize // what the JSON.stringify that runs has written
	watching  goja.Value
}

//go:embed js/*.js
var scripts embed.FS

var embedded = builtin.NewScripts(scripts)

// Prepare compiles what Install runs. Any goroutine.
func Prepare(compile func(name, text string) (*goja.Program, error)) {
	embedded.Prepare(compile, "array.js")
}

// known finds the bounds of a runtime for what goja calls with the runtime alone.
var known builtin.Registry[Bounds]

// calledFromWithin are methods that conversions call, so that built-ins can call each other without end.
var calledFromWithin = []struct {
	class   string
	methods []string
}{
	{"Error", []string{"toString"}},
	{"Date", []string{"toJSON"}},
	{"RegExp", []string{"toString"}},
	{"Array", []string{"toString", "toLocaleString", "push", "pop", "shift", "unshift", "reverse", "concat", "slice",
		"splice", "indexOf", "includes", "at"}},
	{"String", []string{"trim", "toString", "valueOf", "charAt", "indexOf", "slice", "split", "at", "toLowerCase",
		"toUpperCase", "includes", "startsWith", "search", "match"}},
}

// Install bounds the built-ins of a runtime, all of which must be there already, and the operators and calls of
// programs that Program has prepared. reserve, if set, is told before a built-in takes that many bytes at once; it
// calls Runtime.Interrupt if they are too many.
func Install(b *builtin.Builder, reserve func(bytes uint64)) {
	x := &Bounds{rt: b.Runtime, in: b.In, b: b, told: reserve, comma: b.Runtime.ToValue(",").(goja.String)}
	x.lengthKey = x.rt.ToValue("length")
	x.describe, _ = goja.AssertFunction(b.Object("Object").Get("getOwnPropertyDescriptor"))
	known.Put(x.rt, x)
	x.rt.SetMaxCallStackSize(maxCalls + spareCalls)
	x.boundStrings()
	x.b.Reserve = x.reserve
	x.b.Text, x.b.LongTexts = x.stringOf, func() bool { return x.longTexts }
	x.boundArrays()
	x.boundLikes()
	x.boundBuffers()
	x.boundReaders()
	x.boundGenerators()
	x.boundCalls()
	x.boundListing()
	x.boundBigInts()
	x.boundJSON()
	x.boundTexts()
	x.boundLists()
	for _, calling := range calledFromWithin {
		proto := x.b.Object(calling.class, "prototype")
		for _, name := range calling.methods {
			f, ok := proto.Get(name).(*goja.Object)
			if n, native := x.in.Native(f); ok && native {
				next := *n.Call
				*n.Call = func(call goja.FunctionCall) goja.Value {
					if _, ok := call.This.(*goja.Object); ok {
						x.step()
					}
					return next(call)
				}
			}
		}
	}
	x.in.Poll(x.b.Object("Object", "prototype"), overflowIn, boundKeys)
}
