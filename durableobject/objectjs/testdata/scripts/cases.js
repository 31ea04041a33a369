const flagsOf = (e) => ["remote", "retryable", "overloaded", "durableObjectReset"].filter((k) => e?.[k]).map((k) =>
  " " + k).join("");
const show = (v) => typeof v === "string" ? v : v === undefined ? "undefined" : typeof v === "object" && v !== null ?
  JSON.stringify(v) : String(v);
const attempt = async (f) => { try { return show(await f()); } catch (e) {
  return e instanceof Error ? e.name + "(" + JSON.stringify(e.message) + ")" + flagsOf(e) : "thrown " + show(e); } };
const own = (o) => Object.getOwnPropertyNames(o).sort().join();
export default { async fetch(request, env, ctx) {
  const f = cases[decodeURIComponent(new URL(request.url).pathname.slice(1))];
  return new Response(f ? await attempt(() => f(env, ctx, request)) : "no such case");
} };
