package objectjs

import "testing"

const counter = prelude + `
export class Counter extends DurableObject {
	async increment(n = 1) {
		const v = ((await this.ctx.storage.get("n")) ?? 0) + n;
		await this.ctx.storage.put("n", v);
		return v;
	}
	async fetch(request) { return new Response("fetched " + new URL(request.url).pathname + " " + await this.increment()); }
}
const tests = {
	async count(env) {
		const stub = env.Counter.getByName("a");
		const list = await Promise.all([1, 2, 3, 4, 5].map(() => stub.increment()));
		return list.join();
	},
	async other(env) { return await env.Counter.get(env.Counter.idFromName("b")).increment(10); },
	async fetch(env) { return (await env.Counter.getByName("a").fetch("http://x/p")).text(); },
};
`

// GT2: get-then-put counters are atomic; state survives a restart.
func TestCounter(t *testing.T) {
	b := newBench(t)
	w := b.start(config{classes: []string{"Counter"}}, counter)
	b.expect(w, "/count", "1,2,3,4,5")
	b.expect(w, "/other", "10")
	b.expect(w, "/fetch", "fetched /p 6")
	b.close()
	again := newBenchAt(t, b.root, Options{})
	w = again.start(config{classes: []string{"Counter"}}, counter)
	again.expect(w, "/count", "7,8,9,10,11")
}
