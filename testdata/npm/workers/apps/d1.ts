// drizzle and kysely on D1: relations, batches, what is refused.
import { desc, eq, relations, sql as dsql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { blob, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { Kysely, sql } from "kysely";
import { D1Dialect } from "kysely-d1";
import { answer } from "./answer.js";

const users = sqliteTable("users", {
  id: integer("id").primaryKey({ autoIncrement: true }), name: text("name").notNull().unique(), at: integer("at", { mode: "timestamp_ms" }),
  meta: text("meta", { mode: "json" }).$type<{ a: number[] }>(), picture: blob("picture", { mode: "buffer" }), member: integer("member", { mode: "boolean" }),
});
const posts = sqliteTable("posts", { id: integer("id").primaryKey(), user: integer("user").references(() => users.id), title: text("title") }, (t) => [index("by_user").on(t.user)]);
const ofUsers = relations(users, ({ many }) => ({ posts: many(posts) }));
const ofPosts = relations(posts, ({ one }) => ({ author: one(users, { fields: [posts.user], references: [users.id] }) }));
const tables = [
  "CREATE TABLE users (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, at INTEGER, meta TEXT, picture BLOB, member INTEGER)",
  "CREATE TABLE posts (id INTEGER PRIMARY KEY, user INTEGER REFERENCES users(id), title TEXT)", "CREATE INDEX by_user ON posts (user)",
];
const plain = (error: any) => `${error.message} | ${error.cause?.message}`;

export default {
  fetch(_: Request, env: { DB: D1Database }) {
    const db = drizzle(env.DB, { schema: { users, posts, ofUsers, ofPosts } });
    const k = new Kysely<any>({ dialect: new D1Dialect({ database: env.DB }) });
    return answer({
      tables: async () => (await db.batch(tables.map((t) => db.run(t)) as any)).length,
      insert: async () => {
        const rows = await db.insert(users).values([{ name: "ann", at: new Date(1e12), meta: { a: [1] }, picture: Buffer.from([1, 2, 3]), member: true }, { name: "bo" }]).returning();
        return rows.map((r) => ({ ...r, picture: r.picture && [...r.picture] }));
      },
      posts: async () => (await db.insert(posts).values([{ user: 1, title: "a" }, { user: 1, title: "b" }, { user: 2, title: "c" }])).meta.changes,
      relations: () => db.query.users.findMany({ with: { posts: { orderBy: desc(posts.id), limit: 1 } }, columns: { name: true, at: true } }),
      join: () => db.select({ name: users.name, n: dsql<number>`count(*)`.as("n") }).from(users).leftJoin(posts, eq(posts.user, users.id)).groupBy(users.id).all(),
      batch: async () => {
        const [changed, one, all] = await db.batch([db.update(users).set({ member: false }).where(eq(users.id, 2)), db.select().from(posts).where(eq(posts.id, 1)), db.query.posts.findMany({ with: { author: { columns: { name: true } } } })]);
        return [changed.meta.changes, one, all.map((p) => p.author?.name)];
      },
      "batch that fails": () => db.batch([db.insert(users).values({ name: "cy" }), db.insert(users).values({ name: "ann" })]).catch(plain),
      "and changes nothing": () => db.$count(users),
      "unique, with another way": () => db.insert(users).values({ name: "ann" }).onConflictDoUpdate({ target: users.name, set: { meta: { a: [2] } } }).returning({ id: users.id, meta: users.meta }),
      "foreign key": () => db.insert(posts).values({ user: 77, title: "x" }).catch(plain),
      transaction: () => db.transaction(async (tx) => tx.select().from(users)).catch(plain),
      raw: async () => [await db.get(dsql`SELECT 1 AS one, 'a' AS a`), await db.values(dsql`SELECT 1, 'a'`), (await db.run(dsql`DELETE FROM posts WHERE id = 3`)).meta.changes],
      "kysely join": () => k.selectFrom("users").innerJoin("posts", "posts.user", "users.id").select(["users.name", "posts.title"]).orderBy("posts.id").execute(),
      "kysely insert": async () => String((await k.insertInto("posts").values({ user: 2, title: "d" }).executeTakeFirst()).insertId),
      "kysely update": async () => String((await k.updateTable("posts").set({ title: "e" }).where("user", "=", 2).executeTakeFirst()).numUpdatedRows),
      "kysely template": async () => (await sql`SELECT title FROM posts WHERE user = ${2}`.execute(k)).rows,
      "kysely transaction": () => k.transaction().execute((t) => t.selectFrom("users").selectAll().execute()),
      "kysely introspection": async () => (await k.introspection.getTables()).filter((t) => !/^_|sqlite/.test(t.name)).map((t) => [t.name, t.columns.map((c) => `${c.name} ${c.dataType}${c.isNullable ? "" : "!"}`)]),
    });
  },
};
