package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"eddy/runtime/cluster/engine"
)

const (
	sqlNote = `select version, value from eddy_note where name = $1`

	sqlMakeNote = `insert into eddy_note (name, version, value) values ($1, 1, $2) on conflict do nothing`

	sqlSetNote = `update eddy_note set version = version + 1, value = $3 where name = $1 and version = $2`

	sqlPutNote = `insert into eddy_note (name, version, value) values ($1, 1, $2)
		on conflict (name) do update set version = eddy_note.version + 1, value = excluded.value`

	sqlChange = `insert into eddy_kv select $1, u.k, u.v from unnest($2::bytea[], $3::bytea[]) u(k, v)
		on conflict (shard, key) do update set value = excluded.value`

	// The index begins with the shard, so each shard is looked into by itself; offset 0 keeps it so.
	sqlReadAll = `select s.id, u.key, u.value from eddy_shard s cross join lateral (select key, value from eddy_kv
			where shard = s.id and key >= $1 and ($2::bytea is null or key < $2) order by key offset 0) u
		order by s.id, u.key`

	sqlDrop = `delete from eddy_kv where shard = $1 and key >= $2 and ($3::bytea is null or key < $3)`
)

var _ engine.Archive = (*Engine)(nil)

// Note implements [engine.Engine].
func (e *Engine) Note(ctx context.Context, name string) (engine.Note, error) {
	return note(ctx, e.data, name)
}

func note(ctx context.Context, from asked, name string) (n engine.Note, err error) {
	rows, err := from.Query(ctx, sqlNote, name)
	if err != nil {
		return n, err
	}
	_, err = pgx.ForEachRow(rows, []any{&n.Version, &n.Value}, func() error { return nil })
	return n, err
}

// SetNote implements [engine.Engine].
func (e *Engine) SetNote(ctx context.Context, name string, after int64, value []byte) error {
	return write(ctx, e.data, func(c *pgx.Conn) error {
		sql, args := sqlSetNote, []any{name, after, value}
		if after == 0 {
			sql, args = sqlMakeNote, []any{name, value}
		}
		tag, err := c.Exec(ctx, sql, args...)
		if err == nil && tag.RowsAffected() == 0 {
			return engine.ErrStale
		}
		return err
	})
}

// unhurried lets a transaction last as long as its caller's context.
const unhurried = `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
	set local lock_timeout = 0`

// Snapshot implements [engine.Archive].
func (e *Engine) Snapshot(ctx context.Context, fn func(engine.Contents) error) error {
	o := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	return pgx.BeginTxFunc(ctx, e.data, o, func(tx pgx.Tx) error {
		c, err := newContents(ctx, tx)
		if err != nil {
			return err
		}
		return fn(c)
	})
}

// Replace implements [engine.Archive].
func (e *Engine) Replace(ctx context.Context, fn func(engine.Contents) error) error {
	return write(ctx, e.data, func(conn *pgx.Conn) error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			// Nodes that register wait for the lock, and then find what is new.
			for _, sql := range []string{unhurried, "lock table eddy_node in share row exclusive mode"} {
				if _, err := tx.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol); err != nil {
					return err
				}
			}
			rows, err := tx.Query(ctx, "select id from eddy_node where not ended order by id")
			if err != nil {
				return err
			}
			alive, err := pgx.CollectRows(rows, pgx.RowTo[engine.NodeID])
			if err == nil && len(alive) > 0 {
				err = &engine.AliveError{Nodes: alive}
			}
			for _, sql := range []string{"update eddy_shard set owner = '', epoch = epoch + 1, head = head + 1",
				"delete from eddy_kv", "delete from eddy_note"} {
				if err == nil {
					_, err = tx.Exec(ctx, sql)
				}
			}
			if err != nil {
				return err
			}
			c, err := newContents(ctx, tx)
			if err != nil {
				return err
			}
			return fn(c)
		})
	})
}

// contents is what one transaction sees.
type contents struct {
	tx     pgx.Tx
	shards []engine.Holding
}

func newContents(ctx context.Context, tx pgx.Tx) (*contents, error) {
	c := &contents{tx: tx}
	if _, err := tx.Exec(ctx, unhurried, pgx.QueryExecModeSimpleProtocol); err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, "select id, owner, epoch, head from eddy_shard order by id")
	if err == nil {
		c.shards, err = pgx.CollectRows(rows, pgx.RowToStructByPos[engine.Holding])
	}
	return c, err
}

func (c *contents) Shards() []engine.Holding { return c.shards }

func (c *contents) Read(
	ctx context.Context, shard int, from, to engine.Key, fn func(engine.Key, engine.Value) error,
) error {
	return read(ctx, c.tx, shard, from, to, fn)
}

func (c *contents) ReadAll(
	ctx context.Context, r engine.Range, fn func(int, engine.Key, engine.Value) error,
) error {
	var to []byte
	if r.To != "" {
		to = []byte(r.To)
	}
	rows, err := c.tx.Query(ctx, sqlReadAll, []byte(r.From), to)
	if err != nil {
		return err
	}
	chain := engine.Chain{Shard: -1}
	var shard int
	var key, raw []byte
	_, err = pgx.ForEachRow(rows, []any{&shard, &key, &raw}, func() error {
		if shard != chain.Shard {
			chain = engine.Chain{Shard: shard}
		}
		v, err := chain.Next(engine.Key(key), raw)
		if err == nil {
			err = fn(shard, engine.Key(key), v)
		}
		raw = nil // fn may keep it
		return err
	})
	return err
}

func (c *contents) Change(ctx context.Context, shard int, b engine.Batch) error {
	for _, r := range b.Deletes {
		var to []byte
		if r.To != "" {
			to = []byte(r.To)
		}
		if _, err := c.tx.Exec(ctx, sqlDrop, shard, []byte(r.From), to); err != nil {
			return err
		}
	}
	keys, values := sealed(shard, b.Puts)
	_, err := c.tx.Exec(ctx, sqlChange, shard, keys, values)
	return err
}

func (c *contents) Note(ctx context.Context, name string) ([]byte, error) {
	n, err := note(ctx, c.tx, name)
	return n.Value, err
}

func (c *contents) SetNote(ctx context.Context, name string, value []byte) error {
	tag, err := c.tx.Exec(ctx, sqlPutNote, name, value)
	if err == nil && tag.RowsAffected() != 1 {
		err = errors.New("the note was not kept")
	}
	return err
}
