package kernel

import (
	"fmt"
	"strings"
	"testing"

	"eddy/runtime/engine/native"
)

// wazeros are WebAssembly's numbers of one width, as wazero is asked for them.
type wazeros struct {
	r                         rep
	first, and, add, sub, eqz byte
	constant                  func(int64) fragment
	cut                       func(int64) int64
	unsigned                  func(int64) uint64
}

var widths = []wazeros{
	{repI32, opI32Eq, opI32And, opI32Add, opI32Sub, opI32Eqz, func(n int64) fragment { return constI32(int32(n)) },
		func(n int64) int64 { return int64(int32(n)) }, func(n int64) uint64 { return uint64(uint32(n)) }},
	{repI64, opI64Eq, 0x83, opI64Add, opI64Sub, opI64Eqz, constI64,
		func(n int64) int64 { return n }, func(n int64) uint64 { return uint64(n) }},
}

// TestComparisonsOfWazero: wazero joins a comparison with what makes its operands and with the branch behind it. What
// it gets wrong must be of a shape that kernels never have: a constant zero to the left of what & gives.
func TestComparisonsOfWazero(t *testing.T) {
	numbers := []int64{0, 1, -1, 5, 0x80, -0x80, 0x7fffffff, -0x80000000, -6}
	for _, w := range widths {
		for n := range byte(10) {
			c := w.comparisons(n)
			code, err := native.Compile(module([]rep{w.r, w.r}, c.results, nil, c.code, native.MemoryPages))
			if err != nil {
				t.Fatal(err)
			}
			i, err := code.Take(len(c.results))
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range numbers {
				for _, b := range numbers {
					i.Stack[0], i.Stack[1] = w.unsigned(a), w.unsigned(b)
					if err := i.Call(); err != nil {
						t.Fatal(err)
					}
					for k, want := range c.wants {
						got := uint32(i.Stack[k]) != 0
						if got != want(a, b) && !strings.Contains(c.names[k], "0 with &") {
							t.Errorf("%s by %#x of %d and %d is %v", c.names[k], w.first+n, a, b, got)
						}
					}
				}
			}
			i.Give()
		}
	}
}

// compared are comparisons by one instruction, the results of a function of a and b.
type compared struct {
	code    fragment
	results []rep
	names   []string
	wants   []func(a, b int64) bool
}

// comparisons are those by the n-th instruction.
func (w wazeros) comparisons(n byte) (c compared) {
	less := func(x, y int64) bool { return x < y }
	if n >= 2 && n%2 == 1 {
		less = func(x, y int64) bool { return w.unsigned(x) < w.unsigned(y) }
	}
	is := [...]func(x, y int64) bool{
		func(x, y int64) bool { return (x == y) == (n == 0) }, less, func(x, y int64) bool { return less(y, x) },
		func(x, y int64) bool { return !less(y, x) }, func(x, y int64) bool { return !less(x, y) }}[n/2]
	operands := []struct {
		name string
		code fragment
		is   func(a, b int64) int64
	}{
		{"0", w.constant(0), func(_, _ int64) int64 { return 0 }},
		{"1", w.constant(1), func(_, _ int64) int64 { return 1 }},
		{"a", get(0), func(a, _ int64) int64 { return a }},
		{"& of both", seq(get(0), get(1), op(w.and)), func(a, b int64) int64 { return a & b }},
		{"& of a constant", seq(w.constant(-8), get(1), op(w.and)), func(_, b int64) int64 { return -8 & b }},
		{"a + b", seq(get(0), get(1), op(w.add)), func(a, b int64) int64 { return w.cut(a + b) }},
		{"a - b", seq(get(0), get(1), op(w.sub)), func(a, b int64) int64 { return w.cut(a - b) }},
	}
	choice := fragment{opIf, byte(repI32), 0x41, 1, opElse, 0x41, 0, opEnd}
	uses := []struct {
		name          string
		before, after fragment
		not           bool
	}{
		{"a value", nil, nil, false}, {"if", nil, choice, false},
		{"if not", nil, seq(op(opI32Eqz), choice), true}, {"select", fragment{0x41, 1, 0x41, 0}, op(opSelect), false},
		{"br_if", fragment{opBlock, byte(repI32), 0x41, 1}, fragment{opBranchIf, 0, opDrop, 0x41, 0, opEnd}, false},
	}
	for _, x := range operands {
		for _, y := range operands {
			for _, u := range uses {
				c.code = append(c.code, seq(u.before, x.code, y.code, op(w.first+n), u.after)...)
				c.results = append(c.results, repI32)
				c.names = append(c.names, fmt.Sprintf("%s of %s with %s", u.name, x.name, y.name))
				c.wants = append(c.wants, func(a, b int64) bool { return is(x.is(a, b), y.is(a, b)) != u.not })
			}
		}
	}
	return c
}
