package session

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"eddy/runtime/bundle"
)

// packagedProject is a project with a package, older than any build, and the folder in which its bundles are kept.
func packagedProject(t *testing.T) (p *project, dir string, with func(*Options)) {
	t.Helper()
	p = newProject(t, "-- wrangler.toml --\nname = \"w\"\nmain = \"index.js\"\ncompatibility_date = \"2026-04-01\"\n"+
		"-- node_modules/p/index.js --\nexport const from = \"package\";\n"+
		"-- index.js --\nimport { from } from \"p\";\n"+
		"export default { fetch: () => new Response(\"first \" + from) };\n")
	old := time.Now().Add(-time.Hour)
	for _, name := range []string{"index.js", "node_modules/p/index.js", "node_modules/p", "node_modules"} {
		if err := os.Chtimes(filepath.Join(p.dir, filepath.FromSlash(name)), old, old); err != nil {
			t.Fatal(err)
		}
	}
	lieStill(filepath.Join(p.dir, "index.js"), filepath.Join(p.dir, "node_modules", "p", "index.js"))
	dir = filepath.Join(t.TempDir(), "bundles")
	return p, dir, func(o *Options) { o.Bundles, o.Watch = dir, true }
}

// lieStill waits until files were written long enough ago: a bundle of files that were written a moment ago is not
// kept.
func lieStill(files ...string) {
	for bundle.Moved(files, time.Now()) {
		runtime.Gosched()
	}
}

// keepFirst runs a session that puts its bundle into the folder, and gives the file's path.
func keepFirst(t *testing.T, p *project, dir string, with func(*Options)) string {
	t.Helper()
	r := p.start(with)
	if err := r.Reload(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if err := r.Stop(); err != nil { // it waits for what is written
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	return files[0]
}

// TestEarly: a session starts with the bundle of an earlier one, which it takes beside the opening of the state.
func TestEarly(t *testing.T) {
	p, dir, with := packagedProject(t)
	keepFirst(t, p, dir, with)
	r := p.start(with)
	r.expect("/", "first package")
	if g := r.services[0].live(); g.bundle.Packages == nil || g.bundle.Warnings != nil {
		t.Errorf("packages %v, warnings %v", g.bundle.Packages, g.bundle.Warnings)
	}
	p.change("index.js", "first", "second")
	if err := r.Reload(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	r.expect("/", "second package")
}

// TestEarlyOfTornFiles: a session starts from its files when what was kept is cut off, of another version or damaged,
// and keeps its bundle again.
func TestEarlyOfTornFiles(t *testing.T) {
	p, dir, with := packagedProject(t)
	kept := keepFirst(t, p, dir, with)
	good, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(good)
	flipped[len(flipped)-20] ^= 1
	for name, torn := range map[string][]byte{
		"empty": {}, "cut": good[:len(good)/2], "flipped": flipped,
		"older": bytes.Replace(good, []byte("eddy bundle "), []byte("eddy bundle 0"), 1),
	} {
		if err := os.WriteFile(kept, torn, 0o600); err != nil {
			t.Fatal(err)
		}
		r := p.start(with)
		r.expect("/", "first package")
		if err := r.Reload(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		if err := r.Stop(); err != nil {
			t.Fatal(err)
		}
		if now, err := os.ReadFile(kept); err != nil || !bytes.Equal(now, good) {
			t.Errorf("%s: the bundle was not kept again: %v", name, err)
		}
	}
}

// TestEarlyOfTwo: sessions of two projects share a folder of bundles, reload and begin again at the same time.
func TestEarlyOfTwo(t *testing.T) {
	one, dir, with := packagedProject(t)
	two, _, _ := packagedProject(t)
	for range 2 {
		var both sync.WaitGroup
		for i, p := range []*project{one, two} {
			r := p.start(with)
			r.expect("/", "first package")
			both.Go(func() {
				if err := r.Reload(t.Context(), ""); err != nil {
					t.Errorf("project %d: %v", i, err)
				}
				if err := r.Stop(); err != nil {
					t.Errorf("project %d: %v", i, err)
				}
			})
		}
		both.Wait()
	}
	if files, err := filepath.Glob(filepath.Join(dir, "*.tmp")); err != nil || len(files) > 0 {
		t.Errorf("left in the folder: %v %v", files, err)
	}
}
