package ecma

import (
	"testing"

	"github.com/dop251/goja"
)

// A script that asks for a terabyte gets an exception; Go would end the process.
func TestHugeAllocations(t *testing.T) {
	rt := goja.New()
	if _, err := Install(rt, Options{}); err != nil {
		t.Fatal(err)
	}
	for _, js := range []string{`new ArrayBuffer(2 ** 40)`, `new Uint8Array(2 ** 40)`, `new Float64Array(2 ** 39)`} {
		v, err := rt.RunString(`try { ` + js + `; "made" } catch (e) { e.name + ": " + e.message }`)
		if err != nil || v.String() != "RangeError: Array buffer allocation failed" {
			t.Errorf("%s: %v, %v", js, v, err)
		}
	}
	if v, err := rt.RunString(`new Uint8Array(1 << 20).length + new ArrayBuffer(8).byteLength`); err != nil ||
		v.ToInteger() != 1<<20+8 {
		t.Error(v, err)
	}
}
