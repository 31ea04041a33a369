package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"eddy/runtime/cluster/engine"
)

const (
	sqlBeat = `update eddy_node set beat = beat + 1, url = $2, cert = $3, hash = $4, lease_ms = $5, ready = $6
		where id = $1 and not ended`

	sqlRegister = `insert into eddy_node (id, name, url, cert, hash, lease_ms, ready)
		values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`

	sqlRival = `select id, ended, beat, url, cert, hash from eddy_node where id = $1 or name = $2 and not ended
		order by id = $1 desc limit 1`

	sqlLook = `select 0, id, beat, url, cert, hash, lease_ms, ready, drain, 0::bigint, 0::bigint from eddy_node
		where not ended
		union all select 1 + id, owner, 0, '', ''::bytea, '', 0, false, 0, epoch, head from eddy_shard
		union all select -1, convert_from(value, 'UTF8'), 0, '', ''::bytea, '', 0, false, 0, 0, 0 from eddy_note
		where name = '` + engine.RestoredNote + `'
		union all select -2, '', 0, '', ''::bytea, '', (extract(epoch from clock_timestamp()) * 1000)::bigint, false,
		0, 0, 0 order by 1, 2`

	sqlHolds = `select id, owner, epoch, head from eddy_shard where id = any($1)`

	// The node's row is what a beat updates: it comes before the claim, which then finds another beat, or after it, and
	// finds the node ended.
	sqlClaim = `with d as (update eddy_node set ended = true where id = $2 and beat = $3 and not ended
			and ($1 = '' or exists (select from eddy_node where id = $1 and not ended)) returning id),
		s as (update eddy_shard set owner = $1, epoch = epoch + 1 from d where owner = d.id
			returning eddy_shard.id, epoch, head)
		select s.id, s.epoch, s.head from d left join s on true order by 1`

	sqlClaimFree = `with s as (update eddy_shard set owner = $1, epoch = epoch + 1 where
			(owner = '' or not exists (select from eddy_node n where n.id = owner and not n.ended))
			and exists (select from eddy_node where id = $1 and not ended) returning id, epoch, head)
		select id, epoch, head from s order by 1`

	sqlTake = `with s as (update eddy_shard set owner = $1, epoch = epoch + 1 where id = any($2)
			and (owner = '' or not exists (select from eddy_node n where n.id = owner and not n.ended))
			and exists (select from eddy_node where id = $1 and not ended) returning id, epoch, head)
		select id, epoch, head from s order by 1`

	sqlLives = `select exists (select from eddy_node where id = $1 and not ended)`

	sqlDrain = `update eddy_node set drain = case when $3 then drain | $2 else drain & ~$2 end
		where id = $1 and not ended`

	sqlHand = `update eddy_shard set owner = $4, epoch = epoch + 1 where id = $1 and epoch = $2 and owner = $3`
)

// Beat implements [engine.Engine].
func (e *Engine) Beat(ctx context.Context, n engine.Node) error {
	return write(ctx, e.watch, func(c *pgx.Conn) error {
		cert := n.Cert
		if cert == nil {
			cert = []byte{}
		}
		tag, err := c.Exec(ctx, sqlBeat, n.ID, n.URL, cert, n.Hash, n.Lease.Milliseconds(), n.Ready)
		if err != nil || tag.RowsAffected() == 1 {
			return err
		}
		tag, err = c.Exec(ctx, sqlRegister, n.ID, n.ID.Name(), n.URL, cert, n.Hash,
			n.Lease.Milliseconds(), n.Ready)
		if err != nil || tag.RowsAffected() == 1 {
			return err
		}
		var by engine.Seen
		var ended bool
		err = c.QueryRow(ctx, sqlRival, n.ID, n.ID.Name()).Scan(&by.ID, &ended, &by.Beat, &by.URL, &by.Cert, &by.Hash)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return errors.New("another node of the same name has just gone")
		case err != nil:
			return err
		case by.ID != n.ID:
			return &engine.TakenError{By: by}
		case ended:
			return engine.ErrEnded
		}
		return errors.New("the node was registered meanwhile")
	})
}

// Look implements [engine.Engine].
func (e *Engine) Look(ctx context.Context) (engine.View, error) {
	var v engine.View
	rows, err := e.watch.Query(ctx, sqlLook)
	if err != nil {
		return v, err
	}
	var kind int
	var n engine.Seen
	var h engine.Holding
	var ms int64 // of the lease; of the server's clock
	into := []any{&kind, &n.ID, &n.Beat, &n.URL, &n.Cert, &n.Hash, &ms, &n.Ready, &n.Drain, &h.Epoch, &h.Head}
	_, err = pgx.ForEachRow(rows, into, func() error {
		switch kind {
		case -2:
			v.Now = time.UnixMilli(ms)
			return nil
		case -1:
			v.Restored = string(n.ID)
			return nil
		case 0:
			n.Lease = time.Duration(ms) * time.Millisecond
			v.Nodes = append(v.Nodes, n)
			n.Cert = nil
			return nil
		}
		v.Shards = append(v.Shards, engine.Holding{ID: kind - 1, Owner: n.ID, Epoch: h.Epoch, Head: h.Head})
		return nil
	})
	return v, err
}

// Holds implements [engine.Engine].
func (e *Engine) Holds(ctx context.Context, shards []int) ([]engine.Holding, error) {
	rows, err := e.data.Query(ctx, sqlHolds, shards)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[engine.Holding])
}

// Claim implements [engine.Engine].
func (e *Engine) Claim(ctx context.Context, me, dead engine.NodeID, beat int64) ([]engine.Grant, error) {
	if dead == engine.Nobody {
		return e.claim(ctx, me, dead, sqlClaimFree, me)
	}
	return e.claim(ctx, me, dead, sqlClaim, me, dead, beat)
}

// Take implements [engine.Engine].
func (e *Engine) Take(ctx context.Context, me engine.NodeID, shards []int) ([]engine.Grant, error) {
	return e.claim(ctx, me, engine.Nobody, sqlTake, me, shards)
}

// claim gives me shards, which a statement says.
func (e *Engine) claim(ctx context.Context, me, dead engine.NodeID, sql string, args ...any) ([]engine.Grant, error) {
	var grants []engine.Grant
	err := write(ctx, e.data, func(c *pgx.Conn) error {
		grants = nil
		rows, err := c.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		var id *int
		var epoch, head *int64
		tag, err := pgx.ForEachRow(rows, []any{&id, &epoch, &head}, func() error {
			if id != nil {
				grants = append(grants, engine.Grant{Shard: *id, Epoch: *epoch, Owner: me, Head: *head})
			}
			return nil
		})
		if err != nil || tag.RowsAffected() > 0 {
			return err
		}
		lives := me == engine.Nobody
		if !lives {
			if err := c.QueryRow(ctx, sqlLives, me).Scan(&lives); err != nil {
				return err
			}
		}
		switch {
		case !lives:
			return engine.ErrEnded
		case dead != engine.Nobody:
			return engine.ErrAlive
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return grants, nil
}

// Drain implements [engine.Engine].
func (e *Engine) Drain(ctx context.Context, id engine.NodeID, why engine.Drain, on bool) error {
	return write(ctx, e.data, func(c *pgx.Conn) error {
		tag, err := c.Exec(ctx, sqlDrain, id, why, on)
		if err == nil && tag.RowsAffected() == 0 {
			return engine.ErrEnded
		}
		return err
	})
}

// Hand implements [engine.Engine].
func (e *Engine) Hand(ctx context.Context, g engine.Grant, to engine.NodeID) error {
	return write(ctx, e.data, func(c *pgx.Conn) error {
		tag, err := c.Exec(ctx, sqlHand, g.Shard, g.Epoch, g.Owner, to)
		if err != nil {
			return fmt.Errorf("hand over shard %d: %w", g.Shard, err)
		}
		if tag.RowsAffected() == 0 {
			return engine.ErrFenced
		}
		return nil
	})
}
