package peer

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"

	"eddy/queues"
)

// Queues gives a session its queues. An owner has a broker of its own; a guest asks the owner of the state directory.
// Methods that [queues.Broker] also has do the same here and return the same errors.
type Queues struct {
	o Options
	// hold ends held. From then on this session does not become the owner any more.
	held context.Context
	hold context.CancelFunc
	// broker is set while this session is the owner; it never becomes nil again.
	broker atomic.Pointer[queues.Broker]
	owner  atomic.Pointer[ownerSide] // with broker
	done   chan struct{}             // closed when the guest's goroutine has ended; closed from the start in an owner
	closed sync.Once
	err    error // of Close

	// moved has room for one: the queues are elsewhere, or may be.
	moved chan struct{}

	// succession is taken by a guest that looks for the next owner, or becomes it.
	succession sync.Mutex

	selfMu sync.Mutex
	self   Member // guarded by selfMu

	mu guestState
}

// guestState is what a guest knows of itself: all that must be told to the next owner.
type guestState struct {
	sync.Mutex
	link    *link   // nil while there is none
	at      Address // where the queues are said to be
	seq     uint64
	sent    map[uint64]*request // on the link, without an answer
	waiting []*request          // for a link, in order
	// failed refuses everything, because there is no way to the queues.
	failed error

	declared  *queues.Topology
	consumers map[string]*attachment
	lanes     map[string]*attachment
	observers []func(queues.Activity)
}

// request is something a guest asks of its owner.
type request struct {
	packet packet
	done   func(*packet, error)
	// local does the same on a broker of one's own; nil for what only a new link is told.
	local func(*queues.Broker)
	// once requests must not be made again when nobody knows whether they were handled.
	once bool
}

// link is a guest's connection to its owner.
type link struct {
	q     *Queues
	to    Address
	pipe  *pipe
	owner Member
	// neighbours are the other sessions, guarded by the mu of q.
	neighbours []neighbour
	// partial are deliveries of which more packets come. Only the goroutine that reads.
	partial map[uint64]*packet

	mu sync.Mutex // guards the rest
	// deliveries are those under way, by their numbers; each is given up when the link ends.
	deliveries map[uint64]context.CancelCauseFunc
}

func (q *Queues) session() Member {
	q.selfMu.Lock()
	defer q.selfMu.Unlock()
	s := q.self
	if q.o.Node != nil {
		s.Node = q.o.Node()
	}
	return s
}

// Broker is this session's own, nil while it is a guest.
func (q *Queues) Broker() *queues.Broker { return q.broker.Load() }

// Owner is the session that has the log; ok is false in the owner itself, and while there is none.
func (q *Queues) Owner() (s Member, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.mu.link == nil {
		return Member{}, false
	}
	return q.mu.link.owner, true
}

// Moved says that the queues are elsewhere than they were: a link to where they are not any more ends. Outside of a
// cluster the end of its owner ends a link.
func (q *Queues) Moved(to Address) {
	q.mu.Lock()
	l, news := q.mu.link, q.mu.at != to
	q.mu.at = to
	q.mu.Unlock()
	if l == nil && news {
		select {
		case q.moved <- struct{}{}: // who looks for the queues looks now
		default:
		}
	}
	if l != nil && l.to != to {
		_ = l.pipe.ws.CloseNow() // its goroutine ends then
	}
}

// Guests are the sessions that have joined this one.
func (q *Queues) Guests() []Member {
	if h := q.owner.Load(); h != nil {
		return h.guests()
	}
	return nil
}

// Elsewhere tells whether another session consumes a queue of this owner's.
func (q *Queues) Elsewhere(queue string) bool {
	h := q.owner.Load()
	return h != nil && h.elsewhere(queue)
}

// Serve asks the guest that runs a Worker to connect it to a queue. It returns false if no guest runs the Worker.
func (q *Queues) Serve(script, queue string) bool {
	h := q.owner.Load()
	return h != nil && h.serve(script, queue)
}

// ServeHTTP takes links on [Path].
func (q *Queues) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h := q.owner.Load(); h != nil {
		h.ServeHTTP(w, r)
		return
	}
	http.Error(w, "This session does not own the queues of its state directory.", http.StatusServiceUnavailable)
}

// Drain lets guests end what they have in flight, until ctx ends.
func (q *Queues) Drain(ctx context.Context) {
	if h := q.owner.Load(); h != nil {
		h.drain(ctx)
	}
}

// Running finds the other session that runs a Worker.
func (q *Queues) Running(worker string) (Address, bool) {
	var list []neighbour
	if h := q.owner.Load(); h != nil && q.broker.Load() != nil {
		list = h.neighbours()
	} else {
		q.mu.Lock()
		if q.mu.link != nil {
			list = q.mu.link.neighbours
		}
		q.mu.Unlock()
	}
	for _, n := range list {
		if n.Session.URL != "" && n.Session.runs(worker) {
			return Address{URL: n.Session.URL, Token: n.Token}, true
		}
	}
	return Address{}, false
}
