export default defineNuxtConfig({
  compatibilityDate: "2026-04-01",
  telemetry: false,
  nitro: { preset: "cloudflare_module", cloudflare: { deployConfig: true, nodeCompat: true } },
  routeRules: { "/about": { prerender: true }, "/old": { redirect: { to: "/items/1", statusCode: 308 } }, "/headers": { headers: { "x-rule": "1" } } },
});
