import { createDOQueue, DOQueueProducer } from "@cloudflare-boilerplate/do-queue";
export const Lane = createDOQueue({ queue() {} });
export default { async fetch() {
	const p = new DOQueueProducer("namespace", "jobs");
	return new Response((await Promise.allSettled([p.send(1)])).map((r) => r.reason?.message).join());
} };
