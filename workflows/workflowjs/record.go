package workflowjs

import (
	"eddy/runtime/cause"
	"eddy/runtime/journal"
)

// Causes implements [worker.Recorder]. It is empty because an instance may live long after what created it.
func (e *lifeEvent) Causes() []cause.Cause { return nil }

// Record implements [worker.Recorder].
func (e *lifeEvent) Record(into *journal.Entry) {
	into.Workflow = &journal.Workflow{Name: e.runner.Workflow, Instance: e.life.Instance}
}
