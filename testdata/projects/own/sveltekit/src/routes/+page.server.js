import { fail, redirect } from "@sveltejs/kit";

const table = "CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)";

export async function load({ platform, cookies, fetch }) {
  const { KV, DB } = platform.env;
  await DB.exec(table);
  const { results } = await DB.prepare("SELECT id, text FROM notes ORDER BY id").all();
  const inner = await (await fetch("/api?inner=1")).json();
  return {
    notes: results, last: await KV.get("last"), user: cookies.get("user") ?? null, inner, cf: typeof platform.ctx.waitUntil,
    late: new Promise((ok) => setTimeout(ok, 20, "came late")),
  };
}

export const actions = {
  add: async ({ request, platform, cookies }) => {
    const form = await request.formData();
    const text = form.get("text");
    if (!text) return fail(422, { missing: true });
    const { KV, DB } = platform.env;
    await DB.exec(table);
    await DB.prepare("INSERT INTO notes (text) VALUES (?)").bind(text).run();
    await KV.put("last", text);
    cookies.set("user", String(form.get("user") ?? "nobody"), { path: "/", maxAge: 3600, sameSite: "strict" });
    const file = form.get("file");
    return { added: text, file: file ? [file.name, file.size, file.type] : null };
  },
  leave: async ({ cookies }) => {
    cookies.delete("user", { path: "/" });
    redirect(303, "/about");
  },
};
