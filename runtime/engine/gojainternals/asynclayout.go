package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
)

// asyncFields says what a call of an async function is made of.
type asyncFields struct {
	kinds    []asyncKind
	call     uintptr      // vmCall in a method table of an object
	made     reflect.Type // asyncCall as Go's collector has to know it
	settled  [2]uintptr   // the codes of a runner's onFulfilled and onRejected, bound to it
	tables   [2][]uintptr // the method tables of what resolves the promise, and of what rejects it
	codes    [2]settler
	promises uintptr // of what a runtime keeps built-ins in: Promise.prototype, and Promise
	promise  uintptr
	template goja.Promise

	// of a runner, of its state, and of a capability
	machine, capability, function, start    uintptr
	program, stash, private, target, result uintptr
	args, stack                             uintptr
	promiseOf, resolve, reject              uintptr
	nowTarget, nowResult                    uintptr // of the machine
	state, value                            uintptr // of a promise
	capabilityAt, restAt                    uintptr // of asyncCall: the runner's capability, and asyncRest
}

// asyncKind says where a kind of async functions keeps what a call takes over.
type asyncKind struct {
	kind                            unsafe.Pointer
	called                          []uintptr      // its method table, with our way for native functions to call it
	ours                            unsafe.Pointer // that table
	code                            uintptr
	asserts                         asserts // goja's own
	program, stash, private, target uintptr
	arrow                           bool
}

// settler says where a resolving function of goja's has what it was made with.
type settler struct{ code, promise, runtime, already uintptr }

// asyncRest is what an asyncCall has behind goja's runner and capability.
type asyncRest struct {
	settlers [2]goja.Object // which resolves the promise, and which rejects it
	promise  *goja.Object
	depth    int  // how many calls are under way while the function runs
	waits    bool // the function waits, though goja believes that it has returned
	failed   bool // what it goes on with is an exception
	ended    bool
	argument [1]goja.Value
	kept     []goja.Value // the stack while it waits
	own      [2]boundMethod
	methods  [2]boundMethod
	job, end boundMethod
	reacting reacting
}

// boundMethod is a method of a runner bound to it, as Go makes it.
type boundMethod struct {
	code     uintptr
	receiver unsafe.Pointer
}

// settling is a resolving function of goja's.
type settling struct {
	code  uintptr
	words [3]unsafe.Pointer
}

func (l *Layout) readAsync(r *reader) {
	a := &l.async
	_, vm := r.field(reflect.TypeFor[goja.Runtime](), "vm", nil)
	_, global := r.field(reflect.TypeFor[goja.Runtime](), "global", nil)
	_, impl := r.field(reflect.TypeFor[goja.Object](), "self", nil)
	if r.err != nil {
		return
	}
	object := reflect.TypeFor[*goja.Object]()
	a.promises, _ = r.field(global, "PromisePrototype", object)
	a.promise, _ = r.field(global, "Promise", object)
	var gen, ctx, stash, private reflect.Type
	var at, in uintptr
	at, gen = r.field(l.machine.runner, "gen", nil)
	if r.err != nil {
		return
	}
	a.machine, _ = r.field(gen, "vm", vm)
	in, ctx = r.field(gen, "ctx", nil)
	a.capability, _ = r.field(l.machine.runner, "promiseCap", nil)
	a.function, _ = r.field(l.machine.runner, "f", object)
	a.start, _ = r.field(l.machine.runner, "vmCall", reflect.FuncOf([]reflect.Type{vm, reflect.TypeFor[int]()}, nil,
		false))
	if r.err != nil {
		return
	}
	a.machine += at
	integer, value := reflect.TypeFor[int](), reflect.TypeFor[goja.Value]()
	a.program, _ = r.field(ctx, "prg", reflect.TypeFor[*goja.Program]())
	a.stash, stash = r.field(ctx, "stash", nil)
	a.private, private = r.field(ctx, "privEnv", nil)
	a.target, _ = r.field(ctx, "newTarget", value)
	a.result, _ = r.field(ctx, "result", value)
	a.args, _ = r.field(ctx, "args", integer)
	a.nowTarget, _ = r.field(vm.Elem(), "newTarget", value)
	a.nowResult, _ = r.field(vm.Elem(), "result", value)
	a.stack, _ = r.field(ctx, "stack", reflect.TypeFor[[]goja.Value]())
	for _, f := range []*uintptr{&a.program, &a.stash, &a.private, &a.target, &a.result, &a.args, &a.stack} {
		*f += at + in
	}
	a.promiseOf = l.machine.capPromise
	a.resolve, _ = r.field(l.machine.capability, "resolveObj", object)
	a.reject, _ = r.field(l.machine.capability, "rejectObj", object)
	for i, form := range []string{"(async function () {})", "(async () => {})", "({ async m() {} }).m"} {
		o := r.object(form)
		if r.err != nil {
			return
		}
		t, _ := self(o)
		k := asyncKind{kind: l.kind(o), program: l.functions[t].program, arrow: i == 1}
		k.stash, _ = r.field(t.Elem(), "stash", stash)
		k.private, _ = r.field(t.Elem(), "privEnv", private)
		if k.arrow {
			k.target, _ = r.field(t.Elem(), "newTarget", value)
		}
		if k.called, r.err = methodTable(impl, t, k.kind, map[string]any{"assertCallable": assertAsync}); r.err != nil {
			return
		}
		k.ours = unsafe.Pointer(&k.called[0])
		a.kinds = append(a.kinds, k)
	}
	for i := range a.kinds {
		k := &a.kinds[i]
		methodAt(impl, k.kind, "assertCallable", &k.code, unsafe.Pointer(&k.asserts))
	}
	for i := range impl.NumMethod() {
		if m := impl.Method(i); m.Name == "vmCall" &&
			stands(reflect.TypeFor[func(unsafe.Pointer, unsafe.Pointer, int)](), m.Type) {
			a.call = uintptr(methodTableHead+i) * unsafe.Sizeof(uintptr(0))
		}
	}
	if a.call == 0 {
		r.fail("%s has no vmCall of the form that is known", impl)
		return
	}
	plain := r.object("({})")
	if r.err != nil {
		return
	}
	concrete, _ := self(plain)
	for i, f := range []any{assertResolve, assertReject} {
		a.tables[i], r.err = methodTable(impl, concrete, l.kind(plain), map[string]any{"assertCallable": f})
		if r.err != nil {
			return
		}
	}
	made := reflect.StructOf([]reflect.StructField{
		{Name: "Runner", Type: l.machine.runner}, {Name: "Capability", Type: l.machine.capability},
		{Name: "Rest", Type: reflect.TypeFor[asyncRest]()},
	})
	a.made = made
	a.capabilityAt = made.Field(1).Offset
	a.restAt = made.Field(2).Offset
	l.readSettlers(r)
	l.readFulfilled(r)
}

// readSettlers finds what resolving functions hold: their promise, their runtime, and whether they were called.
func (l *Layout) readSettlers(r *reader) {
	a := &l.async
	word := unsafe.Sizeof(uintptr(0))
	o := r.object("(() => { const o = {}; o.p = new Promise((a, b) => { o.a = a; o.b = b }); return o })()")
	if r.err != nil {
		return
	}
	p, _ := o.Get("p").Export().(*goja.Promise)
	a.template = *p
	a.state, _ = r.field(reflect.TypeFor[goja.Promise](), "state", reflect.TypeFor[goja.PromiseState]())
	a.value, _ = r.field(reflect.TypeFor[goja.Promise](), "result", reflect.TypeFor[goja.Value]())
	for i, name := range []string{"a", "b"} {
		c := l.closure(o.Get(name).ToObject(r.rt))
		s := settler{code: *(*uintptr)(c)}
		for at := word; at <= word*uintptr(3-i); at += word { // that which rejects needs no runtime
			switch w := *(*unsafe.Pointer)(unsafe.Add(c, at)); {
			case w == unsafe.Pointer(p):
				s.promise = at
			case w == unsafe.Pointer(r.rt):
				s.runtime = at
			default:
				s.already = at
			}
		}
		if s.promise == 0 || s.already == 0 || *(*bool)(*(*unsafe.Pointer)(unsafe.Add(c, s.already))) {
			r.fail("resolving functions hold something else than a promise and whether they were called")
			return
		}
		a.codes[i] = s
	}
	call, _ := goja.AssertFunction(o.Get("a"))
	if _, err := call(goja.Undefined(), r.rt.ToValue(1)); err != nil {
		r.fail("probe of resolving functions failed: %v", err)
		return
	}
	for i, name := range []string{"a", "b"} {
		c := l.closure(o.Get(name).ToObject(r.rt))
		if !*(*bool)(*(*unsafe.Pointer)(unsafe.Add(c, a.codes[i].already))) {
			r.fail("resolving functions do not note that they were called")
		}
	}
}

// readFulfilled finds what goes on with an async function: methods bound to its runner.
func (l *Layout) readFulfilled(r *reader) {
	o := r.object("(() => { const p = new Promise(() => {}); (async () => { await p })(); return p })()")
	if r.err != nil {
		return
	}
	for i, at := range [2]uintptr{l.reactions.onValue, l.reactions.onError} {
		list := *(*[]*reaction)(unsafe.Add(l.data(o), at))
		if len(list) != 1 {
			r.fail("awaited promise has %d reactions, expected 1", len(list))
			return
		}
		method := *(**boundMethod)(list[0].handler)
		if list[0].asyncRunner == nil || method.receiver != list[0].asyncRunner {
			r.fail("reaction of an await is not bound to its runner")
			return
		}
		l.async.settled[i] = method.code
	}
}
