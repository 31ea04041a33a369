package kernel

import (
	"encoding/binary"
	"math"
)

// fragment is a piece of a WebAssembly function.
type fragment []byte

// The instructions that kernels use.
const (
	opUnreachable = 0x00
	opBlock       = 0x02
	opLoop        = 0x03
	opIf          = 0x04
	opElse        = 0x05
	opEnd         = 0x0b
	opBranch      = 0x0c
	opBranchIf    = 0x0d
	opCall        = 0x10
	opDrop        = 0x1a
	opSelect      = 0x1b
	opGet         = 0x20
	opSet         = 0x21
	opTee         = 0x22

	opI32Eqz  = 0x45
	opI32Eq   = 0x46
	opI32Ne   = 0x47
	opI32LtS  = 0x48
	opI32LtU  = 0x49
	opI64Eqz  = 0x50
	opI64Eq   = 0x51
	opI64LtS  = 0x53
	opI64LtU  = 0x54
	opF64Eq   = 0x61
	opF64Ne   = 0x62
	opF64Lt   = 0x63
	opI32Clz  = 0x67
	opI32Add  = 0x6a
	opI32Sub  = 0x6b
	opI32Mul  = 0x6c
	opI32RemU = 0x70
	opI32And  = 0x71
	opI32Or   = 0x72
	opI32Xor  = 0x73
	opI32Shl  = 0x74
	opI32ShrS = 0x75
	opI32ShrU = 0x76
	opI32Rotl = 0x77
	opI64Add  = 0x7c
	opI64Sub  = 0x7d
	opI64Mul  = 0x7e
	opI64DivS = 0x7f
	opI64RemS = 0x81
	opI64RemU = 0x82

	opF64Abs     = 0x99
	opF64Neg     = 0x9a
	opF64Ceil    = 0x9b
	opF64Floor   = 0x9c
	opF64Trunc   = 0x9d
	opF64Nearest = 0x9e
	opF64Sqrt    = 0x9f
	opF64Add     = 0xa0
	opF64Sub     = 0xa1
	opF64Mul     = 0xa2
	opF64Div     = 0xa3
	opF64Min     = 0xa4
	opF64Max     = 0xa5
	opCopySign   = 0xa6

	opWrap        = 0xa7
	opExtendS     = 0xac
	opExtendU     = 0xad
	opDemote      = 0xb6
	opF64FromI32  = 0xb7
	opF64FromU32  = 0xb8
	opF64FromI64  = 0xb9
	opPromote     = 0xbb
	opBytesToI32  = 0xbc // i32.reinterpret_f32
	opBytesOfF64  = 0xbd // i64.reinterpret_f64
	opBytesToF32  = 0xbe
	opSaturate    = 0xfc
	opMemory      = 0xfc
	memoryCopy    = 10
	memoryFill    = 11
	satU32FromF64 = 3
	satI64FromF64 = 6

	typeVoid = 0x40
)

func seq(parts ...fragment) fragment {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	out := make(fragment, 0, n)
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

func op(code ...byte) fragment { return code }

func opN(code byte, n int) fragment { return binary.AppendUvarint(fragment{code}, uint64(n)) }

func get(local int) fragment { return opN(opGet, local) }

func set(local int) fragment { return opN(opSet, local) }

func tee(local int) fragment { return opN(opTee, local) }

func signed(b fragment, v int64) fragment {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

func constI32(v int32) fragment { return signed(fragment{0x41}, int64(v)) }

func constI64(v int64) fragment { return signed(fragment{0x42}, v) }

func constF64(f float64) fragment {
	return binary.LittleEndian.AppendUint64(fragment{0x44}, math.Float64bits(f))
}

// memory is an access whose address is on the stack.
func memory(code byte, offset int) fragment {
	return binary.AppendUvarint(fragment{code, 0}, uint64(offset))
}

// parts of a module
func section(id byte, items ...fragment) fragment {
	body := binary.AppendUvarint(nil, uint64(len(items)))
	for _, i := range items {
		body = append(body, i...)
	}
	return append(binary.AppendUvarint(fragment{id}, uint64(len(body))), body...)
}

func signature(params, results []rep) fragment {
	out := fragment{0x60}
	for _, list := range [][]rep{params, results} {
		out = binary.AppendUvarint(out, uint64(len(list)))
		for _, r := range list {
			out = append(out, byte(r))
		}
	}
	return out
}

// body is a function's code with its locals, those of one type after the other in the order in which they were made.
func body(locals []rep, code fragment) fragment {
	var groups fragment
	count := 0
	for i := 0; i < len(locals); {
		n := i
		for n < len(locals) && locals[n] == locals[i] {
			n++
		}
		groups = append(binary.AppendUvarint(groups, uint64(n-i)), byte(locals[i]))
		count++
		i = n
	}
	out := append(binary.AppendUvarint(nil, uint64(count)), groups...)
	out = append(append(out, code...), opEnd)
	return append(binary.AppendUvarint(nil, uint64(len(out))), out...)
}

// The functions of a module: the poll, the remainder of doubles, the kernel, and ToInt32 of a double of any size.
const (
	functionPoll = iota
	functionRemainder
	functionKernel
	functionToInt
)

// module is a kernel's module.
func module(params, results, locals []rep, code fragment, pages int) []byte {
	out := fragment("\x00asm\x01\x00\x00\x00")
	out = append(out, section(1, signature(nil, []rep{repI32}), signature(params, results),
		signature([]rep{repF64}, []rep{repI32}), signature([]rep{repF64, repF64}, []rep{repF64}))...)
	out = append(out, section(2, fragment("\x01e\x01p\x00\x00"), fragment("\x01e\x01m\x00\x03"))...)
	out = append(out, section(3, fragment{1}, fragment{2})...)
	out = append(out, section(5, binary.AppendUvarint(fragment{0}, uint64(pages)))...)
	out = append(out, section(7, fragment{1, 'k', 0, functionKernel})...)
	return append(out, section(10, body(locals, code), body(nil, toIntBody()))...)
}

// toIntBody is x - floor(x / 2^32) * 2^32 of a truncated x, which is exact for doubles; infinities give NaN and so 0.
func toIntBody() fragment {
	return seq(
		get(0), op(opF64Abs), constF64(1<<62), op(opF64Lt),
		op(opIf, byte(repI32)), get(0), op(opSaturate, satI64FromF64, opWrap),
		op(opElse),
		get(0), get(0), constF64(1.0/(1<<32)), op(opF64Mul, opF64Floor), constF64(1<<32), op(opF64Mul, opF64Sub),
		op(opSaturate, satI64FromF64, opWrap),
		op(opEnd))
}
