package service

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"eddy/durableobject/objectjs"
	"eddy/runtime/bundle"
	"eddy/runtime/clock"
	"eddy/runtime/worker"
)

// town is a Directory of Workers on one virtual clock.
type town struct {
	t     *testing.T
	clock *clock.Virtual
	objs  *objectjs.Objects
	mu    sync.Mutex
	all   map[string]*worker.Isolate
	// date and flags are the compatibility of all Workers, "" the usual date.
	date      string
	flags     []string
	elsewhere map[string]Distant // guarded by mu
}

func newTown(t *testing.T) *town {
	w := &town{t: t, clock: clock.NewVirtual(time.Unix(1_800_000_000, 0).UTC(), 1), all: map[string]*worker.Isolate{}}
	var err error
	if w.objs, err = objectjs.New(objectjs.Options{Root: t.TempDir(), Clock: w.clock}); err != nil {
		t.Fatal(err)
	}
	return w
}

// Lookup implements [Directory].
func (w *town) Lookup(name string) (*worker.Isolate, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	iso, ok := w.all[name]
	return iso, ok
}

// Elsewhere implements [Directory].
func (w *town) Elsewhere(name string) Distant {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.elsewhere[name]
}

func (w *town) start(name, src string, bindings ...worker.Binding) *worker.Worker {
	w.t.Helper()
	dir := w.t.TempDir()
	file := filepath.Join(dir, "index.js")
	if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
		w.t.Fatal(err)
	}
	b, err := bundle.Build(bundle.Options{Dir: dir, Entry: file, Virtual: []bundle.VirtualModule{{Name: "cloudflare:workers"}}})
	if err != nil {
		w.t.Fatal(err)
	}
	if w.date == "" {
		w.date = "2026-04-01"
	}
	flags, errs := worker.ResolveFlags(w.date, w.flags)
	if len(errs) > 0 {
		w.t.Fatal(errs)
	}
	wk, err := worker.Start(context.Background(), worker.Options{
		Name: name, Script: &worker.Script{Bundle: b}, Flags: flags, Clock: w.clock, Bindings: bindings,
		Install: []func(*worker.Isolate) error{w.objs.Install, Install(w)},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.objs.Attach(context.Background(), wk.Isolate); err != nil {
		w.t.Fatal(err)
	}
	w.mu.Lock()
	w.all[name] = wk.Isolate
	w.mu.Unlock()
	w.t.Cleanup(func() {
		_ = w.objs.Detach(context.Background(), wk.Isolate)
		wk.Close()
	})
	return wk
}

func (w *town) expect(wk *worker.Worker, path, want string) {
	w.t.Helper()
	req, _ := http.NewRequest("GET", "http://localhost"+path, nil)
	res, err := wk.Fetch(context.Background(), req, worker.FetchOptions{})
	if err != nil {
		w.t.Errorf("%s: %v", path, err)
		return
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || string(body) != want {
		w.t.Errorf("%s\n got: %s %v\nwant: %s", path, body, err, want)
	}
}

const caller = `
import { DurableObject, RpcTarget } from "cloudflare:workers";
const show = (e) => e.name + ": " + e.message + (e.remote ? " remote" : "");
const caught = async (f) => { try { return "no error: " + await f() } catch (e) { return show(e) } };
class T extends RpcTarget { add(x) { return x + 1 } }
export class Own extends DurableObject { hi() { return "own" } }
const tests = {
	rpc: async (env) => [await env.SVC.greet("a"), await env.SVC.args(1, [2], { three: 3 }), await env.NAMED.props(), JSON.stringify(await env.SVC.obj)].join("|"),
	target: async (env) => [await env.SVC.useTarget(new T()), await env.SVC.useFunction((x) => x * 3), await env.SVC.counter().inc(2), await (await env.SVC.counter()).inc(5)].join(),
	errors: async (env) => [await caught(() => env.SVC.boom()), await caught(() => env.SVC.nope()), await caught(() => env.SVC.ctx())].join("|"),
	fetch: async (env) => { const r = await env.SVC.fetch("http://svc/path?q", { method: "POST", body: "b" }); return r.status + " " + await r.text() },
	stream: async (env) => { const s = await env.SVC.stream(); const { readable, writable } = new IdentityTransformStream(); const done = env.SVC.write(writable); return await new Response(s).text() + await new Response(readable).text() + (await done ?? "") },
	absent: async (env) => { const r = await env.GONE.fetch("http://x/"); return r.status + " " + await r.text() + "|" + await caught(() => env.GONE.hi()) },
	object: async (env) => [await env.EXT.getByName("a").inc(), await env.EXT.getByName("a").inc(), await (await env.EXT.getByName("a").fetch("http://x/")).text(), await caught(() => env.LOST.getByName("a").hi()), await (await env.LOST.getByName("a").fetch("http://x/")).text()].join("|"),
	exports: async (env, ctx) => [Object.keys(ctx.exports).sort().join(), await ctx.exports.Other.who(), await ctx.exports.Other({ props: { p: 1 } }).who(), typeof ctx.exports.Other].join("|"),
	plain: async (env) => [await env.PLAIN.one("x"), await caught(() => env.PLAIN.one()), await caught(() => env.PLAIN.two(1))].join("|"),
	stored: async (env, ctx) => { const s = await env.SVC.echo(ctx.exports.Other({ props: { p: 2 } })); return await s.who() },
};
import { WorkerEntrypoint } from "cloudflare:workers";
export class Other extends WorkerEntrypoint { who() { return "other " + JSON.stringify(this.ctx.props) } }
export default { async fetch(req, env, ctx) { try { return new Response(await tests[new URL(req.url).pathname.slice(1)](env, ctx)) } catch (e) { return new Response("thrown " + e + e.stack) } } };
`

const callee = `
import { DurableObject, WorkerEntrypoint, RpcTarget } from "cloudflare:workers";
class Counter extends RpcTarget { n = 0; inc(x) { return this.n += x } }
export class Ext extends DurableObject { n = 0; inc() { return this.env.WHO + ++this.n } fetch() { return new Response("ext fetch") } }
export class Named extends WorkerEntrypoint { props() { return JSON.stringify(this.ctx.props) } }
export const plain = { one(x, env, ctx) { return x + env.WHO + typeof ctx.waitUntil }, two(a, b, env, ctx) {} };
export default class extends WorkerEntrypoint {
	greet(n) { return "hello " + n + this.env.WHO }
	args(...a) { return JSON.stringify(a) }
	get obj() { return { a: 1 } }
	useTarget(t) { return t.add(41) }
	useFunction(f) { return f(2) }
	counter() { return new Counter() }
	boom() { throw new RangeError("svc") }
	async fetch(req) { return new Response(req.method + req.url + await req.text(), { status: 202 }) }
	stream() { return new ReadableStream({ type: "bytes", start(c) { c.enqueue(new TextEncoder().encode("abc")); c.close() } }) }
	async write(w) { const g = w.getWriter(); await g.write(new TextEncoder().encode("def")); await g.close() }
	echo(x) { return x }
}
`

// B3, CL11, CL12 and the same semantics between Workers.
func TestBetweenWorkers(t *testing.T) {
	w := newTown(t)
	ext := objectjs.Class{Worker: "other", Name: "Ext", SQL: true}
	own := objectjs.Class{Worker: "main", Name: "Own", SQL: true}
	if err := w.objs.Declare(ext); err != nil {
		t.Fatal(err)
	}
	if err := w.objs.Declare(own); err != nil {
		t.Fatal(err)
	}
	w.start("other", callee, worker.Var{Key: "WHO", JSON: `"!"`})
	main := w.start("main", caller,
		Binding{Key: "SVC", Service: "other", Directory: w},
		Binding{Key: "NAMED", Service: "other", Entrypoint: "Named", PropsJSON: `{"x":[1]}`, Directory: w},
		Binding{Key: "PLAIN", Service: "other", Entrypoint: "plain", Directory: w},
		Binding{Key: "GONE", Service: "not-there", Directory: w},
		w.objs.Binding("EXT", ext), w.objs.Binding("LOST", objectjs.Class{Worker: "lost", Name: "L"}))
	for _, c := range [][2]string{
		{"rpc", `hello a!|[1,[2],{"three":3}]|{"x":[1]}|{"a":1}`},
		{"target", "42,6,2,5"},
		{"errors", `RangeError: svc remote|TypeError: The RPC receiver does not implement the method "nope". remote|TypeError: The RPC receiver does not implement the method "ctx". remote`},
		{"fetch", "202 POSThttp://svc/path?qb"},
		{"stream", "abcdef"},
		{"absent", `503 Worker "not-there" not found. Make sure it is running locally.|Error: Worker "not-there" not found. Make sure it is running locally. remote`},
		{"object", `!1|!2|ext fetch|Error: Worker "lost" not found. Make sure it is running locally. remote|Worker "lost" not found. Make sure it is running locally.`},
		{"exports", `Other,Own,default|other {}|other {"p":1}|function`},
		{"plain", "x!function|" + strings.Join([]string{
			`TypeError: Attempted to call RPC function "one" with the wrong number of arguments. When calling a top-level handler function that is not declared as part of a class, you must always send exactly one argument. In order to support variable numbers of arguments, the server must use class-based syntax (extending WorkerEntrypoint) instead. remote`,
			`TypeError: Cannot call handler function "two" over RPC because it has the wrong number of arguments. A simple function handler can only be called over RPC if it has exactly the arguments (arg, env, ctx), where only the first argument comes from the client. To support multi-argument RPC functions, use class-based syntax (extending WorkerEntrypoint) instead. remote`}, "|")},
		{"stored", `other {"p":2}`},
	} {
		w.expect(main, "/"+c[0], c[1])
	}
}
