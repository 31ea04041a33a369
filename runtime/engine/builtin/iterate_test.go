package builtin

import (
	"testing"

	"github.com/dop251/goja"
)

// TestForOf: an iterator is closed when the steps end before it does, and one without next is refused.
func TestForOf(t *testing.T) {
	for _, row := range [][2]string{
		{`[1, 2, 3]`, "1,2"},
		{`"ab"`, "a,b"},
		{`({ [Symbol.iterator]() { return {} } })`, "TypeError: iterator.next is missing or not a function"},
		{`({ [Symbol.iterator]() { return { next: () => 1 } } })`, "TypeError: Iterator result is not an object"},
		{`({ [Symbol.iterator]() { return 1 } })`, "TypeError: Result of the Symbol.iterator method is not an object"},
		{`({})`, "TypeError: object is not iterable"},
		{`({ [Symbol.iterator]: () => ({ next: () => ({ value: 7 }), return() { seen.push("end"); return {} } }) })`,
			"7,7,end"},
		{`({ [Symbol.iterator]: () => ({ next: () => ({}), return() { seen.push("end"); return {} } }) })`,
			"Error: no value,end"},
	} {
		rt := goja.New()
		b := &Builder{Runtime: rt}
		seen := rt.NewArray()
		_ = rt.Set("seen", seen)
		push, _ := goja.AssertFunction(seen.Get("push"))
		v, err := rt.RunString(row[0])
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		var note goja.Value
		if ex := rt.Try(func() {
			b.ForOf(v, func(v goja.Value) bool {
				if goja.IsUndefined(v) {
					_, err := rt.RunString(`throw new Error("no value")`)
					panic(err)
				}
				_, _ = push(seen, v)
				n++
				return n < 2
			})
		}); ex != nil {
			note = ex.Value()
		}
		got := seen.String()
		if note != nil {
			if got != "" {
				got = "," + got
			}
			got = note.String() + got
		}
		if got != row[1] {
			t.Errorf("%s: %s, want %s", row[0], got, row[1])
		}
	}
}
