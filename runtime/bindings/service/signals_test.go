package service

import (
	"testing"
)

const signalCaller = `
const show = (e) => e.name + ": " + e.message;
const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
const tests = {
	argument: async (env) => { const c = new AbortController(); const p = env.SVC.heard(c.signal); await sleep(5); c.abort(new RangeError("enough")); return p },
	timeout: (env) => env.SVC.heard(AbortSignal.timeout(20)),
	aborted: (env) => env.SVC.heard(AbortSignal.abort("before")),
	result: async (env) => { const s = await env.SVC.mine(); return [s instanceof AbortSignal, s.aborted, await new Promise((r) => s.addEventListener("abort", () => r(show(s.reason))))].join() },
	never: async (env) => (await env.SVC.echo(new Request("http://x/").signal)).aborted,
	request: async (env) => { const c = new AbortController(); const q = new Request("http://x/", { signal: c.signal }); const p = env.SVC.heardRequest(q); await sleep(5); c.abort(); return p },
	clone: async () => { try { structuredClone(new AbortController().signal) } catch (e) { return show(e) } },
	cancelled: async (env) => {
		const r = (await env.SVC.fetch("http://svc/")).body.getReader();
		await r.read(); await r.cancel(); await sleep(0);
		return (await env.SVC.left()) + "";
	},
};
export default { async fetch(req, env) { try { return new Response(await tests[new URL(req.url).pathname.slice(1)](env)) } catch (e) { return new Response("thrown " + show(e)) } } };
`

const signalCallee = `
import { WorkerEntrypoint } from "cloudflare:workers";
const show = (e) => e?.name === undefined ? String(e) : e.name + ": " + e.message;
const heard = (s) => new Promise((r) => s.aborted ? r("already " + show(s.reason)) : s.addEventListener("abort", () => r(show(s.reason))));
let left = false;
export default class extends WorkerEntrypoint {
	heard(s) { return heard(s) }
	heardRequest(q) { return heard(q.signal) }
	mine() { const c = new AbortController(); this.ctx.waitUntil(new Promise((r) => setTimeout(() => { c.abort(new TypeError("mine")); r() }, 10))); return c.signal }
	echo(x) { return x }
	left() { return left }
	fetch(req) {
		req.signal.onabort = () => { left = true };
		const { readable, writable } = new IdentityTransformStream();
		const w = writable.getWriter();
		w.write(new TextEncoder().encode("some")).catch(() => {});
		this.ctx.waitUntil(new Promise((r) => setTimeout(r, 1000)));
		return new Response(readable);
	}
}
`

// An AbortSignal crosses under the flag enable_abortsignal_rpc, alone or in a Request, as argument and as result; a
// client that stops reading aborts the signal of its request. Without the flag it is refused (RPC10).
func TestSignalsBetweenWorkers(t *testing.T) {
	for _, town := range []struct {
		flags []string
		want  [][2]string
	}{
		{[]string{"experimental", "enable_abortsignal_rpc", "enable_request_signal"}, [][2]string{
			{"argument", "RangeError: enough"},
			{"timeout", "TimeoutError: The operation was aborted due to timeout"},
			{"aborted", "already before"},
			{"result", "true,false,TypeError: mine"},
			{"never", "false"},
			{"request", "AbortError: The operation was aborted"},
			{"clone", "DataCloneError: AbortSignal can only be serialized for RPC."},
			{"cancelled", "true"},
		}},
		{nil, [][2]string{
			{"argument", "thrown DataCloneError: AbortSignal serialization is not enabled."},
			{"request", "thrown DataCloneError: AbortSignal serialization is not enabled."},
			{"clone", "DataCloneError: AbortSignal serialization is not enabled."},
			{"cancelled", "false"},
		}},
	} {
		w := newTown(t)
		w.flags = town.flags
		w.start("other", signalCallee)
		main := w.start("main", signalCaller, Binding{Key: "SVC", Service: "other", Directory: w})
		for _, c := range town.want {
			w.expect(main, "/"+c[0], c[1])
		}
	}
}
