package eventloop

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
)

// machine is where the engine keeps the parts of its virtual machine that an interrupt leaves behind. An async function
// that was resumed from a microtask has put its frames on the machine's stacks, and nothing takes them off when an
// interrupt flies through: the engine would believe for ever that a script is running, and never run a microtask again.
type machine struct {
	vm        reflect.Value // the struct, addressable
	jobs      reflect.Value // Runtime.jobQueue
	global    unsafe.Pointer
	callStack unsafe.Pointer
}

// newMachine finds the fields by name. One that is missing panics here, in every test, not after an interrupt.
func newMachine(rt *goja.Runtime) machine {
	r := reflect.ValueOf(rt).Elem()
	m := machine{vm: r.FieldByName("vm").Elem(), jobs: field(r, "jobQueue")}
	m.global = unsafe.Pointer(r.FieldByName("global").FieldByName("stash").UnsafeAddr()) //nolint:gosec // read only
	m.callStack = unsafe.Pointer(m.vm.FieldByName("callStack").UnsafeAddr())             //nolint:gosec // its length is read
	for _, name := range append(machineStacks, machineRegisters...) {
		field(m.vm, name)
	}
	return m
}

var (
	machineStacks    = []string{"callStack", "tryStack", "iterStack", "refStack", "stack"}
	machineRegisters = []string{"prg", "sp", "args", "privEnv", "newTarget", "result", "curAsyncRunner"}
)

// field is an unexported field that can be set.
func field(of reflect.Value, name string) reflect.Value {
	f := of.FieldByName(name)
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem() //nolint:gosec // see newMachine
}

// unwind puts the machine into its first state if frames were left on it. It is called when no script runs.
func (m machine) unwind() {
	// A slice's length is found without knowing what it is of.
	if len(*(*[]byte)(m.callStack)) == 0 {
		return
	}
	for _, name := range machineStacks {
		f := field(m.vm, name)
		f.Clear()
		f.SetLen(0)
	}
	for _, name := range machineRegisters {
		field(m.vm, name).SetZero()
	}
	field(m.vm, "pc").SetInt(-1)
	field(m.vm, "sb").SetInt(-1)
	*(*unsafe.Pointer)(unsafe.Pointer(field(m.vm, "stash").UnsafeAddr())) = m.global //nolint:gosec // the scope of globals
	m.jobs.SetZero()
}
