package sqlite

import (
	"context"
	"time"

	"eddy/queues/workqueue/internal/work"
	"eddy/runtime/sqlite"

	queue "eddy/queues/workqueue"
)

// Topics implements work.Inspector.
func (s *store) Topics(ctx context.Context) (out []work.TopicInfo, err error) {
	err = s.call(ctx, func(now int64) error {
		out = nil
		return s.conn.run(`SELECT topic, sum(state = 0 OR due <= ?1),
			sum(state = 1 AND due > ?1), sum(state = 2 AND due > ?1), min(enqueued)
			FROM workqueue_jobs GROUP BY topic ORDER BY topic`, func(st *sqlite.Stmt) {
			out = append(out, work.TopicInfo{
				Topic: st.Text(0), Ready: st.Int(1), Delayed: st.Int(2), Claimed: st.Int(3),
				Oldest: time.UnixMicro(st.Int(4)).UTC(),
			})
		}, now)
	})
	return out, err
}

const jobColumns = "SELECT id, topic, payload, attempt, enqueued, CASE WHEN due <= ?1 THEN 0 ELSE state END, " +
	"priority, due, origin, reason FROM workqueue_jobs "

func (s *store) list(ctx context.Context, where string, arg string, limit int) (out []work.JobInfo, err error) {
	err = s.call(ctx, func(now int64) error {
		out = nil
		return s.conn.run(jobColumns+where, func(st *sqlite.Stmt) {
			out = append(out, work.JobInfo{
				Job: queue.Job{
					ID: st.Text(0), Topic: st.Text(1), Payload: st.Bytes(2), Attempt: int(st.Int(3)),
					EnqueuedAt: time.UnixMicro(st.Int(4)).UTC(),
				},
				State: work.State(st.Int(5)), Priority: queue.Priority(st.Int(6)), Due: time.UnixMicro(st.Int(7)).UTC(),
				Origin: st.Text(8), Reason: st.Text(9),
			})
		}, now, arg, limit)
	})
	return out, err
}

// Jobs implements work.Inspector.
func (s *store) Jobs(ctx context.Context, topic string, limit int) ([]work.JobInfo, error) {
	return s.list(ctx, "WHERE topic = ?2 ORDER BY due > ?1, CASE WHEN due <= ?1 THEN -priority END, due, seq LIMIT "+
		"?3", topic, limit)
}

// Dead implements work.Inspector.
func (s *store) Dead(ctx context.Context, origin string, limit int) ([]work.JobInfo, error) {
	return s.list(ctx, "WHERE origin <> '' AND (?2 = '' OR origin = ?2) ORDER BY origin, due, seq LIMIT ?3", origin,
		limit)
}

// Requeue implements work.Inspector.
func (s *store) Requeue(ctx context.Context, origin string, ids []string) (n int, err error) {
	if len(ids) == 0 {
		ids = []string{""}
	}
	err = s.call(ctx, func(now int64) error {
		n = 0
		for _, id := range ids {
			err := s.conn.run(`UPDATE workqueue_jobs SET topic = origin, origin = '', state = 0, due = ?1, since = `+
				`0, attempt = 0, token = ''
				WHERE origin = ?2 AND origin <> '' AND (?3 = '' OR id = ?3) AND (state < 2 OR due <= ?1)`,
				nil, now, origin, id)
			if err != nil {
				return err
			}
			n += int(s.conn.db.Changes())
		}
		return nil
	}, origin)
	return n, err
}

// Drain implements work.Inspector.
func (s *store) Drain(ctx context.Context, topic string) (n int, err error) {
	err = s.call(ctx, func(now int64) error {
		err := s.conn.run("DELETE FROM workqueue_jobs WHERE topic = ? AND (state < 2 OR due <= ?)", nil, topic, now)
		n = int(s.conn.db.Changes())
		return err
	})
	return n, err
}
