package kernel

import (
	"encoding/binary"
	"math"
	"math/bits"
)

const (
	maxRegisters = 256
	maxArrays    = 16
	maxNesting   = 16 // calls in each other, of which none is of itself
)

// pollEvery is how many rounds of loops and calls lie between two looks for an interrupt.
const pollEvery = 4096

type registers [maxRegisters]uint64

// machine runs one call of a kernel.
type machine struct {
	frames  [maxNesting]*registers
	budget  int
	poll    func() bool // tells whether the call is to end
	stopped bool
}

func (m *machine) frame(depth int) *registers {
	if m.frames[depth] == nil {
		m.frames[depth] = new(registers)
	}
	return m.frames[depth]
}

// spent tells, every pollEvery-th time, whether the call is to end.
func (m *machine) spent() bool {
	if m.budget--; m.budget > 0 {
		return false
	}
	m.budget = pollEvery
	m.stopped = m.poll()
	return m.stopped
}

func num(bits uint64) float64 { return math.Float64frombits(bits) }

// index is the element that a number names; -1 for one that names none. -0 names the first.
func index(bits uint64) int {
	f := num(bits)
	if i := int(f); float64(i) == f {
		return i
	}
	return -1
}

// toInt is ToInt32 of the standard, as bits.
func toInt(f float64) uint64 {
	if f > -(1<<62) && f < 1<<62 {
		return uint64(uint32(int64(f)))
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	f = math.Mod(math.Trunc(f), 1<<32) // exact: a double that large is an integer
	return uint64(uint32(int64(f)))
}

// remainder is the operator %.
func remainder(a, b float64) float64 {
	if a >= 0 && a < 1<<53 && b > 0 && b < 1<<53 {
		if i, j := int64(a), int64(b); float64(i) == a && float64(j) == b && (i != 0 || !math.Signbit(a)) {
			return float64(i % j)
		}
	}
	return math.Mod(a, b)
}

// loadInt is an element as an int, 0 past the end.
func loadInt(e Element, b []byte, i int) uint64 {
	if i < 0 || i >= len(b)/e.size() {
		return 0
	}
	switch e {
	case Int8:
		return uint64(uint32(int8(b[i])))
	case Uint8:
		return uint64(b[i])
	case Int16:
		return uint64(uint32(int16(binary.NativeEndian.Uint16(b[i*2:]))))
	case Uint16:
		return uint64(binary.NativeEndian.Uint16(b[i*2:]))
	case Float32, Float64:
		return toInt(loadNum(e, b, i))
	}
	return uint64(binary.NativeEndian.Uint32(b[i*4:]))
}

// loadNum is an element as a number, NaN past the end.
func loadNum(e Element, b []byte, i int) float64 {
	if i < 0 || i >= len(b)/e.size() {
		return math.NaN()
	}
	switch e {
	case Uint32:
		return float64(binary.NativeEndian.Uint32(b[i*4:]))
	case Float32:
		return float64(math.Float32frombits(binary.NativeEndian.Uint32(b[i*4:])))
	case Float64:
		return math.Float64frombits(binary.NativeEndian.Uint64(b[i*8:]))
	}
	return float64(int32(loadInt(e, b, i)))
}

func storeInt(e Element, b []byte, i int, v uint64) {
	if i < 0 || i >= len(b)/e.size() {
		return
	}
	switch e.size() {
	case 1:
		b[i] = byte(v)
	case 2:
		binary.NativeEndian.PutUint16(b[i*2:], uint16(v))
	case 4:
		binary.NativeEndian.PutUint32(b[i*4:], uint32(v))
	}
}

func storeNum(e Element, b []byte, i int, v float64) {
	if math.IsNaN(v) {
		v = math.NaN() // one for all, whatever the processor made
	}
	switch {
	case i < 0 || i >= len(b)/e.size():
	case e == Float32:
		binary.NativeEndian.PutUint32(b[i*4:], math.Float32bits(float32(v)))
	default:
		binary.NativeEndian.PutUint64(b[i*8:], math.Float64bits(v))
	}
}

// run runs code in the frame of a depth, whose registers hold the arguments already. It gives the result's register
// contents. After a stop the result means nothing.
func (m *machine) run(c *code, arrays *[maxArrays][]byte, depth int) uint64 {
	r := m.frame(depth)
	for _, k := range c.consts {
		r[k.reg] = k.bits
	}
	list := c.list
	for pc := 0; ; {
		in := list[pc]
		pc++
		switch in.op {
		case opMove:
			r[in.a] = r[in.b]
		case opAdd:
			r[in.a] = uint64(uint32(r[in.b]) + uint32(r[in.c]))
		case opSub:
			r[in.a] = uint64(uint32(r[in.b]) - uint32(r[in.c]))
		case opMul:
			r[in.a] = uint64(uint32(r[in.b]) * uint32(r[in.c]))
		case opAnd:
			r[in.a] = r[in.b] & r[in.c]
		case opOr:
			r[in.a] = r[in.b] | r[in.c]
		case opXor:
			r[in.a] = r[in.b] ^ r[in.c]
		case opShl:
			r[in.a] = uint64(uint32(r[in.b]) << (r[in.c] & 31))
		case opShr:
			r[in.a] = uint64(uint32(r[in.b]) >> (r[in.c] & 31))
		case opSar:
			r[in.a] = uint64(uint32(int32(r[in.b]) >> (r[in.c] & 31)))
		case opNot:
			r[in.a] = uint64(^uint32(r[in.b]))
		case opShlBy:
			r[in.a] = uint64(uint32(r[in.b]) << (in.imm & 31))
		case opShrBy:
			r[in.a] = uint64(uint32(r[in.b]) >> (in.imm & 31))
		case opSarBy:
			r[in.a] = uint64(uint32(int32(r[in.b]) >> (in.imm & 31)))
		case opRotl:
			r[in.a] = uint64(bits.RotateLeft32(uint32(r[in.b]), int(in.imm)))
		case opXorRotl:
			r[in.a] ^= uint64(bits.RotateLeft32(uint32(r[in.b])+uint32(r[in.c]), int(in.imm)))
		case opNumAdd:
			r[in.a] = math.Float64bits(num(r[in.b]) + num(r[in.c]))
		case opNumSub:
			r[in.a] = math.Float64bits(num(r[in.b]) - num(r[in.c]))
		case opNumMul:
			r[in.a] = math.Float64bits(num(r[in.b]) * num(r[in.c]))
		case opNumDiv:
			r[in.a] = math.Float64bits(num(r[in.b]) / num(r[in.c]))
		case opNumMod:
			r[in.a] = math.Float64bits(remainder(num(r[in.b]), num(r[in.c])))
		case opNumNeg:
			r[in.a] = math.Float64bits(-num(r[in.b]))
		case opToInt:
			r[in.a] = toInt(num(r[in.b]))
		case opFromInt:
			r[in.a] = math.Float64bits(float64(int32(r[in.b])))
		case opFromUint:
			r[in.a] = math.Float64bits(float64(uint32(r[in.b])))
		case opLoad32, opLoad32At:
			i := int(int32(r[in.c]))
			if in.op == opLoad32 {
				i = index(r[in.c])
			}
			if b := arrays[in.b%maxArrays]; uint(i) < uint(len(b)>>2) {
				r[in.a] = uint64(binary.NativeEndian.Uint32(b[i*4:]))
			} else {
				r[in.a] = 0
			}
		case opLoad8:
			if b, i := arrays[in.b%maxArrays], index(r[in.c]); uint(i) < uint(len(b)) {
				r[in.a] = uint64(b[i])
			} else {
				r[in.a] = 0
			}
		case opLoadInt:
			r[in.a] = loadInt(Element(in.imm), arrays[in.b%maxArrays], index(r[in.c]))
		case opLoadNum:
			r[in.a] = math.Float64bits(loadNum(Element(in.imm), arrays[in.b%maxArrays], index(r[in.c])))
		case opStore32, opStore32At:
			i := int(int32(r[in.c]))
			if in.op == opStore32 {
				i = index(r[in.c])
			}
			if b := arrays[in.b%maxArrays]; uint(i) < uint(len(b)>>2) {
				binary.NativeEndian.PutUint32(b[i*4:], uint32(r[in.a]))
			}
		case opStoreInt:
			storeInt(Element(in.imm), arrays[in.b%maxArrays], index(r[in.c]), r[in.a])
		case opStoreNum:
			storeNum(Element(in.imm), arrays[in.b%maxArrays], index(r[in.c]), num(r[in.a]))
		case opCall:
			k := &c.calls[in.imm]
			to := m.frame(depth + 1)
			for i, from := range k.nums {
				to[i] = r[from]
			}
			var passed [maxArrays][]byte
			for i, from := range k.arrays {
				passed[i] = arrays[from]
			}
			if result := m.run(k.code, &passed, depth+1); k.code.gives {
				r[k.result] = result
			}
			if m.stopped || m.spent() {
				return 0
			}
		case opEnd:
			return 0
		case opGive:
			return r[in.a]
		case opLoop:
			if m.spent() {
				return 0
			}
			pc = int(in.imm)
		default:
			if in.jumps(r) {
				pc = int(in.imm)
			}
		}
	}
}

// jumps tells whether the condition of a jump holds.
func (in ins) jumps(r *registers) bool {
	switch in.op {
	case opIfLess:
		return num(r[in.a]) < num(r[in.b])
	case opIfNotLess:
		return !(num(r[in.a]) < num(r[in.b])) // NaN is not less
	case opIfLessEq:
		return num(r[in.a]) <= num(r[in.b])
	case opIfNotLessEq:
		return !(num(r[in.a]) <= num(r[in.b]))
	case opIfEq:
		return num(r[in.a]) == num(r[in.b])
	case opIfNotEq:
		return num(r[in.a]) != num(r[in.b])
	case opIfIntEq:
		return r[in.a] == r[in.b]
	case opIfIntNotEq:
		return r[in.a] != r[in.b]
	case opIfIntLess:
		return int32(r[in.a]) < int32(r[in.b])
	case opIfIntNotLess:
		return int32(r[in.a]) >= int32(r[in.b])
	case opIfTrue:
		return truth(num(r[in.a]))
	case opIfFalse:
		return !truth(num(r[in.a]))
	case opIfInt:
		return r[in.a] != 0
	case opIfNotInt:
		return r[in.a] == 0
	}
	return true // opJump
}

// truth is ToBoolean of a number: neither zero nor NaN.
func truth(f float64) bool { return f < 0 || f > 0 }
