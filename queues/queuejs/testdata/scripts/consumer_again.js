let again = [], start;
export default {
	async fetch(r, env) {
		if (r.url.endsWith("send")) await env.Q.sendBatch([{ body: "a" }, { body: "b" }]);
		return new Response(again.join(" "));
	},
	queue(batch, env, ctx) {
		const [a, b] = batch.messages;
		if (a.attempts > 1) {
			for (const m of batch.messages) again.push(m.body + "@" +
				Math.floor((Date.now() - start) / 1000));
			return;
		}
		start = Date.now();
		HANDLER
	},
};
