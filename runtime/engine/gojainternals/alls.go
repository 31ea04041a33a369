package gojainternals

import (
	"unsafe"

	"github.com/dop251/goja"
)

// goja's Promise.all and race make a function, an object with properties of its own, for each promise of the list,
// and a promise that nobody sees for what that function gives. Where a list and its promises are of the plain kind,
// ours add the reactions alone; Promise.resolve of a value that is no promise makes one without resolving functions.

// alls is what QuickAlls knows of a runtime: what nobody may have changed where ours work.
type alls struct {
	layout                       *Layout
	rt                           *goja.Runtime
	class, proto, array, arrays  *goja.Object // Promise, the prototypes of promises, of arrays and of their iterators
	resolve, then, iterate, next goja.Value
}

// QuickAlls puts ours in the place of a runtime's Promise.all, race and resolve. They hand to goja's whatever scripts
// could see a difference in. It is called when the built-ins are as scripts shall find them, before any script runs.
func (l *Layout) QuickAlls(rt *goja.Runtime) {
	class := rt.Get("Promise").(*goja.Object)
	iterator, err := rt.RunString("Object.getPrototypeOf([][Symbol.iterator]())")
	if err != nil {
		panic(err)
	}
	a := &alls{layout: l, rt: rt, class: class, proto: class.Get("prototype").(*goja.Object),
		array: rt.Get("Array").(*goja.Object).Get("prototype").(*goja.Object), arrays: iterator.(*goja.Object)}
	a.resolve, a.then, a.next = class.Get("resolve"), a.proto.Get("then"), a.arrays.Get("next")
	a.iterate = l.symbolOf(a.array, goja.SymIterator)
	if a.iterate == nil || !a.untouched() {
		panic("gojainternals: the built-ins that Promise.all uses are not as they are known here")
	}
	for name, quick := range map[string]func(list []goja.Value) *goja.Object{"all": a.all, "race": a.race} {
		native, ok := l.Native(class.Get(name).(*goja.Object))
		if !ok {
			panic("gojainternals: Promise." + name + " is not native")
		}
		next := *native.Call
		*native.Call = func(call goja.FunctionCall) goja.Value {
			if list, ok := a.plain(call); ok {
				return quick(list)
			}
			return next(call)
		}
	}
	l.quickNew(rt, class, a.proto)
	native, ok := l.Native(a.resolve.(*goja.Object))
	if !ok {
		panic("gojainternals: Promise.resolve is not native")
	}
	next := *native.Call
	defer func() { a.quickFinally(*native.Call) }()
	*native.Call = func(call goja.FunctionCall) goja.Value {
		if call.This == a.class {
			v := call.Argument(0)
			o, is := v.(*goja.Object)
			if !is || a.noPromise(o) {
				promise := l.pending(rt, a.proto)
				l.fulfil(promise, v)
				return promise
			}
			if o.ExportType() != PromiseType { // of which goja asks its constructor
				promise, resolve, _ := rt.NewPromise()
				if err := resolve(v); err != nil {
					panic(err)
				}
				return rt.ToValue(promise)
			}
		}
		return next(call)
	}
}

// noPromise tells whether a plain object or an array is neither a promise nor a thenable, without running anything.
func (a *alls) noPromise(o *goja.Object) bool {
	if !a.layout.lacks(o, "then") {
		return false
	}
	constructor, rest := a.layout.held(o, "constructor") // goja takes by it what a promise is
	return constructor != nil && rest == nil && constructor != a.class
}

// symbolOf is the value that an object keeps under a symbol; nil if none.
func (l *Layout) symbolOf(o *goja.Object, symbol goja.Value) goja.Value {
	e := l.symbolEntry(l.data(o), symbol)
	if e == nil {
		return nil
	}
	v := *(*goja.Value)(unsafe.Add(e, l.thens.value))
	if p := pair(&v); v != nil && p[0] == l.quick.accessor { // or a value with attributes
		return (*propertyMirror)(p[1]).value
	}
	return v
}

// untouched tells whether what Promise.all asks of the built-ins is what was there first.
func (a *alls) untouched() bool {
	l := a.layout
	resolve, _ := l.held(a.class, "resolve")
	then, _ := l.held(a.proto, "then")
	next, _ := l.held(a.arrays, "next")
	iterate := l.symbolOf(a.array, goja.SymIterator)
	return resolve == a.resolve && then == a.then && next == a.next && iterate == a.iterate
}

// plain is the list of a call of Promise.all or race of which nothing can be seen: an array of promises of the class
// itself and of values that are no objects.
func (a *alls) plain(call goja.FunctionCall) (list []goja.Value, ok bool) {
	l := a.layout
	o, is := call.Argument(0).(*goja.Object)
	if !is || call.This != a.class || !a.untouched() {
		return nil, false
	}
	if list, ok = l.Whole(o); !ok {
		return nil, false
	}
	data := l.data(o)
	if *(**goja.Object)(unsafe.Add(data, l.plain.prototype)) != a.array ||
		*(*unsafe.Pointer)(unsafe.Add(data, l.thens.symbols)) != nil {
		return nil, false
	}
	vm := l.vm(a.rt)
	for _, v := range list {
		if o, is := v.(*goja.Object); is && (l.kind(o) != l.awaiting.promise || !l.ownPromise(vm, o) || l.ownsThen(o)) {
			return nil, false
		}
	}
	return list, true
}

// ownsThen tells whether a promise has a method then of its own.
func (l *Layout) ownsThen(promise *goja.Object) bool {
	_, has := l.baseOf(promise).values["then"]
	return has
}

// gathering is a call of Promise.all or race.
type gathering struct {
	*alls
	promise *goja.Object
	values  []goja.Value
	left    int // how many values are missing
	over    bool
	rejects func(goja.FunctionCall) goja.Value
}

func (a *alls) gather() *gathering {
	g := &gathering{alls: a, promise: a.layout.pending(a.rt, a.proto)}
	g.rejects = g.reject
	return g
}

func (a *alls) all(list []goja.Value) *goja.Object {
	g := a.gather()
	g.left = len(list)
	if len(list) == 0 {
		g.end(a.layout.NewArray(a.rt, nil))
		return g.promise
	}
	g.values = make([]goja.Value, len(list))
	for i, v := range list {
		g.react(v, func(call goja.FunctionCall) goja.Value {
			g.values[i] = call.Argument(0)
			if g.left--; g.left == 0 {
				g.end(a.layout.NewArray(a.rt, g.values))
			}
			return goja.Undefined()
		})
	}
	return g.promise
}

func (a *alls) race(list []goja.Value) *goja.Object {
	g := a.gather()
	first := func(call goja.FunctionCall) goja.Value {
		g.end(call.Argument(0))
		return goja.Undefined()
	}
	for _, v := range list {
		g.react(v, first)
	}
	return g.promise
}

// react calls a function in a job with an element of the list, or with what that promises. A rejection ends all.
func (g *gathering) react(v goja.Value, with func(goja.FunctionCall) goja.Value) {
	x := &reacting{}
	x[0].callback, x[1].callback = with, g.rejects
	for i := range x {
		x[i].typ, x[i].handler = i, unsafe.Pointer(&x[i].callback)
	}
	if o, is := v.(*goja.Object); is {
		g.layout.reactOr(g.rt, o, x)
		return
	}
	if tracker := g.layout.contextTracker(g.rt); tracker != nil {
		x[0].asyncCtx = tracker.Grab()
	}
	g.layout.later(g.rt, &x[0].reaction, v)
}

// end resolves the promise, unless it has been resolved or rejected.
func (g *gathering) end(v goja.Value) {
	if g.over {
		return
	}
	g.over = true
	g.layout.resolve(g.promise, v)
}

func (g *gathering) reject(call goja.FunctionCall) goja.Value {
	if !g.over {
		g.over = true
		g.layout.reject(g.promise, call.Argument(0))
	}
	return goja.Undefined()
}
