package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"eddy/runtime/cluster/engine"
)

// Engine is a connection of one node, or one command, to the cluster's database. Make one with [Open].
type Engine struct {
	data  *pgxpool.Pool // batches and reads
	watch *pgxpool.Pool // beats and looks
	// together gathers batches of several shards.
	together together
}

var _ engine.Engine = (*Engine)(nil)

// waits is how long a statement may run or wait for a lock, in milliseconds.
const waits = "5000"

// Open prepares connections to the database of a URL (postgres://user@host1,host2/database). It does not connect yet.
// Of several hosts the one is taken that accepts writes.
func Open(url string) (*Engine, error) { return open(url, nil) }

// open is Open with somebody who hears of each query; nil is nobody.
func open(url string, tracer pgx.QueryTracer) (*Engine, error) {
	pool := func(most int32) (*pgxpool.Pool, error) {
		cfg, err := pgxpool.ParseConfig(url)
		if err != nil {
			return nil, err
		}
		if cfg.MaxConns = most; cfg.MinConns > most {
			cfg.MinConns = most
		}
		p := cfg.ConnConfig.RuntimeParams
		p["application_name"] = "eddy"
		if p["synchronous_commit"] != "remote_apply" {
			p["synchronous_commit"] = "on"
		}
		for _, timeout := range []string{"statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"} {
			p[timeout] = waits
		}
		p["default_transaction_isolation"] = "read committed"
		p["plan_cache_mode"] = "force_generic_plan"
		p["enable_seqscan"] = "off"
		// A scan that is avoided at any price looks so dear to the planner that it compiles each look for 0.2 s.
		p["jit"] = "off"
		if cfg.ConnConfig.ValidateConnect == nil {
			cfg.ConnConfig.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
		}
		cfg.ConnConfig.OnNotice = noteDoubt
		cfg.ConnConfig.Tracer = tracer
		return pgxpool.NewWithConfig(context.Background(), cfg)
	}
	data, err := pool(8)
	if err != nil {
		return nil, err
	}
	watch, err := pool(2)
	if err != nil {
		data.Close()
		return nil, err
	}
	e := &Engine{data: data, watch: watch}
	e.together.e = e
	return e, nil
}

// Close ends the connections.
func (e *Engine) Close() {
	e.data.Close()
	e.watch.Close()
}

// doubt is the key of a connection's warning.
const doubt = "eddy: doubt"

func noteDoubt(c *pgconn.PgConn, n *pgconn.Notice) {
	if n.SeverityUnlocalized == "WARNING" {
		c.CustomData()[doubt] = n.Message
	}
}

// write runs f, which changes something, on a connection. If the server has warned, the outcome is unknown.
func write(ctx context.Context, pool *pgxpool.Pool, f func(*pgx.Conn) error) error {
	return pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
		custom := c.Conn().PgConn().CustomData()
		delete(custom, doubt)
		err := f(c.Conn())
		if said, ok := custom[doubt]; ok && (err == nil || settled(err)) {
			err = fmt.Errorf("it is not sure that this is kept: %v", said)
		}
		return err
	})
}

// settled tells whether an error is a sure outcome.
func settled(err error) bool {
	var taken *engine.TakenError
	return errors.Is(err, engine.ErrFenced) || errors.Is(err, engine.ErrEnded) || errors.Is(err, engine.ErrAlive) ||
		errors.Is(err, engine.ErrStale) || errors.As(err, &taken)
}
