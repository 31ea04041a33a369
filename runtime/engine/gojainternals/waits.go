package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
)

// An await of goja's makes two reactions with two callbacks, and a job, each time. Of a call that is ours, which waits
// for one thing at a time, they are parts of the call and serve again. So its await keeps the function's state itself,
// as goja does, lets the promise go on with the function, and returns from the function: goja takes that for its end
// and asks for what resolves the promise of the call, which then does nothing.

// waitFields say where the machine and a runner have what a function that waits takes along.
type waitFields struct {
	ret                            instruction
	stash, private, args           uintptr // of the machine
	tries, iterators, references   uintptr
	pc, base                       uintptr // of a runner's state
	tried, iterated, referred      uintptr // and how long the machine's lists were at its beginning
	keptTries, keptIters, keptRefs uintptr
	iteratorList, referenceList    reflect.Type
	fulfilled, rejected            uintptr // codes of methods of asyncMade
	run, finish                    uintptr
}

// tryFrame mirrors goja's.
type tryFrame struct {
	exception       unsafe.Pointer //lint:ignore U1000 the names are compared with goja's
	callStackLen    uint32         //lint:ignore U1000 as above
	iterLen, refLen uint32
	sp              int32
	stash           unsafe.Pointer //lint:ignore U1000 as above
	privEnv         unsafe.Pointer //lint:ignore U1000 as above
	catchPos        int32
	finallyPos      int32 //lint:ignore U1000 as above
	finallyRet      int32 //lint:ignore U1000 as above
}

func (l *Layout) readWaits(r *reader) {
	w := &l.waits
	_, vm := r.field(reflect.TypeFor[goja.Runtime](), "vm", nil)
	if r.err != nil {
		return
	}
	vm = vm.Elem()
	_, gen := r.field(l.machine.runner, "gen", nil)
	at, _ := r.field(l.machine.runner, "gen", nil)
	if r.err != nil {
		return
	}
	in, ctx := r.field(gen, "ctx", nil)
	if r.err != nil {
		return
	}
	integer, count := reflect.TypeFor[int](), reflect.TypeFor[uint32]()
	var stash, private, tries, tryStack, iters, refs reflect.Type
	_, stash = r.field(ctx, "stash", nil)
	_, private = r.field(ctx, "privEnv", nil)
	w.stash, _ = r.field(vm, "stash", stash)
	w.private, _ = r.field(vm, "privEnv", private)
	w.args, _ = r.field(vm, "args", integer)
	w.tries, tries = r.field(vm, "tryStack", nil)
	w.iterators, iters = r.field(vm, "iterStack", nil)
	w.references, refs = r.field(vm, "refStack", nil)
	w.pc, _ = r.field(ctx, "pc", integer)
	w.base, _ = r.field(ctx, "sb", integer)
	w.keptTries, tryStack = r.field(ctx, "tryStack", tries)
	w.keptIters, _ = r.field(ctx, "iterStack", iters)
	w.keptRefs, _ = r.field(ctx, "refStack", refs)
	w.tried, _ = r.field(gen, "tryStackLen", count)
	w.iterated, _ = r.field(gen, "iterStackLen", count)
	w.referred, _ = r.field(gen, "refStackLen", count)
	if r.err != nil {
		return
	}
	for _, f := range []*uintptr{&w.pc, &w.base, &w.keptTries, &w.keptIters, &w.keptRefs} {
		*f += at + in
	}
	for _, f := range []*uintptr{&w.tried, &w.iterated, &w.referred} {
		*f += at
	}
	w.iteratorList, w.referenceList = iters, refs
	if tryStack.Kind() != reflect.Slice || iters.Kind() != reflect.Slice || refs.Kind() != reflect.Slice {
		r.fail("vm keeps statements in a %s, a %s and a %s", tryStack, iters, refs)
		return
	}
	r.mirror(tries.Elem(), reflect.TypeFor[tryFrame]())
	p, err := goja.Compile("probe.js", "(function () { return 1 })", true)
	if err != nil {
		r.fail("probe of a return failed: %v", err)
		return
	}
	l.eachInstruction(p, func(_ *instruction, in instruction) {
		if reflect.TypeOf(in).Name() == "_ret" {
			w.ret = in
		}
	})
	if w.ret == nil {
		r.fail("functions end without _ret")
		return
	}
	var probe asyncMade
	for at, f := range map[*uintptr]func(goja.FunctionCall) goja.Value{
		&w.fulfilled: probe.fulfilled, &w.rejected: probe.rejected, &w.finish: probe.finish} {
		*at = codeOf(f)
	}
	job := probe.run
	w.run = **(**uintptr)(unsafe.Pointer(&job))
}

// mirror compares a struct of goja's with ours, which has the same fields in the same order. Where goja has a pointer
// to a type of its own, ours has an unsafe.Pointer.
func (r *reader) mirror(theirs, ours reflect.Type) {
	if r.err != nil {
		return
	}
	if theirs.Kind() != reflect.Struct || theirs.NumField() != ours.NumField() || theirs.Size() != ours.Size() {
		r.fail("%s has other fields than are known", theirs)
		return
	}
	for i := range ours.NumField() {
		a, b := theirs.Field(i), ours.Field(i)
		same := a.Type == b.Type || a.Type.Kind() == reflect.Int && b.Type.Kind() == reflect.Int ||
			b.Type.Kind() == reflect.UnsafePointer && a.Type.Kind() == reflect.Pointer
		if a.Name != b.Name || a.Offset != b.Offset || !same {
			r.fail("%s.%s is a %s, expected %s %s", theirs, a.Name, a.Type, b.Name, b.Type)
		}
	}
}

// asyncMade is the beginning of a call of an async function as Layout.beginAsync makes it.
type asyncMade struct{ _ byte }

func (m *asyncMade) rest() *asyncRest {
	return (*asyncRest)(unsafe.Add(unsafe.Pointer(m), polled.layout.async.restAt))
}

// running is the call whose function runs now, not one that it has called; nil if goja must go on with it.
func (l *Layout) running(vm unsafe.Pointer) *asyncMade {
	m := *(**asyncMade)(unsafe.Add(vm, l.machine.async))
	if m == nil {
		return nil
	}
	at := unsafe.Pointer(m)
	if *(*unsafe.Pointer)(unsafe.Add(at, l.async.start)) != nil {
		return l.adopt(vm, at)
	}
	if m.rest().depth != (*sliceHeader)(unsafe.Add(vm, l.machine.calls)).len {
		return nil
	}
	return m
}

// adopt makes a call of ours of one that goja has begun, because a native function called it, and has gone on with
// once.
func (l *Layout) adopt(vm, runner unsafe.Pointer) *asyncMade {
	a, w := &l.async, &l.waits
	tries := *(*[]tryFrame)(unsafe.Add(vm, w.tries))
	tried := int(*(*uint32)(unsafe.Add(runner, w.tried)))
	if tried > len(tries) {
		return nil
	}
	for i := tried; i < len(tries); i++ {
		if tries[i].catchPos == nativeMark {
			return nil // another function runs, which goja has begun meanwhile
		}
	}
	m := l.newAsync()
	x, at := m.rest(), unsafe.Pointer(m)
	capability := *(*unsafe.Pointer)(unsafe.Add(runner, a.capability))
	x.promise = *(**goja.Object)(unsafe.Add(capability, a.promiseOf))
	*(*unsafe.Pointer)(unsafe.Add(at, a.machine)) = vm
	*(**goja.Object)(unsafe.Add(at, a.function)) = *(**goja.Object)(unsafe.Add(runner, a.function))
	for _, n := range [3]uintptr{w.tried, w.iterated, w.referred} {
		*(*uint32)(unsafe.Add(at, n)) = *(*uint32)(unsafe.Add(runner, n))
	}
	// goja resolves the promise when it believes that the function has returned
	*(*unsafe.Pointer)(unsafe.Add(capability, a.resolve)) = unsafe.Pointer(&x.settlers[0])
	for i := range x.settlers {
		*(**goja.Runtime)(unsafe.Add(unsafe.Pointer(&x.settlers[i]), polled.runtime)) = l.runtimeOf(x.promise)
	}
	return m
}

// wait makes the function of a call wait for a promise, or, if that is nil, for a turn with a value v. The instruction
// is the await, and what it awaits is on top of the stack.
func (l *Layout) wait(vm unsafe.Pointer, m *asyncMade, promise *goja.Object, v goja.Value) {
	x, a, w, at := m.rest(), &l.async, &l.waits, unsafe.Pointer(m)
	sp := *(*int)(unsafe.Add(vm, l.machine.sp)) - 1
	base := *(*int)(unsafe.Add(vm, l.machine.sb))
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))

	*(**goja.Program)(unsafe.Add(at, a.program)) = *(**goja.Program)(unsafe.Add(vm, l.machine.program))
	*(*unsafe.Pointer)(unsafe.Add(at, a.stash)) = *(*unsafe.Pointer)(unsafe.Add(vm, w.stash))
	*(*unsafe.Pointer)(unsafe.Add(at, a.private)) = *(*unsafe.Pointer)(unsafe.Add(vm, w.private))
	*(*goja.Value)(unsafe.Add(at, a.target)) = *(*goja.Value)(unsafe.Add(vm, a.nowTarget))
	*(*goja.Value)(unsafe.Add(at, a.result)) = *(*goja.Value)(unsafe.Add(vm, a.nowResult))
	*(*int)(unsafe.Add(at, w.pc)) = *(*int)(unsafe.Add(vm, l.quick.pc)) + 1
	*(*int)(unsafe.Add(at, w.base)) = base
	*(*int)(unsafe.Add(at, a.args)) = *(*int)(unsafe.Add(vm, w.args))
	state := (*[]goja.Value)(unsafe.Add(at, a.stack))
	before := x.kept
	x.kept = append(x.kept[:0], stack[base-1:sp]...)
	if len(before) > len(x.kept) && cap(before) == cap(x.kept) {
		clear(before[len(x.kept):])
	}
	*state = x.kept
	l.keepStatements(vm, at, int32(base-1))

	x.waits = true
	*(**goja.Object)(unsafe.Add(at, a.capabilityAt+a.promiseOf)) = x.promise
	rt := *(**goja.Runtime)(unsafe.Add(vm, l.machine.runtime))
	if promise == nil {
		x.later(rt, false, v)
	} else {
		l.react(rt, promise, &x.reacting, func(rejected bool, v goja.Value) { x.later(rt, rejected, v) })
	}
	stack[sp] = goja.Undefined()
	w.ret.exec(vm)
}

// keepStatements takes along what the function has begun: try statements, loops, references.
func (l *Layout) keepStatements(vm, made unsafe.Pointer, base int32) {
	w := &l.waits
	tried := int(*(*uint32)(unsafe.Add(made, w.tried)))
	iterated := *(*uint32)(unsafe.Add(made, w.iterated))
	referred := *(*uint32)(unsafe.Add(made, w.referred))
	tries := (*[]tryFrame)(unsafe.Add(vm, w.tries))
	kept := (*[]tryFrame)(unsafe.Add(made, w.keptTries))
	if len(*tries) > tried || len(*kept) > 0 {
		clear(*kept)
		*kept = append((*kept)[:0], (*tries)[tried:]...)
		*tries = (*tries)[:tried]
		for i := range *kept {
			f := &(*kept)[i]
			f.iterLen -= iterated
			f.refLen -= referred
			f.sp -= base
		}
	}
	keepList(w.iteratorList, unsafe.Add(vm, w.iterators), unsafe.Add(made, w.keptIters), int(iterated))
	keepList(w.referenceList, unsafe.Add(vm, w.references), unsafe.Add(made, w.keptRefs), int(referred))
}

// keepList moves the elements of a list of goja's beyond n into another one.
func keepList(t reflect.Type, from, to unsafe.Pointer, n int) {
	f, k := (*sliceHeader)(from), (*sliceHeader)(to)
	if k.len > 0 {
		reflect.NewAt(t, to).Elem().Clear()
		k.len = 0
	}
	if f.len <= n {
		return
	}
	kept := reflect.NewAt(t, to).Elem()
	if more := f.len - n; k.cap < more {
		kept.Set(reflect.MakeSlice(t, more, more))
	} else {
		k.len = more
	}
	reflect.Copy(kept, reflect.NewAt(t, from).Elem().Slice(n, f.len))
	f.len = n
}

// fulfilled and rejected go on with the function. A promise calls one of them.
func (m *asyncMade) fulfilled(call goja.FunctionCall) goja.Value { return m.goOn(0, call) }
func (m *asyncMade) rejected(call goja.FunctionCall) goja.Value  { return m.goOn(1, call) }

func (m *asyncMade) goOn(i int, call goja.FunctionCall) goja.Value {
	m.step(i, call)
	if m.rest().ended {
		m.release()
	}
	return goja.Undefined()
}

// step lets goja run the function until it waits or ends.
func (m *asyncMade) step(i int, call goja.FunctionCall) {
	l, x := polled.layout, m.rest()
	x.waits = false
	vm := *(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(m), l.async.machine))
	// goja begins with two calls: the one that it interrupts, and one at which the machine stops
	x.depth = (*sliceHeader)(unsafe.Add(vm, l.machine.calls)).len + 2
	method := unsafe.Pointer(&x.own[i])
	goOn := *(*func(goja.FunctionCall) goja.Value)(unsafe.Pointer(&method))
	goOn(call)
}

// later lets the function go on in a job.
func (x *asyncRest) later(rt *goja.Runtime, rejected bool, v goja.Value) {
	if tracker := polled.layout.contextTracker(rt); tracker != nil {
		x.reacting[0].asyncCtx = tracker.Grab()
	}
	x.settledBy(rt, rejected, v)
}

// settledBy is later in the async context that the reactions have.
func (x *asyncRest) settledBy(rt *goja.Runtime, rejected bool, v goja.Value) {
	x.failed, x.argument[0] = rejected, v
	job := unsafe.Pointer(&x.job)
	jobs := polled.layout.jobs(rt)
	*jobs = append(*jobs, *(*func())(unsafe.Pointer(&job)))
}

// run is a job that goes on with the function.
func (m *asyncMade) run() {
	l, x := polled.layout, m.rest()
	rt := l.runtimeOf(x.promise)
	tracker := l.contextTracker(rt)
	if tracker != nil {
		tracker.Resumed(x.reacting[0].asyncCtx)
	}
	i := 0
	if x.failed {
		i = 1
	}
	rt.Try(func() { m.goOn(i, goja.FunctionCall{This: goja.Undefined(), Arguments: x.argument[:]}) })
	if tracker != nil {
		tracker.Exited()
	}
}

// stillWaits is what resolves the promise of a function that waits.
func stillWaits(goja.FunctionCall) goja.Value { return goja.Undefined() }

// finish resolves the promise of a call with what its function has returned.
func (m *asyncMade) finish(call goja.FunctionCall) goja.Value {
	x := m.rest()
	polled.layout.resolve(x.promise, call.Argument(0))
	return goja.Undefined()
}
