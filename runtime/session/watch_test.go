package session

import (
	"strings"
	"sync"
	"testing"

	"eddy/runtime/report"
)

// editor hears lines, and calls edit once when one says "evaluated": the script of a Worker runs then, which was built,
// and nothing follows its files yet.
type editor struct {
	*told
	once sync.Once
	edit func()
}

func (e *editor) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "evaluated") {
		e.once.Do(e.edit)
	}
	return e.told.Write(p)
}

// TestEditWhileStarting: an edit of a file that the start has read already is not lost.
func TestEditWhileStarting(t *testing.T) {
	for name, file := range map[string][3]string{
		"the entry":         {"index.js", "first", "second"},
		"another file":      {"other.js", "first", "second"},
		"the configuration": {"wrangler.toml", `V = "first"`, `V = "second"`},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t, "-- wrangler.toml --\nname = \"w\"\nmain = \"index.js\"\n"+
				"compatibility_date = \"2026-04-01\"\n[vars]\nV = \"first\"\n"+
				"-- other.js --\nexport const other = \"first\";\n"+
				"-- index.js --\nimport { other } from \"./other\";\nconsole.log(\"evaluated\");\n"+
				"export default { fetch: (_, env) => new Response([\"first\", other, env.V]) };\n")
			e := &editor{told: &told{}, edit: func() { p.change(file[0], file[1], file[2]) }}
			e.grown = sync.NewCond(&e.mu)
			r := p.start(func(o *Options) {
				o.Watch, o.Report = true, report.New(report.Options{Out: e, Now: o.Clock.Now})
			})
			e.await("Reloaded w", 1)
			if got := r.get("/"); strings.Count(got, "second") != 1 {
				t.Errorf("after the edit it says %q", got)
			}
		})
	}
}

// TestWatchOfWhatIsSought: files that did not go into a bundle change it by being there, or by what they say.
func TestWatchOfWhatIsSought(t *testing.T) {
	p := newProject(t, "testdata/sought.txtar")
	r := p.start(func(o *Options) { o.Watch = true })
	r.expect("/", "lib1,folder")
	reloads := 0
	expect := func(want string) {
		t.Helper()
		for got := ""; got != want; got = r.get("/") { // another reload may follow; see settle
			reloads++
			r.out.await("Reloaded w", reloads)
		}
	}
	p.change("base.json", "lib1", "lib2")
	expect("lib2,folder")
	p.write("src/folder.js", `export const b = "file";`)
	expect("lib2,file")
	failed := func(n int) { t.Helper(); r.out.await("Could not resolve", n) }
	p.change("src/index.js", `"./folder"`, `"./later"`)
	failed(1)
	p.write("src/later.js", `export const b = "later";`)
	expect("lib2,later")
	p.change("src/index.js", `"./later"`, `"installed"`)
	failed(2)
	p.write("node_modules/installed/index.js", `export const b = "installed";`)
	expect("lib2,installed")
}
