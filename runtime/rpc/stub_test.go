package rpc

import (
	"embed"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/engine/ecma"
	"eddy/runtime/engine/host"
	"eddy/runtime/webapi"
	"eddy/runtime/webapi/webapitest"
)

//go:embed testdata/scripts
var scripts embed.FS

// script is a Worker, or a part of one, of testdata/scripts.
func script(name string) string {
	text, err := scripts.ReadFile("testdata/scripts/" + name)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// dated are the flags under which most tests run.
var dated = []string{"rpc_params_dup_stubs", "enhanced_error_serialization"}

// newRunner makes an isolate with RPC and its classes as globals. The callees of the tables below are in `target`.
func newRunner(t testing.TB, flags ...string) *webapitest.Runner {
	t.Helper()
	return webapitest.New(t, func(h *host.Host) {
		if _, err := ecma.Install(h.Runtime(), ecma.Options{}); err != nil {
			t.Fatal(err)
		}
		h.Flag = func(flag string) bool { return slices.Contains(flags, flag) }
		webapi.Install(h)
		for name, class := range Install(h).Exports() {
			_ = h.Runtime().Set(name, class)
		}
	})
}

var callee = script("stub_callee.js")

// cases are bodies of async functions over the callee, and what they give.
type cases [][2]string

func (c cases) run(t *testing.T) {
	t.Helper()
	for _, x := range c {
		r := newRunner(t, dated...)
		r.Expect(callee+x[0], x[1])
		for _, u := range r.Uncaught {
			if !strings.HasSuffix(u, ": no") { // what a callee throws is reported in its own isolate too
				t.Errorf("%s\nuncaught: %s", x[0], u)
			}
		}
	}
}

// RPC1, RPC2, RPC3, RPC7: what a stub shows, and what a call gives.
func TestCalls(t *testing.T) {
	cases{
		{`return target.add(1, 2)`, "3"},
		{`return [typeof target.anything, typeof target.add, String(target.then), target instanceof RpcStub]`,
			"function,function,undefined,true"},
		{`const p = target.add(1, 2); return [await p, await p, p instanceof Promise, p instanceof RpcPromise, ` +
			`typeof p.then]`, "3,3,false,true,function"},
		{`const f = target.add; return f(2, 3)`, "5"},
		{`target.slow(1); target.quick(2); target.slow(3); await target.quick(4); ` +
			`return log.filter((x) => x.startsWith("quick")).join()`, "quick 2,quick 4"},
		{`const f = new RpcStub((a, b) => a * b); return f(6, 7)`, "42"},
		{`const o = new RpcStub({ a: { b: (x) => x + 1 }, n: 5 }); return [await o.a.b(1), await o.n]`, "2,5"},
		{`return text(() => target.none())`, `TypeError: The RPC receiver does not implement the method "none".`},
		{`return text(() => target.getter())`, `TypeError: "getter" is not a function.`},
		{`return text(() => new RpcStub(new Date()))`,
			"TypeError: RpcStubs can only wrap plain objects, functions, and RpcTarget derivatives."},
	}.run(t)
}

// RPC4, RPC5: prototype members are reached, own fields of a target are not; a path is one journey.
func TestMembers(t *testing.T) {
	cases{
		{`return [await target.getter, await target.nested.deep.er(1)]`, "got,2"},
		{`return text(() => target.field)`, `TypeError: The RPC receiver does not implement the method "field".`},
		{`return target.counter().up(3)`, "3"},
		{`const c = await target.counter(); await c.up(); await c.up(4); return c.value`, "5"},
		{`return text(() => target.counter().none.more())`,
			`TypeError: The RPC receiver does not implement the method "none".`},
	}.run(t)
}

// RPC8, RPC9, RPC10: arguments and results.
func TestValuesCross(t *testing.T) {
	cases{
		{`return [await target.count(), await target.count(undefined), await target.count(1, undefined, 3)]`, "0,1,3"},
		{`const [d, m, b, n] = await target.echo(new Date(5), new Map([[1, new Set([2])]]), Uint8Array.of(7), ` +
			`2n ** 70n); return [+d, m.get(1).has(2), b[0], n]`, "5,true,7,1180591620717411303424"},
		{`const o = { x: 1 }; const [p] = await target.echo(o); p.x = 2; return o.x`, "1"},
		{`return target.twice((x) => x * 10)`, "10,20"},
		{`const [o] = await target.echo({ f: (x) => x + 1, c: new Counter() }); return [await o.f(1), await o.c.up(2)]`,
			"2,2"},
		{`class Plain {} ; return text(() => target.echo(new Plain()))`,
			`DataCloneError: Could not serialize object of type "Plain". This type does not support serialization.`},
		{`return text(() => target.echo(Symbol("s")))`, "DataCloneError: Symbol(s) could not be cloned."},
	}.run(t)
}

// RPC13: disposal ends a stub; a function that came as an argument dies with the call unless it was duplicated.
func TestDisposal(t *testing.T) {
	cases{
		{`const c = await target.counter(); c[Symbol.dispose](); return text(() => c.up())`,
			"Error: RPC stub used after being disposed."},
		{`const c = await target.counter(); await c.up(); c[Symbol.dispose](); await scheduler.wait(1); return log`,
			"disposed"},
		{`const c = await target.counter(), d = c.dup(); c[Symbol.dispose](); const n = await d.up(); ` +
			`const before = log.length; d[Symbol.dispose](); await scheduler.wait(1); return [n, before, log]`,
			"1,0,disposed"},
		{`return [await target.keep((x) => "called " + x), await target.again()]`, "called 1,called 2"},
	}.run(t)
}

// RPC14, RPC15: errors keep message and standard class.
func TestErrors(t *testing.T) {
	cases{
		{`const f = (name) => target.fail(name).catch((e) => [e instanceof Error, e.constructor.name, e.message, ` +
			`e.remote].join()); return [await f("TypeError"), await f("RangeError"), await f("Error")].join("|")`,
			"true,TypeError,no,true|true,RangeError,no,true|true,Error,no,true"},
		{`return target.fail("TypeError").then(() => "none", (e) => e.name)`, "TypeError"},
		{`try { await target.counter().none() } catch (e) { return e.constructor.name } finally { ` +
			`log.push("finally") }`, "TypeError"},
	}.run(t)
}

// across makes an isolate whose `remote` is a stub of the callee, a script with a function make, in another isolate.
func across(t *testing.T, callee string, flags ...string) *webapitest.Runner {
	t.Helper()
	server, caller := newRunner(t, flags...), newRunner(t, flags...)
	server.Expect(callee+`return 1`, "1")
	var client Client
	server.On(func() {
		k := Of(server.Host)
		v, err := server.Loop.Runtime().RunString("make()")
		if err != nil {
			t.Fatal(err)
		}
		client = k.export(v.(*goja.Object), false, nil)
	})
	caller.On(func() { _ = caller.Loop.Runtime().Set("remote", Of(caller.Host).NewStub(client)) })
	// The other isolate works by a clock of its own, so that nothing holds this one.
	t.Cleanup(caller.Clock.Hold("a test"))
	return caller
}

// RPC1 to RPC16, as the reference answers them.
func TestReference(t *testing.T) { answers(t, "testdata/reference.txt", callee, dated...) }

// RPC11, both ways, and what becomes of a stream that one side gives up.
func TestPipes(t *testing.T) {
	answers(t, "testdata/pipes.txt", script("pipes_callee.js")+`const target = globalThis.remote;`, dated...)
}

// RPC11: the source hears that its receiver wants no more.
func TestCancelCrosses(t *testing.T) {
	callee := script("pipes_callee.js") + `const target = globalThis.remote;`
	caller := across(t, callee, dated...)
	caller.Expect(callee+`let say; const heard = new Promise((ok) => { say = ok; });
		const s = new ReadableStream({ type: "bytes", pull(c) { c.enqueue(bytes("more")); }, cancel(e) { say(e); } });
		return [await target.leave(s), (await heard) instanceof Error].join()`, "left,true")
}

// RPC10, RPC14: signals under their flag, and errors without enhanced_error_serialization.
func TestSignals(t *testing.T) {
	answers(t, "testdata/signals.txt", script("pipes_callee.js")+`const target = globalThis.remote;`,
		"enable_abortsignal_rpc")
}

// answers runs the bodies of a file over a callee in another isolate and compares with the answers that stand there.
func answers(t *testing.T, file, callee string, flags ...string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(text), "\n-- ")[1:] {
		body, want, _ := strings.Cut(block, "\n")
		caller := across(t, callee, flags...)
		caller.Expect(callee+`return (await (async () => {`+body+`})())`, strings.TrimRight(want, "\n"))
	}
}

// Two isolates: what crosses is a copy, functions go there and come back, and errors are the callee's.
func TestAcrossIsolates(t *testing.T) {
	caller := across(t, callee, dated...)
	for _, c := range [][2]string{
		{`return target.add(1, 2)`, "3"},
		{`return [await target.getter, await target.nested.deep.er(1), await target.counter().up(3)]`, "got,2,3"},
		{`const o = { x: 1, d: new Date(7) }; const [p] = await target.echo(o); p.x = 2; return [o.x, ` +
			`p.d instanceof Date, +p.d]`, "1,true,7"},
		{`let n = 0; const r = await target.twice((x) => { n += x; return x * 10 }); return [n, r]`, "3,10,20"},
		{`const order = []; const all = [3, 1, 2].map((x) => target.quick(x).then((v) => order.push(v))); ` +
			`await Promise.all(all); return order`, "3,1,2"},
		{`return target.fail("RangeError").catch((e) => [e instanceof RangeError, e.message, e.remote].join())`,
			"true,no,true"},
		{`return text(() => target.none())`, `TypeError: The RPC receiver does not implement the method "none".`},
	} {
		caller.Expect(callee+c[0], c[1])
	}
	// With the last reference given back the target is told; calls on a stub that was disposed fail here.
	caller.Expect(callee+`remote[Symbol.dispose](); return text(() => remote.add(1, 2))`,
		"Error: RPC stub used after being disposed.")
}
