import { getCloudflareContext } from "@opennextjs/cloudflare";
import { sqliteD1Adapter } from "@payloadcms/db-d1-sqlite";
import { buildConfig } from "payload";
import type { GetPlatformProxyOptions } from "wrangler";

const command = process.argv.some((a) => /^(generate|migrate):?/.test(a));

// Commands run in Node, and get the bindings from wrangler.
async function context() {
  if (!command && process.env.NODE_ENV === "production") return getCloudflareContext({ async: true });
  const { getPlatformProxy } = await import(/* webpackIgnore: true */ `${"__wrangler".replaceAll("_", "")}`);
  return getPlatformProxy({} satisfies GetPlatformProxyOptions);
}

const { env } = await context();

export default buildConfig({
  secret: "a secret for trials only",
  telemetry: false,
  db: sqliteD1Adapter({ binding: env.DB, push: false, migrationDir: "src/migrations" }),
  admin: { user: "users", importMap: { baseDir: "src" } },
  collections: [
    { slug: "users", auth: true, fields: [{ name: "nick", type: "text" }] },
    {
      slug: "posts",
      access: { read: () => true },
      versions: { drafts: true },
      hooks: { beforeChange: [({ data }) => ({ ...data, slug: data.title?.toLowerCase().replaceAll(" ", "-") })] },
      fields: [
        { name: "title", type: "text", required: true, index: true }, { name: "slug", type: "text", unique: true }, { name: "views", type: "number", defaultValue: 0 },
        { name: "author", type: "relationship", relationTo: "users" }, { name: "kind", type: "select", options: ["note", "essay"] }, { name: "tags", type: "array", fields: [{ name: "tag", type: "text" }] },
        { name: "extra", type: "json" }, { name: "day", type: "date" },
      ],
    },
  ],
  globals: [{ slug: "settings", access: { read: () => true }, fields: [{ name: "title", type: "text" }] }],
});
