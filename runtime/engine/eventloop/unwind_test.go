package eventloop

import (
	"context"
	"testing"

	"github.com/dop251/goja"
)

// An interrupt that meets an async function after an await, in a microtask, ends its turn and nothing else.
func TestInterruptInMicrotask(t *testing.T) {
	for _, script := range []string{
		"(async () => { await null; stop(); while (true); })()",
		"(async () => { try { await null; await (async () => { await null; stop() })() } finally { for (;;); } })()",
		"(async () => { await null; (function deep(n) { if (n) return deep(n - 1); stop(); while (true); })(50) })()",
		"Promise.resolve().then(() => { stop(); while (true); })",
	} {
		l := newLoop(t, Options{Name: "t"})
		ended := 0
		do := func(script string) {
			if err := l.Do(context.Background(), func() {
				rt := l.Runtime()
				_ = rt.Set("stop", func() { rt.Interrupt("stopped") })
				_ = rt.Set("done", func(v goja.Value) { ended = int(v.ToInteger()) })
				_, _ = rt.RunString(script) // an error is what the first one ends with
			}); err != nil {
				t.Fatal(err)
			}
		}
		do(script)
		do("{ let n = 0; (async () => { n++; await null; n++; await null; done(++n) })() }")
		if ended != 3 {
			t.Errorf("no microtask runs after %s", script)
		}
	}
}
