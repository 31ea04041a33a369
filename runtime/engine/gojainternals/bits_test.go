package gojainternals

import (
	"testing"

	"github.com/dop251/goja"
)

// What is beyond 64 bits has its lowest 32 (ECMA-262, 7.1.6).
func TestBitsOfLargeNumbers(t *testing.T) {
	const source = `var x = 1e21, y = 2 ** 64 + 4096, z = 4294967295, b = 5n; // variables: goja calculates constants
		[x | 0, -x & -1, x ^ 0, x << 2, x >> 2, x >>> 0, ~x, 0 | y - 4096 - y / 2, 1 << y, (z * 4294965000) | 0,
		y + y | 0, x * 1e279 | 0, x / 0 | 0, NaN >>> y, b | 2n].join()`
	const want = "-559939584,559939584,-559939584,2055208960,-139984896,3735027712,559939583,-2048,1,2048,8192,0,0,0,7"
	prg := compile(t, `"use strict";`+source)
	layout(t).Quicken(prg)
	v, err := goja.New().RunProgram(prg)
	if err != nil || v.String() != want {
		t.Errorf("%v, %v\nwant %s", v, err, want)
	}
}
