import { env } from "cloudflare:workers";
import { Suspense } from "react";
import { Await, createCookie, data, Form, redirect } from "react-router";

const cookie = createCookie("user", { secrets: ["s3cret"], httpOnly: true, maxAge: 3600 });
const table = "CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)";

export const meta = ({ loaderData }) => [{ title: `Notes of ${loaderData.user}` }];

export async function loader({ request }) {
  await env.DB.exec(table);
  const { results } = await env.DB.prepare("SELECT id, text FROM notes ORDER BY id").all();
  const sum = await env.COUNTER.getByName("home").add(0);
  return {
    notes: results, last: await env.KV.get("last"), user: await cookie.parse(request.headers.get("cookie")), sum,
    when: new Date(0), big: 12n, late: new Promise((ok) => setTimeout(ok, 20, "came late")),
  };
}

export async function action({ request }) {
  const form = await request.formData();
  const text = form.get("text");
  if (form.get("leave")) return redirect("/items/1", { headers: { "set-cookie": await cookie.serialize("", { maxAge: 1 }) } });
  if (!text) return data({ problem: "text is missing" }, { status: 422 });
  await env.DB.exec(table);
  await env.DB.prepare("INSERT INTO notes (text) VALUES (?)").bind(text).run();
  await env.KV.put("last", text);
  const sum = await env.COUNTER.getByName("home").add(text.length);
  return data({ added: text, sum }, { headers: { "set-cookie": await cookie.serialize(form.get("user")) } });
}

export default function Home({ loaderData, actionData }) {
  return (
    <main>
      <h1>Notes of {loaderData.user ?? "nobody"}</h1>
      {actionData && <p>{JSON.stringify(actionData)}</p>}
      <ul>{loaderData.notes.map((n) => <li key={n.id}>{n.text}</li>)}</ul>
      <p>{loaderData.last} {loaderData.sum} {loaderData.when.toISOString()} {String(loaderData.big)}</p>
      <Suspense fallback={<p>waiting</p>}>
        <Await resolve={loaderData.late}>{(text) => <p>{text}</p>}</Await>
      </Suspense>
      <Form method="post"><input name="text" /><button>add</button></Form>
    </main>
  );
}
