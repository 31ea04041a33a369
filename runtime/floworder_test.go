package runtime

import (
	"strings"
	"testing"
	"time"
)

// TestWorkflowOrder checks which of two mistakes of a step is told, the text of a result that is too large, what runs
// again in each execution, and the usual program: created behind an answer, approved by a person, its status polled
// (FLOW-22, FLOW-28, FLOW-71, FLOW-97, FLOW-231).
func TestWorkflowOrder(t *testing.T) {
	s := newProject(t, "wrangler.jsonc", script("workflows", "scheduled.jsonc"), "index.js",
		script("workflows", "order.js")).serve()
	scenes := "callback name config limit large function symbol stored outside handled"
	for _, id := range strings.Fields(scenes) {
		s.expect("/create?id="+id, id)
	}
	s.clock.Advance(t.Context(), 10*time.Second)
	const config = `["errored",null,"WorkflowFatalError: Step config for \"kept\" is in a invalid format. See ` +
		`https://developers.cloudflare.com/workflows/build/sleeping-and-retrying/"]`
	for id, want := range map[string]string{
		"callback": `["complete","WorkflowFatalError: Step \"bad\u0001name\" requires a callback function",null]`,
		"name": `["errored",null,"WorkflowFatalError: Step name \"bad\u0001name\" exceeds max length (256 chars) ` +
			`or invalid characters found"]`,
		"config": config,
		"limit": `["errored",null,"WorkflowFatalError: The limit of 2 steps has been reached. This limit can be ` +
			`changed in your worker configuration."]`,
		"large": `["errored",null,"WorkflowInternalError: Step big-1 output is too large. ` +
			`Maximum allowed size is 1MiB."]`,
		"function": `["errored",null,"The execution of the Workflow instance was terminated, as the step \"fn\" ` +
			`returned a value which is not serialisable"]`,
		"symbol":  `["errored",null,"Symbol(s) could not be cloned."]`,
		"stored":  `["waiting",null,null]`,
		"outside": `["waiting",null,null]`,
		"handled": `["waiting",null,null]`,
	} {
		_, body := s.ask("GET", "/?id="+id, "")
		if strings.TrimSpace(body) != want {
			t.Errorf("%s\n got %s\nwant %s", id, body, want)
		}
	}
	s.expect("/approve?id=handled", "sent")
	s.clock.Advance(t.Context(), time.Hour)
	s.expect("/?id=handled", `["complete","ada",null]`)
	s.expect("/?id=stored", config)
	s.expect("/?id=outside", `["complete",[1,2],null]`)
}
