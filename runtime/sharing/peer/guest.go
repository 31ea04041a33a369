package peer

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"eddy/queues"
	"eddy/runtime/clock"
	"eddy/runtime/statedir"
)

const (
	// startPatience is how long a session waits at its start for the log or for its owner, which may be starting too.
	startPatience = 10 * time.Second
	// hubPatience is how much longer a node of a cluster waits for whoever has the queues: the node that had them may
	// have been lost.
	hubPatience = 4 * time.Minute
	// patience is how long a guest lets requests wait for the next owner. It goes on trying after that.
	patience = 5 * time.Second
	// firstPause is how long a session waits before it tries again; the pause grows to lastPause. The machine's time
	// counts here, not the session's, because the wait is for another process.
	firstPause = 10 * time.Millisecond
	lastPause  = 200 * time.Millisecond
)

// Open opens the log or, if another session has it, joins that session. A *[Refused] is the other session's reason; a
// *[statedir.LockedError] says that whoever has the log takes no guests.
func Open(ctx context.Context, o Options) (*Queues, error) {
	q := &Queues{o: o, self: o.Session, done: make(chan struct{}), moved: make(chan struct{}, 1)}
	q.held, q.hold = context.WithCancel(context.Background())
	q.mu.sent = map[uint64]*request{}
	q.mu.consumers, q.mu.lanes = map[string]*attachment{}, map[string]*attachment{}
	wait := pause{}
	own, cancel := clock.WithPatience(context.Background(), startPatience)
	defer cancel()
	hub, cancel := clock.WithPatience(context.Background(), startPatience+hubPatience)
	defer cancel()
	for {
		b, l, err := q.either(ctx)
		var refused *Refused
		var locked *statedir.LockedError
		switch {
		case b != nil:
			err = q.own(b)
			close(q.done)
			return q, err
		case l != nil:
			q.mu.link = l
			go q.run(l)
			return q, nil
		case o.OpenLog == nil && hub.Err() == nil:
			// The cluster's queues may be on their way from one node to another.
		case errors.As(err, &refused), !errors.As(err, &locked), o.Find == nil, locked.Pid == os.Getpid(),
			own.Err() != nil:
			// A session of this very process has the log, and does not listen, so it cannot be found. Waiting would not
			// help.
			q.hold()
			return nil, err
		}
		if err := wait.wait(ctx, nil); err != nil {
			q.hold()
			return nil, err
		}
	}
}

// either opens the log, or a link to the session that has it open. If neither is possible, the error says why; if no
// such session was found, it wraps the error of opening the log.
func (q *Queues) either(ctx context.Context) (*queues.Broker, *link, error) {
	if q.o.OpenLog == nil {
		at, err := q.o.Find(ctx)
		if err != nil {
			return nil, nil, err
		}
		l, err := q.dial(ctx, at)
		return nil, l, err
	}
	b, err := q.o.OpenLog()
	var locked *statedir.LockedError
	if err == nil || !errors.As(err, &locked) || q.o.Find == nil {
		return b, nil, err
	}
	at, findErr := q.o.Find(ctx)
	if findErr != nil {
		return nil, nil, err
	}
	l, dialErr := q.dial(ctx, at)
	var refused *Refused
	if dialErr != nil && !errors.As(dialErr, &refused) {
		return nil, nil, errors.Join(dialErr, err)
	}
	return nil, l, dialErr
}

// own makes b this session's broker. Nobody else knows of the session's queues yet.
func (q *Queues) own(b *queues.Broker) error {
	h, err := newOwnerSide(&q.o, q.session, b)
	if err != nil {
		return errors.Join(err, b.Close())
	}
	q.owner.Store(h)
	q.broker.Store(b)
	return nil
}

// pause grows from one try to the next.
type pause struct{ next time.Duration }

// wait waits, until woken says that another try may succeed. Nil is never.
func (p *pause) wait(ctx context.Context, woken <-chan struct{}) error {
	p.next = min(max(2*p.next, firstPause), lastPause)
	t := time.NewTimer(p.next)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-woken:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// run is the guest's goroutine: it serves the link, and then looks for the next owner or becomes it.
func (q *Queues) run(l *link) {
	defer close(q.done)
	for l != nil {
		bye, last, err := l.serve()
		q.lost(l, bye, last)
		if q.held.Err() != nil {
			return
		}
		q.o.changed(Change{Kind: Lost, Session: l.owner, Err: err})
		l = q.succeed()
	}
}

// lost takes a link out of use. Requests that it did not answer wait for the next link, except sends: nobody knows what
// became of those.
func (q *Queues) lost(l *link, bye bool, last uint64) {
	l.end()
	q.mu.Lock()
	q.mu.link = nil
	var open []*request
	for _, r := range q.mu.sent {
		open = append(open, r)
	}
	q.mu.sent = map[uint64]*request{}
	slices.SortFunc(open, func(a, b *request) int {
		if a.packet.Seq < b.packet.Seq {
			return -1
		}
		return 1
	})
	var unknown, again []*request
	for _, r := range open {
		switch {
		case r.local == nil: // resume makes it again for the next owner, and takeOver does without
		case r.once && !(bye && r.packet.Seq > last):
			unknown = append(unknown, r)
		default:
			again = append(again, r)
		}
	}
	q.mu.waiting = append(again, q.mu.waiting...)
	if q.held.Err() != nil {
		q.failLocked(queues.ErrClosed)
	}
	q.mu.Unlock()
	for _, r := range unknown {
		r.done(nil, errUnanswered(l.owner))
	}
}

// succeed tries until this session has become the owner (nil), has a link to the next one, or is about to end (nil).
func (q *Queues) succeed() *link {
	q.succession.Lock()
	defer q.succession.Unlock()
	patient, cancel := clock.WithPatience(context.Background(), cmp.Or(q.o.Patience, patience))
	defer cancel()
	told := false
	for wait := (pause{}); q.held.Err() == nil; {
		b, l, err := q.either(q.held)
		if b != nil {
			if err = q.takeOver(b); err == nil {
				return nil
			}
			// The log cannot be served: nothing would get better by trying again.
			q.giveUp(err)
			return nil
		}
		if l != nil {
			q.resume(l)
			q.o.changed(Change{Kind: Found, Session: l.owner})
			return l
		}
		var locked *statedir.LockedError
		if q.o.OpenLog != nil && !errors.As(err, &locked) && q.held.Err() == nil {
			q.giveUp(err) // the log is damaged, or this session was refused
			return nil
		}
		if !told && patient.Err() != nil {
			told = true
			q.giveUp(err)
		}
		_ = wait.wait(q.held, q.moved) // the end of held is seen above
	}
	return nil
}

// giveUp refuses all that waits, and all that comes until there is an owner.
func (q *Queues) giveUp(err error) {
	q.mu.Lock()
	q.failLocked(err)
	q.mu.Unlock()
	q.o.changed(Change{Kind: Failed, Err: err})
}

// resume puts a new link to use: what the owner must know first, then what waits.
func (q *Queues) resume(l *link) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.mu.link, q.mu.failed = l, nil
	tell := func(f packet) {
		r := &request{packet: f, done: func(_ *packet, err error) {
			if err != nil {
				q.o.changed(Change{Kind: Failed, Session: l.owner, Err: err})
			}
		}}
		if err := q.putLocked(r); err != nil {
			panic(err) // it went over a link before
		}
	}
	if q.mu.declared != nil {
		tell(packet{Kind: kindDeclare, Topology: q.mu.declared})
	}
	for _, table := range []map[string]*attachment{q.mu.consumers, q.mu.lanes} {
		for _, a := range table {
			tell(a.packet(false))
		}
	}
	waiting := q.mu.waiting
	q.mu.waiting = nil
	for _, r := range waiting {
		if err := q.putLocked(r); err != nil {
			go r.done(nil, err) // it may take mu
		}
	}
}

// takeOver makes this session the owner. Whatever is attached meanwhile comes along.
func (q *Queues) takeOver(b *queues.Broker) error {
	h, err := newOwnerSide(&q.o, q.session, b)
	if err != nil {
		return errors.Join(err, b.Close())
	}
	q.owner.Store(h)
	q.mu.Lock()
	declared, observers := q.mu.declared, q.mu.observers
	q.mu.Unlock()
	for _, f := range observers {
		if _, err := b.Observe(f); err != nil {
			return errors.Join(err, b.Close())
		}
	}
	if declared != nil {
		if err := h.declare(context.Background(), nil, *declared); err != nil {
			return errors.Join(err, b.Close())
		}
	}
	for {
		q.mu.Lock()
		todo := q.unready()
		if len(todo) == 0 {
			// From here on everybody goes to the broker; those that waited come first.
			for _, r := range q.mu.waiting {
				r.local(b)
			}
			q.mu.waiting, q.mu.failed = nil, nil
			q.broker.Store(b)
			q.mu.Unlock()
			break
		}
		q.mu.Unlock()
		for _, a := range todo {
			off, err := a.on(h)
			q.mu.Lock()
			a.off, a.err, a.ready = off, err, true
			q.mu.Unlock()
		}
	}
	if q.o.Took != nil {
		if err := q.o.Took(b); err != nil {
			return err
		}
	}
	q.o.changed(Change{Kind: Took})
	return nil
}
