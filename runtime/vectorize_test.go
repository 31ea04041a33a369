package runtime

import (
	"strings"
	"testing"
)

// A vector index is searched exactly, by vector or id, within a namespace and a filter; an insert keeps what is there,
// an upsert replaces it; errors have the operation's name. Vectors outlive the session (BIND-70, BIND-71,
// BIND-72, BIND-73, BIND-74, BIND-75).
func TestVectorize(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", script("vectorize", "wrangler.jsonc"), "eddy.jsonc",
		script("vectorize", "eddy.jsonc"), "index.js", script("vectorize", "index.js"))
	s := p.serve()
	if got, want := s.read("/"), strings.TrimSuffix(script("vectorize", "expect"), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	s.end()
	p.serve().expect("/count", "2")
}
