package objectjs

import (
	"runtime"
	"strings"
	"testing"
)

// Calls of an object wait while the isolate is replaced whose script has given it up (BIND-160). When nothing can take
// its place they fail, as later ones do, until the Worker runs again.
func TestStuck(t *testing.T) {
	b := newBench(t)
	a := config{name: "a", classes: []string{"A"}}
	src := strings.Replace(prelude, "WorkerEntrypoint }", "WorkerEntrypoint, abortIsolate }", 1) + `
		export class A extends DurableObject { hello() { return "hello" } end() { abortIsolate("enough") } }
		const tests = {};`
	gone := b.start(a, src)
	w := b.start(config{name: "b", others: map[string]Class{"A": {Worker: "a", Name: "A", SQL: true}}}, prelude+`
		const o = (env) => env.A.getByName("x");
		const tests = { hello: (env) => caught(() => o(env).hello()), end: (env) => caught(() => o(env).end()) };`)
	b.expect(w, "/hello", "no error: hello")
	b.expect(w, "/end", "Error: Network connection lost. remote retryable")
	answer := make(chan string)
	go func() { answer <- b.get(w, "/hello") }()
	ns := b.objs.of("a")[0]
	for waits := false; !waits; runtime.Gosched() {
		ns.mu.Lock()
		waits = len(ns.waiting) > 0
		ns.mu.Unlock()
	}
	b.objs.Stuck(gone.Isolate)
	if got := <-answer; !strings.HasPrefix(got, "TypeError: Durable Object reset") {
		t.Error(got)
	}
	b.expect(w, "/hello", `Error: Worker "a" not found. Make sure it is running locally. remote`)
	b.start(a, src)
	b.expect(w, "/hello", "no error: hello")
}
