import { initTRPC, TRPCError, tracked } from "@trpc/server";
import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { z } from "zod";
import superjson from "superjson";
const t = initTRPC.context<any>().create({ isDev: false });
const r = t.router({
  hello: t.procedure.input(z.string()).query(({ input, ctx }) => "hi " + input + " " + ctx.m),
  add: t.procedure.input(z.object({ a: z.number(), b: z.number() })).query(({ input }) => input.a + input.b),
  bad: t.procedure.input(z.string()).query(() => 1),
  mut: t.procedure.mutation(() => {
    throw new TRPCError({ code: "FORBIDDEN" });
  }),
  sub: t.procedure.subscription(async function* () {
    for (let i = 0; i < 3; i++) yield tracked(String(i), { i });
  }),
});
const h = (req) => fetchRequestHandler({ endpoint: "/trpc", req, router: r, createContext: ({ req }) => ({ m: req.method }) });
export default {
  async fetch(req) {
    if (new URL(req.url).pathname === "/client") {
      const caller = t.createCallerFactory(r)({ m: "c" });
      try {
        await caller.mut();
      } catch (e) {
        return Response.json([await caller.hello("z"), e.code, e.message, e.name]);
      }
    }
    return h(req);
  },
};
