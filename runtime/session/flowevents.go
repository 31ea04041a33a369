package session

import (
	"fmt"
	"sync"

	"eddy/runtime/clock"
	"eddy/runtime/control"
	"eddy/runtime/report"
	"eddy/workflows"
)

// flowEvents are what has happened to instances of workflows and is still to be told to event subscriptions, in order
// (FLOW-183). A task tells it, since a queue may have to be waited for and a workflow does not wait. Any goroutine.
type flowEvents struct {
	clock clock.Clock
	tasks *tasks
	lines *lines
	// fires tells whether anybody may hear of events, fire tells them of one.
	fires func() bool
	fire  func(control.SourceEvent, func(error))

	mu      sync.Mutex
	list    []control.SourceEvent // guarded by mu
	telling bool                  // a task runs; guarded by mu
}

// subscribed are the events that a subscription may be for. The first one of an instance is that it was made, too.
var subscribed = map[workflows.EventType]string{
	workflows.WorkflowQueued: "instance.queued", workflows.WorkflowStart: "instance.started",
	workflows.WorkflowPaused: "instance.paused", workflows.WorkflowFailure: "instance.errored",
	workflows.WorkflowTerminated: "instance.terminated", workflows.WorkflowSuccess: "instance.completed",
}

// add takes an event. It does not block.
func (f *flowEvents) add(e workflows.InstanceEvent) {
	name := subscribed[e.Type]
	if name == "" || !f.fires() {
		return
	}
	names := []string{name}
	if e.ID == 1 {
		names = []string{"instance.created", name}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, name := range names {
		f.list = append(f.list, control.SourceEvent{Event: name,
			Source:  map[string]any{"type": control.Workflows, "workflow_name": e.Workflow},
			Payload: map[string]any{"versionId": "local", "instanceId": e.Instance}})
	}
	if f.telling {
		return
	}
	release := f.clock.Hold("events of workflows")
	if f.telling = f.tasks.Go(func() { f.tell(release) }); !f.telling {
		release() // the session ends
	}
}

func (f *flowEvents) tell(release func()) {
	defer release()
	for {
		f.mu.Lock()
		list := f.list
		f.list, f.telling = nil, len(list) > 0
		f.mu.Unlock()
		if len(list) == 0 {
			return
		}
		for _, e := range list {
			f.fire(e, func(err error) {
				if err != nil {
					f.lines.Line(report.Warn, "control", fmt.Sprintf(
						"%s of workflow %v was not told to its subscribers: %v", e.Event,
						e.Source["workflow_name"], err))
				}
			})
		}
	}
}
