import { createDOQueue, DOQueueProducer } from "@cloudflare-boilerplate/do-queue";
const text = async (f) => { try { await f(); return "fine" } catch (e) { return e.name + ": " + e.message } };
export default { async fetch() { return new Response([
	await text(() => createDOQueue({})),
	await text(() => createDOQueue({ queue() {} }, { maxRetries: -1 })),
	await text(() => new DOQueueProducer("namespace")),
	await text(() => new DOQueueProducer("namespace", "q").send(undefined)),
	await text(() => new DOQueueProducer("other", "q").send(1)),
].join("\n")) } };
