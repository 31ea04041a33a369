package ecma

import (
	"testing"

	"github.com/dop251/goja"
)

// Zero has no bits: its products, powers and shifts are small, not too large.
func TestBoundsOfZero(t *testing.T) {
	rt := goja.New()
	if _, err := Install(rt, Options{}); err != nil {
		t.Fatal(err)
	}
	prg, err := Compile("zero.js", `let z = 0n, o = 1n; [z * z, z * o, z ** z, z << 5n, z >> 5n, z + z, z / o, z % o,`+
		` -z * z].join()`, false)
	if err != nil {
		t.Fatal(err)
	}
	v, err := rt.RunProgram(prg)
	if err != nil || v.String() != "0,0,1,0,0,0,0,0,0" {
		t.Error(v, err)
	}
}
