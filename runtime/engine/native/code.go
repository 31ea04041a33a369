package native

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// openCache gives where machine code is kept; nil where it is not.
var openCache atomic.Pointer[func() wazero.CompilationCache]

// CacheFrom makes the process keep machine code in what open gives, which may be nil. It must be called before anything
// is compiled.
func CacheFrom(open func() wazero.CompilationCache) { openCache.Store(&open) }

// Supported tells whether this machine may have a compiler, and has the window.
func Supported() bool {
	return base != 0 && (runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64")
}

// engine is the process's compiler, nil where there is none.
type engine struct{ rt wazero.Runtime }

var theEngine = sync.OnceValue(func() *engine {
	if open := openCache.Load(); open != nil {
		return newEngine((*open)())
	}
	return newEngine(nil)
})

// newEngine makes a compiler that keeps machine code in a cache, which may be nil; nil where there is no compiler.
func newEngine(cache wazero.CompilationCache) (e *engine) {
	defer func() {
		if recover() != nil { // wazero's answer to a processor or a system that it has no compiler for
			e = nil
		}
	}()
	cfg := wazero.NewRuntimeConfigCompiler().WithDebugInfoEnabled(false)
	if cache != nil {
		cfg = cfg.WithCompilationCache(cache)
	}
	ctx := context.Background()
	rt := wazero.NewRuntimeWithConfig(ctx, cfg)
	_, err := rt.NewHostModuleBuilder("e").NewFunctionBuilder().
		WithGoFunction(api.GoFunc(poll), nil, []api.ValueType{api.ValueTypeI32}).Export("p").NewFunctionBuilder().
		WithGoFunction(api.GoFunc(remainder), []api.ValueType{api.ValueTypeF64, api.ValueTypeF64},
			[]api.ValueType{api.ValueTypeF64}).Export("m").Instantiate(ctx)
	if err != nil {
		return nil
	}
	return &engine{rt}
}

// bare is the compiler where the cache is of no use: a file in it is damaged, or the disk is full.
var bare = sync.OnceValue(func() *engine { return newEngine(nil) })

// ErrStopped is what a call ends with that Poll has ended.
var ErrStopped = errors.New("native: stopped")

// Code is a compiled function.
type Code struct {
	engine   *engine
	compiled wazero.CompiledModule
	made     *modules
	mu       sync.Mutex // guards idle
	idle     []*Instance
}

// modules are what wazero keeps of a function until they are closed: when nobody has the code any more.
type modules struct {
	mu   sync.Mutex // guards list
	list []api.Closer
}

func (m *modules) add(c api.Closer) {
	m.mu.Lock()
	m.list = append(m.list, c)
	m.mu.Unlock()
}

func (m *modules) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.list {
		_ = c.Close(context.Background()) // which only says that it was closed before
	}
	m.list = nil
}

// Instance makes one call at a time.
type Instance struct {
	// Poll is asked now and then by a call that takes long; true ends it. It is set by the caller.
	Poll func() bool

	// Stack has the parameters before a call, and the results after it.
	Stack []uint64

	code    *Code
	call    api.Function
	ctx     context.Context
	stopped bool
}

type instanceKey struct{}

// poll is what functions import: 1 ends the call.
func poll(ctx context.Context, stack []uint64) {
	i := ctx.Value(instanceKey{}).(*Instance)
	stack[0] = 0
	if i.Poll() {
		i.stopped = true
		stack[0] = 1
	}
}

// remainder is what WebAssembly has no instruction for.
func remainder(_ context.Context, stack []uint64) {
	stack[0] = api.EncodeF64(math.Mod(api.DecodeF64(stack[0]), api.DecodeF64(stack[1])))
}

// Compile makes code of a module that exports the function "k" and imports nothing but, from "e", "p", the poll, which
// gives an int32, and "m", the remainder of two doubles. Its memory must have [MemoryPages].
func Compile(module []byte) (*Code, error) {
	e := theEngine()
	if e == nil {
		return nil, errors.New("native: this machine has no compiler")
	}
	return e.compile(module)
}

// compile is Compile by this compiler, or by one without a cache where that fails.
func (e *engine) compile(module []byte) (*Code, error) {
	c, err := e.rt.CompileModule(context.Background(), module)
	if err != nil {
		if e = bare(); e == nil {
			return nil, err
		}
		if c, err = e.rt.CompileModule(context.Background(), module); err != nil {
			return nil, err
		}
	}
	code := &Code{engine: e, compiled: c, made: &modules{list: []api.Closer{c}}}
	runtime.AddCleanup(code, (*modules).close, code.made)
	return code, nil
}

// MemoryPages is the size of a module's memory.
const MemoryPages = pages

// Take gives an instance for a call with so many parameters or results.
func (c *Code) Take(slots int) (*Instance, error) {
	c.mu.Lock()
	if n := len(c.idle); n > 0 {
		i := c.idle[n-1]
		c.idle = c.idle[:n-1]
		c.mu.Unlock()
		return i, nil
	}
	c.mu.Unlock()
	i := &Instance{code: c, Stack: make([]uint64, slots)}
	i.ctx = context.WithValue(context.Background(), instanceKey{}, i)
	ctx := experimental.WithMemoryAllocator(i.ctx, window{})
	m, err := c.engine.rt.InstantiateModule(ctx, c.compiled,
		wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, err
	}
	c.made.add(m)
	i.call = m.ExportedFunction("k")
	return i, nil
}

// Give gives an instance back.
func (i *Instance) Give() {
	i.Poll = nil
	i.code.mu.Lock()
	i.code.idle = append(i.code.idle, i)
	i.code.mu.Unlock()
}

// Call calls the function. The error is ErrStopped, or a defect of the code.
func (i *Instance) Call() error {
	i.stopped = false
	err := i.call.CallWithStack(i.ctx, i.Stack)
	if i.stopped {
		return ErrStopped
	}
	return err
}
