package wasm

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"weak"

	"github.com/dop251/goja"
	"github.com/tetratelabs/wazero/api"
)

// instance is a running program.
type instance struct {
	s       *space
	p       *program
	id      int
	mod     api.Module
	shim    api.Module
	stop    api.MutableGlobal
	imports []goja.Callable // by position; nil for an import that is no function
	exports *goja.Object

	// by index in the module, imports first; each is made when it is needed
	functions map[int]*function
	memories  map[int]*memory
	tables    map[int]*tableObject
	globals   map[int]*global
}

// source is where something that can be imported comes from.
type source struct {
	mod  api.Module
	name string
}

// link makes a module that exports the source as "0", the name that rewritten imports ask for.
func (src source) link(desc []byte) api.Module {
	if src.name == "0" {
		return src.mod
	}
	m, err := theEngine().small(binary(map[byte][]byte{
		2: counted(importOf("s", src.name, desc)), 7: counted(exportOf("0", kind(desc[0]), 0)),
	}), func(string) api.Module { return src.mod })
	if err != nil {
		panic(fmt.Errorf("wasm: link: %w", err))
	}
	return m
}

// instantiate runs a program; method is the caller's name in messages ("Instance", "instantiate").
func (s *space) instantiate(p *program, imports goja.Value, method string) *instance {
	prefix := "WebAssembly." + method + "(): "
	obj, isObj := imports.(*goja.Object)
	if imports != nil && !goja.IsUndefined(imports) && !isObj {
		s.realm.ThrowType("WebAssembly.%s(): Argument 1 must be an object", method)
	}
	if !isObj && len(p.imports) > 0 {
		s.realm.ThrowType("%sImports argument must be present and must be an object", prefix)
	}
	i := &instance{s: s, p: p, id: len(s.instances), functions: map[int]*function{}, memories: map[int]*memory{},
		tables: map[int]*tableObject{}, globals: map[int]*global{}}
	i.imports = make([]goja.Callable, len(p.imports))
	sources := map[string]api.Module{}
	for n := range p.imports {
		e := &p.imports[n]
		from, ok := obj.Get(e.module).(*goja.Object)
		if !ok {
			s.realm.ThrowType("%sImport #%d %q: module is not an object or function", prefix, n, e.module)
		}
		v := from.Get(e.name)
		if v == nil {
			v = goja.Undefined()
		}
		fail := func(format string, args ...any) {
			s.linkError.throw(
				fmt.Sprintf("%sImport #%d %q %q: ", prefix, n, e.module, e.name) + fmt.Sprintf(format, args...))
		}
		if m := i.take(n, e, v, fail); m != nil {
			sources[strconv.Itoa(n)] = m
		}
	}
	for _, t := range p.types {
		s.signatures[t.key()] = t
	}
	s.stop.Lock()
	s.instances = append(s.instances, weak.Make(i))
	s.stop.Unlock()
	if p.shim != nil {
		shim, err := theEngine().newShim(p, i.id)
		if err != nil {
			s.linkError.throw(prefix + err.Error())
		}
		i.shim = shim
		sources[shimModule] = shim
	}
	ctx := resolve(context.Background(), func(name string) api.Module { return sources[name] })
	mod, err := theEngine().instantiate(&callContext{ctx, s}, p.compiled)
	if err != nil {
		i.failed(prefix, err)
	}
	i.mod = mod
	shim := i.shim
	runtime.AddCleanup(i, func(mod api.Module) {
		_ = mod.Close(context.Background()) // nothing can fail: it only leaves wazero's list
		if shim != nil {
			_ = shim.Close(context.Background())
		}
	}, mod)
	s.stop.Lock()
	i.stop = mod.ExportedGlobal(stopExport).(api.MutableGlobal)
	i.stop.Set(flag(s.stop.on))
	s.stop.Unlock()
	i.makeExports()
	if p.start >= 0 {
		(&function{s: s, p: p, mod: mod, name: startExport, keep: i}).call(nil)
	}
	return i
}

// failed throws the error of an instantiation: what linking missed, or a data segment that does not fit.
func (i *instance) failed(prefix string, err error) {
	text := err.Error()
	if n := len(text); n > 27 && text[n-27:] == "out of bounds memory access" {
		i.s.runtimeError.throw(prefix + "data segment 0 is out of bounds")
	}
	i.s.linkError.throw(prefix + text)
}

// take checks import n and says which module it comes from, nil for functions.
func (i *instance) take(n int, e *importEntry, v goja.Value, fail func(string, ...any)) api.Module {
	s := i.s
	state := s.realm.State(v)
	switch e.kind {
	case kindFunction:
		call, ok := goja.AssertFunction(v)
		if !ok {
			fail("function import requires a callable")
		}
		if f, ok := functionOf(state); ok && f.sig.key() != e.sig.key() {
			fail("imported function does not match the expected type")
		}
		i.imports[n] = call
	case kindMemory:
		m, ok := state.(*memory)
		if !ok {
			fail("memory import must be a WebAssembly.Memory object")
		}
		if m.limits.shared != e.limits.shared {
			fail("mismatch in shared state of memory, declared = %d, imported = %d", flag(e.limits.shared),
				flag(m.limits.shared))
		}
		pages := uint64(m.mem.Size()) >> 16
		if pages < e.limits.min {
			fail("memory import has %d pages which is smaller than the declared initial of %d", pages, e.limits.min)
		}
		if e.limits.hasMax {
			if !m.limits.hasMax {
				fail("memory import has no maximum limit, expected at most %d", e.limits.max)
			}
			if m.limits.max > e.limits.max {
				fail("memory import has a larger maximum size %d than the module's declared maximum %d", m.limits.max,
					e.limits.max)
			}
		}
		i.memories[len(i.memories)] = m
		return m.src.link(encode(func(w *writer) {
			w.byte(byte(kindMemory))
			w.limits(limits{hasMax: m.limits.shared, max: m.limits.max, shared: m.limits.shared})
		}))
	case kindTable:
		t, ok := state.(*tableObject)
		if !ok {
			fail("table import requires a WebAssembly.Table")
		}
		if t.val != e.val {
			fail("imported table does not match the expected type")
		}
		if size := t.size(); size < e.limits.min {
			fail("table import has %d elements, which is less than the required minimum %d", size, e.limits.min)
		}
		if e.limits.hasMax {
			if !t.limits.hasMax {
				fail("table import has no maximum length; required: %d", e.limits.max)
			}
			if t.limits.max > e.limits.max {
				fail("table import has maximum %d which is larger than the module's declared maximum %d", t.limits.max,
					e.limits.max)
			}
		}
		t.keep = append(t.keep, i)
		i.tables[len(i.tables)] = t
		return t.src.link([]byte{byte(kindTable), byte(t.val), 0, 0})
	case kindGlobal:
		return i.takeGlobal(e, v, state, fail)
	default:
		fail("tag import must be a WebAssembly.Tag object; tags of JavaScript are not supported")
	}
	return nil
}

func (i *instance) takeGlobal(e *importEntry, v goja.Value, state any, fail func(string, ...any)) api.Module {
	s := i.s
	g, ok := state.(*global)
	if ok {
		if g.mutable != e.mutable {
			fail("imported global does not match the expected mutability")
		}
		if g.val != e.val {
			fail("imported global does not match the expected type")
		}
	} else {
		if e.mutable {
			fail("imported mutable global must be a WebAssembly.Global object")
		}
		switch e.val {
		case i64:
			if !isBigInt(v) {
				fail("global import must be a BigInt")
			}
		case i32, f32, f64:
			if !isNumber(v) {
				fail("global import must be a number, valid Wasm reference, or WebAssembly.Global object")
			}
		case externref:
		case funcref:
			if _, ok := functionOf(state); !ok && !goja.IsNull(v) {
				fail("imported funcref global must be null or WebAssembly function ('function') object")
			}
		default:
			fail("imported global of type %s must be a WebAssembly.Global object", valTypeNames[e.val])
		}
		g = s.newGlobal(e.val, false, v)
	}
	i.globals[len(i.globals)] = g
	mut := byte(0)
	if e.mutable {
		mut = 1
	}
	return g.src.link([]byte{byte(kindGlobal), byte(g.val), mut})
}

// makeExports makes the exports object: without prototype, frozen, in the module's order.
func (i *instance) makeExports() {
	s := i.s
	i.exports = s.rt.CreateObject(nil)
	for n, e := range i.p.exports {
		src := source{i.mod, strconv.Itoa(n)}
		var v goja.Value
		switch e.kind {
		case kindFunction:
			f := i.functions[e.index]
			if f == nil {
				f = s.newFunction(
					&function{p: i.p, sig: i.p.functions[e.index], mod: i.mod, name: src.name, keep: i},
					strconv.Itoa(e.index))
				i.functions[e.index] = f
			}
			v = f.obj
		case kindMemory:
			m := i.memories[e.index]
			if m == nil {
				m = s.wrapMemory(src, i.p.memories[e.index].limits, i)
				i.memories[e.index] = m
			}
			v = m.obj
		case kindTable:
			t := i.tables[e.index]
			if t == nil {
				x := i.p.tables[e.index]
				t = s.wrapTable(src, x.val, x.limits)
				t.keep = append(t.keep, i)
				i.tables[e.index] = t
			}
			v = t.obj
		case kindGlobal:
			g := i.globals[e.index]
			if g == nil {
				x := i.p.globals[e.index]
				g = s.wrapGlobal(src, x.val, x.mutable, i)
				i.globals[e.index] = g
			}
			v = g.obj
		case kindTag:
			v = s.rt.NewObject() // it has only its identity: V8's tags have no members either
		}
		_ = i.exports.DefineDataProperty(e.name, v, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_TRUE)
	}
	if _, err := s.frozen(goja.Undefined(), i.exports); err != nil {
		panic(s.realm.ErrorValue(err))
	}
}
