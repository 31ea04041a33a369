package session

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"eddy/runtime/bundle"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// TestOvertaken: a reload whose files are written while it reads them is given up without a word, since another one
// comes; not for ever, so that files that are written without end are seen.
func TestOvertaken(t *testing.T) {
	p := newProject(t, "-- wrangler.toml --\nname = \"w\"\nmain = \"index.js\"\ncompatibility_date = \"2026-04-01\"\n"+
		"-- index.js --\nexport default { fetch: () => new Response(\"first\") };\n")
	var session atomic.Pointer[Session]
	builds := 0 // on the goroutine that builds
	r := p.start(func(o *Options) {
		o.Watch = true
		o.Program = func(*wrangler.Config, bundle.Options) (*worker.Script, error) {
			s := session.Load()
			if s == nil {
				return nil, nil
			}
			text := "export default { // half"
			if builds == mostOvertaken {
				text = `export default { fetch: () => new Response("last") };`
			}
			if builds++; builds <= mostOvertaken+1 {
				svc := s.services[0]
				before := s.watchers.seen(svc)
				p.write("index.js", fmt.Sprint(text, " // ", builds))
				for s.watchers.seen(svc) == before {
					runtime.Gosched()
				}
			}
			return nil, nil
		}
	})
	r.expect("/", "first")
	if err := r.Reload(t.Context(), ""); err != nil { // what is put off after the start is over
		t.Fatal(err)
	}
	session.Store(r.Session)
	p.change("index.js", "first", "second")
	r.out.await("Reloaded w", 2)
	r.expect("/", "last")
	if said := r.out.String(); strings.Contains(said, "Build failed") {
		t.Errorf("half a file is told:\n%s", said)
	}
}
