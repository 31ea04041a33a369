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

// TestBannerTellsWhatIsMissing: an outbound Worker that does not run, and a certificate without files.
func TestBannerTellsWhatIsMissing(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", `{"name": "gate", "main": "index.js", "compatibility_date": "2026-04-01",
		"mtls_certificates": [{ "binding": "CERT", "certificate_id": "c" }], "dispatch_namespaces": [
			{ "binding": "NS", "namespace": "users", "outbound": { "service": "nobody" } }]}`,
		"index.js", answering(""))
	s := p.serve()
	s.Banner(0)
	for _, want := range []string{"local [not connected]", "needs its files in eddy.jsonc when it is used"} {
		if !strings.Contains(s.out.String(), want) {
			t.Errorf("the banner lacks %q:\n%s", want, s.out)
		}
	}
}
