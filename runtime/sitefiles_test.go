package runtime

import "testing"

// What the files of a Workers Site cannot do is refused by name; where the reference answers nothing at all there is an
// answer. A file that changes is read as it is now.
func TestSiteFiles(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", `{"name": "w", "main": "index.js", "compatibility_date": "2026-04-01",
	"site": { "bucket": "public" }}`,
		"index.js", `const kv = (env) => env.__STATIC_CONTENT;
const attempt = async (f) => { try { return String(await f()); } catch (e) { return e.name + ": " + e.message; } };
const cases = {
	"/put": (env) => kv(env).put("a", "b"),
	"/several": (env) => kv(env).get(["a", "b"]),
	"/a": (env) => kv(env).get("a.txt"),
};
export default { fetch: async (r, env) => new Response(await attempt(() => cases[new URL(r.url).pathname](env))) };`,
		"public/a.txt", "one")
	s := p.serve()
	s.expect("/put", "Error: KV PUT failed: 405 Cannot put() with Workers Sites namespace")
	s.expect("/several", "Error: KV GET_BULK failed: 405 Cannot post() with Workers Sites namespace")
	s.expect("/a", "one")
	p.write("public/a.txt", "two")
	s.expect("/a", "two")
}
