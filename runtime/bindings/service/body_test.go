package service

import "testing"

// Bodies between Workers may take their time: who reads one does not hold the clock that its writer waits for.
func TestBodiesWait(t *testing.T) {
	const shared = `
		const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
		const slow = (...parts) => { let i = 0; return new ReadableStream({ async pull(c) { await sleep(1000); if (i < parts.length) c.enqueue(new TextEncoder().encode(parts[i++])); else c.close(); } }) };
		const chunks = async (s) => { const out = []; const r = s.getReader(); for (;;) { const { value, done } = await r.read(); if (done) return out.join("+"); out.push(new TextDecoder().decode(value)) } };`
	w := newTown(t)
	w.start("other", `import { WorkerEntrypoint } from "cloudflare:workers";`+shared+`
		export default class extends WorkerEntrypoint {
			async fetch(req) { return new Response(req.body === null ? slow("a", "b") : new URL(req.url).pathname === "/text" ? await req.text() : await chunks(req.body)) }
			stream() { return slow("s", "t") }
			read(s) { return new Response(s).text() }
			response() { return new Response(slow("r")) }
		}`)
	w.start("mid", `export default { async fetch(req, env) { return new Response((await env.SVC.fetch(req)).body) } }`, Binding{Key: "SVC", Service: "other", Directory: w})
	main := w.start("main", shared+`
		const tests = {
			text: async (env) => (await env.SVC.fetch("http://x/")).text(),
			chunks: async (env) => chunks((await env.SVC.fetch("http://x/")).body),
			request: async (env) => (await env.SVC.fetch("http://x/", { method: "POST", body: slow("c", "d") })).text(),
			requestText: async (env) => (await env.SVC.fetch("http://x/text", { method: "POST", body: slow("e", "f") })).text(),
			passed: async (env) => [await (await env.MID.fetch("http://x/text", { method: "POST", body: slow("i", "j") })).text(), await (await env.MID.fetch("http://x/")).text()].join(),
			through: async (env) => env.SVC.fetch("http://x/"),
			rpc: async (env) => [await new Response(await env.SVC.stream()).text(), await env.SVC.read(slow("g", "h")), await (await env.SVC.response()).text()].join(),
		};
		export default { async fetch(req, env) { const v = await tests[new URL(req.url).pathname.slice(1)](env); return v instanceof Response ? v : new Response(v) } };`,
		Binding{Key: "SVC", Service: "other", Directory: w}, Binding{Key: "MID", Service: "mid", Directory: w})
	for _, c := range [][2]string{{"text", "ab"}, {"chunks", "a+b"}, {"request", "c+d"}, {"requestText", "ef"}, {"passed", "ij,ab"}, {"through", "ab"}, {"rpc", "st,gh,r"}} {
		w.expect(main, "/"+c[0], c[1])
	}
}
