package sharing

import "eddy/workflows"

// Flows are the workflows of the rest of the session.
type Flows interface {
	// Flow is a workflow whose class a Worker of this session has, nil if none has it.
	Flow(name string) *workflows.Workflow
}
