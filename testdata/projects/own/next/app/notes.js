"use server";
import { getCloudflareContext } from "@opennextjs/cloudflare";
import { cookies } from "next/headers";
import { redirect } from "next/navigation";

const table = "CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)";

export async function notes() {
  const { env } = getCloudflareContext();
  await env.DB.exec(table);
  // In production a database is far away. That of wrangler dev answers before setImmediate, and React then sends no early headers.
  await new Promise((ok) => setTimeout(ok, 20));
  const { results } = await env.DB.prepare("SELECT id, text FROM notes ORDER BY id").all();
  return { rows: results, last: await env.KV.get("last") };
}

export async function add(form) {
  const text = form.get("text");
  const { env } = getCloudflareContext();
  await env.DB.exec(table);
  await env.DB.prepare("INSERT INTO notes (text) VALUES (?)").bind(text).run();
  await env.KV.put("last", text);
  (await cookies()).set("user", form.get("user") ?? "nobody", { httpOnly: true, maxAge: 3600 });
  redirect("/");
}
