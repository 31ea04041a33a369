package gojainternals

import (
	"testing"

	"github.com/dop251/goja"
)

// An iterator of a Map or a Set is known, and stays where it is however far somebody has gone ahead, also when that
// ends in a panic.
func TestIterators(t *testing.T) {
	l, rt := layout(t), goja.New()
	for _, c := range []struct {
		source, of string
		pairs      bool
	}{
		{"var it = new Map([[1, 2], [3, 4], [5, 6]]).keys(); it", "Map", false}, {"new Map().values()", "Map", false},
		{"new Map().entries()", "Map", true}, {"new Map()[Symbol.iterator]()", "Map", true},
		{"new Set().values()", "Set", false}, {"new Set().entries()", "Set", true},
		{"new Map()", "", false}, {"[][Symbol.iterator]()", "", false}, {"Object.create(it)", "", false},
	} {
		it, ok := l.Iterator(object(t, rt, c.source))
		if ok != (c.of != "") || it.Of != c.of || it.Pairs != c.pairs {
			t.Errorf("%s: %v %+v", c.source, ok, it)
		}
	}
	next := func() string {
		v, err := rt.RunString("var n = it.next(); n.done ? 'end' : String(n.value)")
		if err != nil {
			t.Fatal(err)
		}
		return v.String()
	}
	it, _ := l.Iterator(object(t, rt, "it"))
	for _, want := range []string{"1", "3", "5", "end", "end"} {
		func() {
			defer func() { _ = recover() }()
			l.Ahead(it, func() {
				for next() != "end" {
				}
				panic("on the way")
			})
		}()
		if got := next(); got != want {
			t.Errorf("the iterator gives %s, not %s", got, want)
		}
	}
}
