package gojainternals

import (
	"testing"

	"github.com/dop251/goja"
)

// The promise of whoever awaits a thenable is found by the functions that its then gets; other functions have none.
func TestPromiseOf(t *testing.T) {
	l, rt := layout(t), goja.New()
	var found []*goja.Promise
	if err := rt.Set("take", func(call goja.FunctionCall) goja.Value {
		for _, v := range call.Arguments {
			found = append(found, l.PromiseOf(v))
		}
		return goja.Undefined()
	}); err != nil {
		t.Fatal(err)
	}
	v, err := rt.RunString(`
		const p = new Promise((resolve, reject) => take(resolve, reject));
		(async () => { await { then(resolve, reject) { take(resolve, reject) } } })();
		take(take, () => {}, Math.max, 1, undefined, {}, class {}, (() => {}).bind(1));
		p`)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 12 {
		t.Fatalf("%d values were seen", len(found))
	}
	p := v.Export().(*goja.Promise)
	if found[0] != p || found[1] != p {
		t.Errorf("of the promise's own functions: %p and %p, want %p", found[0], found[1], p)
	}
	for i, q := range found[2:10] {
		if q != nil {
			t.Errorf("function %d has a promise", i)
		}
	}
	if found[10] == nil || found[10] != found[11] || found[10] == p {
		t.Errorf("of the one that awaits: %p and %p", found[10], found[11])
	}
}
