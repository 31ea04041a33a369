import { createDOQueue, DOQueueProducer } from "@cloudflare-boilerplate/do-queue";
let log = [], start;
const slow = () => new Promise((r) => setTimeout(r, 10)); // what is sent meanwhile waits
const at = () => Math.round((Date.now() - start) / 1000);
export const Lane = createDOQueue({ HANDLERS }, OPTIONS);
export default {
	async fetch(r) {
		const u = new URL(r.url);
		if (u.pathname === "/send") {
			start ??= Date.now();
			const p = new DOQueueProducer("namespace", "jobs");
			for (const item of u.searchParams.get("items").split(",")) {
				const [body, key] = item.split("/");
				await p.send({ n: body }, key ? { key } : undefined);
			}
		}
		return new Response(log.join(" "));
	},
};
