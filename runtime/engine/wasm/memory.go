package wasm

import (
	"math"
	"weak"

	"github.com/dop251/goja"
	"github.com/tetratelabs/wazero/api"

	"eddy/runtime/engine/builtin"
	"eddy/runtime/engine/webidl"
)

// maxPages bounds memories, in pages of 64 KiB: four gigabytes.
const maxPages = 65536

// maxSharedPages bounds shared memories, which are set aside in full: the 128 MB of an isolate on the platform.
const maxSharedPages = 2048

// memory is a WebAssembly.Memory.
type memory struct {
	s      *space
	src    source
	mem    api.Memory
	limits limits
	obj    *goja.Object
	keep   any

	// buffer shares its bytes with wazero; nil when JavaScript has not asked since the last growth.
	buffer *goja.Object
	bytes  goja.ArrayBuffer
	size   uint32
}

func (s *space) wrapMemory(src source, l limits, keep any) *memory {
	m := &memory{s: s, src: src, mem: src.mod.ExportedMemory(src.name), limits: l, keep: keep}
	m.obj = s.memory.Wrap(m)
	return m
}

func (m *memory) arrayBuffer() *goja.Object {
	m.check()
	if m.buffer == nil {
		m.size = m.mem.Size()
		b, _ := m.mem.Read(0, m.size)
		m.bytes = m.s.rt.NewArrayBuffer(b)
		m.buffer = m.s.rt.ToValue(m.bytes).(*goja.Object)
		if m.limits.shared {
			_ = m.buffer.SetPrototype(
				m.s.rt.Get("SharedArrayBuffer").ToObject(m.s.rt).Get("prototype").ToObject(m.s.rt))
		}
		m.s.buffers = append(m.s.buffers, weak.Make(m))
	}
	return m.buffer
}

// check detaches the buffer when the memory has grown.
func (m *memory) check() {
	if m.buffer != nil && m.mem.Size() != m.size {
		m.detach()
	}
}

// detach parts the memory from its buffer; whoever asks next gets a new one. The old buffer loses its bytes, unless the
// memory is shared: then it keeps them and its length.
func (m *memory) detach() {
	if m.buffer == nil {
		return
	}
	if !m.limits.shared {
		m.bytes.Detach()
	}
	m.buffer, m.bytes = nil, goja.ArrayBuffer{}
}

// refresh detaches the buffers of all memories that grew, and forgets those that are gone.
func (s *space) refresh() {
	kept := s.buffers[:0]
	for _, w := range s.buffers {
		m := w.Value()
		if m == nil {
			continue
		}
		m.check()
		if m.buffer != nil {
			kept = append(kept, w)
		}
	}
	s.buffers = kept
}

func (s *space) defineMemory() {
	s.memory = s.realm.Define(webidl.Spec{
		Name: "Memory", Tag: "WebAssembly.Memory",
		Make: func(c *webidl.Call, proto *goja.Object) *goja.Object {
			d := s.descriptor(c, "Memory", "a memory descriptor")
			l := s.readLimits(d, "Memory", maxPages, maxPages)
			if v := webidl.Option(d, "shared"); v != nil && v.ToBoolean() {
				if l.shared = true; !l.hasMax {
					s.realm.ThrowType("WebAssembly.Memory(): If shared is true, maximum property should be specified.")
				}
				if l.max > maxSharedPages {
					s.realm.ThrowError("RangeError", "WebAssembly.Memory(): could not allocate memory")
				}
			}
			if l.min<<16 > builtin.MaxBuffer {
				s.realm.ThrowError("RangeError", "WebAssembly.Memory(): could not allocate memory")
			}
			s.realm.Need(int(l.min) << 16)
			mod, err := theEngine().small(binary(map[byte][]byte{
				5: counted(encode(func(w *writer) { w.limits(l) })), 7: counted(exportOf("0", kindMemory, 0)),
			}), nil)
			if err != nil {
				s.realm.ThrowError("RangeError", "WebAssembly.Memory(): could not allocate memory")
			}
			m := s.wrapMemory(source{mod, "0"}, l, closing(mod))
			_ = m.obj.SetPrototype(proto)
			return m.obj
		},
		Members: []webidl.Member{
			webidl.Method("grow", func(m *memory, c *webidl.Call) goja.Value {
				delta := s.index(c.Arg(0), "Memory.grow", "Argument 0")
				old := uint64(m.mem.Size()) >> 16
				switch {
				case m.limits.hasMax && old+delta > m.limits.max:
					s.realm.ThrowError("RangeError", "WebAssembly.Memory.grow(): Maximum memory size exceeded")
				case old+delta > builtin.MaxBuffer>>16:
					s.realm.ThrowError("RangeError", "WebAssembly.Memory.grow(): Unable to grow instance memory")
				}
				s.realm.Need(int(delta) << 16)
				if _, ok := m.mem.Grow(uint32(delta)); !ok {
					s.realm.ThrowError("RangeError", "WebAssembly.Memory.grow(): Unable to grow instance memory")
				}
				m.detach()
				return c.Value(int64(old))
			}),
			webidl.Getter("buffer", func(m *memory, c *webidl.Call) goja.Value { return m.arrayBuffer() }),
		},
	})
}

// descriptor is argument 0 as an object.
func (s *space) descriptor(c *webidl.Call, class, what string) *goja.Object {
	d, ok := c.Arg(0).(*goja.Object)
	if !ok {
		s.realm.ThrowType("WebAssembly.%s(): Argument 0 must be %s", class, what)
	}
	return d
}

// index converts as EnforceRange of Web IDL does for unsigned long.
func (s *space) index(v goja.Value, method, what string) uint64 {
	f := v.ToNumber().ToFloat()
	switch {
	case f != f || f-f != 0:
		s.realm.ThrowType("WebAssembly.%s(): %s must be convertible to a valid number", method, what)
	case f <= -1:
		s.realm.ThrowType("WebAssembly.%s(): %s must be non-negative", method, what)
	case f >= math.MaxUint32+1:
		s.realm.ThrowType("WebAssembly.%s(): %s must be in the unsigned long range", method, what)
	}
	return uint64(f)
}

// readLimits reads initial (or minimum) and maximum of a descriptor.
func (s *space) readLimits(d *goja.Object, class string, maxInitial, maxMaximum uint64) limits {
	var l limits
	initial := webidl.Option(d, "initial")
	if initial == nil {
		initial = webidl.Option(d, "minimum")
	}
	if initial == nil {
		s.realm.ThrowType("WebAssembly.%s(): Property 'initial' is required", class)
	}
	read := func(name string, v goja.Value, limit uint64) uint64 {
		n := s.index(v, class, "Property '"+name+"'")
		if n > limit {
			s.realm.ThrowError("RangeError",
				"WebAssembly.%s(): Property '%s': value %d is above the upper bound %d", class, name, n, limit)
		}
		return n
	}
	l.min = read("initial", initial, maxInitial)
	if v := webidl.Option(d, "maximum"); v != nil {
		l.max, l.hasMax = read("maximum", v, maxMaximum), true
		if l.max < l.min {
			s.realm.ThrowError(
				"RangeError", "WebAssembly.%s(): Property 'maximum': value %d is below the lower bound %d", class,
				l.max, l.min)
		}
	}
	return l
}
