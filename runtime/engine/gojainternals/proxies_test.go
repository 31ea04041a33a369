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
