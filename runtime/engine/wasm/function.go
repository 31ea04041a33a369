package wasm

import (
	"context"
	"fmt"
	"strconv"
	"weak"

	"github.com/dop251/goja"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental/table"
)

// function is a wasm function that JavaScript holds. It is called by its export or, if only a reference out of a table
// is known, through a caller.
type function struct {
	s    *space
	p    *program
	sig  signature
	obj  *goja.Object
	mod  api.Module
	name string // the export's name in mod
	keep any    // what must live as long as the function

	idle   []*activation
	target uint64 // the reference, if it is called through a caller; mod is the caller then
	ref    uint64 // the reference that was made for the function, 0 for none
	refMod api.Module
}

// activation is a call engine and its value stack. wazero's cannot be entered twice, so that a call inside a call of
// the same function takes another.
type activation struct {
	fn    api.Function
	stack []uint64
}

func (s *space) newFunction(f *function, name string) *function {
	f.s = s
	if !f.sig.visible() {
		f.obj = s.realm.Function(name, func(goja.FunctionCall) goja.Value {
			s.realm.ThrowType("type incompatibility when transforming from/to JS")
			return nil
		})
	} else {
		f.obj = s.realm.Function(name, func(fc goja.FunctionCall) goja.Value { return f.call(fc.Arguments) })
	}
	_ = f.obj.DefineDataProperty(
		"length", s.rt.ToValue(len(f.sig.params)), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	s.realm.SetState(f.obj, f)
	return f
}

// functionOf is the function behind the state of a JavaScript object.
func functionOf(state any) (*function, bool) {
	f, ok := state.(*function)
	return f, ok
}

func (f *function) call(args []goja.Value) goja.Value {
	var a *activation
	if n := len(f.idle); n > 0 {
		a, f.idle = f.idle[n-1], f.idle[:n-1]
	} else {
		a = &activation{f.mod.ExportedFunction(f.name), make([]uint64, max(len(f.sig.params)+1, len(f.sig.results)))}
	}
	for i, t := range f.sig.params {
		v := goja.Undefined()
		if i < len(args) {
			v = args[i]
		}
		a.stack[i] = f.s.toWasm(v, t)
	}
	if f.target != 0 {
		a.stack[len(f.sig.params)] = f.target
	}
	saved := f.s.keeper
	f.s.keeper = f.keep
	err := a.fn.CallWithStack(f.s.ctx, a.stack)
	f.s.keeper = saved
	f.s.refresh()
	if err != nil {
		// The activation is given up: after a stack overflow it holds a hundred megabytes.
		f.s.raise(f.p, err)
		return goja.Undefined()
	}
	v := f.s.results(a.stack, f.sig.results)
	f.idle = append(f.idle, a)
	return v
}

// callOut runs whenever wasm calls a function that JavaScript gave to it. The stack begins with the instance's number
// and the import's position, then come the parameters.
func callOut(ctx context.Context, sig signature, stack []uint64) {
	defer func() {
		if x := recover(); x != nil {
			if t, ok := x.(*thrown); ok {
				panic(t)
			}
			panic(&thrown{x})
		}
	}()
	s := ctx.(*callContext).space
	i := s.instances[uint32(stack[0])].Value()
	slot := uint32(stack[1])
	if !i.p.imports[slot].sig.visible() {
		s.realm.ThrowType("type incompatibility when transforming from/to JS")
	}
	saved := s.keeper
	s.keeper = i
	defer func() { s.keeper = saved }()
	s.refresh()
	args := make([]goja.Value, len(sig.params))
	for n, t := range sig.params {
		args[n] = s.fromWasm(stack[2+n], t)
	}
	v, err := i.imports[slot](goja.Undefined(), args...)
	if err != nil {
		if ex, ok := err.(*goja.Exception); ok {
			panic(&thrown{ex.Value()})
		}
		if _, ok := err.(*goja.StackOverflowError); ok { // a script may catch it, as in V8
			s.realm.ThrowError("RangeError", "Maximum call stack size exceeded")
		}
		panic(&thrown{err})
	}
	s.store(v, sig.results, stack)
}

// reference is the funcref of a function. wazero has none to give, so a small module imports the function and
// refers to it.
func (s *space) reference(f *function) uint64 {
	switch {
	case f.target != 0:
		return f.target
	case f.ref != 0:
		return f.ref
	}
	code := binary(map[byte][]byte{
		1:  counted(encode(func(w *writer) { w.signature(f.sig) }), []byte{0x60, 0, 1, byte(funcref)}),
		2:  counted(importOf("f", f.name, []byte{0, 0})),
		3:  counted([]byte{1}),
		7:  counted(exportOf("f", kindFunction, 0), exportOf("r", kindFunction, 1)),
		10: counted(bodyOf([]byte{0xd2, 0})),
	})
	m, err := theEngine().small(code, func(string) api.Module { return f.mod })
	if err != nil {
		panic(fmt.Errorf("wasm: reference to a function: %w", err))
	}
	res, err := m.ExportedFunction("r").Call(s.ctx)
	if err != nil {
		panic(fmt.Errorf("wasm: reference to a function: %w", err))
	}
	f.ref, f.refMod = res[0], m
	s.refs[f.ref] = weak.Make(f)
	return f.ref
}

// caller calls functions of one signature by reference.
type caller struct{ mod api.Module }

func (s *space) callerOf(sig signature) *caller {
	if c := s.callers[sig.key()]; c != nil {
		return c
	}
	body := encode(func(w *writer) {
		w.bytes([]byte{0x41, 0, 0x20})
		w.u32(len(sig.params))
		w.bytes([]byte{0x26, 0}) // table.set 0
		for i := range sig.params {
			w.byte(0x20)
			w.u32(i)
		}
		w.bytes([]byte{0x41, 0, 0x11, 0, 0}) // call_indirect type 0, table 0
	})
	m, err := theEngine().small(binary(map[byte][]byte{
		1: counted(encode(func(w *writer) { w.signature(sig) }), encode(func(w *writer) {
			w.signature(signature{append(append([]valType{}, sig.params...), funcref), sig.results})
		})),
		3:  counted([]byte{1}),
		4:  counted([]byte{byte(funcref), 0, 1}),
		7:  counted(exportOf("c", kindFunction, 0)),
		10: counted(bodyOf(body)),
	}), nil)
	if err != nil {
		panic(fmt.Errorf("wasm: caller: %w", err))
	}
	c := &caller{m}
	s.callers[sig.key()] = c
	return c
}

// functionOfReference is the JavaScript function of a reference, null for 0.
func (s *space) functionOfReference(bits uint64) goja.Value {
	if bits == 0 {
		return goja.Null()
	}
	if f := s.refs[bits].Value(); f != nil {
		return f.obj
	}
	sig, ok := s.signatureOf(bits)
	if !ok {
		s.realm.ThrowType("type incompatibility when transforming from/to JS")
	}
	f := s.newFunction(
		&function{sig: sig, target: bits, mod: s.callerOf(sig).mod, name: "c", keep: s.keeper,
			p: s.programOf(s.keeper)}, strconv.Itoa(len(s.refs)))
	s.refs[bits] = weak.Make(f)
	return f.obj
}

func (s *space) programOf(keeper any) *program {
	if i, ok := keeper.(*instance); ok {
		return i.p
	}
	return &program{name: "table"}
}

// signatureOf finds the type of a reference. wazero only tells whether it has a given type, so all are tried.
func (s *space) signatureOf(bits uint64) (signature, bool) {
	if s.scratch == nil {
		m, err := theEngine().small(binary(map[byte][]byte{
			1:  counted([]byte{0x60, 1, byte(funcref), 0}),
			3:  counted([]byte{0}),
			4:  counted([]byte{byte(funcref), 0, 1}),
			7:  counted(exportOf("put", kindFunction, 0)),
			10: counted(bodyOf([]byte{0x41, 0, 0x20, 0, 0x26, 0})),
		}), nil)
		if err != nil {
			panic(fmt.Errorf("wasm: scratch table: %w", err))
		}
		s.scratch = m
	}
	put := func(v uint64) {
		if _, err := s.scratch.ExportedFunction("put").Call(s.ctx, v); err != nil {
			panic(fmt.Errorf("wasm: scratch table: %w", err))
		}
	}
	put(bits)
	defer put(0)
	for _, sig := range s.signatures {
		if hasSignature(s.scratch, sig) {
			return sig, true
		}
	}
	return signature{}, false
}

func hasSignature(m api.Module, sig signature) (ok bool) {
	defer func() {
		if x := recover(); x != nil {
			err, isErr := x.(error)
			ok = !isErr || err.Error() != "indirect call type mismatch"
		}
	}()
	table.LookupFunction(m, 0, 0, apiTypes(sig.params), apiTypes(sig.results))
	return true
}
