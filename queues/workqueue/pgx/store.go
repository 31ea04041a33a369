package pgx

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"eddy/queues/workqueue/internal/work"

	queue "eddy/queues/workqueue"
)

// store is a work.Store in PostgreSQL.
type store struct {
	pool  *pgxpool.Pool
	owned bool        // Close closes the pool
	clock queue.Clock // nil: the server's
	board *board

	last struct {
		sync.Mutex
		now time.Time // what the clock showed at the latest exchange
	}
}

func newStore(pool *pgxpool.Pool, cfg work.Config) *store {
	return &store{pool: pool, clock: cfg.Clock, board: newBoard(pool, cfg.Log)}
}

// now is the time as a parameter of a statement: null for the server's.
func (s *store) now() any {
	if s.clock == nil {
		return nil
	}
	return s.clock.Now()
}

// Close implements work.Store.
func (s *store) Close(context.Context) error {
	s.board.close()
	if s.owned {
		s.pool.Close()
	}
	return nil
}

// now() is the beginning of the transaction. Tests replace it by $1.
const (
	insertOne = `WITH t AS (SELECT coalesce($1::timestamptz, now()) AS now)
INSERT INTO workqueue_jobs (id, topic, priority, state, due, since, enqueued, trace, payload)
SELECT $2, $3, $4, (d.due > now)::int, greatest(d.due, now),
	CASE WHEN $5::timestamptz IS NULL AND d.due > now THEN now END, now, $7, $8
FROM t, LATERAL (SELECT coalesce($5::timestamptz, now + $6::interval) AS due) d`

	insertMany = `WITH t AS (SELECT coalesce($1::timestamptz, now()) AS now)
INSERT INTO workqueue_jobs (id, topic, priority, state, due, since, enqueued, trace, payload)
SELECT j.id, $3, $4, (d.due > now)::int, greatest(d.due, now),
	CASE WHEN $5::timestamptz IS NULL AND d.due > now THEN now END, now, $7, j.payload
FROM t, LATERAL (SELECT coalesce($5::timestamptz, now + $6::interval) AS due) d,
	unnest($2::uuid[], $8::bytea[]) WITH ORDINALITY AS j (id, payload, n) ORDER BY j.n`

	acknowledge = `DELETE FROM workqueue_jobs j USING unnest($1::bigint[], $2::uuid[]) AS s (seq, token)
WHERE j.seq = s.seq AND j.token = s.token`

	tryAgain = `UPDATE workqueue_jobs j
SET state = 1, due = coalesce($1::timestamptz, now()) + s.delay, since = coalesce($1::timestamptz, now()),
	token = NULL, reason = s.reason
FROM unnest($2::bigint[], $3::uuid[], $4::interval[], $5::text[]) AS s (seq, token, delay, reason)
WHERE j.seq = s.seq AND j.token = s.token`

	bury = `UPDATE workqueue_jobs j
SET topic = s.dead, origin = topic, state = 0, due = coalesce($1::timestamptz, now()), since = NULL, attempt = 0,
	token = NULL, reason = s.reason
FROM unnest($2::bigint[], $3::uuid[], $4::text[], $5::text[]) AS s (seq, token, dead, reason)
WHERE j.seq = s.seq AND j.token = s.token`

	giveBack = `UPDATE workqueue_jobs SET state = 0, due = since, since = NULL, attempt = attempt - 1, token = NULL
WHERE topic = $1 AND state > 0 AND token = ANY ($2::uuid[])`

	// promote makes jobs ready whose time has come, but not all at once, and none that another worker is making ready.
	promote = `UPDATE workqueue_jobs SET state = 0 WHERE seq IN (SELECT seq FROM workqueue_jobs
WHERE topic = $2 AND state > 0 AND due <= coalesce($1::timestamptz,
	now()) ORDER BY due LIMIT 1000 FOR UPDATE SKIP LOCKED)`

	claim = `WITH c AS (SELECT seq, due FROM workqueue_jobs WHERE topic = $2 AND state = 0
	ORDER BY priority DESC, due, seq LIMIT $3 FOR UPDATE SKIP LOCKED)
UPDATE workqueue_jobs j SET state = 2, due = coalesce($1::timestamptz, now()) + $4::interval,
	since = coalesce($1::timestamptz, now()),
	attempt = attempt + 1, token = $5
FROM c WHERE j.seq = c.seq
RETURNING j.seq, j.id::text, j.payload, j.attempt, j.enqueued, coalesce(j.trace, ''), j.priority, c.due`

	// A claim that is lost with the server is none, and so its commit need not wait for the disk.
	nextDue = `SELECT coalesce($1::timestamptz, now()),
	(SELECT due FROM workqueue_jobs WHERE topic = $2 AND state > 0 ORDER BY due LIMIT 1),
	CASE WHEN $3 THEN set_config('synchronous_commit', 'off', true) END`

	// recount counts times again, from now, that were counted from a time which the clock has not reached: it was set
	// back.
	recount = `UPDATE workqueue_jobs SET due = due - since + coalesce($1::timestamptz, now()), since = ` +
		`coalesce($1::timestamptz, now())
WHERE state > 0 AND since > coalesce($1::timestamptz, now())`
)

// Enqueue implements work.Store.
func (s *store) Enqueue(ctx context.Context, topic string, jobs []work.NewJob) error {
	j := &jobs[0]
	var runAt, trace any
	if !j.RunAt.IsZero() {
		runAt = j.RunAt
	}
	if j.Trace != "" {
		trace = j.Trace
	}
	var err error
	if len(jobs) == 1 {
		_, err = s.pool.Exec(ctx, insertOne, s.now(), uuid.MustParse(j.ID), topic, int16(j.Priority), runAt,
			j.Delay, trace, body(j.Payload))
	} else {
		// The jobs come from one call, so they differ in nothing but their ids and bodies.
		ids, bodies := make([]uuid.UUID, len(jobs)), make([][]byte, len(jobs))
		for i := range jobs {
			ids[i], bodies[i] = uuid.MustParse(jobs[i].ID), body(jobs[i].Payload)
		}
		_, err = s.pool.Exec(ctx, insertMany, s.now(), ids, topic, int16(j.Priority), runAt, j.Delay, trace, bodies)
	}
	if err == nil {
		s.board.notify(topic)
	}
	return err
}

func body(p []byte) []byte {
	if p == nil {
		return []byte{}
	}
	return p
}

// Exchange implements work.Store. Its statements are one pipeline, which is one transaction.
func (s *store) Exchange(ctx context.Context, x *work.Exchange) (work.Claimed, error) {
	batch, now := &pgx.Batch{}, s.now()
	if s.clock != nil && !x.Began.IsZero() {
		now = x.Began
	}
	settle(batch, now, x.Settle)
	if len(x.Lost) > 0 {
		batch.Queue(giveBack, x.Topic, tokens(x.Lost))
	}
	c := work.Claimed{Next: -1}
	back := false
	if x.Want > 0 {
		batch.Queue(promote, now, x.Topic)
		batch.Queue(claim, now, x.Topic, x.Want, x.Visibility,
			uuid.MustParse(x.Token)).Query(func(rows pgx.Rows) (err error) {
			c.Deliveries, err = deliveries(rows, x)
			return err
		})
		quick := len(x.Settle) == 0
		batch.Queue(nextDue, now, x.Topic, quick).QueryRow(func(row pgx.Row) error {
			var at time.Time
			var due *time.Time
			if err := row.Scan(&at, &due, nil); err != nil {
				return err
			}
			if due != nil {
				c.Next = max(due.Sub(at), 0)
			}
			back = s.passed(at)
			return nil
		})
	}
	if err := s.pool.SendBatch(ctx, batch).Close(); err != nil {
		return work.Claimed{}, err
	}
	if back {
		if _, err := s.pool.Exec(ctx, recount, now); err != nil {
			return work.Claimed{}, err
		}
	}
	for _, topic := range x.Wakes() {
		s.board.notify(topic)
	}
	return c, nil
}

// passed notes what the clock shows and reports whether it was set back.
func (s *store) passed(now time.Time) (back bool) {
	s.last.Lock()
	defer s.last.Unlock()
	// Transactions that overlap may arrive here in another order than they began, hence the second of tolerance.
	back = now.Before(s.last.now.Add(-time.Second))
	if back || now.After(s.last.now) {
		s.last.now = now
	}
	return back
}

func settle(batch *pgx.Batch, now any, all []work.Settlement) {
	var acks, retries, deads settlements
	for i := range all {
		switch o := &all[i]; o.Verdict {
		case work.Acked:
			acks.add(o)
		case work.Retry:
			retries.add(o)
		default:
			deads.add(o)
		}
	}
	if len(acks.seqs) > 0 {
		batch.Queue(acknowledge, acks.seqs, acks.tokens)
	}
	if len(retries.seqs) > 0 {
		batch.Queue(tryAgain, now, retries.seqs, retries.tokens, retries.delays, retries.reasons)
	}
	if len(deads.seqs) > 0 {
		batch.Queue(bury, now, deads.seqs, deads.tokens, deads.topics, deads.reasons)
	}
}

// settlements holds settlements column by column, as unnest takes them.
type settlements struct {
	seqs            []int64
	tokens          []uuid.UUID
	delays          []time.Duration
	topics, reasons []string
}

func (s *settlements) add(o *work.Settlement) {
	s.seqs = append(s.seqs, o.Ref)
	s.tokens = append(s.tokens, uuid.MustParse(o.Token))
	s.delays = append(s.delays, o.Delay)
	s.topics = append(s.topics, o.DeadTopic)
	s.reasons = append(s.reasons, o.Reason)
}

func tokens(all []string) (out []uuid.UUID) {
	for _, t := range all {
		out = append(out, uuid.MustParse(t))
	}
	return out
}

// deliveries reads what was claimed; the rows come in no order.
func deliveries(rows pgx.Rows, x *work.Exchange) ([]work.Delivery, error) {
	type claimed struct {
		work.Delivery
		priority int16
		due      time.Time
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c claimed, err error) {
		c.Job.Topic, c.Token = x.Topic, x.Token
		err = row.Scan(&c.Ref, &c.Job.ID, &c.Job.Payload, &c.Job.Attempt, &c.Job.EnqueuedAt, &c.Trace, &c.priority,
			&c.due)
		c.Job.EnqueuedAt = c.Job.EnqueuedAt.UTC()
		return c, err
	})
	slices.SortFunc(all, func(a, b claimed) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), a.due.Compare(b.due), cmp.Compare(a.Ref, b.Ref))
	})
	out := make([]work.Delivery, len(all))
	for i := range all {
		out[i] = all[i].Delivery
	}
	return out, err
}

// Watch implements work.Store.
func (s *store) Watch(topic string, w *work.Watcher) (stop func(), err error) {
	return s.board.watch(topic, w), nil
}

// Prepare implements work.Preparer. It counts again what was claimed before the clock was set back.
func (s *store) Prepare(ctx context.Context, _ string, _ *queue.SubscribeConfig) error {
	_, err := s.pool.Exec(ctx, recount, s.now())
	return err
}
