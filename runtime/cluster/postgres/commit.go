package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"eddy/runtime/cluster/engine"
)

const (
	// The update is the fence, and the lock that keeps a claim waiting until the batch is kept.
	sqlPuts = `with g as (update eddy_shard set head = $4 where id = $1 and epoch = $2 and owner = $3
			and head between $4 - 1 and $4 returning id),
		i as (insert into eddy_kv select g.id, u.k, u.v from g, unnest($5::bytea[], $6::bytea[]) u(k, v)
			on conflict (shard, key) do update set value = excluded.value)
		select count(*) from g`

	// The same for batches of several shards.
	sqlAllPuts = `with x as (select * from
			unnest($1::int[], $2::bigint[], $3::text[], $4::bigint[]) x(id, epoch, owner, head)),
		g as (update eddy_shard s set head = x.head from x where s.id = x.id and s.epoch = x.epoch and s.owner = x.owner
			and s.head between x.head - 1 and x.head returning s.id),
		i as (insert into eddy_kv select g.id, u.k, u.v from g
			join unnest($5::int[], $6::bytea[], $7::bytea[]) u(id, k, v) on u.id = g.id
			on conflict (shard, key) do update set value = excluded.value)
		select id from g`

	sqlDelete = `delete from eddy_kv where shard = $1 and key >= $5 and key < $6 and exists
		(select from eddy_shard where id = $1 and epoch = $2 and owner = $3 and head = $4)`

	sqlDeleteToEnd = `delete from eddy_kv where shard = $1 and key >= $5 and exists
		(select from eddy_shard where id = $1 and epoch = $2 and owner = $3 and head = $4)`

	sqlHolding = `select owner, epoch, head from eddy_shard where id = $1`

	sqlRead = `select key, value from eddy_kv where shard = $1 and key >= $2 and key < $3 order by key limit $4`

	sqlReadToEnd = `select key, value from eddy_kv where shard = $1 and key >= $2 order by key limit $3`
)

// Commit implements [engine.Engine].
func (e *Engine) Commit(ctx context.Context, g engine.Grant, n int64, b engine.Batch) error {
	if err := b.Check(); err != nil {
		return err
	}
	return e.together.commit(ctx, &handed{grant: g, n: n, batch: b, done: make(chan error, 1)})
}

// commitOne carries out one batch in a transaction of its own.
func (e *Engine) commitOne(ctx context.Context, h *handed) error {
	return write(ctx, e.data, func(c *pgx.Conn) error {
		keys, values := sealed(h.grant.Shard, h.batch.Puts)
		if len(h.batch.Deletes) == 0 {
			err := c.QueryRow(ctx, sqlPuts, h.grant.Shard, h.grant.Epoch, h.grant.Owner, h.n, keys,
				values).Scan(&h.changed)
			if err != nil {
				return err
			}
		} else {
			var all pgx.Batch
			h.queue(&all)
			if err := c.SendBatch(ctx, &all).Close(); err != nil {
				return err
			}
		}
		return h.outcome(ctx, c)
	})
}

// outcome is what a batch has come to whose statements were carried out.
func (h *handed) outcome(ctx context.Context, c *pgx.Conn) error {
	if h.changed == 1 {
		return nil
	}
	return refused(ctx, c, h.grant, h.n)
}

// sealed are the keys and the bytes of puts.
func sealed(shard int, puts []engine.Put) (keys, values [][]byte) {
	keys, values = make([][]byte, len(puts)), make([][]byte, len(puts))
	for i, p := range puts {
		keys[i], values[i] = []byte(p.Key), engine.Seal(shard, p)
	}
	return keys, values
}

// queue adds the statements of a batch to a message, which is one transaction.
func (h *handed) queue(all *pgx.Batch) {
	g, n := h.grant, h.n
	first := func(r pgx.Row) error { return r.Scan(&h.changed) }
	keys, values := sealed(g.Shard, h.batch.Puts)
	if len(h.batch.Deletes) > 0 {
		all.Queue(sqlPuts, g.Shard, g.Epoch, g.Owner, n, [][]byte{}, [][]byte{}).QueryRow(first)
	}
	for _, r := range h.batch.Deletes {
		if r.To == "" {
			all.Queue(sqlDeleteToEnd, g.Shard, g.Epoch, g.Owner, n, []byte(r.From))
		} else {
			all.Queue(sqlDelete, g.Shard, g.Epoch, g.Owner, n, []byte(r.From), []byte(r.To))
		}
	}
	if len(keys) > 0 || len(h.batch.Deletes) == 0 {
		all.Queue(sqlPuts, g.Shard, g.Epoch, g.Owner, n, keys, values).QueryRow(first)
	}
}

// refused says why a batch has changed nothing. That it has not is sure; the reason is for whoever reads it.
func refused(ctx context.Context, c *pgx.Conn, g engine.Grant, n int64) error {
	var h engine.Holding
	if err := c.QueryRow(ctx, sqlHolding, g.Shard).Scan(&h.Owner, &h.Epoch, &h.Head); err != nil {
		return fmt.Errorf("shard %d: %w", g.Shard, err)
	}
	if h.Epoch == g.Epoch && h.Owner == g.Owner && h.Head < n-1 {
		return &engine.RestoredError{Shard: g.Shard, Head: h.Head, Want: n - 1}
	}
	return engine.ErrFenced
}

// page is how many values one statement reads, so that none runs into its timeout or fills the memory.
const page = 64

// Read implements [engine.Engine].
func (e *Engine) Read(
	ctx context.Context, g engine.Grant, from, to engine.Key, fn func(engine.Key, engine.Value) error,
) error {
	return read(ctx, e.data, g.Shard, from, to, fn)
}

// asked answers queries: connections, or one transaction.
type asked interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

func read(
	ctx context.Context, in asked, shard int, from, to engine.Key, fn func(engine.Key, engine.Value) error,
) error {
	chain := engine.Chain{Shard: shard}
	next := []byte(from)
	for {
		sql, args := sqlReadToEnd, []any{shard, next, page}
		if to != "" {
			sql, args = sqlRead, []any{shard, next, []byte(to), page}
		}
		rows, err := in.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		n := 0
		var key, raw []byte
		_, err = pgx.ForEachRow(rows, []any{&key, &raw}, func() error {
			n++
			v, err := chain.Next(engine.Key(key), raw)
			if err == nil {
				err = fn(engine.Key(key), v)
			}
			raw = nil // fn may keep it
			return err
		})
		if err != nil || n < page {
			return err
		}
		next = append([]byte(key), 0)
	}
}
