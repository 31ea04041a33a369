package peer

import "eddy/queues"

// attachment is code that a session has attached to a queue, or to a lane queue.
type attachment struct {
	queue    string
	consumer queues.Consumer
	lane     queues.LaneConsumer
	config   queues.LaneConfig
	// Once this session is the owner, off detaches from the broker, or err says why the broker refused. ready says that
	// one of the two is valid.
	off   func()
	err   error
	ready bool
}

// on attaches to the broker of h, which is this session's own.
func (a *attachment) on(h *ownerSide) (off func(), err error) {
	if a.lane == nil {
		return h.b.Attach(a.queue, a.consumer)
	}
	detach, err := h.b.AttachLanes(a.queue, a.config, a.lane)
	if err != nil {
		return nil, err
	}
	h.hasLane(a.queue, 1)
	return func() { h.hasLane(a.queue, -1); detach() }, nil
}

func (a *attachment) packet(detach bool) packet {
	switch {
	case a.lane != nil && detach:
		return packet{Kind: kindDetachLanes, Queue: a.queue}
	case a.lane != nil:
		return packet{Kind: kindAttachLanes, Queue: a.queue, Lanes: &a.config}
	case detach:
		return packet{Kind: kindDetach, Queue: a.queue}
	}
	return packet{Kind: kindAttach, Queue: a.queue}
}
