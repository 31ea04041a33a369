import { ActionError, defineAction } from "astro:actions";
import { env } from "cloudflare:workers";
import { z } from "astro/zod";

const table = "CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)";

export const server = {
  add: defineAction({
    accept: "form",
    input: z.object({ text: z.string().min(2), user: z.string().optional() }),
    async handler({ text, user }, context) {
      await env.DB.exec(table);
      const { meta } = await env.DB.prepare("INSERT INTO notes (text) VALUES (?)").bind(text).run();
      await env.KV.put("last", text);
      if (user) context.cookies.set("user", user, { path: "/", httpOnly: true, maxAge: 3600 });
      return { id: meta.last_row_id, text, when: new Date(0) };
    },
  }),
  double: defineAction({
    input: z.object({ n: z.number() }),
    handler({ n }) {
      if (n < 0) throw new ActionError({ code: "FORBIDDEN", message: "negative" });
      return { n: n * 2, set: new Set([n]) };
    },
  }),
};
