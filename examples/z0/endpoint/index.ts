const calls = new Map<string, number>();

/** Refuses a delivery as often as its payload says, and accepts it then. It accepts each idempotency key once. */
export default {
  async fetch(request: Request): Promise<Response> {
    if (request.method === "GET") return Response.json(Object.fromEntries(calls));
    const key = request.headers.get("Idempotency-Key") ?? "";
    const { payload } = await request.json<{ payload: { fail?: number } }>();
    const n = calls.get(key) ?? 0;
    calls.set(key, n + 1);
    return n < (payload.fail ?? 0) ? new Response("busy", { status: 503 }) : new Response("taken");
  },
};
