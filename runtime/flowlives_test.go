package runtime

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A later life, of another process and with other code, goes on with what the file has: a failure that was not to be
// retried (FLOW-43, X-16), the configuration with which a step began (FLOW-24), the time until which an instance sleeps
// the rollbacks of steps that ran before (FLOW-83); a step that has another name is a new one (FLOW-73). The
// workflow is another Worker's (FLOW-173), whose run is what its constructor made of it (FLOW-5), and whose date shows
// errors that are not retried as the engine's (FLOW-100).
func TestWorkflowLives(t *testing.T) {
	code := script("workflows", "lives.js")
	p := newProject(t, "front/wrangler.jsonc", script("workflows", "front.jsonc"),
		"front/index.js", script("workflows", "front.js"),
		"back/wrangler.jsonc", strings.Replace(script("workflows", "wrangler.jsonc"), `"w"`, `"back"`, 1),
		"back/index.js", code)
	state := filepath.Join(t.TempDir(), "state")
	serve := func() *served {
		t.Helper()
		return p.serve(func(o *Options) {
			o.Configs = []string{"front/wrangler.jsonc", filepath.Join(p.dir, "back", "wrangler.jsonc")}
			o.Persist, o.PersistTo = true, state
		})
	}
	s := serve()
	s.expect("/create?id=long", "long")
	s.expect("/create?id=saga", "saga")
	s.expect("/create?id=fatal", "fatal")
	s.clock.Advance(t.Context(), time.Second)
	s.expect("/calls", `["non","retry 1 of 3","book"]`)
	s.expect("/status?id=fatal", `["errored",null,"WorkflowFatalError","The execution of the Workflow instance was `+
		`terminated, as a step threw an NonRetryableError and it was not handled"]`)
	s.end()

	p.write("back/index.js", strings.NewReplacer("limit: 3", "limit: 0", `"last"`, `"renamed"`).Replace(code))
	s = serve()
	s.clock.Advance(t.Context(), 3*time.Hour)
	s.expect("/calls", `["retry 2 of 3","retry 3 of 3"]`)
	s.expect("/terminate?id=saga", "terminated")
	s.expect("/calls", `["retry 2 of 3","retry 3 of 3","undo B"]`)
	s.end()

	s = serve() // on a new clock, which begins three hours earlier
	s.clock.Advance(t.Context(), 5*time.Hour-time.Second)
	s.expect("/status?id=long", `["waiting",null]`)
	s.clock.Advance(t.Context(), time.Second)
	s.expect("/status?id=long", `["complete",["NonRetryableError: never","retried","renamed"]]`)
	s.expect("/calls", `["renamed"]`)
}
