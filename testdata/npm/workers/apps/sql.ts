import { DOQB } from "workers-qb";
import { DurableObject } from "cloudflare:workers";
import { Kysely, sql, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely";
import { drizzle } from "drizzle-orm/durable-sqlite";
import { migrate } from "drizzle-orm/durable-sqlite/migrator";
import { sqliteTable, integer, text, blob, index } from "drizzle-orm/sqlite-core";
import { eq, sql as dsql, relations } from "drizzle-orm";
import { answer } from "./answer.js";
const users = sqliteTable("users", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  name: text("name").notNull(),
  at: integer("at", { mode: "timestamp" }),
  meta: text("meta", { mode: "json" }),
  b: blob("b", { mode: "buffer" }),
  flag: integer("flag", { mode: "boolean" }),
});
const posts = sqliteTable("posts", {
  id: integer("id").primaryKey(),
  userId: integer("user_id").references(() => users.id),
  title: text("title"),
});
const usersRelations = relations(users, ({ many }) => ({ posts: many(posts) }));
const postsRelations = relations(posts, ({ one }) => ({ user: one(users, { fields: [posts.userId], references: [users.id] }) }));
const migrations = {
  journal: { entries: [{ idx: 0, when: 1, tag: "0000_a", breakpoints: true }] },
  migrations: {
    m0000:
      "CREATE TABLE `users` (`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,`name` text NOT NULL,`at` integer,`meta` text,`b` blob,`flag` integer);\n--> statement-breakpoint\nCREATE TABLE posts (id integer primary key, user_id integer references users(id), title text);",
  },
};
class DoDialect {
  constructor(private s) {}
  createAdapter() {
    return new SqliteAdapter();
  }
  createIntrospector(db) {
    return new SqliteIntrospector(db);
  }
  createQueryCompiler() {
    return new SqliteQueryCompiler();
  }
  createDriver() {
    const s = this.s;
    return {
      async init() {},
      async acquireConnection() {
        return {
          async executeQuery(q) {
            return { rows: [...s.sql.exec(q.sql, ...q.parameters)] };
          },
          async *streamQuery(q) {
            for (const r of s.sql.exec(q.sql, ...q.parameters)) yield { rows: [r] };
          },
        };
      },
      async beginTransaction() {
        throw new Error("no tx");
      },
      async commitTransaction() {},
      async rollbackTransaction() {},
      async releaseConnection() {},
      async destroy() {},
    };
  }
}
export class D extends DurableObject {
  async run() {
    const qb = new DOQB(this.ctx.storage.sql);
    const ctx = this.ctx;
    const k = new Kysely<any>({ dialect: new DoDialect(ctx.storage) as any });
    const db = drizzle(ctx.storage, { schema: { users, posts, usersRelations, postsRelations } });
    const r = await answer({
      "qb create": () =>
        qb
          .createTable({ tableName: "e", schema: "id INTEGER PRIMARY KEY, name TEXT, level INTEGER", ifNotExists: true })
          .execute().success,
      "qb insert": () =>
        qb
          .insert({
            tableName: "e",
            data: [
              { name: "a", level: 1 },
              { name: "b", level: 2 },
            ],
            returning: "*",
          })
          .execute().results,
      "qb fetch": () =>
        qb.fetchAll({ tableName: "e", where: { conditions: "level > ?1", params: [1] }, orderBy: { name: "DESC" } }).execute()
          .results,
      "qb upsert": () =>
        qb
          .insert({
            tableName: "e",
            data: { id: 1, name: "z", level: 5 },
            onConflict: { column: "id", data: { name: "up" } } as any,
            returning: "*",
          })
          .execute().results,
      "qb count": () => qb.select("e").fields("*").count(),
      "qb error": () => qb.raw({ query: "select * from nope" }).execute(),
      "kysely create": () =>
        k.schema
          .createTable("pets")
          .ifNotExists()
          .addColumn("id", "integer", (c) => c.primaryKey())
          .addColumn("name", "text", (c) => c.notNull())
          .execute(),
      "kysely insert": () =>
        k
          .insertInto("pets")
          .values([{ name: "cat" }, { name: "dog" }])
          .returningAll()
          .execute(),
      "kysely select": () =>
        k
          .selectFrom("pets")
          .select(["name", sql`upper(name)`.as("u")])
          .where("name", "like", "c%")
          .execute(),
      "kysely stream": async () => {
        const o = [];
        for await (const x of k.selectFrom("pets").selectAll().stream()) o.push(x);
        return o;
      },
      "kysely introspect": async () => (await k.introspection.getTables()).map((t) => t.name).filter((n) => !n.startsWith("__")),
      "drizzle migrate": () => migrate(db, migrations),
      "drizzle insert": () =>
        db
          .insert(users)
          .values({ name: "x", at: new Date(1e12), meta: { a: [1] }, b: Buffer.from([1, 2, 3]), flag: true } as any)
          .returning()
          .then((x) => x.map((y) => ({ ...y, b: [...(y.b as any)] }))),
      "drizzle rel": async () => {
        await db.insert(posts).values({ userId: 1, title: "p" });
        return db.query.users.findMany({ with: { posts: true }, columns: { name: true } });
      },
      "drizzle tx rollback": () => {
        try {
          db.transaction((tx) => {
            tx.insert(posts).values({ title: "no" }).run();
            tx.rollback();
          });
        } catch (e) {
          return e.message + " " + db.select().from(posts).all().length;
        }
      },
      "drizzle err": () => db.run(dsql`insert into users (name) values (null)`),
      "drizzle err2": async () => {
        await db.insert(users).values({ name: null } as any);
      },
      "drizzle get": () => db.select().from(users).where(eq(users.id, 99)).get(),
      "drizzle batch": () => db.values(dsql`select 1, 'a'`),
    });
    return r.text();
  }
}
export default {
  async fetch(r, env) {
    return new Response(await env.D.getByName("x").run());
  },
};
