import { createDOQueue, DOQueueProducer } from "@cloudflare-boilerplate/do-queue";
const n = 100, log = [];
export const Lane = createDOQueue({ queue(b) { for (const m of b.messages) log.push(m.body) } });
export default { async fetch(request) {
	if (request.url.endsWith("/log")) {
		while (log.length < n) await new Promise((done) => setTimeout(done, 1));
		return new Response(log.join(" "));
	}
	const p = new DOQueueProducer("namespace", "jobs");
	const sends = [];
	for (let i = 0; i < n; i++) sends.push(p.send(i, { key: "k" }));
	await Promise.all(sends);
	return new Response("sent");
} };
