//go:build !race

// With the race detector the compiler makes append(x, make(…)...) of two allocations, so that goja's builders of texts
// take twice as much: what is measured here is the build that people run.

package bounds_test

import (
	"runtime"
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/engine/ecma"
	"eddy/runtime/engine/ecma/ecmatest"
)

// copied are functions of a text of a million letters beyond ASCII, and of another that differs at its end.
var copied = []string{
	`(t) => t.repeat(8)`, `(t) => JSON.stringify(t)`, `(t) => JSON.stringify({ t, u: [t] })`,
	`(t, u) => t.localeCompare(u)`, `(t, u) => new Intl.Collator("en", { numeric: true }).compare(t + 1, u + 2)`,
	`(t) => JSON.parse("[" + "1,".repeat(2**18) + "1]")`,
	`(t) => JSON.parse('{"a":[' + '"abc",'.repeat(2**18) + "1]}")`,
}

// Built-ins that copy a text have reserved about what they take, so that the limit is looked at before it is exceeded.
func TestTextsTakeWhatIsReserved(t *testing.T) {
	for _, source := range copied {
		var told uint64
		e := ecmatest.With(t, ecma.Options{Reserve: func(bytes uint64) { told += bytes }})
		v, err := e.Run("n.js", source, true)
		if err != nil {
			t.Fatal(err)
		}
		f, _ := goja.AssertFunction(v)
		texts, err := e.Run("t.js", `["é".repeat(2**20), "é".repeat(2**20 - 1) + "è"]`, true)
		if err != nil {
			t.Fatal(err)
		}
		list := texts.(*goja.Object)
		first, second := list.Get("0"), list.Get("1")
		if _, err := f(goja.Undefined(), e.Runtime.ToValue("a"), e.Runtime.ToValue("b")); err != nil { // it is loaded
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		told = 0
		runtime.ReadMemStats(&before)
		if _, err := f(goja.Undefined(), first, second); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		const slack = 4 << 20
		if took := after.TotalAlloc - before.TotalAlloc; took > told+told/2+slack {
			t.Errorf("%s has taken %d KB and reserved %d KB", source, took>>10, told>>10)
		}
	}
}
