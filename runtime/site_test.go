package runtime

import (
	"net/http"
	"strings"
	"testing"
)

// A configuration with assets and no script serves the files, and says so; edits show at once.
func TestFilesOnly(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", `{"name": "site", "compatibility_date": "2026-04-01", `+
		`"assets": {"directory": "public", "not_found_handling": "404-page"}}`,
		"public/index.html", "hello", "public/404.html", "nothing here")
	s := p.serve()
	s.expect("/", "hello")
	p.write("public/index.html", "hello again")
	s.expect("/", "hello again")
	if res, body := s.ask("GET", "/nope", ""); res.StatusCode != http.StatusNotFound || body != "nothing here" {
		t.Errorf("GET /nope: %d %q", res.StatusCode, body)
	}
	s.wantLines("GET / 200 OK", "GET /nope 404 Not Found")
}

// A directory that is not there is a mistake that names the key to correct.
func TestNoAssetsDirectory(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", `{"name": "site", "compatibility_date": "2026-04-01", `+
		`"assets": {"directory": "public"}}`)
	if _, err := p.start(); err == nil || !strings.Contains(Explain(err, false), "assets.directory") {
		t.Errorf("error %v", err)
	}
}
