package gojainternals

import (
	"testing"

	"github.com/dop251/goja"
)

// The arguments that a trap gets stay what they were when later calls use the stack.
func TestPrepareProxy(t *testing.T) {
	const script = `
		let kept = [];
		const handler = { apply(t, self, args) { kept.push(args); return args.length },
			construct(t, args) { kept.push(args); return {} } };
		var p = new Proxy(function () {}, handler);
		copy(p);
		function use(...x) { return x.length }
		const n = p(1, 2, 3);
		new p("a", "b");
		for (let i = 0; i < 20; i++) use(i, i, i, i, i, i);
		[n, kept.map(k => k.join("")).join()].join(" ")`
	l, rt := layout(t), goja.New()
	set(t, rt, "copy", func(c goja.FunctionCall) goja.Value {
		l.PrepareProxy(c.Argument(0).(*goja.Object))
		l.PrepareProxy(c.Argument(0).(*goja.Object)) // once is enough
		return nil
	})
	v, err := rt.RunString(script)
	if err != nil || v.String() != "3 123,ab" {
		t.Errorf("%v, %v", v, err)
	}
}

// What a platform object keeps of Go's is looked for in any object and what it inherits from. No trap may hear of it.
func TestSlotCallsNoTrap(t *testing.T) {
	l, rt := layout(t), goja.New()
	v, err := rt.RunString(`var heard = 0; new Proxy({}, { get() { heard++ } })`)
	if err != nil {
		t.Fatal(err)
	}
	proxy := v.(*goja.Object)
	l.PrepareProxy(proxy)
	heir := rt.NewObject()
	if err := heir.SetPrototype(proxy); err != nil {
		t.Fatal(err)
	}
	for _, o := range []*goja.Object{proxy, heir} {
		if v := o.GetSymbol(Slot); v != nil {
			t.Errorf("slot: %v", v)
		}
	}
	if n := rt.Get("heard").ToInteger(); n != 0 {
		t.Errorf("the trap was called %d times", n)
	}
}
