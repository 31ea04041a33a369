// Instances that do a step, sleep until one time for all, do another step and end.
import { WorkflowEntrypoint } from "cloudflare:workers";

const seen = { begun: 0, ended: 0 };

export class Flow extends WorkflowEntrypoint {
  async run({ payload }, step) {
    await step.do("one", async () => { seen.begun++; });
    await step.sleepUntil("night", payload.until);
    await step.do("two", async () => { seen.ended++; });
  }
}

export default {
  async fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/seen") return Response.json(seen);
    const from = Number(searchParams.get("from")), params = { until: Number(searchParams.get("until")) };
    const batch = Array.from({ length: Number(searchParams.get("count")) }, (_, i) => ({ id: `i${from + i}`, params }));
    return Response.json((await env.FLOW.createBatch(batch)).length);
  },
};
