// Computations of real packages, n times each.
import { scrypt } from "@noble/hashes/scrypt.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { blake2b } from "@noble/hashes/blake2.js";
import { argon2id } from "@noble/hashes/argon2.js";
import bcrypt from "bcryptjs";
import { QueryBuilder, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { and, eq, gt, like } from "drizzle-orm";
import { marked } from "marked";
import { createElement as h } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import superjson from "superjson";
import { z } from "zod";

const schema = z.object({
  id: z.number().int(), name: z.string().min(1).max(50), mail: z.email(), tags: z.array(z.string()),
  address: z.object({ street: z.string(), zip: z.string().regex(/^\d{5}$/) }).optional(),
});
const value = { id: 1, name: "Ann", mail: "ann@example.com", tags: ["a", "b"], address: { street: "Main Street 1", zip: "12345" } };

const page = Array.from({ length: 20 }, (_, i) => `## Part ${i}

Some *text* with **words**, \`code\` and a [link](https://example.com/${i}), and more of it
on a second line with <b>html</b> &amp; entities.

- one
- two
  - three

| a | b |
|---|---|
| ${i} | x |

\`\`\`js
const a = ${i};
\`\`\`
`).join("\n");

const users = sqliteTable("users", { id: integer("id").primaryKey(), name: text("name"), age: integer("age") });
const bytes = new Uint8Array(16384).fill(7);

const times = (n, f) => {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += f(i);
  return sum;
};

export const packages = {
  zod: (n) => times(n, (i) => schema.parse({ ...value, id: i }).id),
  marked: (n) => times(n, () => marked.parse(page).length),
  superjson: (n) => times(n, (i) => superjson.parse(superjson.stringify(
    { when: new Date(i), set: new Set([1, 2, 3]), map: new Map([["a", 1]]), big: 1n, list: [value, value] })).list.length),
  react: (n) => times(n, () => renderToStaticMarkup(h("ul", null, Array.from({ length: 50 }, (_, i) =>
    h("li", { key: i, className: "item" }, "Item ", h("b", null, i), " & more")))).length),
  drizzle: (n) => times(n, (i) => new QueryBuilder().select().from(users)
    .where(and(eq(users.id, i), gt(users.age, 18), like(users.name, "A%"))).limit(10).toSQL().sql.length),
  sha256: (n) => times(n, () => sha256(bytes)[0]),
  blake2b: (n) => times(n, () => blake2b(bytes)[0]),
  // better-auth's default is N of 16,384 and r of 16; this is a sixty-fourth of one.
  scrypt: (n) => times(n, () => scrypt("correct horse", "salt", { N: 256, r: 16, p: 1, dkLen: 64 })[0]),
  argon2: (n) => times(n, () => argon2id("correct horse", "salt and more", { t: 1, m: 256, p: 1 })[0]),
  bcryptjs: (n) => times(n, () => bcrypt.hashSync("correct horse", 4).length),
};
