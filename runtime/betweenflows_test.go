package runtime

import (
	"strings"
	"testing"
)

const (
	flowHasConfig = `{ "name": "has", "main": "index.js", "compatibility_date": "2026-04-01",
		"workflows": [{ "binding": "OWN", "name": "flow", "class_name": "Flow" }] }`
	flowAsksConfig = `{ "name": "asks", "main": "index.js", "compatibility_date": "2026-04-01",
		"services": [{ "binding": "HAS", "service": "has" }], "workflows": [{
			"binding": "FLOW", "name": "flow", "class_name": "Flow", "script_name": "has" }] }`
)

// A workflow of a Worker in another session answers every call of the binding as one in the same session does, values
// of all kinds included, whichever of the two owns the queues. While the Worker does not run, a call says so; when it
// runs again, the instances are as they were (FLOW-173).
func TestWorkflowsBetweenSessions(t *testing.T) {
	for _, owns := range []bool{true, false} {
		state := t.TempDir()
		hasProject := newProject(t, "wrangler.jsonc", flowHasConfig, "index.js", script("betweenflows", "has.js"))
		asksProject := newProject(t, "wrangler.jsonc", flowAsksConfig, "index.js", script("betweenflows", "asks.js"))
		var has, s *served
		if owns {
			has = hasProject.serve(sharing(state))
			s = asksProject.serve(sharing(state))
		} else {
			s = asksProject.serve(sharing(state))
			s.expect("/status?id=a", `Error: The workflow "flow" is the Worker "has"'s, which does not run: start `+
				`it in this session, or in another one on the same state directory.`)
			has = hasProject.serve(sharing(state))
		}
		for pong := ""; pong != `"pong"`; { // until the two have been introduced
			_, pong = s.ask("GET", "/ping", "")
		}
		for _, c := range [][2]string{
			{"create", `"a"`},
			{"create", `Error: WorkflowError: (instance.already_exists) Workflow instance with id "a" already exists`},
			{"until", "8"}, {"status", `["waiting",null,null]`},
			{"pause", "null"}, {"status", `["paused",null,null]`}, {"resume", "null"},
			{"send", "null"}, {"end", `{"one":5,"got":2}`}, {"status", `["complete",{"one":5,"got":2},null]`},
			{"terminate", "Error: WorkflowError: (instance.cannot_terminate) Cannot terminate instance since its on " +
				"a finite state"},
			{"from", "null"}, {"send", "null"}, {"end", `{"one":5,"got":2}`},
			{"restart", "null"}, {"undo", "null"}, {"status", `["terminated",null,null]`},
			{"batch", `["b","c"]`}, {"delete", "null"}, {"status", "Error: instance.not_found"},
			{"delete", "Error: instance.not_found"},
		} {
			s.expect("/"+c[0]+"?id=a", c[1])
		}
		s.expect("/send?id=c", "null")
		has.end()
		if _, got := s.ask("GET", "/status?id=c", ""); !strings.HasPrefix(got, "Error: ") {
			t.Errorf("while the other session is away: %s", got)
		}
		if owns {
			s.out.await("This session owns the queues now", 1)
		}
		has = hasProject.serve(sharing(state))
		for pong := ""; pong != `"pong"`; { // until the two have been introduced
			_, pong = s.ask("GET", "/ping", "")
		}
		s.expect("/end?id=c", `{"one":6,"got":2}`)
		s.end()
		has.end()
	}
}
