package session

import (
	"eddy/runtime/cause"
	"eddy/runtime/journal"
)

// recordFlow puts something that happened to an instance of a workflow into the journal, without the values that came
// or went; at is the time in ms.
func (s *Session) recordFlow(at int64, workflow, instance, event, step, failed string) {
	id := cause.Cause{}.Next()
	s.journal.Add(&journal.Entry{Kind: journal.InstanceEvent, At: at * 1000, Trace: id.Trace, Span: id.Span,
		Outcome: "ok",
		Workflow: &journal.Workflow{
			Name: workflow, Instance: instance, Event: event, Step: step, Error: failed}})
}
