package peer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/coder/websocket"

	"eddy/queues"
)

// ownerSide is the owner's side: it serves guests from the broker.
type ownerSide struct {
	q       *Queues
	b       *queues.Broker
	serving sync.WaitGroup
	unwatch func()

	// declaring serialises declarations, which read all topologies and then wait for the broker. Taken before mu.
	declaring sync.Mutex

	mu     sync.Mutex // guards the rest
	own    queues.Topology
	conns  map[*conn]bool
	closed bool
	// remote are the queues whose consumer is a guest's, and the lane queues.
	remote map[string]*conn
	// local counts the attachments of this session's own lanes, by lane queue.
	local map[string]int
}

func newOwnerSide(q *Queues, b *queues.Broker) (*ownerSide, error) {
	h := &ownerSide{q: q, b: b, conns: map[*conn]bool{}, remote: map[string]*conn{}, local: map[string]int{}}
	var err error
	h.unwatch, err = b.Observe(h.observe)
	return h, err
}

// observe passes on what happens in a guest's queues. It runs on the broker's goroutine.
func (h *ownerSide) observe(a queues.Activity) {
	h.mu.Lock()
	c := h.remote[a.Queue]
	h.mu.Unlock()
	if c != nil {
		a.Error = shorten(a.Error)
		c.pipe.put(&packet{Kind: kindActivity, Activity: &a})
	}
}

// elsewhere tells whether a guest consumes a queue.
func (h *ownerSide) elsewhere(queue string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.remote[queue] != nil
}

// guests are the sessions that are joined, by process.
func (h *ownerSide) guests() []Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []Session
	for c := range h.conns {
		list = append(list, c.session)
	}
	slices.SortFunc(list, func(a, b Session) int { return a.PID - b.PID })
	return list
}

// declare brings the broker in line with what all sessions declare. t is what c (nil for the owner itself) declares
// now.
func (h *ownerSide) declare(ctx context.Context, c *conn, t queues.Topology) error {
	h.declaring.Lock()
	defer h.declaring.Unlock()
	mine := map[string]bool{}
	for _, consumer := range t.Consumers {
		mine[consumer.Queue] = true
	}
	all := queues.Topology{Queues: slices.Clone(t.Queues), Consumers: slices.Clone(t.Consumers)}
	var errs []error
	add := func(t queues.Topology, s Session) {
		all.Queues = append(all.Queues, t.Queues...)
		all.Consumers = append(all.Consumers, t.Consumers...)
		for _, consumer := range t.Consumers {
			if mine[consumer.Queue] {
				errs = append(errs, fmt.Errorf("queue %q has a consumer already: %s\n"+
					"  a queue has one consumer: take one of the two out of its configuration, or end that session",
					consumer.Queue, s.consumer(consumer)))
			}
		}
	}
	h.mu.Lock()
	if c != nil {
		add(h.own, h.q.session())
	}
	for other := range h.conns {
		if other != c {
			add(other.topology, other.session)
		}
	}
	h.mu.Unlock()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if err := h.b.Declare(ctx, all); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if c != nil {
		c.topology = t
	} else {
		h.own = t
	}
	return nil
}

// ServeHTTP takes a link and serves it until it ends.
func (h *ownerSide) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !authorized(r, h.q.o.Token) {
		http.Error(w, "The token of this session is in running.json of its state directory.", http.StatusForbidden)
		return
	}
	h.mu.Lock()
	closed := h.closed
	if !closed {
		h.serving.Add(1)
	}
	h.mu.Unlock()
	if closed {
		http.Error(w, "The session is being stopped.", http.StatusServiceUnavailable)
		return
	}
	defer h.serving.Done()
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return // answered by Accept
	}
	c := &conn{h: h, pipe: newPipe(ws), deliveries: map[uint64]*delivery{}, detach: map[string]func(){},
		idle: make(chan struct{})}
	defer c.pipe.end()
	if err := c.welcome(); err != nil {
		return
	}
	h.q.o.changed(Change{Kind: Joined, Session: c.session})
	h.introduce()
	err = c.serve()
	c.end()
	h.introduce()
	h.q.o.changed(Change{Kind: Left, Session: c.session, Err: err})
}

// admit takes a guest in, unless it brings a Worker that runs already.
func (h *ownerSide) admit(c *conn) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return queues.ErrClosed
	}
	sessions := []Session{h.q.session()}
	for other := range h.conns {
		sessions = append(sessions, other.session)
	}
	for _, s := range sessions {
		for _, w := range s.Workers {
			if c.session.runs(w.Name) {
				return fmt.Errorf("Worker %q runs already in %s", w.Name, s)
			}
		}
	}
	h.conns[c] = true
	return nil
}

// serve tells the guest that runs a Worker to attach it to a queue; false if there is none.
func (h *ownerSide) serve(script, queue string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.conns {
		for _, w := range c.session.Workers {
			if w.Name == script {
				c.pipe.put(&packet{Kind: kindServe, Script: script, Queue: queue})
				return true
			}
		}
	}
	return false
}

// laneSent tells all sessions that a lane queue got a message, so that the one that has its code attaches it (DQ-24).
func (h *ownerSide) laneSent(queue string) {
	h.mu.Lock()
	attached := h.remote[queue] != nil || h.local[queue] > 0
	var conns []*conn
	for c := range h.conns {
		conns = append(conns, c)
	}
	h.mu.Unlock()
	if attached {
		return
	}
	if h.q.o.LaneSent != nil {
		go h.q.o.LaneSent(queue) // it asks the broker, on whose goroutine this runs
	}
	for _, c := range conns {
		c.pipe.put(&packet{Kind: kindLaneSent, Queue: queue})
	}
}

// hasLane counts attachments of this session's lanes.
func (h *ownerSide) hasLane(queue string, n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.local[queue] += n; h.local[queue] <= 0 {
		delete(h.local, queue)
	}
}

// drain takes the guests' consumers off and waits until what they have in flight is settled, or ctx ends.
func (h *ownerSide) drain(ctx context.Context) {
	h.mu.Lock()
	conns := slices.Collect(maps.Keys(h.conns))
	h.mu.Unlock()
	for _, c := range conns {
		c.detachAll()
	}
	for _, c := range conns {
		select {
		case <-c.whenIdle():
		case <-ctx.Done():
		}
	}
}

// byeTime bounds how long the guests have to close their links after the bye.
const byeTime = 300 * time.Millisecond

// close says bye to the guests and ends the links. The broker is still open.
func (h *ownerSide) close() {
	h.mu.Lock()
	h.closed = true
	conns := slices.Collect(maps.Keys(h.conns))
	h.mu.Unlock()
	for _, c := range conns {
		c.bye()
	}
	late := time.AfterFunc(byeTime, func() {
		for _, c := range conns {
			_ = c.pipe.ws.CloseNow() // its goroutine ends then
		}
	})
	h.serving.Wait()
	late.Stop()
	h.unwatch()
}

// neighbours are the guests.
func (h *ownerSide) neighbours() []neighbour {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []neighbour
	for c := range h.conns {
		list = append(list, neighbour{c.session, c.token})
	}
	return list
}

// introduce tells all guests who is there.
func (h *ownerSide) introduce() {
	own := neighbour{h.q.session(), h.q.o.Token}
	all := h.neighbours()
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.conns {
		list := []neighbour{own}
		for _, n := range all {
			if n.Session.PID != c.session.PID || n.Token != c.token {
				list = append(list, n)
			}
		}
		c.pipe.put(&packet{Kind: kindSessions, Sessions: list})
	}
}
