import { withPayload } from "@payloadcms/next/withPayload";

const config = withPayload({
  // drizzle-kit makes migrations, which happens in Node. A Worker never loads it.
  turbopack: { root: import.meta.dirname, resolveAlias: { "drizzle-kit/api": "./src/none.js" } },
  serverExternalPackages: ["jose", "pg-cloudflare"], typescript: { ignoreBuildErrors: true },
}, { devBundleServerPackages: false });

config.serverExternalPackages = config.serverExternalPackages.filter((name) => !name.startsWith("drizzle-kit"));

export default config;
