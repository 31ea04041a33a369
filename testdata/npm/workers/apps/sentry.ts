import * as Sentry from "@sentry/cloudflare";
import { Toucan } from "toucan-js";
const sent: any[] = [];
const handler = {
  async fetch(req, env, ctx) {
    const p = new URL(req.url).pathname;
    if (p === "/boom") throw new TypeError("boom");
    Sentry.addBreadcrumb({ message: "b" });
    Sentry.setTag("a", "b");
    const r = Sentry.startSpan({ name: "s" }, () => 5);
    const id = Sentry.captureException(new Error("caught"));
    const t = new Toucan({
      dsn: "https://x@example.com/1",
      context: ctx,
      request: req,
      transport: () =>
        ({
          send: async (e) => {
            sent.push(1);
            return {};
          },
          flush: async () => true,
        }) as any,
    });
    const id2 = t.captureMessage("hi");
    return Response.json({ r, id: id.length, id2: id2.length, sent: sent.length });
  },
};
export default Sentry.withSentry(
  (env) => ({
    dsn: "https://public@example.com/1",
    tracesSampleRate: 1,
    transport: () =>
      ({
        send: async (e) => {
          sent.push(e);
          return {};
        },
        flush: async () => true,
      }) as any,
  }),
  handler as any,
);
