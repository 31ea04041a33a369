package runtime

import (
	"strings"
	"testing"
)

// TestBannerRedirected: a configuration that a build tool has put in place of the user's is named.
func TestBannerRedirected(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", plainConfig,
		".wrangler/deploy/config.json", `{ "configPath": "../../dist/wrangler.json" }`,
		"dist/wrangler.json", plainConfig, "dist/index.js", answering("built"), "index.js", answering("source"))
	s := p.serve()
	s.expect("/", "built")
	s.Banner(0)
	s.wantLines("Using redirected configuration dist/wrangler.json instead of wrangler.jsonc")
}

// TestMistakesComeFirst: what prevents the start stands before what only warns.
func TestMistakesComeFirst(t *testing.T) {
	_, err := newProject(t, "wrangler.jsonc", `{"extra": 1, "name": 5, "main": "index.js"}`, "index.js",
		answering("")).start()
	text := Explain(err, false)
	if !strings.HasPrefix(text, "error: ") || !strings.Contains(text, "warning: ") {
		t.Errorf("got %s", text)
	}
}
