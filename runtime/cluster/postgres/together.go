package postgres

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"eddy/runtime/cluster/engine"
)

const (
	// transactions is how many are under way before batches gather, and gathered how many shards go in one.
	transactions = 3
	gathered     = 32
	// gatheredBytes is what the batches of one transaction have, but for a single one that has more.
	gatheredBytes = 1 << 20
)

// together makes one transaction of the batches of several shards that come while others are under way. A shard has
// never more than one.
type together struct {
	e *Engine

	mu      sync.Mutex
	waiting []*handed // guarded by mu
	running int       // guarded by mu
}

// handed is a batch on its way.
type handed struct {
	ctx   context.Context
	grant engine.Grant
	n     int64
	batch engine.Batch
	done  chan error
	// changed is how many rows the fence has let it change: 1, or 0 if it was refused.
	changed int
}

func (t *together) commit(ctx context.Context, h *handed) error {
	h.ctx = ctx
	t.mu.Lock()
	if t.running < transactions { // nothing waits then
		t.running++
		t.mu.Unlock()
		defer t.rest()
		return t.e.commitOne(ctx, h)
	}
	t.waiting = append(t.waiting, h)
	t.mu.Unlock()
	select {
	case err := <-h.done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx) // it may be carried out yet, and repeating it does no harm
	}
}

// rest makes way for what has come meanwhile.
func (t *together) rest() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) > 0 {
		go t.run()
	} else {
		t.running--
	}
}

// run carries out what waits.
func (t *together) run() {
	for {
		list := t.next()
		switch len(list) {
		case 0:
			return
		case 1:
			list[0].done <- t.e.commitOne(list[0].ctx, list[0])
		default:
			t.e.commitAll(list)
		}
	}
}

// next takes what goes in the next transaction; nothing ends the goroutine.
func (t *together) next() []*handed {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, bytes := 0, 0
	for ; n < min(len(t.waiting), gathered); n++ {
		if bytes += t.waiting[n].batch.Size(); n > 0 && bytes > gatheredBytes {
			break
		}
	}
	if n == 0 {
		t.running--
		return nil
	}
	list := t.waiting[:n:n]
	t.waiting = t.waiting[n:]
	return list
}

// queuePuts adds one statement for all batches that only put.
func queuePuts(all *pgx.Batch, list []*handed) {
	var shards, of []int
	var epochs, heads []int64
	var owners []string
	var keys, values [][]byte
	only := map[int]*handed{}
	for _, h := range list {
		if len(h.batch.Deletes) > 0 {
			continue
		}
		id := h.grant.Shard
		only[id] = h
		shards, epochs = append(shards, id), append(epochs, h.grant.Epoch)
		owners, heads = append(owners, string(h.grant.Owner)), append(heads, h.n)
		k, v := sealed(id, h.batch.Puts)
		keys, values = append(keys, k...), append(values, v...)
		for range k {
			of = append(of, id)
		}
	}
	if len(only) == 0 {
		return
	}
	all.Queue(sqlAllPuts, shards, epochs, owners, heads, of, keys, values).Query(func(rows pgx.Rows) error {
		var id int
		_, err := pgx.ForEachRow(rows, []any{&id}, func() error {
			only[id].changed = 1
			return nil
		})
		return err
	})
}

// commitAll carries out several batches in one transaction. What the server has refused is tried one by one.
func (e *Engine) commitAll(list []*handed) {
	slices.SortFunc(list, func(a, b *handed) int { return a.grant.Shard - b.grant.Shard })
	ctx := list[0].ctx
	for _, h := range list[1:] {
		if at, ok := h.ctx.Deadline(); ok {
			if least, has := ctx.Deadline(); !has || at.Before(least) {
				ctx = h.ctx
			}
		}
	}
	outcomes := make([]error, len(list))
	err := write(ctx, e.data, func(c *pgx.Conn) error {
		var all pgx.Batch
		queuePuts(&all, list)
		for _, h := range list {
			if len(h.batch.Deletes) > 0 {
				h.queue(&all)
			}
		}
		if err := c.SendBatch(ctx, &all).Close(); err != nil {
			return err
		}
		for i, h := range list {
			outcomes[i] = h.outcome(ctx, c)
		}
		return nil
	})
	var undone *pgconn.PgError
	if errors.As(err, &undone) {
		for _, h := range list {
			h.done <- e.commitOne(h.ctx, h)
		}
		return
	}
	for i, h := range list {
		if err != nil {
			outcomes[i] = err
		}
		h.done <- outcomes[i]
	}
}
