package builtin

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/gojainternals"
)

// MaxCalls bounds the depth of calls, and of recursions in Go that work for a script. It is near V8's own bound for
// small frames. goja has no bound of its own and would take all memory.
const MaxCalls = 12000

// MaxBuffer is the most bytes that a buffer may have. What asks for more gets a RangeError before the memory limit is
// looked at: V8 throws where the system has no such memory.
const MaxBuffer = 1 << 30

// Overflow is the message of V8's RangeError when calls nest deeper.
const Overflow = "Maximum call stack size exceeded"

// Builder makes built-ins of one runtime.
type Builder struct {
	Runtime *goja.Runtime
	In      *gojainternals.Layout

	// Throw throws an error of an intrinsic class ("TypeError", "RangeError") with exactly this message.
	Throw func(class, message string)
	// Text throws if a string of so many UTF-16 units cannot be, or would take too much memory.
	Text func(units int64)
	// Reserve says that so many bytes are about to be taken, and throws if that is too much.
	Reserve func(bytes int64)
	// LongTexts tells whether the script has made texts so long that a few of them are much.
	LongTexts func() bool
	// Compile makes a program of an embedded script.
	Compile func(name, text string) (*goja.Program, error)

	// Core is what the script core.js gives to other scripts. MarkNative is a function that gives its argument, another
	// function, the text of a native one. Both are nil until that script has run.
	Core, MarkNative goja.Value
}

// Function makes a function that is no constructor.
func (b *Builder) Function(name string, length int, f func(goja.FunctionCall) goja.Value) *goja.Object {
	o := b.Runtime.ToValue(f).(*goja.Object)
	Must(o.DefineDataProperty("name", b.Runtime.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	Must(o.DefineDataProperty("length", b.Runtime.ToValue(length), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	return o
}

// Method puts a function on o as the standard has them: writable, configurable, not enumerable.
func (b *Builder) Method(o *goja.Object, name string, length int, f func(goja.FunctionCall) goja.Value) {
	b.Value(o, name, b.Function(name, length, f))
}

// Getter puts an accessor without a setter on o: configurable, not enumerable.
func (b *Builder) Getter(o *goja.Object, name string, f func(goja.FunctionCall) goja.Value) {
	Must(o.DefineAccessorProperty(name, b.Function("get "+name, 0, f), nil, goja.FLAG_TRUE, goja.FLAG_FALSE))
}

// Value puts a value on o with the attributes of a method.
func (b *Builder) Value(o *goja.Object, name string, v goja.Value) {
	Must(o.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
}

// Object follows a path of property names from the global object on. It panics if one of them is no object: goja has
// them all.
func (b *Builder) Object(path ...string) *goja.Object {
	o := b.Runtime.GlobalObject()
	for _, p := range path {
		next, ok := o.Get(p).(*goja.Object)
		if !ok {
			panic("builtin: goja has no " + strings.Join(path, "."))
		}
		o = next
	}
	return o
}

// Call calls a function without a this value and throws what it throws.
func (b *Builder) Call(f goja.Callable, args ...goja.Value) goja.Value {
	v, err := f(goja.Undefined(), args...)
	if err != nil {
		panic(err)
	}
	return v
}

// ToNumber is the abstract operation of that name, with V8's errors.
func (b *Builder) ToNumber(v goja.Value) float64 {
	if _, ok := v.(*goja.Symbol); ok {
		b.Throw("TypeError", "Cannot convert a Symbol value to a number")
	}
	if goja.IsBigInt(v) {
		b.Throw("TypeError", "Cannot convert a BigInt value to a number")
	}
	return v.ToNumber().ToFloat()
}

// ToString is the abstract operation of that name, with V8's error for symbols. Errors of user code pass.
func (b *Builder) ToString(v goja.Value) goja.String {
	switch s := v.(type) {
	case goja.String:
		return s
	case *goja.Symbol:
		b.Throw("TypeError", "Cannot convert a Symbol value to a string")
	}
	primitive := v.ToString()
	switch s := primitive.(type) {
	case goja.String:
		return s
	case *goja.Symbol:
		b.Throw("TypeError", "Cannot convert a Symbol value to a string")
	}
	return b.Runtime.ToValue(primitive.String()).(goja.String) // undefined, null, and what an object became
}

// Must states that an operation on an object that the caller made cannot fail. It can fail only where a script has put
// an accessor on a prototype: then Must throws what that has thrown.
func Must(err error) {
	var ex *goja.Exception
	if errors.As(err, &ex) {
		panic(ex.Value())
	}
	if err != nil {
		panic(fmt.Sprintf("builtin: %v", err))
	}
}

// TextSize adds up the length of a text, and asks [Builder.Text] each time that it has grown by a quarter: a buffer
// that grows so leaves its old ones to the collector, and together they are several times as long as the text.
type TextSize struct {
	B            *Builder
	units, asked int64
}

// Add adds so many units.
func (t *TextSize) Add(units int64) {
	t.units += units
	if t.units >= t.asked+t.asked/4 && t.units > 1<<20 {
		t.asked = t.units
		t.B.Text(t.units)
	}
}

// Argument is argument i of a construction, undefined if there is none.
func Argument(args []goja.Value, i int) goja.Value {
	if i < len(args) {
		return args[i]
	}
	return goja.Undefined()
}

// ToLength is the abstract operation of that name.
func ToLength(v goja.Value) int64 {
	if v == nil || goja.IsUndefined(v) {
		return 0
	}
	n := v.ToInteger()
	return max(0, min(n, 1<<53-1))
}
