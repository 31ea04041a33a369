package runtime

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// What facets have stored is there on the nodes that take over: those of facets, clones, and nothing of deleted ones.
func TestFacetsOnCluster(t *testing.T) {
	c := newTestCluster(t)
	if err := c.start(writeProject(t, map[string]string{"wrangler.jsonc": script("cluster", "wrangler.jsonc"),
		"index.js": script("cluster", "facets.js")}), false); err != nil {
		t.Fatal(Explain(err, false))
	}
	want := strings.TrimSuffix(strings.Repeat("1,10,0,0,103,0,1,10 ", 12), " ")
	ask := func(path string) {
		t.Helper()
		res, err := http.Get(c.web(0) + path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		if b, err := io.ReadAll(res.Body); err != nil || string(b) != want {
			t.Errorf("%s: %v\n%s", path, err, b)
		}
	}
	ask("/write")
	c.kill(1)
	ask("/read")
	c.kill(0)
	ask("/read")
}
