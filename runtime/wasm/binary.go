package wasm

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// valType is a value type's byte of the binary format; a typed reference, which JavaScript cannot see, is typedRef.
type valType byte

const (
	i32       valType = 0x7f
	i64       valType = 0x7e
	f32       valType = 0x7d
	f64       valType = 0x7c
	v128      valType = 0x7b
	funcref   valType = 0x70
	externref valType = 0x6f
	typedRef  valType = 0x64
)

var valTypeNames = map[valType]string{i32: "i32", i64: "i64", f32: "f32", f64: "f64", v128: "v128", funcref: "anyfunc", externref: "externref", typedRef: "ref"}

// signature is a function type.
type signature struct{ params, results []valType }

func (s signature) key() string {
	b := make([]byte, 0, len(s.params)+len(s.results)+1)
	for _, t := range s.params {
		b = append(b, byte(t))
	}
	b = append(b, '>')
	for _, t := range s.results {
		b = append(b, byte(t))
	}
	return string(b)
}

// visible tells whether JavaScript can pass and take these values.
func (s signature) visible() bool {
	for _, list := range [][]valType{s.params, s.results} {
		for _, t := range list {
			switch t {
			case i32, i64, f32, f64, funcref, externref:
			default:
				return false
			}
		}
	}
	return true
}

// kind is the external kind of an import or export.
type kind byte

const (
	kindFunction kind = iota
	kindTable
	kindMemory
	kindGlobal
	kindTag
)

var kindNames = [...]string{"function", "table", "memory", "global", "tag"}

// limits of memories (pages of 64 KiB) and tables (entries).
type limits struct {
	min, max uint64
	hasMax   bool
	shared   bool
}

// extern is the type of an import or of a thing with an index.
type extern struct {
	kind    kind
	sig     signature
	val     valType // of a global, or of a table's entries
	mutable bool
	limits  limits
	raw     []byte // the type's bytes as they stood in the import section
}

type importEntry struct {
	module, name string
	extern
}

type exportEntry struct {
	name  string
	kind  kind
	index int
}

type section struct {
	id     byte
	offset int
	body   []byte
}

// module is what eddy itself must know of a binary. Everything else is left to wazero's validation.
type module struct {
	sections []section
	types    []signature
	imports  []importEntry
	exports  []exportEntry
	// functions, tables, memories, globals are indexed as in the module, imports first.
	functions []signature
	tables    []extern
	memories  []extern
	globals   []extern
	custom    []customSection
	start     int // index of the start function, -1 for none
}

type customSection struct {
	name string
	data []byte
}

// formatError is a malformed binary, at a byte offset.
type formatError struct {
	text   string
	offset int
}

func (e *formatError) Error() string { return fmt.Sprintf("%s @+%d", e.text, e.offset) }

// reader walks over bytes. It panics with *formatError; decode recovers.
type reader struct {
	b    []byte
	pos  int
	base int // offset of b in the file
}

func (r *reader) fail(format string, args ...any) {
	panic(&formatError{fmt.Sprintf(format, args...), r.base + r.pos})
}

func (r *reader) more() bool { return r.pos < len(r.b) }

func (r *reader) byte() byte {
	if r.pos >= len(r.b) {
		r.fail("expected 1 byte")
	}
	b := r.b[r.pos]
	r.pos++
	return b
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b)-r.pos {
		r.fail("expected %d bytes, fell off end", n)
	}
	b := r.b[r.pos : r.pos+n]
	r.pos += n
	return b
}

// uleb reads an unsigned number; n is the greatest number of bytes, 5 or 10.
func (r *reader) uleb(n int) uint64 {
	var v uint64
	for i := range n {
		b := r.byte()
		v |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			return v
		}
	}
	r.fail("invalid LEB128, length overflow while decoding")
	return 0
}

func (r *reader) u32() int {
	v := r.uleb(5)
	if v > 1<<32-1 {
		r.fail("invalid LEB128, extra bits in varint")
	}
	return int(v)
}

func (r *reader) skipLEB() { r.sleb() }

func (r *reader) sleb() int64 {
	var v int64
	for i := range 10 {
		b := r.byte()
		v |= int64(b&0x7f) << (7 * i)
		if b < 0x80 {
			if b&0x40 != 0 && 7*(i+1) < 64 {
				v |= -1 << (7 * (i + 1))
			}
			return v
		}
	}
	r.fail("invalid LEB128, length overflow while decoding")
	return 0
}

func (r *reader) name() string {
	b := r.take(r.u32())
	if !utf8.Valid(b) {
		r.fail("invalid UTF-8 string")
	}
	return string(b)
}

func (r *reader) valType() valType {
	b := r.byte()
	switch b {
	case 0x63, 0x64:
		heap := r.sleb()
		if b == 0x63 && heap == -16 {
			return funcref
		}
		if b == 0x63 && heap == -17 {
			return externref
		}
		return typedRef
	case 0x7f, 0x7e, 0x7d, 0x7c, 0x7b, 0x70, 0x6f:
		return valType(b)
	case 0x69, 0x6e, 0x6d, 0x6c, 0x6b, 0x6a, 0x71, 0x72, 0x73, 0x74:
		return typedRef
	}
	r.pos--
	r.fail("invalid value type 0x%x", b)
	return 0
}

func (r *reader) valTypes() []valType {
	n := r.u32()
	if n > 1000 {
		r.fail("number of parameters or results %d exceeds internal limit of 1000", n)
	}
	list := make([]valType, n)
	for i := range list {
		list[i] = r.valType()
	}
	return list
}

func (r *reader) limits() limits {
	flag := r.byte()
	if flag > 3 {
		r.fail("invalid limits flags 0x%x", flag)
	}
	l := limits{min: r.uleb(5), hasMax: flag&1 != 0, shared: flag&2 != 0}
	if l.hasMax {
		l.max = r.uleb(5)
	}
	return l
}

func (r *reader) tableType() extern {
	t := r.valType()
	return extern{kind: kindTable, val: t, limits: r.limits()}
}

func (r *reader) globalType() extern {
	t := r.valType()
	return extern{kind: kindGlobal, val: t, mutable: r.byte() == 1}
}

// decode reads what eddy needs of a binary.
func decode(code []byte) (m *module, err error) {
	defer func() {
		if x := recover(); x != nil {
			fe, ok := x.(*formatError)
			if !ok {
				panic(x)
			}
			m, err = nil, fe
		}
	}()
	switch {
	case len(code) == 0:
		return nil, &formatError{"BufferSource argument is empty", 0}
	case len(code) < 4 || !bytes.Equal(code[:4], []byte("\x00asm")):
		return nil, &formatError{fmt.Sprintf("expected magic word 00 61 73 6d, found % x", code[:min(4, len(code))]), 0}
	case len(code) < 8 || !bytes.Equal(code[4:8], []byte{1, 0, 0, 0}):
		return nil, &formatError{fmt.Sprintf("expected version 01 00 00 00, found % x", code[4:min(8, len(code))]), 4}
	}
	m = &module{start: -1}
	r := &reader{b: code, pos: 8}
	for r.more() {
		id := r.byte()
		n := r.u32()
		at := r.pos
		body := r.take(n)
		m.sections = append(m.sections, section{id, at, body})
		m.section(&reader{b: body, base: at}, id)
	}
	if m.start >= 0 && (m.start >= len(m.functions) || len(m.functions[m.start].params)+len(m.functions[m.start].results) > 0) {
		return nil, &formatError{"invalid start function: non-zero parameter or return count, or no such function", 0}
	}
	for _, e := range m.exports {
		if n := [...]int{len(m.functions), len(m.tables), len(m.memories), len(m.globals), 1 << 30}[e.kind]; e.index >= n {
			return nil, &formatError{fmt.Sprintf("%s index %d out of bounds", kindNames[e.kind], e.index), 0}
		}
	}
	return m, nil
}

func (m *module) section(r *reader, id byte) {
	switch id {
	case 0:
		name := r.name()
		m.custom = append(m.custom, customSection{name, r.b[r.pos:]})
	case 1:
		for range r.u32() {
			m.typeEntry(r)
		}
	case 2:
		for range r.u32() {
			m.importEntry(r)
		}
	case 3:
		for range r.u32() {
			m.functions = append(m.functions, m.sig(r))
		}
	case 4:
		for range r.u32() {
			if r.more() && r.b[r.pos] == 0x40 {
				r.take(2)
				m.tables = append(m.tables, r.tableType())
				skipConst(r)
				continue
			}
			m.tables = append(m.tables, r.tableType())
		}
	case 5:
		for range r.u32() {
			m.memories = append(m.memories, extern{kind: kindMemory, limits: r.limits()})
		}
	case 6:
		for range r.u32() {
			m.globals = append(m.globals, r.globalType())
			skipConst(r)
		}
	case 8:
		m.start = r.u32()
	case 7:
		seen := map[string]bool{}
		for range r.u32() {
			e := exportEntry{name: r.name(), kind: kind(r.byte()), index: 0}
			if e.kind > kindTag {
				r.fail("invalid export kind 0x%x", byte(e.kind))
			}
			e.index = r.u32()
			if seen[e.name] {
				r.fail("Duplicate export name '%s' for %s %d", e.name, kindNames[e.kind], e.index)
			}
			seen[e.name] = true
			m.exports = append(m.exports, e)
		}
	}
}

func (m *module) typeEntry(r *reader) {
	switch form := r.byte(); form {
	case 0x60:
		m.types = append(m.types, signature{r.valTypes(), r.valTypes()})
	case 0x4e:
		for range r.u32() {
			m.typeEntry(r)
		}
	case 0x50, 0x4f:
		for range r.u32() {
			r.u32()
		}
		m.typeEntry(r)
	default:
		r.pos--
		r.fail("unknown type form: %d, expected 0x60 (garbage-collected types are not supported)", form)
	}
}

func (m *module) sig(r *reader) signature {
	i := r.u32()
	if i >= len(m.types) {
		r.fail("no signature at index %d (%d types)", i, len(m.types))
	}
	return m.types[i]
}

func (m *module) importEntry(r *reader) {
	e := importEntry{module: r.name(), name: r.name()}
	at := r.pos
	k := kind(r.byte())
	switch k {
	case kindFunction:
		e.extern = extern{sig: m.sig(r)}
		m.functions = append(m.functions, e.sig)
	case kindTable:
		e.extern = r.tableType()
		m.tables = append(m.tables, e.extern)
	case kindMemory:
		e.extern = extern{limits: r.limits()}
		m.memories = append(m.memories, e.extern)
	case kindGlobal:
		e.extern = r.globalType()
		m.globals = append(m.globals, e.extern)
	case kindTag:
		r.byte()
		e.extern = extern{sig: m.sig(r)}
	default:
		r.fail("unknown import desc code 0x%x", byte(k))
	}
	e.kind, e.raw = k, r.b[at:r.pos]
	m.imports = append(m.imports, e)
}

// skipConst passes over a constant expression.
func skipConst(r *reader) {
	for {
		switch op := r.byte(); op {
		case 0x0b:
			return
		case 0x41, 0x42, 0x23, 0xd0, 0xd2:
			r.skipLEB()
		case 0x43:
			r.take(4)
		case 0x44:
			r.take(8)
		case 0x6a, 0x6b, 0x6c, 0x7c, 0x7d, 0x7e:
		case 0xfd:
			if sub := r.u32(); sub != 12 {
				r.fail("opcode 0xfd%x is not allowed in constant expressions", sub)
			}
			r.take(16)
		default:
			r.fail("opcode 0x%x is not allowed in constant expressions", op)
		}
	}
}
