import { DurableObject, RpcTarget, RpcStub, WorkerEntrypoint } from "cloudflare:workers";
const show = (e) =>
  e instanceof Error || e?.message !== undefined
    ? e.name +
      ": " +
      e.message +
      ["remote", "retryable", "overloaded", "durableObjectReset"]
        .filter((f) => e[f])
        .map((f) => " " + f)
        .join("")
    : "value " + String(e);
const caught = async (f) => {
  try {
    return "no error: " + (await (typeof f === "function" ? f() : f));
  } catch (e) {
    return show(e);
  }
};
const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
export default {
  async fetch(request, env, ctx) {
    const u = new URL(request.url);
    const f = tests[u.pathname.slice(1)];
    try {
      const v = await f(env, ctx, request);
      return v instanceof Response ? v : new Response(typeof v === "string" ? v : JSON.stringify(v));
    } catch (e) {
      return new Response("thrown " + show(e) + "\n" + e?.stack);
    }
  },
};
