package runtime

import "testing"

// access.dev gives requests from outside a ctx.access with its audience and identity, and entrypoints that another
// Worker calls none; with a cache there is a ctx.cache, whose purge succeeds (BIND-164).
func TestAccess(t *testing.T) {
	main := script("access", "index.js")
	const head = `{ "name": "w", "main": "index.js", "compatibility_date": "2026-04-01"`
	s := newProject(t, "wrangler.jsonc", head+`, "cache": { "enabled": true }, "access": { "dev": { "aud": "my-aud",
		"identity": { "email": "a@b.c", "groups": ["x"] } } } }`, "index.js", main).serve()
	s.expect("/", `["AccessContext",["aud"],"my-aud",{"email":"a@b.c","groups":["x"]},"undefined",`+
		`{"success":true,"errors":[]}]`)
	s = newProject(t, "wrangler.jsonc", head+` }`, "index.js", main).serve()
	s.expect("/", `["undefined","undefined"]`)
}
