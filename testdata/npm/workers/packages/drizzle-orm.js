import { DurableObject } from "cloudflare:workers";
import { count, eq, ne } from "drizzle-orm";
import { drizzle } from "drizzle-orm/durable-sqlite";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

const people = sqliteTable("people", { id: integer("id").primaryKey(), name: text("name").notNull(), age: integer("age") });
const books = sqliteTable("books", { id: integer("id").primaryKey(), title: text("title"), owner: integer("owner") });

export class Db extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env);
    this.db = drizzle(ctx.storage);
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS people (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER)");
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS books (id INTEGER PRIMARY KEY, title TEXT, owner INTEGER)");
  }
  async run() {
    const { db } = this;
    await db.insert(people).values([{ name: "ann", age: 30 }, { name: "bo", age: 40 }, { name: "cy", age: 9 }]);
    await db.insert(books).values({ title: "a book", owner: 1 });
    await db.update(people).set({ age: 31 }).where(eq(people.name, "ann"));
    db.transaction((tx) => {
      tx.update(people).set({ age: 41 }).where(eq(people.name, "bo")).run();
    });
    return {
      rows: await db.select().from(people).where(ne(people.name, "bo")).orderBy(people.id),
      joined: await db.select({ name: people.name, title: books.title }).from(people).innerJoin(books, eq(books.owner, people.id)),
      count: (await db.select({ n: count() }).from(people))[0].n,
    };
  }
}

export default {
  async fetch(request, env) {
    return Response.json(await env.DB.getByName("one").run());
  },
};
