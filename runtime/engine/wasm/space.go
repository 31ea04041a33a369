package wasm

import (
	"context"
	"sync"
	"weak"

	"github.com/dop251/goja"
	"github.com/tetratelabs/wazero/api"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
)

// space is what one isolate has of WebAssembly. Loop goroutine only, but for stop.
type space struct {
	h     *host.Host
	realm *webidl.Realm
	rt    *goja.Runtime

	namespace                               *goja.Object
	module, instance, memory, table, global *webidl.Interface
	compileError, linkError, runtimeError   *errorClass
	frozen                                  goja.Callable // the function Object.freeze
	bigInt                                  goja.Callable
	instances                               []weak.Pointer[instance] // by number; stop's lock guards writes
	buffers                                 []weak.Pointer[memory]   // memories whose buffer JavaScript has
	// what must live as long as the references that come out of wasm now
	keeper  any
	handles handles
	// functions that were given to wasm as references
	refs       map[uint64]weak.Pointer[function]
	signatures map[string]signature // all types that a reference may have
	// a table of one entry, to look references up
	scratch api.Module
	callers map[string]*caller
	ctx     *callContext

	stop struct {
		sync.Mutex
		on bool
	}
}

// callContext is the context of every call into wasm; wazero hands it on to the Go functions that wasm calls.
type callContext struct {
	context.Context
	space *space
}

type spaceKey struct{}

// of returns the isolate's space and makes it on first use.
func of(h *host.Host) *space {
	if s, ok := h.Value(spaceKey{}).(*space); ok {
		return s
	}
	s := &space{h: h, realm: h.Realm, rt: h.Runtime(), refs: map[uint64]weak.Pointer[function]{},
		signatures: map[string]signature{}, callers: map[string]*caller{}}
	h.SetValue(spaceKey{}, s)
	s.ctx = &callContext{context.Background(), s}
	s.frozen, _ = goja.AssertFunction(s.rt.Get("Object").ToObject(s.rt).Get("freeze"))
	s.bigInt, _ = goja.AssertFunction(s.rt.Get("BigInt"))
	s.define()
	h.Loop.OnOverrun(s.overrun)
	return s
}

// overrun sets or clears the stop global of every instance. Any goroutine.
func (s *space) overrun(on bool) {
	s.stop.Lock()
	defer s.stop.Unlock()
	s.stop.on = on
	for _, w := range s.instances {
		if i := w.Value(); i != nil && i.stop != nil {
			i.stop.Set(flag(on))
		}
	}
}

func flag(on bool) uint64 {
	if on {
		return 1
	}
	return 0
}

// stopped tells whether running code was told to end.
func (s *space) stopped() bool {
	s.stop.Lock()
	defer s.stop.Unlock()
	return s.stop.on
}

// handles keep the JavaScript values that wasm holds as externref. Number 0 is null.
type handles struct {
	values  []goja.Value
	objects map[*goja.Object]uint64
	// undefined is the number of undefined once it was needed.
	undefined uint64
}

// of gives a value a number; an object keeps its own.
func (h *handles) of(v goja.Value) uint64 {
	if v == nil || goja.IsNull(v) {
		return 0
	}
	if goja.IsUndefined(v) && h.undefined != 0 {
		return h.undefined
	}
	obj, isObj := v.(*goja.Object)
	if isObj {
		if n, ok := h.objects[obj]; ok {
			return n
		}
	}
	h.values = append(h.values, v)
	n := uint64(len(h.values))
	if isObj {
		if h.objects == nil {
			h.objects = map[*goja.Object]uint64{}
		}
		h.objects[obj] = n
	} else if goja.IsUndefined(v) {
		h.undefined = n
	}
	return n
}

func (h *handles) value(n uint64) goja.Value {
	if n == 0 || n > uint64(len(h.values)) {
		return goja.Null()
	}
	return h.values[n-1]
}
