package ecma

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
	"eddy/runtime/engine/script"
)

// asyncParts are the intrinsics of async generators in one runtime (ECMA-262, 27.4 and 27.6) and the helpers that
// lowered functions call.
type asyncParts struct {
	helpers        *goja.Object
	functionProto  *goja.Object // %AsyncGeneratorFunction.prototype%
	generatorProto *goja.Object // %AsyncGeneratorPrototype%
	method         *goja.Object // any method; it gives the kind of function object that is no constructor
}

// engines finds the engine of a runtime for what is called with the runtime alone.
var engines builtin.Registry[Engine]

// installAsync makes the engine known to async generator functions. The intrinsics come with the first of those.
func (e *Engine) installAsync() error {
	engines.Put(e.rt, e)
	return e.bindHidden(script.HiddenAsync, e.function("", 1, func(call goja.FunctionCall) goja.Value {
		return e.asyncIntrinsics().helpers.Get(call.Argument(0).String())
	}))
}

func (e *Engine) asyncIntrinsics() *asyncParts {
	if e.async != nil {
		return e.async
	}
	callee := e.rt.ToValue(func(goja.FunctionCall) goja.Value { return e.generatorPrototype() })
	v, err := e.run("async_generator.js", e.b.Core, e.b.MarkNative, callee)
	builtin.Must(err)
	helpers := v.(*goja.Object)
	part := func(name string) *goja.Object { return helpers.Get(name).(*goja.Object) }
	e.async = &asyncParts{
		helpers:        helpers,
		functionProto:  part("FunctionPrototype"),
		generatorProto: part("AsyncGeneratorPrototype"),
		method:         part("generator"),
	}
	return e.async
}

// generatorPrototype is called by a helper that an async generator function calls. It returns the prototype for the
// object that this function makes: the value of the function's property prototype if it is an object, else the
// intrinsic.
func (e *Engine) generatorPrototype() goja.Value {
	if f, ok := e.in.CallerOfCaller(e.rt).(*goja.Object); ok {
		if p, ok := f.Get("prototype").(*goja.Object); ok {
			return p
		}
	}
	return e.async.generatorProto
}

// becomeAsyncGenerator turns a function that was just made into an async generator function: no constructor, with the
// intrinsics behind it, and a prototype for its objects.
func becomeAsyncGenerator(rt *goja.Runtime, f *goja.Object) {
	e := engines.Of(rt)
	if e == nil {
		return // Install has not prepared this runtime
	}
	parts := e.asyncIntrinsics()
	e.in.BecomeMethod(f, parts.method)
	builtin.Must(f.SetPrototype(parts.functionProto))
	builtin.Must(f.DefineDataProperty(
		"prototype", e.rt.CreateObject(parts.generatorProto), goja.FLAG_TRUE, goja.FLAG_FALSE, goja.FLAG_FALSE))
}
