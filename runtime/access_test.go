package runtime

import "testing"

// access.dev gives requests from outside a ctx.access with its audience and identity, and entrypoints that another Worker
// calls none; with a cache there is a ctx.cache, whose purge succeeds (BIND-164).
func TestAccess(t *testing.T) {
	const main = `import { WorkerEntrypoint } from "cloudflare:workers";
	export class Inner extends WorkerEntrypoint { seen() { return typeof this.ctx.access; } }
	export default { async fetch(req, env, ctx) {
		const { access } = ctx;
		if (!access) return Response.json([typeof access, typeof ctx.cache]);
		return Response.json([access.constructor.name, Object.keys(access), access.aud, await access.getIdentity(),
			await ctx.exports.Inner.seen(), await ctx.cache.purge({ tags: ["a"] })]);
	} };`
	const head = `{ "name": "w", "main": "index.js", "compatibility_date": "2026-04-01"`
	s := newProject(t, "wrangler.jsonc", head+`, "cache": { "enabled": true }, "access": { "dev": { "aud": "my-aud",
		"identity": { "email": "a@b.c", "groups": ["x"] } } } }`, "index.js", main).serve()
	s.expect("/", `["AccessContext",["aud"],"my-aud",{"email":"a@b.c","groups":["x"]},"undefined",`+
		`{"success":true,"errors":[]}]`)
	s = newProject(t, "wrangler.jsonc", head+` }`, "index.js", main).serve()
	s.expect("/", `["undefined","undefined"]`)
}
