package sqlite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"eddy/queues/workqueue/internal/work"
	"eddy/runtime/sqlite"

	queue "eddy/queues/workqueue"
)

// store is a work.Store in a file.
type store struct {
	path  string
	clock queue.Clock
	hub   *hub

	requests chan *request
	peeks    chan struct{} // capacity 1: another process may have written
	closing  chan struct{}
	once     sync.Once
	ended    chan error // the result of closing the file

	// Owned by the goroutine.
	conn    *connection
	last    int64 // the time of the latest transaction
	version int64 // SQLite's data_version: it changes when another connection has written
}

// request is a call that waits for its transaction.
type request struct {
	ctx  context.Context
	do   func(now int64) error
	done chan error // capacity 1
	wake []string   // topics to wake when it is done
}

func openStore(ctx context.Context, path string, cfg work.Config) (*store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	conn, err := connect(path)
	if err != nil {
		return nil, err
	}
	if err := conn.migrate(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("tables of the work queue: %w", err), conn.db.Close())
	}
	s := &store{
		path: path, clock: cfg.Clock, conn: conn, requests: make(chan *request, maxTurn), peeks: make(chan struct{}, 1),
		closing: make(chan struct{}), ended: make(chan error, 1),
	}
	if s.clock == nil {
		s.clock = queue.RealClock()
	}
	s.hub = joinHub(path, s)
	go s.loop()
	return s, nil
}

// maxTurn is how many calls share a transaction at most.
const maxTurn = 256

func (s *store) loop() {
	for {
		var turn []*request
		select {
		case r := <-s.requests:
			turn = append(turn, r)
		case <-s.peeks:
			s.peek()
			continue
		case <-s.closing:
			s.ended <- s.conn.db.Close()
			return
		}
		for more := true; more && len(turn) < maxTurn; {
			select {
			case r := <-s.requests:
				turn = append(turn, r)
			default:
				more = false
			}
		}
		s.turn(turn)
	}
}

// turn carries out calls in one transaction; if that fails, each in one of its own.
func (s *store) turn(turn []*request) {
	now := s.clock.Now().UnixMicro()
	back := now < s.last
	s.last = now
	err := s.conn.transact(turn[0].ctx, func() error {
		if back {
			if err := s.recount(now); err != nil {
				return err
			}
		}
		for _, r := range turn {
			if err := r.do(now); err != nil {
				return err
			}
		}
		return nil
	})
	for _, r := range turn {
		if err != nil && len(turn) > 1 {
			s.turn([]*request{r})
			continue
		}
		if err == nil {
			s.hub.wakes.Wake(r.wake...)
		}
		r.done <- err
	}
}

// call hands do to the goroutine and waits for its transaction. If ctx ends before, the call may still happen.
func (s *store) call(ctx context.Context, do func(now int64) error, wake ...string) error {
	r := &request{ctx: ctx, do: do, done: make(chan error, 1), wake: wake}
	select {
	case <-s.closing:
		return queue.ErrClosed
	default:
	}
	select {
	case s.requests <- r:
	case <-s.closing:
		return queue.ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case err := <-r.done:
		return err
	case <-s.closing:
		return queue.ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close implements work.Store.
func (s *store) Close(context.Context) (err error) {
	s.once.Do(func() {
		s.hub.leave(s)
		close(s.closing)
		err = <-s.ended
	})
	return err
}

// Enqueue implements work.Store.
func (s *store) Enqueue(ctx context.Context, topic string, jobs []work.NewJob) error {
	return s.call(ctx, func(now int64) error {
		for i := range jobs {
			j := &jobs[i]
			state, due, since := work.Ready, now, int64(0)
			if !j.RunAt.IsZero() {
				due = max(due, j.RunAt.UnixMicro())
			} else if j.Delay > 0 {
				due, since = now+j.Delay.Microseconds(), now
			}
			if due > now {
				state = work.Delayed
			}
			payload := j.Payload
			if payload == nil {
				payload = []byte{}
			}
			err := s.conn.run(`INSERT INTO workqueue_jobs (id, topic, priority, state, due, since, enqueued, `+
				`trace, payload)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?,
					?)`, nil, j.ID, topic, int(j.Priority), int(state), due, since, now, j.Trace, payload)
			if err != nil {
				return err
			}
		}
		return nil
	}, topic)
}

// Exchange implements work.Store.
func (s *store) Exchange(ctx context.Context, x *work.Exchange) (work.Claimed, error) {
	var c work.Claimed
	err := s.call(ctx, func(now int64) (err error) {
		c, err = s.exchange(x, now)
		return err
	}, x.Wakes()...)
	if err != nil {
		return work.Claimed{}, err
	}
	return c, nil
}

func (s *store) exchange(x *work.Exchange, now int64) (work.Claimed, error) {
	c := work.Claimed{Next: -1}
	for i := range x.Settle {
		if err := s.settle(&x.Settle[i], now); err != nil {
			return c, err
		}
	}
	for _, token := range x.Lost {
		err := s.conn.run(`UPDATE workqueue_jobs SET state = 0, due = since, since = 0, attempt = attempt - 1, `+
			`token = ''
			WHERE topic = ? AND state > 0 AND token = ?`, nil, x.Topic, token)
		if err != nil {
			return c, err
		}
	}
	if x.Want == 0 {
		return c, nil
	}
	err := s.conn.run("UPDATE workqueue_jobs SET state = 0 WHERE topic = ? AND state > 0 AND due <= ?", nil,
		x.Topic, now)
	if err != nil {
		return c, err
	}
	err = s.conn.run(`SELECT seq, id, payload, attempt, enqueued, trace FROM workqueue_jobs WHERE topic = ? AND `+
		`state = 0
		ORDER BY priority DESC, due, seq LIMIT ?`, func(st *sqlite.Stmt) {
		c.Deliveries = append(c.Deliveries, work.Delivery{
			Job: queue.Job{
				ID: st.Text(1), Topic: x.Topic, Payload: st.Bytes(2), Attempt: int(st.Int(3)) + 1,
				EnqueuedAt: time.UnixMicro(st.Int(4)).UTC(),
			},
			Token: x.Token, Ref: st.Int(0), Trace: st.Text(5),
		})
	}, x.Topic, x.Want)
	if err != nil {
		return c, err
	}
	for i := range c.Deliveries {
		err := s.conn.run("UPDATE workqueue_jobs SET state = 2, due = ?, since = ?, attempt = attempt + 1, token = "+
			"? WHERE seq = ?",
			nil, now+x.Visibility.Microseconds(), now, x.Token, c.Deliveries[i].Ref)
		if err != nil {
			return c, err
		}
	}
	err = s.conn.run("SELECT due FROM workqueue_jobs WHERE topic = ? AND state > 0 ORDER BY due LIMIT 1",
		func(st *sqlite.Stmt) {
			c.Next = time.Duration(max(st.Int(0)-now, 0)) * time.Microsecond
		}, x.Topic)
	return c, err
}

func (s *store) settle(o *work.Settlement, now int64) error {
	switch o.Verdict {
	case work.Acked:
		return s.conn.run("DELETE FROM workqueue_jobs WHERE seq = ? AND token = ?", nil, o.Ref, o.Token)
	case work.Retry:
		return s.conn.run("UPDATE workqueue_jobs SET state = 1, due = ?, since = ?, token = '', reason = ? WHERE "+
			"seq = ? AND token = ?",
			nil, now+o.Delay.Microseconds(), now, o.Reason, o.Ref, o.Token)
	default:
		return s.conn.run(`UPDATE workqueue_jobs SET topic = ?, origin = topic, state = 0, due = ?, since = 0, `+
			`attempt = 0, token = '',
			reason = ? WHERE seq = ? AND token = ?`, nil, o.DeadTopic, now, o.Reason, o.Ref, o.Token)
	}
}

// recount counts times again, from now, that were counted from a time which the clock has not reached: it was set back.
func (s *store) recount(now int64) error {
	return s.conn.run("UPDATE workqueue_jobs SET due = due - since + ?1, since = ?1 WHERE state > 0 AND since > ?1",
		nil, now)
}

// Prepare implements work.Preparer. It counts again what was claimed before the clock was set back.
func (s *store) Prepare(ctx context.Context, _ string, _ *queue.SubscribeConfig) error {
	return s.call(ctx, s.recount)
}
