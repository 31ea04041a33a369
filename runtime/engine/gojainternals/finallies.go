package gojainternals

import "github.com/dop251/goja"

// goja's Promise.prototype.finally makes two functions, and a third one when the promise is settled, all with
// properties of their own. Of plain promises nobody sees them.

// quickFinally puts ours in the place of a runtime's Promise.prototype.finally.
func (a *alls) quickFinally(resolve func(goja.FunctionCall) goja.Value) {
	native, ok := a.layout.Native(a.proto.Get("finally").(*goja.Object))
	if !ok {
		panic("gojainternals: Promise.prototype.finally is not native")
	}
	next := *native.Call
	*native.Call = func(call goja.FunctionCall) goja.Value {
		o, is := call.This.(*goja.Object)
		if !is {
			return next(call)
		}
		q := a.layout.thenOf(o)
		f, is := call.Argument(0).(*goja.Object)
		if q == nil || !q.plain(o) || !is {
			return next(call)
		}
		end, callable := a.layout.Call(f)
		if !callable {
			return next(call)
		}
		x := &ending{alls: a, end: end, resolve: resolve}
		return q.derive(o, [2]func(goja.FunctionCall) goja.Value{x.settled, x.failed})
	}
}

// ending is a call of finally (ECMA-262, 27.2.5.3).
type ending struct {
	*alls
	end     func(goja.FunctionCall) goja.Value
	resolve func(goja.FunctionCall) goja.Value // Promise.resolve
}

func (x *ending) settled(call goja.FunctionCall) goja.Value {
	v := call.Argument(0)
	return x.after(func(goja.FunctionCall) goja.Value { return v })
}

func (x *ending) failed(call goja.FunctionCall) goja.Value {
	v := call.Argument(0)
	return x.after(func(goja.FunctionCall) goja.Value { panic(v) })
}

// after calls the function that finally has got, and then, when what that promises is there, another one.
func (x *ending) after(then func(goja.FunctionCall) goja.Value) goja.Value {
	result := x.end(goja.FunctionCall{})
	if result == nil {
		result = goja.Undefined()
	}
	promise := x.resolve(goja.FunctionCall{This: x.class, Arguments: []goja.Value{result}}).(*goja.Object)
	if q := x.layout.thenOf(promise); q != nil && q.plain(promise) {
		return q.derive(promise, [2]func(goja.FunctionCall) goja.Value{then})
	}
	method := promise.Get("then")
	f, is := method.(*goja.Object)
	if !is {
		if method == nil {
			method = goja.Undefined()
		}
		panic(x.rt.NewTypeError("Value is not an object: %s", method))
	}
	call, callable := x.layout.Call(f)
	if !callable {
		panic(x.rt.NewTypeError("Value is not callable: %s", method))
	}
	thunk := x.layout.newNative(x.rt, then)
	none := x.layout.integer(0)
	if err := thunk.DefineDataProperty("length", none, goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
		panic(err)
	}
	return call(goja.FunctionCall{This: promise, Arguments: []goja.Value{thunk}})
}
