package pgx

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"eddy/queues/workqueue/internal/work"
)

// Topics implements work.Inspector.
func (s *store) Topics(ctx context.Context) ([]work.TopicInfo, error) {
	rows, err := s.pool.Query(ctx, `WITH t AS (SELECT coalesce($1::timestamptz, now()) AS now)
SELECT topic, count(*) FILTER (WHERE state = 0 OR due <= now), count(*) FILTER (WHERE state = 1 AND due > now),
	count(*) FILTER (WHERE state = 2 AND due > now), min(enqueued)
FROM workqueue_jobs, t GROUP BY topic ORDER BY topic COLLATE "C"`, s.now())
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (i work.TopicInfo, err error) {
		err = row.Scan(&i.Topic, &i.Ready, &i.Delayed, &i.Claimed, &i.Oldest)
		i.Oldest = i.Oldest.UTC()
		return i, err
	})
}

func (s *store) list(ctx context.Context, where, arg string, limit int) ([]work.JobInfo, error) {
	rows, err := s.pool.Query(ctx, `WITH t AS (SELECT coalesce($1::timestamptz, now()) AS now)
SELECT id::text, topic, payload, attempt, enqueued, CASE WHEN due <= now THEN 0 ELSE state END, priority, due,
	coalesce(origin, ''), coalesce(reason, '') FROM workqueue_jobs, t `+where+
		" LIMIT nullif(greatest($3::bigint, -1), -1)",
		s.now(), arg, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (i work.JobInfo, err error) {
		var enqueued, due time.Time
		err = row.Scan(&i.ID, &i.Topic, &i.Payload, &i.Attempt, &enqueued, &i.State, &i.Priority, &due, &i.Origin,
			&i.Reason)
		i.EnqueuedAt, i.Due = enqueued.UTC(), due.UTC()
		return i, err
	})
}

// Jobs implements work.Inspector.
func (s *store) Jobs(ctx context.Context, topic string, limit int) ([]work.JobInfo, error) {
	return s.list(ctx, "WHERE topic = $2 ORDER BY due > now, CASE WHEN due <= now THEN -priority END, due, seq",
		topic, limit)
}

// Dead implements work.Inspector.
func (s *store) Dead(ctx context.Context, origin string, limit int) ([]work.JobInfo, error) {
	return s.list(ctx,
		`WHERE origin IS NOT NULL AND ($2 = '' OR origin = $2) ORDER BY origin COLLATE "C", due, seq`, origin, limit)
}

// Requeue implements work.Inspector.
func (s *store) Requeue(ctx context.Context, origin string, ids []string) (int, error) {
	tag, err := s.pool.Exec(ctx, `UPDATE workqueue_jobs SET topic = origin, origin = NULL, state = 0,
	due = coalesce($1::timestamptz, now()), since = NULL, attempt = 0, token = NULL
WHERE origin = $2 AND (coalesce(cardinality($3::text[]), 0) = 0 OR id::text = ANY ($3::text[]))
	AND (state < 2 OR due <= coalesce($1::timestamptz, now()))`, s.now(), origin, ids)
	if err == nil {
		s.board.notify(origin)
	}
	return int(tag.RowsAffected()), err
}

// Drain implements work.Inspector.
func (s *store) Drain(ctx context.Context, topic string) (int, error) {
	tag, err := s.pool.Exec(ctx, `DELETE FROM workqueue_jobs
WHERE topic = $2 AND (state < 2 OR due <= coalesce($1::timestamptz, now()))`, s.now(), topic)
	return int(tag.RowsAffected()), err
}
