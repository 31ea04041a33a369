package peer

import (
	"eddy/queues"
	"eddy/runtime/clock"
)

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

// leave says bye to the owner, after all that was put before, and waits for it to close the link.
func (q *Queues) leave() {
	q.mu.Lock()
	l := q.mu.link
	q.mu.Unlock()
	if l == nil {
		return
	}
	l.pipe.put(&packet{Kind: kindBye})
	l.pipe.close()
	late := clock.AfterPatience(clock.Real{}, byeTime, func() { _ = l.pipe.ws.CloseNow() }) // its goroutine ends then
	defer late.Stop()
	<-q.done
}
