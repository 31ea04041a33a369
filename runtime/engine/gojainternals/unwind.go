package gojainternals

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
)

// Machine is where one runtime keeps the parts of its virtual machine that an interrupt leaves behind. An async
// function that was resumed from a microtask has put its frames on the machine's stacks, and nothing takes them off
// when an interrupt flies through: goja would believe for ever that a script is running, and never run a microtask
// again.
type Machine struct {
	vm     reflect.Value // the struct, addressable
	rt     *goja.Runtime
	layout *Layout
	jobs   reflect.Value // Runtime.jobQueue
	global unsafe.Pointer
	calls  *sliceHeader

	machine, tracker unsafe.Pointer // for a Look, which other goroutines begin
}

var (
	machineStacks    = []string{"callStack", "tryStack", "iterStack", "refStack", "stack"}
	machineRegisters = []string{"prg", "sp", "args", "privEnv", "newTarget", "result", "curAsyncRunner"}
	machineCounters  = []string{"pc", "sb"} // -1 when nothing runs
)

// NewMachine finds the parts of a runtime's machine.
func NewMachine(rt *goja.Runtime) (Machine, error) {
	l, err := Read()
	if err != nil {
		return Machine{}, err
	}
	m, err := newMachine(rt)
	m.layout = l
	if err == nil {
		m.track()
	}
	return m, err
}

func newMachine(rt *goja.Runtime) (m Machine, err error) {
	defer func() {
		if x := recover(); x != nil { // reflection panics if a field is not there
			err = fmt.Errorf("gojainternals: goja's virtual machine is not as it is known here: %v", x)
		}
	}()
	r := reflect.ValueOf(rt).Elem()
	m = Machine{rt: rt, vm: r.FieldByName("vm").Elem(), jobs: writable(r, "jobQueue")}
	m.global = unsafe.Pointer(r.FieldByName("global").FieldByName("stash").UnsafeAddr())
	m.calls = (*sliceHeader)(unsafe.Pointer(m.vm.FieldByName("callStack").UnsafeAddr()))
	for _, name := range machineStacks {
		if f := writable(m.vm, name); f.Kind() != reflect.Slice {
			return m, fmt.Errorf("gojainternals: goja's vm.%s is a %s, expected a slice", name, f.Type())
		}
	}
	for _, name := range machineCounters {
		if f := writable(m.vm, name); f.Kind() != reflect.Int {
			return m, fmt.Errorf("gojainternals: goja's vm.%s is a %s, expected an int", name, f.Type())
		}
	}
	for _, name := range machineRegisters {
		writable(m.vm, name)
	}
	if f := writable(m.vm, "stash"); f.Kind() != reflect.Pointer ||
		f.Type().Elem() != r.FieldByName("global").FieldByName("stash").Type() {
		return m, fmt.Errorf(
			"gojainternals: goja's vm.stash is a %s, not a pointer to what Runtime.global.stash is", f.Type())
	}
	return m, nil
}

// writable is an unexported field that can be set.
func writable(of reflect.Value, name string) reflect.Value {
	f := of.FieldByName(name)
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
}

// RunJobs runs the microtasks that wait. It is called when no script runs.
func (m Machine) RunJobs() { m.layout.RunJobs(m.rt) }

// HasJobs tells whether microtasks wait.
func (m Machine) HasJobs() bool { return m.jobs.Len() > 0 }

// RaiseInterrupt is [Layout.RaiseInterrupt] for the machine's runtime.
func (m Machine) RaiseInterrupt() { m.layout.RaiseInterrupt(m.rt) }

// DropJobs forgets the microtasks that wait.
func (m Machine) DropJobs() { m.jobs.SetZero() }

// Unwind puts the machine into its first state if frames were left on it. It is called when no script runs. An
// interrupt in a job ([Layout.InJob]) leaves frames of try statements and a program, but none of calls.
func (m Machine) Unwind() {
	tries := (*sliceHeader)(unsafe.Add(m.machine, m.layout.tries.frames))
	if m.calls.len == 0 && tries.len == 0 && !m.layout.InScript(m.rt) {
		return
	}
	for _, name := range machineStacks {
		f := writable(m.vm, name)
		f.Clear()
		f.SetLen(0)
	}
	for _, name := range machineRegisters {
		writable(m.vm, name).SetZero()
	}
	for _, name := range machineCounters {
		writable(m.vm, name).SetInt(-1)
	}
	*(*unsafe.Pointer)(unsafe.Pointer(writable(m.vm, "stash").UnsafeAddr())) = m.global // the scope of globals
	m.jobs.SetZero()
}
