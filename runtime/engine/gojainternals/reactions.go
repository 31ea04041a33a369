package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// What goes on when a promise is settled is a pair of reactions. Ours are parts of what waits.

// reactionFields say where promises and runtimes keep what reactions need.
type reactionFields struct {
	onValue, onError uintptr // of a promise: lists of reactions
	handled          uintptr
	jobs, rejections uintptr // of a runtime
	contexts         uintptr
}

// reaction mirrors goja's promiseReaction.
type reaction struct {
	capability  unsafe.Pointer
	typ         int
	handler     unsafe.Pointer // of a callback, which is a function
	asyncRunner unsafe.Pointer
	asyncCtx    any
}

// reacting is a pair of reactions with all that they need.
type reacting [2]struct {
	reaction
	callback func(goja.FunctionCall) goja.Value
	list     [1]unsafe.Pointer // for a promise that nobody else waits for
}

func (l *Layout) readReactions(r *reader) {
	f := &l.reactions
	t, rt := reflect.TypeFor[goja.Promise](), reflect.TypeFor[goja.Runtime]()
	var list, list2 reflect.Type
	f.onValue, list = r.field(t, "fulfillReactions", nil)
	f.onError, list2 = r.field(t, "rejectReactions", nil)
	f.handled, _ = r.field(t, "handled", reflect.TypeFor[bool]())
	f.jobs, _ = r.field(rt, "jobQueue", reflect.TypeFor[[]func()]())
	f.rejections, _ = r.field(rt, "promiseRejectionTracker", reflect.TypeFor[goja.PromiseRejectionTracker]())
	f.contexts, _ = r.field(rt, "asyncContextTracker", reflect.TypeFor[goja.AsyncContextTracker]())
	if r.err != nil {
		return
	}
	if list != list2 || list.Kind() != reflect.Slice || list.Elem().Kind() != reflect.Pointer {
		r.fail("Promise keeps reactions in a %s and a %s", list, list2)
		return
	}
	theirs := list.Elem().Elem()
	r.mirror(theirs, reflect.TypeFor[reaction]())
	_, handler := r.field(theirs, "handler", nil)
	if r.err != nil {
		return
	}
	if at, _ := r.field(handler.Elem(), "callback", reflect.TypeFor[func(goja.FunctionCall) goja.Value]()); at != 0 ||
		handler.Elem().NumField() != 1 {
		r.fail("%s is more than a function", handler)
	}
}

func (l *Layout) jobs(rt *goja.Runtime) *[]func() {
	return (*[]func())(unsafe.Add(unsafe.Pointer(rt), l.reactions.jobs))
}

func (l *Layout) contextTracker(rt *goja.Runtime) goja.AsyncContextTracker {
	return *(*goja.AsyncContextTracker)(unsafe.Add(unsafe.Pointer(rt), l.reactions.contexts))
}

// react adds reactions to a promise as goja does. If it is settled, later is called, which makes the job.
func (l *Layout) react(rt *goja.Runtime, o *goja.Object, x *reacting, later func(rejected bool, v goja.Value)) {
	f, p := &l.reactions, l.data(o)
	handled := (*bool)(unsafe.Add(p, f.handled))
	switch state := *(*goja.PromiseState)(unsafe.Add(p, l.async.state)); state {
	case goja.PromiseStatePending:
		if tracker := l.contextTracker(rt); tracker != nil {
			c := tracker.Grab()
			x[0].asyncCtx, x[1].asyncCtx = c, c
		}
		for i, at := range [2]uintptr{f.onValue, f.onError} {
			r := unsafe.Pointer(&x[i].reaction)
			list := (*[]unsafe.Pointer)(unsafe.Add(p, at))
			if *list == nil {
				x[i].list[0] = r
				*list = x[i].list[:]
			} else {
				*list = append(*list, r)
			}
		}
	default:
		rejected := state == goja.PromiseStateRejected
		if rejected && !*handled {
			if told := *(*goja.PromiseRejectionTracker)(unsafe.Add(unsafe.Pointer(rt), f.rejections)); told != nil {
				told((*goja.Promise)(p), goja.PromiseRejectionHandle)
			}
		}
		later(rejected, *(*goja.Value)(unsafe.Add(p, l.async.value)))
	}
	*handled = true
}

// Then calls one of two native functions in a job when a promise is settled, as Promise.prototype.then does, and makes
// no other promise. o is a promise. It asks nothing that scripts can change.
func (l *Layout) Then(rt *goja.Runtime, o *goja.Object, onValue, onError func(goja.FunctionCall) goja.Value) {
	x := &reacting{}
	x[0].callback, x[1].callback = onValue, onError
	for i := range x {
		x[i].typ, x[i].handler = i, unsafe.Pointer(&x[i].callback)
	}
	l.reactOr(rt, o, x)
	if l.Depth(rt) == 0 {
		l.RunJobs(rt)
	}
}

// reactOr is react that makes goja's job if the promise is settled.
func (l *Layout) reactOr(rt *goja.Runtime, o *goja.Object, x *reacting) {
	l.react(rt, o, x, func(rejected bool, v goja.Value) {
		r := &x[0].reaction
		if rejected {
			r = &x[1].reaction
		}
		if tracker := l.contextTracker(rt); tracker != nil {
			r.asyncCtx = tracker.Grab()
		}
		l.later(rt, r, v)
	})
}

// later makes the job of a reaction (ECMA-262, 27.2.2.1), as goja does.
func (l *Layout) later(rt *goja.Runtime, r *reaction, v goja.Value) {
	jobs := l.jobs(rt)
	*jobs = append(*jobs, func() {
		result, fulfilled := v, r.typ == 0
		if r.handler != nil {
			tracker := l.contextTracker(rt)
			if tracker != nil {
				tracker.Resumed(r.asyncCtx)
			}
			ex := rt.Try(func() {
				callback := *(*func(goja.FunctionCall) goja.Value)(r.handler)
				result = callback(goja.FunctionCall{This: goja.Undefined(), Arguments: []goja.Value{v}})
			})
			if fulfilled = ex == nil; !fulfilled {
				result = ex.Value()
			}
			if tracker != nil {
				tracker.Exited()
			}
		}
		if c := (*capability)(r.capability); c != nil {
			settler := c.resolveObj
			if !fulfilled {
				settler = c.rejectObj
			}
			if settle, ok := l.Call(settler); ok {
				settle(goja.FunctionCall{Arguments: []goja.Value{result}})
			}
		}
	})
}

// RunJobs runs the microtasks that wait, as a call does at its end. It is called when no script runs.
func (l *Layout) RunJobs(rt *goja.Runtime) {
	if len(*l.jobs(rt)) == 0 {
		return
	}
	if _, err := rt.RunProgram(emptyProgram); err != nil {
		panic(err)
	}
}

// fulfil settles a promise of ours, which is pending, with a value that is no thenable. It does nothing if goja must
// look whether it is one.
func (l *Layout) fulfil(o *goja.Object, v goja.Value) bool {
	if object, is := v.(*goja.Object); is && !l.lacks(object, "then") {
		return false
	}
	f, p := &l.reactions, l.data(o)
	list := (*[]unsafe.Pointer)(unsafe.Add(p, f.onValue))
	rt := l.runtimeOf(o)
	waiting := *list
	*list = nil
	*(*[]unsafe.Pointer)(unsafe.Add(p, f.onError)) = nil
	*(*goja.Value)(unsafe.Add(p, l.async.value)) = v
	*(*goja.PromiseState)(unsafe.Add(p, l.async.state)) = goja.PromiseStateFulfilled
	for _, r := range waiting {
		if call := l.waiting(r); call != nil {
			call.settledBy(rt, false, v)
		} else {
			l.later(rt, (*reaction)(r), v)
		}
	}
	return true
}

// waiting is the call of ours that a reaction goes on with; nil if it is none.
func (l *Layout) waiting(r unsafe.Pointer) *asyncRest {
	m := (*asyncMade)((*reaction)(r).asyncRunner)
	if m == nil || *(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(m), l.async.start)) != nil {
		return nil
	}
	x := m.rest()
	if r != unsafe.Pointer(&x.reacting[0].reaction) {
		return nil
	}
	return x
}

// lacks tells whether neither a plain object or an array nor its prototypes have a property of that name, as far as
// that can be told without running anything.
func (l *Layout) lacks(o *goja.Object, name string) bool {
	if z, ok := l.literal(o); ok {
		if z.find(name) != nil {
			return false
		}
		o = l.root(o)
	}
	for range 4 {
		switch k := l.kind(o); k {
		case watched[0].kind(), watched[len(watched)-1].kind(),
			polled.kinds[0].native, polled.kinds[1].native, l.arrays.kind, l.arrays.light, l.arrays.match,
			unsafe.Pointer(&l.states.table[0]),
			unsafe.Pointer(&polled.kinds[0].table[0]), unsafe.Pointer(&polled.kinds[1].table[0]):
		default:
			return false
		}
		data := l.data(o)
		own := *(*map[unistring.String]goja.Value)(unsafe.Add(data, l.quick.copies.values))
		if _, has := own[unistring.String(name)]; has {
			return false
		}
		if l.kind(o) == l.arrays.match && matchFind(data, unistring.String(name)) != nil {
			return false
		}
		if o = *(**goja.Object)(unsafe.Add(data, l.plain.prototype)); o == nil {
			return true
		}
	}
	return false
}
