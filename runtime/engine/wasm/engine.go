package wasm

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"weak"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// engine is the process's wazero runtime and what was compiled with it.
type engine struct {
	rt    wazero.Runtime
	cache codeCache

	mu struct {
		sync.Mutex
		programs map[[32]byte]weak.Pointer[program] // by the hash of the binary; gone when no isolate has the program
		small    map[string]wazero.CompiledModule
		hosts    map[string]api.Module
	}
}

// program is a compiled module, shared by all isolates. Immutable.
type program struct {
	*module
	compiled wazero.CompiledModule
	shim     wazero.CompiledModule // nil when no functions are imported
	shimSigs []signature           // the signatures that the shim calls Go with
	name     string                // of the module in stacks: the first bytes of its hash
	names    map[int]string        // exported names of functions, for stacks
}

// theEngine is made when the first module is compiled.
var theEngine = sync.OnceValue(func() *engine {
	cfg := wazero.NewRuntimeConfig().WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesThreads |
		experimental.CoreFeaturesTailCall | experimental.CoreFeaturesExtendedConst |
		experimental.CoreFeaturesExceptionHandling).
		WithDebugInfoEnabled(false)
	cache := openCache()
	if cache.cache != nil {
		cfg = cfg.WithCompilationCache(cache.cache)
	}
	e := &engine{rt: wazero.NewRuntimeWithConfig(context.Background(), cfg), cache: cache}
	e.mu.programs = map[[32]byte]weak.Pointer[program]{}
	e.mu.small = map[string]wazero.CompiledModule{}
	e.mu.hosts = map[string]api.Module{}
	return e
})

// compile makes the program of a binary, or finds it. The error is a *formatError or wazero's.
func compile(code []byte) (*program, error) {
	sum := sha256.Sum256(code)
	e := theEngine()
	e.mu.Lock()
	p := e.mu.programs[sum].Value()
	e.mu.Unlock()
	if p != nil {
		return p, nil
	}
	m, err := decode(code)
	if err != nil {
		return nil, err
	}
	p = &program{module: m, name: fmt.Sprintf("%x", sum[:4]), names: map[int]string{}}
	for i, x := range m.exports {
		if x.kind == kindFunction {
			p.names[x.index] = m.exports[i].name
		}
	}
	if p.compiled, err = e.build(m); err != nil {
		return nil, err
	}
	if p.shim, p.shimSigs, err = e.compileShim(m); err != nil {
		return nil, errors.Join(err, p.compiled.Close(context.Background()))
	}
	runtime.AddCleanup(p, e.forget, machineCode{sum, p.compiled, p.shim})
	e.mu.Lock()
	defer e.mu.Unlock()
	if won := e.mu.programs[sum].Value(); won != nil {
		return won, nil
	}
	e.mu.programs[sum] = weak.Make(p)
	return p, nil
}

// machineCode is what wazero keeps of a program until it is told to forget it.
type machineCode struct {
	sum            [32]byte
	compiled, shim wazero.CompiledModule
}

// forget lets go of the code of a program that no isolate has any more: its module was rebuilt and its last instance is
// collected.
func (e *engine) forget(c machineCode) {
	e.mu.Lock()
	if w, ok := e.mu.programs[c.sum]; ok && w.Value() == nil {
		delete(e.mu.programs, c.sum)
	}
	e.mu.Unlock()
	_ = c.compiled.Close(context.Background()) // nothing can fail: it only leaves wazero's list
	if c.shim != nil {
		_ = c.shim.Close(context.Background())
	}
}

// build rewrites and compiles. If wazero panics on bytes from outside, that becomes an error of those bytes.
func (e *engine) build(m *module) (c wazero.CompiledModule, err error) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case *formatError:
			err = x
		default:
			err = fmt.Errorf("invalid module: %v", x)
		}
	}()
	return e.cache.compile(experimental.WithCompilationWorkers(context.Background(), 2), e.rt, m.rewrite())
}

// resolve is a context in which find provides the modules that an instantiation imports.
func resolve(ctx context.Context, find func(name string) api.Module) context.Context {
	return experimental.WithImportResolver(ctx, find)
}

func (e *engine) instantiate(ctx context.Context, c wazero.CompiledModule) (api.Module, error) {
	return e.rt.InstantiateModule(ctx, c, wazero.NewModuleConfig().WithName("").WithStartFunctions())
}

// small instantiates a module of our own making. Its code is kept, because there are few kinds of such modules.
func (e *engine) small(code []byte, find func(name string) api.Module) (api.Module, error) {
	c, err := e.compileSmall(code)
	if err != nil {
		return nil, err
	}
	return e.instantiate(resolve(context.Background(), find), c) // find may call small again, so no lock is held
}

func (e *engine) compileSmall(code []byte) (wazero.CompiledModule, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if c := e.mu.small[string(code)]; c != nil {
		return c, nil
	}
	c, err := e.cache.compile(context.Background(), e.rt, code)
	if err == nil {
		e.mu.small[string(code)] = c
	}
	return c, err
}

// host returns the module whose function "f" takes the calls of that signature from every shim.
func (e *engine) host(s signature) (api.Module, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if m := e.mu.hosts[s.key()]; m != nil {
		return m, nil
	}
	params := apiTypes(append([]valType{i32, i32}, s.params...))
	c, err := e.rt.NewHostModuleBuilder("h").NewFunctionBuilder().
		WithGoFunction(api.GoFunc(func(ctx context.Context, stack []uint64) { callOut(ctx, s, stack) }), params,
			apiTypes(s.results)).
		Export("f").Compile(context.Background())
	if err != nil {
		return nil, err
	}
	m, err := e.instantiate(context.Background(), c)
	if err != nil {
		return nil, err
	}
	e.mu.hosts[s.key()] = m
	return m, nil
}

func apiTypes(list []valType) []api.ValueType {
	out := make([]api.ValueType, len(list))
	for i, t := range list {
		out[i] = api.ValueType(t)
	}
	return out
}

// compileShim makes the module that the function imports of m come from: one function per import, which passes the
// instance's number (global "id") and the import's position on, before its own parameters. A signature with values
// that JavaScript cannot see is called without them; the call then throws.
func (e *engine) compileShim(m *module) (wazero.CompiledModule, []signature, error) {
	var sigs []signature
	index := map[string]int{}
	host := func(s signature) int {
		if !s.visible() {
			s = signature{}
		}
		if i, ok := index[s.key()]; ok {
			return i
		}
		index[s.key()] = len(sigs)
		sigs = append(sigs, s)
		return len(sigs) - 1
	}
	type fn struct{ pos, host int }
	var fns []fn
	for i, imp := range m.imports {
		if imp.kind == kindFunction {
			for _, list := range [][]valType{imp.sig.params, imp.sig.results} {
				for _, t := range list {
					if t == typedRef {
						return nil, nil,
							&formatError{fmt.Sprintf(
								"import %q %q: typed function references are not supported in imports", imp.module,
								imp.name), 0}
					}
				}
			}
			fns = append(fns, fn{i, host(imp.sig)})
		}
	}
	if len(fns) == 0 {
		return nil, nil, nil
	}
	var types, imports, funcs, exports, bodies [][]byte
	for i, s := range sigs {
		types = append(types, encode(func(w *writer) {
			w.signature(signature{append([]valType{i32, i32}, s.params...), s.results})
		}))
		imports = append(imports, importOf(fmt.Sprint(i), "f", encode(func(w *writer) { w.byte(0); w.u32(i) })))
	}
	for i, f := range fns {
		s := m.imports[f.pos].sig
		types = append(types, encode(func(w *writer) { w.signature(s) }))
		funcs = append(funcs, encode(func(w *writer) { w.u32(len(sigs) + i) }))
		exports = append(exports, exportOf(fmt.Sprint(f.pos), kindFunction, len(sigs)+i))
		bodies = append(bodies, bodyOf(encode(func(w *writer) {
			w.bytes([]byte{0x23, 0})
			w.byte(0x41)
			w.i64(int64(f.pos))
			if s.visible() {
				for p := range s.params {
					w.byte(0x20)
					w.u32(p)
				}
			}
			w.byte(0x10)
			w.u32(f.host)
			if !s.visible() {
				w.byte(0x00)
			}
		})))
	}
	exports = append(exports, exportOf("id", kindGlobal, 0))
	c, err := e.cache.compile(context.Background(), e.rt, binary(map[byte][]byte{
		1: counted(types...), 2: counted(imports...), 3: counted(funcs...),
		6: counted([]byte{byte(i32), 1, 0x41, 0, 0x0b}),
		7: counted(exports...), 10: counted(bodies...),
	}))
	return c, sigs, err
}

// newShim instantiates the shim for the instance of that number.
func (e *engine) newShim(p *program, id int) (api.Module, error) {
	hosts := map[string]api.Module{}
	for i, s := range p.shimSigs {
		h, err := e.host(s)
		if err != nil {
			return nil, err
		}
		hosts[fmt.Sprint(i)] = h
	}
	m, err := e.instantiate(resolve(context.Background(), func(name string) api.Module { return hosts[name] }), p.shim)
	if err != nil {
		return nil, err
	}
	m.ExportedGlobal("id").(api.MutableGlobal).Set(uint64(id))
	return m, nil
}

// compileText is the text of a CompileError.
func compileText(method string, err error) string {
	var fe *formatError
	text := err.Error()
	if !errors.As(err, &fe) {
		text = "invalid module: " + strings.TrimPrefix(text, "invalid module: ")
	}
	return "WebAssembly." + method + "(): " + text
}
