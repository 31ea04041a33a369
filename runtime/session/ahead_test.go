package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAhead: from the second reload on at the latest, the user's files go on where dear packages have run already, and
// an edit of the configuration or of a package is seen all the same.
func TestAhead(t *testing.T) {
	p := newProject(t, "testdata/dear.txtar")
	r := p.start(func(o *Options) { o.Watch, o.Dear = true, 1 })
	svc := r.services[0]
	edit := func(name, old, new string) {
		t.Helper()
		path := filepath.Join(p.dir, filepath.FromSlash(name))
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		// The watcher never meets the file half written: a reload of that would give up what has run ahead.
		half := filepath.Join(t.TempDir(), "half")
		if err := os.WriteFile(half, []byte(strings.Replace(string(text), old, new, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(half, path); err != nil {
			t.Fatal(err)
		}
		if err := r.Reload(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
	}
	r.expect("/", "a 3,first,old")
	edit("index.js", "a ", "b ")
	edit("index.js", "b ", "c ")
	r.expect("/", "c 3,first,old")
	if g := svc.live(); !g.ahead {
		t.Error("the packages have run once more")
	}
	edit("wrangler.toml", "first", "second")
	r.expect("/", "c 3,second,old")
	edit("node_modules/p/index.js", "old", "new")
	r.expect("/", "c 3,second,new")
	r.replaceNow(svc, svc.live(), nil)
	r.expect("/", "c 3,second,new")
}
