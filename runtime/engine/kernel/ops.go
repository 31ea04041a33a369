package kernel

// op is what an instruction does. Registers are named by a, b and c; "num" is a double's bits, "int" an int32 in the
// low half.
type op uint8

const (
	opMove op = iota // a = b

	opAdd // ints: a = b op c, modulo 2^32
	opSub
	opMul
	opAnd
	opOr
	opXor
	opShl
	opShr // unsigned
	opSar
	opNot
	opShlBy // by imm
	opShrBy
	opSarBy
	opRotl    // a = b rotated left by imm
	opXorRotl // a ^= (b + c) rotated left by imm

	opNumAdd // nums
	opNumSub
	opNumMul
	opNumDiv
	opNumMod
	opNumNeg

	opToInt   // a = ToInt32(b)
	opFromInt // a = the number of int b
	opFromUint

	opLoad32    // ints: a = element c (num) of array b, of 32 bits; 0 past the end
	opLoad8     // the same for unsigned bytes
	opLoadInt   // the same for the element type imm
	opLoadNum   // the same as a number; NaN past the end
	opStore32   // element c (num) of array b = int a
	opStoreInt  // the same for the element type imm
	opStoreNum  // the same for a num a
	opLoad32At  // as without At, c is an int
	opStore32At // as without At, c is an int

	opJump // to imm
	opLoop // to imm, backwards
	opIfLess
	opIfNotLess
	opIfLessEq
	opIfNotLessEq
	opIfEq // nums a and b; to imm
	opIfNotEq
	opIfIntEq // ints a and b
	opIfIntNotEq
	opIfIntLess
	opIfIntNotLess
	opIfTrue // num a
	opIfFalse
	opIfInt // int a is not zero
	opIfNotInt

	opCall // calls[imm]
	opEnd
	opGive // the num a is the result
)

// ins is one instruction.
type ins struct {
	op      op
	a, b, c uint8
	imm     int32
}

// Element is the type of a typed array's elements; the zero Element is none that kernels know.
type Element uint8

// The elements that kernels know. Clamped bytes and BigInts are none of them.
const (
	Int8 Element = iota + 1
	Uint8
	Int16
	Uint16
	Int32
	Uint32
	Float32
	Float64
)

// size is how many bytes an element has.
func (e Element) size() int {
	switch e {
	case Int8, Uint8:
		return 1
	case Int16, Uint16:
		return 2
	case Float64:
		return 8
	}
	return 4
}

func (e Element) isFloat() bool { return e == Float32 || e == Float64 }

// constant is a register that holds a value from the start.
type constant struct {
	reg  uint8
	bits uint64
}

// call says which code a call runs, and what goes into its registers and arrays.
type call struct {
	code   *code
	nums   []uint8 // registers of the numbers, which become the callee's first registers
	arrays []uint8 // which of the caller's arrays become the callee's
	result uint8   // register of the result, if the callee gives one
}

// code is a function as instructions, for arrays of certain elements. It does not change once it is made.
type code struct {
	list   []ins
	consts []constant
	calls  []call
	gives  bool // every end gives a number
	depth  int  // how many calls nest below it
}
