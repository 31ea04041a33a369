package gojainternals

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/dop251/goja"
)

// machineFields says where the virtual machine of a runtime keeps its state.
type machineFields struct {
	vm      uintptr // of the runtime
	runtime uintptr // of the machine, the way back

	stack, sp, sb         uintptr
	interrupted, lock     uintptr
	program, async        uintptr
	calls                 uintptr
	callSize              uintptr
	callList              reflect.Type // the type of the list of calls
	callProgram, callBase uintptr

	runner, capability        reflect.Type // the types of an async function's runner, and of its promise's capability
	runnerPromise, capPromise uintptr
}

func (l *Layout) readMachine(r *reader) {
	m := &l.machine
	program := reflect.TypeFor[*goja.Program]()
	integer := reflect.TypeFor[int]()
	var vm, stack, calls, runner, capability reflect.Type
	if m.vm, vm = r.field(reflect.TypeFor[goja.Runtime](), "vm", nil); r.err != nil {
		return
	}
	vm = vm.Elem()
	m.runtime, _ = r.field(vm, "r", reflect.TypeFor[*goja.Runtime]())
	m.stack, stack = r.field(vm, "stack", nil)
	m.sp, _ = r.field(vm, "sp", integer)
	m.sb, _ = r.field(vm, "sb", integer)
	m.interrupted, _ = r.field(vm, "interrupted", reflect.TypeFor[uint32]())
	m.lock, _ = r.field(vm, "interruptLock", reflect.TypeFor[sync.Mutex]())
	m.program, _ = r.field(vm, "prg", program)
	if m.async, runner = r.field(vm, "curAsyncRunner", nil); r.err != nil {
		return
	}
	m.runner = runner.Elem()
	if m.runnerPromise, capability = r.field(m.runner, "promiseCap", nil); r.err != nil {
		return
	}
	m.capability = capability.Elem()
	m.capPromise, _ = r.field(m.capability, "promise", reflect.TypeFor[*goja.Object]())
	if m.calls, calls = r.field(vm, "callStack", nil); r.err != nil {
		return
	}
	if stack.Kind() != reflect.Slice || stack.Elem() != reflect.TypeFor[goja.Value]() {
		r.fail("vm.stack is a %s", stack)
		return
	}
	if calls.Kind() != reflect.Slice {
		r.fail("vm.callStack is a %s", calls)
		return
	}
	m.callList, m.callSize = calls, calls.Elem().Size()
	m.callProgram, _ = r.field(calls.Elem(), "prg", program)
	m.callBase, _ = r.field(calls.Elem(), "sb", integer)
	if r.err == nil {
		_, r.err = newMachine(r.rt)
	}
}

func (l *Layout) vm(rt *goja.Runtime) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(rt), l.machine.vm))
}

// sliceHeader is a slice whose element type is not known.
type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

// Depth is how many calls are under way in a runtime, the native ones between JavaScript functions too.
func (l *Layout) Depth(rt *goja.Runtime) int {
	return (*sliceHeader)(unsafe.Add(l.vm(rt), l.machine.calls)).len
}

// Operand returns the value n below the top of the virtual machine's stack (0 is the top), nil if there is none.
func (l *Layout) Operand(rt *goja.Runtime, n int) goja.Value {
	vm := l.vm(rt)
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := *(*int)(unsafe.Add(vm, l.machine.sp))
	if i := sp - 1 - n; i >= 0 && i < len(stack) {
		return stack[i]
	}
	return nil
}

// Argument returns argument n of the native function that runs now, nil if there is none. For n = -2 it returns the
// function's this value.
func (l *Layout) Argument(rt *goja.Runtime, n int) goja.Value {
	vm := l.vm(rt)
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp, sb := *(*int)(unsafe.Add(vm, l.machine.sp)), *(*int)(unsafe.Add(vm, l.machine.sb))
	if i := sb + n; i >= 0 && i < len(stack) && (n < 0 || i < sp) {
		return stack[i]
	}
	return nil
}

// Interrupted tells whether Runtime.Interrupt was called and nothing has been interrupted yet. A native function that
// computes for long asks now and then; that is also where it answers a [Look].
func (l *Layout) Interrupted(rt *goja.Runtime) bool {
	if looks.Load() != 0 {
		answerLook(l.vm(rt), rt)
	}
	return l.interrupted(l.vm(rt))
}

// InScript tells whether the innermost call is of a JavaScript function, not of a native one.
func (l *Layout) InScript(rt *goja.Runtime) bool {
	return *(*unsafe.Pointer)(unsafe.Add(l.vm(rt), l.machine.program)) != nil
}

// SyncFrames is how many frames of a stack captured now are real calls. The others are callers that await the async
// function that runs.
func (l *Layout) SyncFrames(rt *goja.Runtime, total int) int {
	vm := l.vm(rt)
	if *(*unsafe.Pointer)(unsafe.Add(vm, l.machine.async)) == nil {
		return total
	}
	n := 0
	if *(*unsafe.Pointer)(unsafe.Add(vm, l.machine.program)) != nil || *(*int)(unsafe.Add(vm, l.machine.sb)) > 0 {
		n = 1
	}
	calls := (*sliceHeader)(unsafe.Add(vm, l.machine.calls))
	for i := range calls.len {
		call := unsafe.Add(calls.data, uintptr(i)*l.machine.callSize)
		program := *(*unsafe.Pointer)(unsafe.Add(call, l.machine.callProgram))
		if program != nil || *(*int)(unsafe.Add(call, l.machine.callBase)) > 0 {
			n++
		}
	}
	return min(n, total)
}

// Awaited runs f as if an async function ran whose result is promise: stacks that f captures end with the callers that
// await it. f runs natively, outside of any async function.
func (l *Layout) Awaited(rt *goja.Runtime, promise *goja.Object, f func()) {
	capability := reflect.New(l.machine.capability).UnsafePointer()
	*(**goja.Object)(unsafe.Add(capability, l.machine.capPromise)) = promise
	runner := reflect.New(l.async.made).UnsafePointer() // which begins with a runner, and is looked at as such
	*(*unsafe.Pointer)(unsafe.Add(runner, l.machine.runnerPromise)) = capability
	current := (*unsafe.Pointer)(unsafe.Add(l.vm(rt), l.machine.async))
	before := *current
	*current = runner
	defer func() { *current = before }()
	f()
}

// CallerOfCaller is the function that called the JavaScript function that called the native function that runs now, nil
// if there is none.
func (l *Layout) CallerOfCaller(rt *goja.Runtime) goja.Value {
	vm := l.vm(rt)
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	calls := (*sliceHeader)(unsafe.Add(vm, l.machine.calls))
	if calls.len < 2 {
		return nil
	}
	call := unsafe.Add(calls.data, uintptr(calls.len-2)*l.machine.callSize)
	if i := *(*int)(unsafe.Add(call, l.machine.callBase)) - 1; i >= 0 && i < len(stack) {
		return stack[i]
	}
	return nil
}

// CallProgram is the program of call i of those under way in a runtime, from the outside; nil for a native function.
func (l *Layout) CallProgram(rt *goja.Runtime, i int) *goja.Program {
	calls := (*sliceHeader)(unsafe.Add(l.vm(rt), l.machine.calls))
	if i < 0 || i >= calls.len {
		return nil
	}
	call := unsafe.Add(calls.data, uintptr(i)*l.machine.callSize)
	return *(**goja.Program)(unsafe.Add(call, l.machine.callProgram))
}
