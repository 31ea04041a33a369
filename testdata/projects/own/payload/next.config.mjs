import { withPayload } from "@payloadcms/next/withPayload";

export default withPayload({ turbopack: { root: import.meta.dirname }, serverExternalPackages: ["jose", "pg-cloudflare"], typescript: { ignoreBuildErrors: true } }, { devBundleServerPackages: false });
