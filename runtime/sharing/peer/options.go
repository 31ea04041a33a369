package peer

import (
	"context"
	"time"

	"eddy/queues"
)

// Options are the arguments of [Open]. The functions may be called from any goroutine and must not wait for [Queues].
type Options struct {
	// OpenLog opens the log: a *[statedir.LockedError] says that another process has it. It is nil for a node of a
	// cluster, which is always a guest: of the [Hub] of its cluster, be it on the same node.
	OpenLog func() (*queues.Broker, error)
	// Find looks up who has the log; nil if guests are not possible.
	Find func(context.Context) (Address, error)
	// Node is this incarnation of a node of a cluster; nil outside. A link is closed when its node's incarnation has
	// ended, and the next one begins with the next.
	Node func() string
	// Patience is how long a guest lets requests wait for the next owner, 0 for five seconds.
	Patience time.Duration
	// Token is what guests of this session must know.
	Token string
	// Session is this one, with the names of its Workers; see [Queues.Announce].
	Session Member
	// Took is called when a guest has become the owner, before anybody is served from its log. If it returns an error,
	// the session has no queues any more.
	Took func(*queues.Broker) error
	// Serve connects a Worker to a queue after the API has made the Worker the queue's consumer.
	Serve func(script, queue string)
	// LaneSent attaches the code of a lane queue, if this session has it.
	LaneSent func(queue string)
	// Fire tells the owner's event subscriptions of an event that a guest has sent, and calls done once. It may wait.
	Fire func(event []byte, done func(error))
	// Changed is called with what happens to the session's peers. It may be nil.
	Changed func(Change)
}

func (o *Options) changed(c Change) {
	if o.Changed != nil {
		o.Changed(c)
	}
}
