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
	keys, values := sealed(g.Shard, b.Puts)
	return write(ctx, e.data, func(c *pgx.Conn) error {
		var changed int
		if len(b.Deletes) == 0 {
			err := c.QueryRow(ctx, sqlPuts, g.Shard, g.Epoch, g.Owner, n, keys, values).Scan(&changed)
			if err != nil {
				return err
			}
		} else if err := deletes(ctx, c, g, n, b.Deletes, keys, values, &changed); err != nil {
			return err
		}
		if changed == 1 {
			return nil
		}
		return refused(ctx, c, g, n)
	})
}

// sealed are the keys and the bytes of puts.
func sealed(shard int, puts []engine.Put) (keys, values [][]byte) {
	keys, values = make([][]byte, len(puts)), make([][]byte, len(puts))
	for i, p := range puts {
		keys[i], values[i] = []byte(p.Key), engine.Seal(shard, p)
	}
	return keys, values
}

// deletes sends the whole batch in one message, which is one transaction.
func deletes(
	ctx context.Context, c *pgx.Conn, g engine.Grant, n int64, ranges []engine.Range, keys, values [][]byte,
	changed *int,
) error {
	var all pgx.Batch
	first := func(r pgx.Row) error { return r.Scan(changed) }
	all.Queue(sqlPuts, g.Shard, g.Epoch, g.Owner, n, [][]byte{}, [][]byte{}).QueryRow(first)
	for _, r := range ranges {
		if r.To == "" {
			all.Queue(sqlDeleteToEnd, g.Shard, g.Epoch, g.Owner, n, []byte(r.From))
		} else {
			all.Queue(sqlDelete, g.Shard, g.Epoch, g.Owner, n, []byte(r.From), []byte(r.To))
		}
	}
	if len(keys) > 0 {
		all.Queue(sqlPuts, g.Shard, g.Epoch, g.Owner, n, keys, values).QueryRow(first)
	}
	return c.SendBatch(ctx, &all).Close()
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
