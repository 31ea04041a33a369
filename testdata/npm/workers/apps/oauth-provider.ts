import OAuthProvider from "@cloudflare/workers-oauth-provider";
import { WorkerEntrypoint } from "cloudflare:workers";
class Api extends WorkerEntrypoint<any> {
  fetch(r) {
    return Response.json({ props: (this.ctx as any).props, u: new URL(r.url).pathname });
  }
}
const b64 = (b) =>
  btoa(String.fromCharCode(...new Uint8Array(b)))
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace(/=+$/, "");
const make = (o): any =>
  new OAuthProvider({
    resourceMetadata: { resource: o + "/api", authorization_servers: [o] },
    apiRoute: "/api/",
    apiHandler: Api as any,
    authorizeEndpoint: "/authorize",
    tokenEndpoint: "/token",
    clientRegistrationEndpoint: "/register",
    scopesSupported: ["read"],
    defaultHandler: {
      async fetch(r, env) {
        const u = new URL(r.url);
        if (u.pathname === "/authorize") {
          const q = await env.OAUTH_PROVIDER.parseAuthRequest(r);
          const { redirectTo } = await env.OAUTH_PROVIDER.completeAuthorization({
            request: q,
            userId: "u1",
            metadata: {},
            scope: q.scope,
            props: { name: "ann" },
          });
          return Response.redirect(redirectTo);
        }
        return new Response("default " + u.pathname);
      },
    },
  } as any);
let provider: any;
export default {
  async fetch(r, env, ctx) {
    const o = new URL(r.url).origin;
    provider ??= make(o);
    const f = (p, i?) => provider.fetch(new Request(o + p, i), env, ctx);
    const out: any[] = [];
    const reg: any = await (
      await f("/register", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ redirect_uris: [o + "/cb"], client_name: "c", token_endpoint_auth_method: "none" }),
      })
    ).json();
    out.push(Object.keys(reg).sort().join());
    const ver = "v".repeat(50),
      ch = b64(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(ver)));
    const a = await f(
      "/authorize?" +
        new URLSearchParams({
          response_type: "code",
          client_id: reg.client_id,
          redirect_uri: o + "/cb",
          scope: "read",
          state: "s",
          code_challenge: ch,
          code_challenge_method: "S256",
        }),
      { redirect: "manual" },
    );
    out.push(a.status);
    const loc = new URL(a.headers.get("location") ?? "http://none/?" + (await a.text()));
    const t: any = await (
      await f("/token", {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({
          grant_type: "authorization_code",
          code: loc.searchParams.get("code")!,
          client_id: reg.client_id,
          redirect_uri: o + "/cb",
          code_verifier: ver,
        }),
      })
    ).json();
    out.push(Object.keys(t).join());
    out.push(await (await f("/api/me", { headers: { authorization: "Bearer " + t.access_token } })).text());
    out.push(await (await f("/api/me", { headers: { authorization: "Bearer nope" } })).status);
    const t2: any = await (
      await f("/token", {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ grant_type: "refresh_token", refresh_token: t.refresh_token, client_id: reg.client_id }),
      })
    ).json();
    out.push(Object.keys(t2).join());
    return Response.json(out);
  },
};
