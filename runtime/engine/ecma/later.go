package ecma

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
)

// Few scripts use Iterator with its helpers, disposable stacks, SharedArrayBuffer and Atomics. What makes them took a
// tenth of the processor time of a start, so it runs when a script first looks at one of these objects, which are in
// their places from the beginning.

// iteratorHelpers are the methods of Iterator.prototype, in the order in which scripts see them.
var iteratorHelpers = []string{"map", "filter", "take", "drop", "flatMap", "reduce", "toArray", "forEach", "some",
	"every", "find", "includes", "join"}

// The globals of disposable.js and of memory.js.
var (
	disposables = []string{"SuppressedError", "DisposableStack", "AsyncDisposableStack"}
	memories    = []string{"SharedArrayBuffer", "Atomics"}
)

// laterParts are the objects that are made later, as scripts see them, and what their scripts have yielded, nil until
// they have run.
type laterParts struct {
	iteratorPrototype            *goja.Object
	iterators                    []*goja.Object // Iterator, its helpers, and what Symbol.dispose names
	stacks, buffers              []*goja.Object
	iterator, disposable, memory *goja.Object
}

// installLater puts the objects into their places.
func (e *Engine) installLater() {
	x, core, global := &e.later, e.b.Core.(*goja.Object), e.rt.GlobalObject()
	x.iteratorPrototype = core.Get("IteratorPrototype").(*goja.Object)
	dispose := e.object("Symbol").Get("dispose").(*goja.Symbol)
	x.iterators = e.in.LaterObjects(e.rt, len(iteratorHelpers)+2, func(i int) *goja.Object {
		made := e.makeIterator()
		helpers := made.Get("helpers").(*goja.Object)
		switch {
		case i == 0:
			return made.Get("Iterator").(*goja.Object)
		case i <= len(iteratorHelpers):
			return helpers.Get(iteratorHelpers[i-1]).(*goja.Object)
		}
		return helpers.GetSymbol(dispose).(*goja.Object)
	})
	e.value(global, "Iterator", x.iterators[0])
	weird, _ := goja.AssertFunction(core.Get("weird"))
	e.b.Call(weird, x.iteratorPrototype, e.rt.ToValue("constructor"), x.iterators[0])
	e.b.Call(weird, x.iteratorPrototype, goja.SymToStringTag, e.rt.ToValue("Iterator"))
	for i, name := range iteratorHelpers {
		e.value(x.iteratorPrototype, name, x.iterators[i+1])
	}
	builtin.Must(x.iteratorPrototype.DefineDataPropertySymbol(dispose, x.iterators[len(iteratorHelpers)+1],
		goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))

	x.stacks = e.in.LaterObjects(e.rt, len(disposables), func(i int) *goja.Object {
		if x.disposable == nil {
			x.disposable = e.make("disposable.js", e.makeIterator(), e.b.MarkNative,
				x.stacks[0], x.stacks[1], x.stacks[2])
		}
		return x.disposable.Get(disposables[i]).(*goja.Object)
	})
	x.buffers = e.in.LaterObjects(e.rt, len(memories), func(i int) *goja.Object {
		if x.memory == nil {
			x.memory = e.make("memory.js", e.b.MarkNative, e.growth(), x.buffers[0])
		}
		return x.memory.Get(memories[i]).(*goja.Object)
	})
	for i, name := range disposables {
		e.value(global, name, x.stacks[i])
	}
	for i, name := range memories {
		e.value(global, name, x.buffers[i])
	}
	// goja looks for the source of a function behind the object, where it calls none of the object's methods.
	if n, ok := e.in.Native(e.object("Function", "prototype", "toString")); ok {
		source := *n.Call
		*n.Call = func(call goja.FunctionCall) goja.Value {
			if o, ok := call.This.(*goja.Object); ok {
				e.in.Look(o)
			}
			return source(call)
		}
	}
}

func (e *Engine) makeIterator() *goja.Object {
	if x := &e.later; x.iterator == nil {
		x.iterator = e.make("iterator.js", e.b.MarkNative, x.iteratorPrototype, x.iterators[0])
	}
	return e.later.iterator
}

// make runs a script that gets core.js's object and args, and yields an object. It panics with what ends the script.
func (e *Engine) make(name string, args ...goja.Value) *goja.Object {
	v, err := e.run(name, append([]goja.Value{e.b.Core}, args...)...)
	if err != nil {
		panic(err)
	}
	return v.(*goja.Object)
}

// isShared tells whether a buffer is a SharedArrayBuffer. None is as long as nobody has looked at that class.
func (e *Engine) isShared(buffer *goja.Object) bool {
	return e.later.memory != nil && buffer.Prototype() == e.later.buffers[0].Get("prototype")
}
