package peer

import (
	"context"
	"net/http"

	"eddy/queues"
)

// Hub serves the queues of a cluster to its nodes, of which each is a guest, the host's own as well. All nodes run the
// same Workers: what they declare is one thing, and a consumer's batches go to whichever of them has the fewest.
type Hub struct{ h *ownerSide }

// NewHub serves a broker. Of the options it uses Token, Session, Fire and Changed.
func NewHub(o Options, b *queues.Broker) (*Hub, error) {
	h, err := newOwnerSide(&o, func() Member { return o.Session }, b)
	if err != nil {
		return nil, err
	}
	h.spreads = map[string]*spread{}
	return &Hub{h}, nil
}

// ServeHTTP takes links on [Path].
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.h.ServeHTTP(w, r) }

// Nodes are those that are joined.
func (h *Hub) Nodes() []Member { return h.h.guests() }

// Serve tells the nodes that run a Worker to attach it to a queue.
func (h *Hub) Serve(script, queue string) bool { return h.h.serve(script, queue) }

// Keep cuts off nodes that are no part of the cluster any more, and never will be: what they had in flight is delivered
// again.
func (h *Hub) Keep(member func(node string) bool) {
	h.h.mu.Lock()
	defer h.h.mu.Unlock()
	for c := range h.h.conns {
		if node := c.session.Node; node != "" && !member(node) { // one that leaves has none
			_ = c.pipe.ws.CloseNow() // its goroutine ends then
		}
	}
}

// Close lets what is in flight end until ctx does, and says bye: the nodes ask the next host for all that comes. The
// broker is still open.
func (h *Hub) Close(ctx context.Context) {
	h.h.drain(ctx)
	h.h.close()
}

// Cut ends all links at once: the queues are another node's, and nothing that is in flight may be acknowledged here.
func (h *Hub) Cut() {
	h.h.mu.Lock()
	h.h.closed = true
	for c := range h.h.conns {
		_ = c.pipe.ws.CloseNow() // its goroutine ends then
	}
	h.h.mu.Unlock()
	h.h.serving.Wait()
	h.h.unwatch()
}
