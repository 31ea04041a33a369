package sharing

import (
	"eddy/runtime/bindings/objectstore"
	"eddy/workflows"
)

// Flows are the workflows of the rest of the session.
type Flows interface {
	// Flow is a workflow whose class a Worker of this session has, nil if none has it.
	Flow(name string) *workflows.Workflow
}

// Stores are those of a cluster in the rest of the session.
type Stores interface {
	// ClusterStore is a store of the cluster as this node serves it, whether or not it is here; nil if its kind is not
	// known.
	ClusterStore(objectstore.Name) objectstore.Service
}
