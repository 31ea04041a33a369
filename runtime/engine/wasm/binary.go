package wasm

import (
	"bytes"
	"fmt"
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

var valTypeNames = map[valType]string{
	i32: "i32", i64: "i64", f32: "f32", f64: "f64", v128: "v128", funcref: "anyfunc", externref: "externref",
	typedRef: "ref"}

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

// extern is the type of an import, or of a function, table, memory or global of the module.
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
	if m.start >= 0 &&
		(m.start >= len(m.functions) || len(m.functions[m.start].params)+len(m.functions[m.start].results) > 0) {
		return nil, &formatError{"invalid start function: non-zero parameter or return count, or no such function", 0}
	}
	for _, e := range m.exports {
		if n := [...]int{
			len(m.functions), len(m.tables), len(m.memories), len(m.globals), 1 << 30}[e.kind]; e.index >= n {
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
