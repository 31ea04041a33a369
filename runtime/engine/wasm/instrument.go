package wasm

// breath is how many rounds a function's loops make, and how many functions begin, between two looks at Go. With fewer,
// tight loops would be slow; with more, a collection of Go would wait longer: a function of 4095 empty rounds, called
// in a loop, keeps it waiting for some 10 ms.
const breath = 4096

// instrument makes the code section anew: functions that have loops or call others look at Go now and then, and trap
// there if the stop global is set. Being in Go is what lets it preempt the code: a collection stops the world and would
// otherwise wait for the code to end, with the limit's timer waiting for the collection. wazero's own way of ending
// code leaves in each round.
//
// Loops count in a local, which is a register and costs what a look at a global in memory would; beginnings of
// functions count in a global, so that neither recursion nor short loops in a function called often go by unseen.
// Waiting for another agent (memory.atomic.wait) traps: there are none, and the platform allows no isolate to wait.
//
// The way into Go that needs no import, and so moves no index, is to grow a table of our own by nothing.
func (m *module) instrument(r *reader, own additions) []byte {
	look := encode(func(w *writer) {
		w.bytes([]byte{0xd0, byte(funcref), 0x41, 0, 0xfc, 0x0f})
		w.u32(own.table)
		w.bytes([]byte{0x1a, 0x23})
		w.u32(own.stop)
		w.bytes([]byte{0x04, 0x40, 0x00, 0x0b})
	})
	begin := counting(0x23, 0x24, own.rounds, look)
	n := r.u32()
	imported := len(m.functions) - n
	out := &writer{b: make([]byte, 0, len(r.b)+len(r.b)/16)}
	out.u32(n)
	for f := range n {
		size := r.u32()
		at := r.base + r.pos
		body := &reader{b: r.take(size), base: at}
		groups := body.u32()
		locals := 0
		if imported+f >= 0 {
			locals = len(m.functions[imported+f].params)
		}
		declared := body.pos
		for range groups {
			locals += body.u32()
			body.valType()
		}
		start := body.pos
		round := counting(0x20, 0x21, locals, look)
		var edits []edit
		loops, calls := false, false
		for body.more() {
			at := body.pos
			op := body.byte()
			immediates(body, op)
			switch {
			case op == 0x03:
				loops = true
				edits = append(edits, edit{body.pos, body.pos, round})
			case op >= 0x10 && op <= 0x15:
				calls = true
			case op == 0xfe && (body.b[at+1] == 1 || body.b[at+1] == 2):
				edits = append(edits, edit{at, body.pos, []byte{0x00}})
			}
		}
		if !calls && len(edits) == 0 {
			out.u32(size)
			out.bytes(body.b)
			continue
		}
		grown := &writer{b: make([]byte, 0, size+(len(edits)+1)*(len(begin)+8))}
		if !loops {
			grown.bytes(body.b[:start])
		} else {
			grown.u32(groups + 1)
			grown.bytes(body.b[declared:start])
			grown.bytes([]byte{1, byte(i32)})
		}
		grown.bytes(begin)
		last := start
		for _, e := range edits {
			grown.bytes(body.b[last:e.from])
			grown.bytes(e.code)
			last = e.to
		}
		grown.bytes(body.b[last:])
		out.u32(len(grown.b))
		out.bytes(grown.b)
	}
	return out.b
}

// edit replaces some bytes of a function's code.
type edit struct {
	from, to int
	code     []byte
}

// counting is code that adds one to a variable, and runs look when the variable reaches breath. get and set are the
// opcodes for variables of its kind. look stands in the else of an empty if: wazero gives registers along the first
// arm, and if that one had a call in it, the whole loop would keep its variables in memory.
func counting(get, set byte, variable int, look []byte) []byte {
	return encode(func(w *writer) {
		w.byte(get)
		w.u32(variable)
		w.bytes([]byte{0x41, 1, 0x6a, set})
		w.u32(variable)
		w.byte(get)
		w.u32(variable)
		w.byte(0x41)
		w.i64(breath)
		w.bytes([]byte{0x47, 0x04, 0x40, 0x05, 0x41, 0, set})
		w.u32(variable)
		w.bytes(look)
		w.byte(0x0b)
	})
}

// immediates passes over what follows an opcode.
func immediates(r *reader, op byte) {
	switch {
	case op >= 0x02 && op <= 0x04:
		r.blockType()
	case op == 0x1f: // try_table
		r.blockType()
		for range r.u32() {
			switch r.byte() {
			case 0, 1:
				r.u32()
			}
			r.u32()
		}
	case op == 0x0e: // br_table
		for range r.u32() {
			r.u32()
		}
		r.u32()
	case op == 0x11 || op == 0x13:
		r.u32()
		r.u32()
	case op == 0x08, op == 0x0c, op == 0x0d, op == 0x10, op == 0x12, op == 0x14, op == 0x15,
		op >= 0x20 && op <= 0x26, op == 0x3f, op == 0x40, op == 0xd2, op == 0xd5, op == 0xd6:
		r.u32()
	case op == 0x1c:
		r.valTypes()
	case op >= 0x28 && op <= 0x3e:
		r.memArg()
	case op == 0x41, op == 0x42, op == 0xd0:
		r.skipLEB()
	case op == 0x43:
		r.take(4)
	case op == 0x44:
		r.take(8)
	case op == 0xfc:
		switch sub := r.u32(); {
		case sub <= 7:
		case sub == 8, sub == 10, sub == 12, sub == 14:
			r.u32()
			r.u32()
		case sub <= 17:
			r.u32()
		default:
			r.fail("invalid numeric opcode 0xfc%02x", sub)
		}
	case op == 0xfd:
		simdImmediates(r)
	case op == 0xfe:
		if r.u32() == 3 { // atomic.fence
			r.byte()
		} else {
			r.memArg()
		}
	case op <= 0x01, op == 0x05, op == 0x0a, op == 0x0b, op == 0x0f, op == 0x1a, op == 0x1b,
		op >= 0x45 && op <= 0xc4, op == 0xd1, op == 0xd3, op == 0xd4:
	case op == 0x06, op == 0x07, op == 0x09, op == 0x18, op == 0x19:
		r.fail("legacy exception handling (opcode 0x%x) is not supported: build with -sWASM_LEGACY_EXCEPTIONS=0", op)
	default:
		r.fail("invalid opcode 0x%x", op)
	}
}

func simdImmediates(r *reader) {
	switch sub := r.u32(); {
	case sub <= 11, sub == 92, sub == 93:
		r.memArg()
	case sub == 12, sub == 13:
		r.take(16)
	case sub >= 21 && sub <= 34:
		r.byte()
	case sub >= 84 && sub <= 91:
		r.memArg()
		r.byte()
	}
}

func (r *reader) memArg() {
	if r.uleb(5)&0x40 != 0 {
		r.u32()
	}
	r.uleb(10)
}

func (r *reader) blockType() {
	if !r.more() {
		r.fail("expected a block type")
	}
	switch b := r.b[r.pos]; b {
	case 0x63, 0x64:
		r.valType()
	default:
		r.skipLEB()
	}
}
