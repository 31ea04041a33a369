import { WorkflowEntrypoint } from "cloudflare:workers";
export class Flow extends WorkflowEntrypoint {
  async run({ payload }, step) {
    const n = await step.do("one", async () => payload.n, { rollback: async () => console.log("undone") });
    return { n, event: (await step.waitForEvent("go", { type: "go" })).payload };
  }
}
export default {
  async fetch(req, env) {
    const q = new URL(req.url).searchParams;
    const instance = await env.FLOW.get(q.get("id"));
    while ((await instance.status()).status !== q.get("status")) await scheduler.wait(5);
    return new Response("so it is");
  },
};
