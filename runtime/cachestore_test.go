package runtime

import (
	"context"
	"os"
	"path/filepath"
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
