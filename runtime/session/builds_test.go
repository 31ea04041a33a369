package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"eddy/runtime/bundle"
	"eddy/runtime/clock"
)

// keptProject is a project and the folder in which its bundles are kept.
func keptProject(t *testing.T) (p *project, shelf *bundle.Shelf, with func(*Options)) {
	p = newProject(t, "-- wrangler.toml --\nname = \"w\"\nmain = \"index.js\"\ncompatibility_date = \"2026-04-01\"\n"+
		"-- index.js --\nexport default { fetch: () => new Response(\"from the files\") };\n")
	dir := filepath.Join(t.TempDir(), "bundles")
	return p, bundle.OpenShelf(dir), func(o *Options) { o.Bundles = dir }
}

// TestKeptBundle: a session starts with the bundle of one before. If a build then gives another one, because it depends
// on what the shelf does not know, the Worker is reloaded.
func TestKeptBundle(t *testing.T) {
	p, shelf, with := keptProject(t)
	_, o, err := Prepare(Options{Dir: p.dir, Clock: clock.Real{}})
	if err != nil {
		t.Fatal(err)
	}
	built, err := bundle.Build(o)
	if err != nil {
		t.Fatal(err)
	}
	built.Source = strings.Replace(built.Source, "from the files", "from the shelf", 1)
	shelf.Put(o, built, time.Now().Add(time.Hour))
	reloaded := make(chan struct{}, 1)
	r := p.start(with, func(o *Options) { o.Reloaded = func() { reloaded <- struct{}{} } })
	<-reloaded // which happens only if the session has started with another bundle than a build gives
	r.expect("/", "from the files")
	r.GiveUp()
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	if kept := shelf.Take(o); kept != nil && strings.Contains(kept.Source, "from the shelf") {
		t.Error("the shelf still has what was wrong")
	}
}

// TestPackagesStay: a reload runs the packages of before with the user's files of now, also where the session began
// with the bundle of an earlier one.
func TestPackagesStay(t *testing.T) {
	p := newProject(t, "-- wrangler.toml --\nname = \"w\"\nmain = \"index.js\"\n"+
		"compatibility_date = \"2026-04-01\"\n-- node_modules/p/index.js --\n"+
		"export const from = () => new Error(\"packages\").stack.split(\"\\n\");\n"+
		"-- index.js --\nimport { from } from \"p\";\n"+
		"export default { fetch: () => new Response(\"first\" + from()[1]) };\n")
	old := time.Now().Add(-time.Hour)
	for _, name := range []string{"index.js", "node_modules/p/index.js", "node_modules/p", "node_modules"} {
		if err := os.Chtimes(filepath.Join(p.dir, filepath.FromSlash(name)), old, old); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(t.TempDir(), "bundles")
	for _, first := range []string{"first", "second"} { // the second session takes the bundle from the shelf
		r := p.start(func(o *Options) { o.Bundles, o.Watch = dir, true })
		place := "    at from (file://" + filepath.ToSlash(p.dir) + "/node_modules/p/index.js:1:27)"
		r.expect("/", first+place)
		before := r.services[0].live().bundle.Packages
		if before == nil {
			t.Fatal("the packages are part of the script")
		}
		p.change("index.js", first, "second")
		if err := r.Reload(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		r.expect("/", "second"+place)
		if after := r.services[0].live().bundle.Packages; after != before {
			t.Error("the packages were built anew")
		}
		if err := r.Stop(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestBuilderKeeps: the first bundle of a builder is that of an earlier one, later ones are built.
func TestBuilderKeeps(t *testing.T) {
	p, shelf, _ := keptProject(t)
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(p.dir, "index.js"), old, old); err != nil {
		t.Fatal(err)
	}
	lieStill(filepath.Join(p.dir, "index.js"))
	cfg, o, err := Prepare(Options{Dir: p.dir, Clock: clock.Real{}})
	if err != nil {
		t.Fatal(err)
	}
	for i, kept := range []bool{false, true} {
		b := builder{shelf: shelf}
		if _, err := b.bundle(cfg, o); err != nil {
			t.Fatal(err)
		}
		if b.unproved != kept {
			t.Errorf("builder %d: from the shelf %v, want %v", i, b.unproved, kept)
		}
		b.keep()
		if _, err := b.bundle(cfg, o); err != nil || b.unproved {
			t.Errorf("builder %d: a reload is not built: %v", i, err)
		}
		b.close()
	}
}

// A change that the last reload has read is reloaded once, whoever found it first; one that came after it began, a call
// of Reload, and a custom build whose sources have changed are never left out.
func TestLateRequests(t *testing.T) {
	began := time.Now()
	for _, c := range []struct {
		name    string
		changed time.Time
		stale   bool
		want    bool
	}{
		{"before the reload", began.Add(-time.Millisecond), false, true},
		{"after it began", began.Add(time.Millisecond), false, false},
		{"at the same moment", began, false, false},
		{"for no change", time.Time{}, false, false},
		{"of sources", began.Add(-time.Millisecond), true, false},
	} {
		svc := &service{}
		svc.build.reloaded = began
		svc.build.stale.Store(c.stale)
		if got := (buildRequest{service: svc, changed: c.changed}).late(); got != c.want {
			t.Errorf("%s: late is %v", c.name, got)
		}
	}
}
