package gojainternals

import (
	"unsafe"

	"github.com/dop251/goja"
)

// goja makes two functions with properties of their own for each new Promise. Ours are light, and one piece with all
// that they need; and so are those that a promise settles another one with.

// resolvers are the resolving functions of a promise (ECMA-262, 27.2.1.3).
type resolvers struct {
	promise *goja.Object
	over    bool // one of them has been called
	natives [2]nativeMirror
	objects [2]goja.Object
	ends    [2]boundMethod
}

// resolving has the codes of the two functions, bound to their resolvers.
var resolving struct{ resolve, reject uintptr }

// resolversOf makes the resolving functions of a promise of ours, which is pending.
func (l *Layout) resolversOf(rt *goja.Runtime, promise *goja.Object) *resolvers {
	x := &resolvers{promise: promise}
	x.ends = [2]boundMethod{{resolving.resolve, unsafe.Pointer(x)}, {resolving.reject, unsafe.Pointer(x)}}
	for i := range x.natives {
		table := lightNatives.table
		if i == 0 {
			table = lightNatives.resolve
		}
		l.makeNative(rt, &x.objects[i], &x.natives[i], table)
		*(**boundMethod)(unsafe.Pointer(&x.natives[i].f)) = &x.ends[i]
	}
	return x
}

func (x *resolvers) resolve(call goja.FunctionCall) goja.Value {
	if !x.over {
		x.over = true
		polled.layout.resolve(x.promise, call.Argument(0))
	}
	return goja.Undefined()
}

func (x *resolvers) reject(call goja.FunctionCall) goja.Value {
	if !x.over {
		x.over = true
		polled.layout.reject(x.promise, call.Argument(0))
	}
	return goja.Undefined()
}

// callResolve is the way of a script to what resolves a promise. Where nothing runs it needs no frame.
func callResolve(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	if end := *(**boundMethod)(unsafe.Pointer(&(*nativeMirror)(p).f)); end.code == resolving.resolve {
		x, v := (*resolvers)(end.receiver), goja.Undefined()
		if _, arguments := l.arguments(vm, n); n > 0 {
			v = arguments[0]
		}
		if x.over || l.fulfil(x.promise, v) {
			x.over = true
			l.answer(vm, n, goja.Undefined())
			return
		}
	}
	nativeCall.call(p, vm, n)
}

// quickNew puts ours in the place of a runtime's new Promise. What a derived class calls is goja's.
func (l *Layout) quickNew(rt *goja.Runtime, class, proto *goja.Object) {
	native, ok := l.Native(class)
	if !ok {
		panic("gojainternals: Promise is not native")
	}
	next := *native.Construct
	*native.Construct = func(args []goja.Value, target *goja.Object) *goja.Object {
		if len(args) == 0 || target != nil && target != class {
			return next(args, target)
		}
		executor, is := args[0].(*goja.Object)
		if !is {
			return next(args, target)
		}
		execute, callable := l.Call(executor)
		if !callable {
			return next(args, target)
		}
		x := l.resolversOf(rt, l.pending(rt, proto))
		l.execute(rt, x, execute, goja.FunctionCall{})
		return x.promise
	}
}

// execute calls a function with the two resolving functions. What it throws rejects the promise.
func (l *Layout) execute(rt *goja.Runtime, x *resolvers, f func(goja.FunctionCall) goja.Value, call goja.FunctionCall) {
	call.Arguments = []goja.Value{&x.objects[0], &x.objects[1]}
	if ex := rt.Try(func() { f(call) }); ex != nil {
		x.reject(goja.FunctionCall{Arguments: []goja.Value{ex.Value()}})
	}
}

// resolve settles a promise of ours, which is pending, with a value or with what that promises.
func (l *Layout) resolve(promise *goja.Object, v goja.Value) {
	if !l.fulfil(promise, v) && !l.follow(promise, v) {
		settle(promise, 0)(goja.FunctionCall{This: goja.Undefined(), Arguments: []goja.Value{v}})
	}
}

// reject settles a promise of ours, which is pending, with an exception.
func (l *Layout) reject(promise *goja.Object, v goja.Value) {
	settle(promise, 1)(goja.FunctionCall{This: goja.Undefined(), Arguments: []goja.Value{v}})
}

// follow makes the job in which a promise of ours calls then of another one (ECMA-262, 27.2.2.2), if that is a plain
// one: nobody sees what then gives, nor the functions that it gets.
func (l *Layout) follow(promise *goja.Object, v goja.Value) bool {
	other, is := v.(*goja.Object)
	if !is || other == promise {
		return false
	}
	q := l.thenOf(other)
	if q == nil {
		return false
	}
	jobs := l.jobs(q.rt)
	*jobs = append(*jobs, func() {
		if !q.plain(other) { // a script has changed its class since
			l.execute(q.rt, l.resolversOf(q.rt, promise), q.next, goja.FunctionCall{This: other})
			return
		}
		x := &reacting{}
		x[0].callback = func(call goja.FunctionCall) goja.Value {
			l.resolve(promise, call.Argument(0))
			return goja.Undefined()
		}
		x[1].callback = func(call goja.FunctionCall) goja.Value {
			l.reject(promise, call.Argument(0))
			return goja.Undefined()
		}
		for i := range x {
			x[i].typ, x[i].handler = i, unsafe.Pointer(&x[i].callback)
		}
		l.reactOr(q.rt, other, x)
	})
	return true
}
