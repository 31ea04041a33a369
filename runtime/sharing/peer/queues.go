package peer

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"

	"eddy/queues"
)

// Options are the arguments of [Open]. The functions may be called from any goroutine and must not wait for [Queues].
type Options struct {
	// OpenLog opens the log: a *[statedir.LockedError] says that another process has it.
	OpenLog func() (*queues.Broker, error)
	// Find looks up who has the log; nil if guests are not possible.
	Find func(context.Context) (Address, error)
	// Token is what guests of this session must know.
	Token string
	// Session is this one, with the names of its Workers; see [Queues.Announce].
	Session Session
	// Took is called when a guest has become the owner, before anybody is served from its log. If it returns an error,
	// the session has no queues any more.
	Took func(*queues.Broker) error
	// Serve connects a Worker to a queue after the API has made the Worker the queue's consumer.
	Serve func(script, queue string)
	// LaneSent attaches the code of a lane queue, if this session has it.
	LaneSent func(queue string)
	// Changed is called with what happens to the session's peers. It may be nil.
	Changed func(Change)
}

func (o *Options) changed(c Change) {
	if o.Changed != nil {
		o.Changed(c)
	}
}

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

	// succession is taken by a guest that looks for the next owner, or becomes it.
	succession sync.Mutex

	selfMu sync.Mutex
	self   Session // guarded by selfMu

	mu guestState
}

// guestState is what a guest knows of itself: all that must be told to the next owner.
type guestState struct {
	sync.Mutex
	link    *link // nil while there is none
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

// Declare brings the queues in line with what the Workers of this session declare; those of the others stay as they
// are.
func (q *Queues) Declare(ctx context.Context, t queues.Topology) error {
	if h := q.owner.Load(); h != nil {
		return h.declare(ctx, nil, t)
	}
	q.mu.Lock()
	before := q.mu.declared
	q.mu.declared = &t
	q.mu.Unlock()
	_, err := q.ask(ctx, packet{Kind: kindDeclare, Topology: &t}, func(*queues.Broker) (*packet, error) {
		return nil, q.owner.Load().declare(ctx, nil, t)
	})
	if err != nil {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.mu.declared = before
	}
	return err
}

// Consumed lists the queues whose consumer is a Worker of this session. An owner lists all queues.
func (q *Queues) Consumed(ctx context.Context) ([]queues.QueueInfo, error) {
	f, err := q.ask(ctx, packet{Kind: kindQueues}, func(b *queues.Broker) (*packet, error) {
		info, err := b.Queues(ctx)
		return &packet{Info: info}, err
	})
	if err != nil {
		return nil, err
	}
	return f.Info, nil
}

// LaneQueues lists the lane queues of this session's classes. An owner lists all of them.
func (q *Queues) LaneQueues(ctx context.Context) ([]queues.LaneQueueInfo, error) {
	f, err := q.ask(ctx, packet{Kind: kindLaneQueues}, func(b *queues.Broker) (*packet, error) {
		info, err := b.LaneQueues(ctx)
		return &packet{LaneInfo: info}, err
	})
	if err != nil {
		return nil, err
	}
	return f.LaneInfo, nil
}

// Observe does what [queues.Broker.Observe] does. A guest hears only of the queues that it consumes, and it calls f
// from goroutines of its own as well.
func (q *Queues) Observe(f func(queues.Activity)) error {
	q.mu.Lock()
	b := q.broker.Load()
	if b == nil {
		q.mu.observers = append(q.mu.observers, f)
	}
	q.mu.Unlock()
	if b == nil {
		return nil
	}
	_, err := b.Observe(f)
	return err
}

// Announce tells the others more about this session: where it listens, what its Workers do.
func (q *Queues) Announce(s Session) {
	q.selfMu.Lock()
	q.self = s
	q.selfMu.Unlock()
	q.request(&request{
		packet: packet{Kind: kindWorkers, Session: &s},
		done:   func(*packet, error) {}, // if it fails: the next link begins with the session's description anyway
		local:  func(*queues.Broker) { q.owner.Load().introduce() },
	})
}

func (q *Queues) session() Session {
	q.selfMu.Lock()
	defer q.selfMu.Unlock()
	return q.self
}

// Broker is this session's own, nil while it is a guest.
func (q *Queues) Broker() *queues.Broker { return q.broker.Load() }

// Owner is the session that has the log; ok is false in the owner itself, and while there is none.
func (q *Queues) Owner() (s Session, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.mu.link == nil {
		return Session{}, false
	}
	return q.mu.link.owner, true
}

// Guests are the sessions that have joined this one.
func (q *Queues) Guests() []Session {
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

// Hold keeps this session from becoming the owner from now on: it is about to end. It is called before Drain and Close.
func (q *Queues) Hold() {
	q.hold()
	q.succession.Lock()
	defer q.succession.Unlock()
	if q.broker.Load() == nil {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.mu.link == nil {
			q.failLocked(queues.ErrClosed)
		}
	}
}

// Drain lets guests end what they have in flight, until ctx ends.
func (q *Queues) Drain(ctx context.Context) {
	if h := q.owner.Load(); h != nil {
		h.drain(ctx)
	}
}

// Close says bye to the other sessions, and in an owner closes the log.
func (q *Queues) Close() error {
	q.closed.Do(func() {
		q.Hold()
		q.leave()
		<-q.done
		if h := q.owner.Load(); h != nil {
			h.close()
		}
		if b := q.broker.Load(); b != nil {
			q.err = b.Close()
		}
	})
	return q.err
}
