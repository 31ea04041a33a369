// An instance tells the server at payload.url of each step, before and after a nap, and then waits for an event.
import { WorkflowEntrypoint } from "cloudflare:workers";
export class Flow extends WorkflowEntrypoint {
  async run({ payload, instanceId }, step) {
    const effect = (name) => step.do(name, { retries: { limit: 9, delay: 10, backoff: "constant" } }, async () => {
      const res = await fetch(`${payload.url}/${instanceId}/${name}`);
      if (!res.ok) throw new Error("again");
      return await res.text();
    });
    const first = await effect("first");
    await step.sleep("nap", payload.nap);
    const second = await effect("second");
    const event = await step.waitForEvent("event", { type: "go", timeout: "1 day" });
    return [first, second, event.payload];
  }
}
export default {
  async fetch(request, env) {
    try {
      const { searchParams } = new URL(request.url);
      const instance = await env.FLOW.get(searchParams.get("id"));
      return Response.json(await instance.status());
    } catch (e) {
      return new Response(e.message, { status: 500 });
    }
  },
};
