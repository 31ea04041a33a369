package session

import (
	"encoding/json"

	"eddy/runtime/control"
	"eddy/workflows"
)

// observeFlows makes the session hear of what happens to instances of workflows.
func (s *Session) observeFlows() {
	s.flows.observe = s.observe
	e := &s.flowEvents
	e.clock, e.tasks, e.lines = s.opts.Clock, &s.tasks, &s.lines
	// There is no sharing yet.
	e.fires = func() bool { return s.sharing.Fires() }
	e.fire = func(e control.SourceEvent, done func(error)) { s.sharing.Fire(e, done) }
}

// observe is called on a workflow's goroutine with everything that happens to an instance, when it is durable.
func (s *Session) observe(e workflows.InstanceEvent) {
	s.flowEvents.add(e)
	if s.journal == nil {
		return
	}
	failed := ""
	var data struct{ Error *workflows.Failure }
	// The data is "" or JSON of ours.
	if err := json.Unmarshal([]byte(e.Data), &data); err == nil && data.Error != nil {
		failed = data.Error.Error()
	}
	s.recordFlow(e.Time, e.Workflow, e.Instance, e.Type.String(), e.Step, failed)
}

// hasWorkflow tells whether a Worker of the session has a workflow of that name, or one of a session that has joined it
// may have.
func (s *Session) hasWorkflow(name string) bool {
	return s.flows.find(name) != nil || len(s.sharing.Queues.Guests()) > 0
}

// Flow implements [sharing.Flows].
func (s *Session) Flow(name string) *workflows.Workflow { return s.flows.local(name) }
