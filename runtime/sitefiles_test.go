package runtime

import "testing"

// What the files of a Workers Site cannot do is refused by name; where the reference answers nothing at all there is an
// answer. A file that changes is read as it is now.
func TestSiteFiles(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", `{"name": "w", "main": "index.js", "compatibility_date": "2026-04-01",
	"site": { "bucket": "public" }}`,
		"index.js", script("sitefiles", "index.js"),
		"public/a.txt", "one")
	s := p.serve()
	s.expect("/put", "Error: KV PUT failed: 405 Cannot put() with Workers Sites namespace")
	s.expect("/several", "Error: KV GET_BULK failed: 405 Cannot post() with Workers Sites namespace")
	s.expect("/a", "one")
	p.write("public/a.txt", "two")
	s.expect("/a", "two")
}
