package wasm

import (
	"math"
	"strconv"
)

// stopExport is the name of the global that ends loops; exports of the module itself have numbers for names.
const stopExport = "stop"

// startExport is the start function's name.
const startExport = "start"

// shimModule is the import module of functions; other imports come from a module named by their position.
const shimModule = "f"

// additions are the indices of what a rewritten module has beyond its own, after everything of the same kind.
type additions struct {
	stop, rounds int // globals
	table        int // of no entries
}

// rewrite makes the binary that wazero gets; see the package documentation.
func (m *module) rewrite() []byte {
	own := additions{stop: len(m.globals), rounds: len(m.globals) + 1, table: len(m.tables)}
	out := &writer{b: []byte("\x00asm\x01\x00\x00\x00")}
	done := map[byte]bool{}
	// A section that the binary lacks is put in before the first later one.
	order := []byte{1, 2, 3, 4, 5, 13, 6, 7, 8, 9, 12, 10, 11}
	rank := func(id byte) int {
		for i, o := range order {
			if o == id {
				return i
			}
		}
		return len(order)
	}
	ensure := func(upTo int) {
		for _, id := range []byte{4, 6, 7} {
			if done[id] || rank(id) >= upTo {
				continue
			}
			done[id] = true
			switch id {
			case 4:
				out.section(4, tableSection(nil))
			case 6:
				out.section(6, globalSection(nil))
			case 7:
				out.section(7, m.exportSection(own.stop))
			}
		}
	}
	for _, s := range m.sections {
		if s.id == 0 {
			if name := (&reader{b: s.body}).name(); name == "name" {
				ensure(len(order))
				out.section(0, s.body)
			}
			continue
		}
		ensure(rank(s.id))
		done[s.id] = true
		switch s.id {
		case 8: // the start function becomes an export, so that it runs when the instance is known
		case 2:
			out.section(2, m.importSection())
		case 4:
			out.section(4, tableSection(s.body))
		case 6:
			out.section(6, globalSection(s.body))
		case 7:
			out.section(7, m.exportSection(own.stop))
		case 10:
			out.section(10, m.instrument(&reader{b: s.body, base: s.offset}, own))
		default:
			out.section(s.id, s.body)
		}
	}
	ensure(len(order))
	return out.b
}

func (m *module) importSection() []byte {
	w := &writer{}
	w.u32(len(m.imports))
	for i, e := range m.imports {
		if e.kind == kindFunction {
			w.name(shimModule)
			w.name(strconv.Itoa(i))
		} else {
			w.name(strconv.Itoa(i))
			w.name("0")
		}
		w.bytes(e.raw)
	}
	return w.b
}

// tableSection adds the table of no entries at the end.
func tableSection(body []byte) []byte { return appended(body, []byte{byte(funcref), 1, 0, 0}) }

// globalSection adds two globals at the end: stop, and the count of functions that have begun.
func globalSection(body []byte) []byte {
	zero := []byte{byte(i32), 1, 0x41, 0, 0x0b}
	return appended(body, zero, zero)
}

// appended adds entries to a section; body is nil when there was no such section.
func appended(body []byte, entries ...[]byte) []byte {
	w := &writer{}
	r := &reader{b: body}
	n := 0
	if body != nil {
		n = r.u32()
	}
	w.u32(n + len(entries))
	w.bytes(r.b[r.pos:])
	for _, e := range entries {
		w.bytes(e)
	}
	return w.b
}

func (m *module) exportSection(stop int) []byte {
	w := &writer{}
	n := len(m.exports) + 1
	if m.start >= 0 {
		n++
	}
	w.u32(n)
	for i, e := range m.exports {
		w.name(strconv.Itoa(i))
		w.byte(byte(e.kind))
		w.u32(e.index)
	}
	w.name(stopExport)
	w.byte(byte(kindGlobal))
	w.u32(stop)
	if m.start >= 0 {
		w.name(startExport)
		w.byte(byte(kindFunction))
		w.u32(m.start)
	}
	return w.b
}

// writer makes binaries.
type writer struct{ b []byte }

func (w *writer) byte(b byte)    { w.b = append(w.b, b) }
func (w *writer) bytes(b []byte) { w.b = append(w.b, b...) }

func (w *writer) u32(v int) {
	u := uint64(v)
	for u >= 0x80 {
		w.byte(byte(u) | 0x80)
		u >>= 7
	}
	w.byte(byte(u))
}

func (w *writer) i64(v int64) {
	for {
		b := byte(v & 0x7f)
		v >>= 7
		if v == 0 && b&0x40 == 0 || v == -1 && b&0x40 != 0 {
			w.byte(b)
			return
		}
		w.byte(b | 0x80)
	}
}

func (w *writer) name(s string) {
	w.u32(len(s))
	w.b = append(w.b, s...)
}

func (w *writer) section(id byte, body []byte) {
	w.byte(id)
	w.u32(len(body))
	w.bytes(body)
}

func (w *writer) types(list []valType) {
	w.u32(len(list))
	for _, t := range list {
		w.byte(byte(t))
	}
}

func (w *writer) signature(s signature) {
	w.byte(0x60)
	w.types(s.params)
	w.types(s.results)
}

func (w *writer) limits(l limits) {
	flag := byte(0)
	if l.hasMax {
		flag |= 1
	}
	if l.shared {
		flag |= 2
	}
	w.byte(flag)
	w.u32(int(l.min))
	if l.hasMax {
		w.u32(int(l.max))
	}
}

// constant writes the expression that has the value bits of type t.
func (w *writer) constant(t valType, bits uint64) {
	switch t {
	case i32:
		w.byte(0x41)
		w.i64(int64(int32(bits)))
	case i64:
		w.byte(0x42)
		w.i64(int64(bits))
	case f32:
		w.byte(0x43)
		for i := range 4 {
			w.byte(byte(bits >> (8 * i)))
		}
	case f64:
		w.byte(0x44)
		for i := range 8 {
			w.byte(byte(bits >> (8 * i)))
		}
	case funcref, externref:
		w.bytes([]byte{0xd0, byte(t)})
	}
	w.byte(0x0b)
}

// counted joins encoded items with their number.
func counted(items ...[]byte) []byte {
	w := &writer{}
	w.u32(len(items))
	for _, it := range items {
		w.bytes(it)
	}
	return w.b
}

func encode(f func(w *writer)) []byte {
	w := &writer{}
	f(w)
	return w.b
}

func exportOf(name string, k kind, index int) []byte {
	return encode(func(w *writer) { w.name(name); w.byte(byte(k)); w.u32(index) })
}

func importOf(module, name string, desc []byte) []byte {
	return encode(func(w *writer) { w.name(module); w.name(name); w.bytes(desc) })
}

// bodyOf makes an entry of the code section that has no locals.
func bodyOf(code []byte) []byte {
	return encode(func(w *writer) { w.u32(len(code) + 2); w.byte(0); w.bytes(code); w.byte(0x0b) })
}

func binary(sections map[byte][]byte) []byte {
	w := &writer{b: []byte("\x00asm\x01\x00\x00\x00")}
	for _, id := range []byte{1, 2, 3, 4, 5, 6, 7, 9, 10} {
		if body, ok := sections[id]; ok {
			w.section(id, body)
		}
	}
	return w.b
}

func f32Bits(f float64) uint64 { return uint64(math.Float32bits(float32(f))) }
