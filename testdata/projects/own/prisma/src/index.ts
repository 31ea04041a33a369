import { PrismaD1 } from "@prisma/adapter-d1";
import { PrismaClient } from "./generated/client";

const schema = [
  `CREATE TABLE IF NOT EXISTS "User" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "email" TEXT NOT NULL, "name" TEXT, "born" DATETIME,
    "score" REAL NOT NULL DEFAULT 0, "big" BIGINT NOT NULL DEFAULT 0, "blob" BLOB, "extra" JSONB, "on" BOOLEAN NOT NULL DEFAULT false)`,
  `CREATE TABLE IF NOT EXISTS "Post" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "title" TEXT NOT NULL, "authorId" INTEGER NOT NULL,
    CONSTRAINT "Post_authorId_fkey" FOREIGN KEY ("authorId") REFERENCES "User" ("id") ON DELETE RESTRICT ON UPDATE CASCADE)`,
  `CREATE TABLE IF NOT EXISTS "Tag" ("name" TEXT NOT NULL PRIMARY KEY)`,
  `CREATE TABLE IF NOT EXISTS "_TagToUser" ("A" TEXT NOT NULL, "B" INTEGER NOT NULL,
    FOREIGN KEY ("A") REFERENCES "Tag" ("name") ON DELETE CASCADE ON UPDATE CASCADE, FOREIGN KEY ("B") REFERENCES "User" ("id") ON DELETE CASCADE ON UPDATE CASCADE)`,
  `CREATE UNIQUE INDEX IF NOT EXISTS "User_email_key" ON "User"("email")`,
  `CREATE UNIQUE INDEX IF NOT EXISTS "_TagToUser_AB_unique" ON "_TagToUser"("A", "B")`,
];

const show = (_: string, v: unknown) => (typeof v === "bigint" ? `${v}n` : v instanceof Uint8Array ? [...v] : v);

async function failure(work: Promise<unknown>) {
  try {
    return await work;
  } catch (e: any) {
    return [e.name, e.code, e.meta?.target ?? null, e.message.split("\n").at(-1)];
  }
}

export default {
  async fetch(request: Request, env: { DB: any }) {
    const db = new PrismaClient({ adapter: new PrismaD1(env.DB) });
    await env.DB.batch(schema.map((s) => env.DB.prepare(s)));
    const email = `a${await db.user.count()}@example.com`;
    const made = await db.user.create({
      data: {
        email, name: "ann", born: new Date("2001-02-03T04:05:06.789Z"), score: 1.5, big: 9007199254740991n, blob: new Uint8Array([1, 2, 255]), extra: { a: [1, null] }, on: true,
        posts: { create: [{ title: "one" }, { title: "two" }] }, tags: { connectOrCreate: { where: { name: "t" }, create: { name: "t" } } },
      },
      include: { posts: true, tags: true },
    });
    const answers = {
      made,
      found: await db.user.findMany({ where: { email: { contains: "@EXAMPLE" }, posts: { some: { title: { startsWith: "o" } } } }, orderBy: { id: "desc" }, take: 2, select: { id: true, email: true, born: true, extra: true, _count: { select: { posts: true } } } }),
      twice: await failure(db.user.create({ data: { email } })),
      orphan: await failure(db.post.create({ data: { title: "x", authorId: 9999 } })),
      none: await failure(db.user.findUniqueOrThrow({ where: { id: 12345 } })),
      wrong: await failure(db.user.findMany({ where: { nope: 1 } as any })),
      upsert: (await db.user.upsert({ where: { email }, create: { email }, update: { score: { increment: 2 } } })).score,
      sums: await db.user.aggregate({ _sum: { score: true }, _max: { born: true }, _count: true }),
      groups: await db.post.groupBy({ by: ["title"], _count: { _all: true }, orderBy: { title: "asc" } }),
      raw: await db.$queryRaw`SELECT COUNT(*) AS n, MAX(score) AS m FROM "User" WHERE "on" = ${true}`,
      batch: await db.$transaction([db.post.count(), db.post.updateMany({ where: { title: "two" }, data: { title: "three" } }), db.tag.findMany()]),
      gone: await db.post.deleteMany({ where: { authorId: made.id, title: "three" } }),
    };
    return new Response(JSON.stringify(answers, show, 1), { headers: { "content-type": "application/json" } });
  },
};
