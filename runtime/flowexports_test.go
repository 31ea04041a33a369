package runtime

import (
	"testing"
	"time"
)

// The exports section defines a workflow without a binding, with schedules and limits of its own; ctx.exports has it
// under the name of its class, and a binding of the same name has the same instances (FLOW-118, FLOW-174). A class that
// no section names is not there (FLOW-3).
func TestWorkflowExports(t *testing.T) {
	s := newProject(t, "wrangler.jsonc", script("flowexports", "wrangler.jsonc"), "index.js",
		script("flowexports", "index.js")).serve(func(o *Options) { o.Crons = true })
	s.expect("/keys", `[["Both","Only","default"],["BOUND"],"undefined"]`)
	s.expect("/both?id=a&params=[%22x%22]", `"a"`)
	s.expect("/both?id=b&params=[%22x%22,%22y%22]", `"b"`)
	s.expect("/only?id=c", `"c"`)
	s.clock.Advance(t.Context(), time.Second)
	s.expect("/end?id=a&env", `["complete",["x"],null]`)
	s.expect("/end?id=b&of=Both", `["errored",null,"WorkflowFatalError: The limit of 1 steps has been reached. This `+
		`limit can be changed in your worker configuration."]`)
	s.expect("/end?id=c&of=Only", `["complete",[null,"function",["Both","Only","default"]],null]`)
	s.clock.Advance(t.Context(), time.Hour)
	s.expect("/end?id=0%20*%20*%20*%20*-1775048400000&of=Only",
		`["complete",["0 * * * *","function",["Both","Only","default"]],null]`)
}
