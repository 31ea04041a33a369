package peer

import "eddy/queues"

// connect attaches a guest's consumer, lanes if it is one of a lane queue. In a cluster it is one of several.
func (h *ownerSide) connect(c *conn, queue string, lanes *queues.LaneConfig) (detach func(), err error) {
	if h.spreads != nil {
		return h.spreadOf(queue).attach(remote{c, queue}, lanes)
	}
	return attach(h.b, queue, lanes, remote{c, queue})
}

// spreadOf is the spread of a queue; the name of a lane queue has a slash, which no other's has.
func (h *ownerSide) spreadOf(queue string) *spread {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.spreads[queue]
	if s == nil {
		s = &spread{b: h.b, queue: queue, busy: map[code]int{}}
		h.spreads[queue] = s
	}
	return s
}
