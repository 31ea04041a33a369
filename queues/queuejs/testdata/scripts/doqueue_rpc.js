import { createDOQueue, DOQueueProducer } from "@cloudflare-boilerplate/do-queue";
const text = async (f) => { try { await f(); return "fine" } catch (e) { return e.message } };
export default { async fetch() { return new Response([await text(() => createDOQueue({ queue() {} })),
	await text(() => new DOQueueProducer("namespace", "q").send(1))].join()) } };
