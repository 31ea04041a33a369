package ecma

import (
	"testing"

	"github.com/dop251/goja"
)

func TestTypedArrayFromString(t *testing.T) {
	rt := goja.New()
	if _, err := Install(rt, Options{}); err != nil {
		t.Fatal(err)
	}
	for js, want := range map[string]string{
		`Uint8Array.from("az", (c) => c.charCodeAt(0)).join()`:                    "97,122",
		`Uint16Array.from("12").join()`:                                           "1,2",
		`Uint8Array.from([1, 2], (v, i) => v * i).join()`:                         "0,2",
		`Uint8Array.from(new Set([3])).join()`:                                    "3",
		`Uint8Array.from(new Int16Array([1, -1, 300])).join()`:                    "1,255,44",
		`Uint8ClampedArray.from(new Float64Array([1.5, -1, 300])).join()`:         "2,0,255",
		`class D extends Uint8Array {}; D.from(new Int8Array([-1])) instanceof D`: "true",
		`const v = new Uint8Array([1, 2]); v[Symbol.iterator] = () => [9].values();` +
			` Int8Array.from(v).join()`: "9",
		`Uint8Array.from.name + Uint8Array.from.length`: "from1",
	} {
		v, err := rt.RunString(js)
		if err != nil || v.String() != want {
			t.Errorf("%s: %v, %v; want %s", js, v, err, want)
		}
	}
}
