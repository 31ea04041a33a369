package wasm

// instrument makes the code section anew: every loop, and every function that calls others, first looks at the stop
// global and traps if it is set. That costs a load and a branch, where wazero's own way of ending code leaves the
// compiled code in each round.
func instrument(r *reader, stop int) []byte {
	check := encode(func(w *writer) {
		w.byte(0x23)
		w.u32(stop)
		w.bytes([]byte{0x04, 0x40, 0x00, 0x0b})
	})
	n := r.u32()
	out := &writer{b: make([]byte, 0, len(r.b)+len(r.b)/16)}
	out.u32(n)
	for range n {
		size := r.u32()
		at := r.base + r.pos
		body := &reader{b: r.take(size), base: at}
		for range body.u32() {
			body.u32()
			body.valType()
		}
		start := body.pos
		var loops []int
		calls := false
		for body.more() {
			op := body.byte()
			immediates(body, op)
			switch {
			case op == 0x03:
				loops = append(loops, body.pos)
			case op >= 0x10 && op <= 0x15:
				calls = true
			}
		}
		extra := len(loops) * len(check)
		if calls {
			extra += len(check)
		}
		out.u32(size + extra)
		out.bytes(body.b[:start])
		if calls {
			out.bytes(check)
		}
		last := start
		for _, p := range loops {
			out.bytes(body.b[last:p])
			out.bytes(check)
			last = p
		}
		out.bytes(body.b[last:])
	}
	return out.b
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
