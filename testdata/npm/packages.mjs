// Packages that Workers use, each bundled by eddy and asserted over HTTP: every file of workers/packages is a Worker whose
// answer must be the JSON that is expected here.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { start } from "./session.mjs";

/** name of the worker, path to ask for, and what the answer must be. */
const cases = {
  hono: ["/books/7?full=1", { id: "7", full: "1", header: "set by middleware" }],
  "itty-router": ["/todos/3", { id: "3", query: {} }],
  zod: ["/", { ok: { name: "ann", age: 3 }, problems: ["name: string", "age: number"] }],
  jose: ["/", { sub: "ann", alg: "HS256", expired: "ERR_JWT_EXPIRED", rsa: "signed by RSA" }],
  nanoid: ["/", { length: 21, custom: 8, alphabet: true, different: true }],
  "date-fns": ["/", { day: "2026-04-03", distance: "2 days", iso: true }],
  superjson: ["/", { date: true, map: [["a", 1]], set: [1, 2], big: "12345678901234567890", undefined: true }],
  marked: ["/", { html: '<h1>Title</h1>\n<p>Some <strong>bold</strong> and <code>code</code>.</p>\n<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n' }],
  "drizzle-orm": ["/", { rows: [{ id: 1, name: "ann", age: 31 }, { id: 3, name: "cy", age: 9 }], joined: [{ name: "ann", title: "a book" }], count: 3 }],
};

export async function run(test) {
  for (const [name, [path, want]] of Object.entries(cases)) {
    await test(name, async () => {
      const config = {
        name: `pkg-${name}`, main: `packages/${name}.js`, compatibility_date: "2026-04-01", compatibility_flags: ["nodejs_compat"],
      };
      if (name === "drizzle-orm") {
        config.durable_objects = { bindings: [{ name: "DB", class_name: "Db" }] };
        config.migrations = [{ tag: "v1", new_sqlite_classes: ["Db"] }];
      }
      const file = `workers/${name}.json`;
      await writeFile(file, JSON.stringify(config));
      const session = await start(file);
      try {
        const res = await fetch(session.url + path);
        const text = await res.text();
        assert.equal(res.status, 200, text + session.lines.map((l) => l.msg).join("\n"));
        assert.deepEqual(JSON.parse(text), want);
      } finally {
        await session.stop();
      }
    });
  }
}
