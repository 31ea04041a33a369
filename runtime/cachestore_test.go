package runtime

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var cacheWorker = script("cachestore", "cache.js")

// RT13: what is cached stays over a reload and a restart, for as long as it may; a torn file is as good as none.
func TestCacheLasts(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", plainConfig, "index.js", cacheWorker)
	s := p.serve()
	s.expect("/put", "put")
	s.expect("/put?k=torn", "put")
	if err := s.Reload(context.Background(), ""); err != nil {
		t.Fatal(err)
	}
	s.expect("/", "VERSION")
	s.end()
	files, err := filepath.Glob(filepath.Join(p.dir, ".wrangler/state/v3/eddy/cache/*.entry"))
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	again := p.serve()
	again.expect("/", "VERSION")
	for _, f := range files {
		if err := os.Truncate(f, 20); err != nil {
			t.Fatal(err)
		}
	}
	again.expect("/?k=torn", "none")
	again.expect("/put", "put")
	again.clock.Advance(t.Context(), 59*time.Second)
	again.expect("/", "VERSION")
	again.clock.Advance(t.Context(), time.Second)
	again.expect("/", "none")
	again.expect("/put", "put")
	again.expect("/delete", "true")
	again.expect("/", "none")
}

// A disk that refuses is told of: the platform's text for the script says nothing.
func TestCacheRefused(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", plainConfig, "index.js", cacheWorker)
	p.write(".wrangler/state/v3/eddy/cache", "a file in the place of the folder")
	s := p.serve()
	for i, path := range []string{"/put", "/", "/delete"} {
		if res, body := s.ask("GET", path, ""); res.StatusCode != 500 {
			t.Errorf("%s: %d %s", path, res.StatusCode, body)
		}
		if n := strings.Count(s.out.String(), "▲ cache: "); n != i+1 {
			t.Errorf("%s: told %d times\n%s", path, n, s.out)
		}
	}
}
