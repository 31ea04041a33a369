export default {
	async fetch(request, env) {
		const url = new URL(request.url), n = url.searchParams.get("n");
		await env.JOBS.send(n);
		return new Response("sent");
	},
	async queue(batch, env) {
		for (const m of batch.messages) {
			const res = await fetch(env.LEDGER + "?n=" + m.body, { method: "POST" });
			if (res.ok) m.ack(); else m.retry();
		}
	},
};
