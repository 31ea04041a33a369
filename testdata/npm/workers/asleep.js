// Instances that do a step, sleep until one time for all, do another step and end.
import { WorkflowEntrypoint } from "cloudflare:workers";

const seen = { begun: 0, ended: 0 };
/** How long after its time each instance went on, in ms, in the order in which they did. */
const late = [];

export class Flow extends WorkflowEntrypoint {
  async run({ payload }, step) {
    await step.do("one", async () => { seen.begun++; });
    await step.sleepUntil("night", payload.until);
    await step.do("two", async () => { seen.ended++; late.push(Date.now() - payload.until); });
  }
}

export default {
  async fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/seen") return Response.json(seen);
    if (pathname === "/late") return Response.json({ first: late[0], half: late[late.length >> 1], last: late.at(-1) });
    const from = Number(searchParams.get("from")), params = { until: Number(searchParams.get("until")) };
    const batch = Array.from({ length: Number(searchParams.get("count")) }, (_, i) => ({ id: `i${from + i}`, params }));
    return Response.json((await env.FLOW.createBatch(batch)).length);
  },
};
