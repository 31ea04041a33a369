package postgres

import (
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"eddy/runtime/cluster/engine"
)

//go:embed schema.sql
var schema string

// format is the version of the tables.
const format = 4

// ObjectShards is how many shards a cluster has for Durable Objects. It is fixed when the cluster is made, and the
// shard after them is that of the queues.
const ObjectShards = 128

// Cluster is what a cluster was made with.
type Cluster struct {
	// ObjectShards is how many shards objects have. The next one is that of the queues.
	ObjectShards int
	// Token is what nodes and clients of /cdn-cgi show.
	Token string
}

// QueueShard is the shard with all queues.
func (c Cluster) QueueShard() int { return c.ObjectShards }

var (
	// ErrExists says that a cluster was made there before.
	ErrExists = errors.New("there is a cluster already")
	// ErrNoCluster says that none was made.
	ErrNoCluster = errors.New("there is no cluster: make one with eddy cluster init")
)

// Init makes the tables of a cluster. The server was looked at with Examine before.
func (e *Engine) Init(ctx context.Context) (Cluster, error) {
	var b [24]byte
	_, _ = rand.Read(b[:]) // it never fails
	c := Cluster{ObjectShards, fmt.Sprintf("%x", b)}
	err := pgx.BeginFunc(ctx, e.data, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, schema, pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "insert into eddy_shard (id) select generate_series(0, $1::int)", c.QueueShard())
		if err == nil {
			_, err = tx.Exec(ctx, "insert into eddy_cluster (format, object_shards, token) values ($1, $2, $3)", format,
				c.ObjectShards, c.Token)
		}
		return err
	})
	if has(err, "42P07") { // duplicate_table
		return Cluster{}, ErrExists
	}
	return c, err
}

// AcceptRestore lets nodes go on after the database was put back to an older state: it ends all of them, takes the
// shards from them, and removes the mark. mark is what that said, "" if there was none; then nothing is changed.
func (e *Engine) AcceptRestore(ctx context.Context) (mark string, err error) {
	err = write(ctx, e.data, func(c *pgx.Conn) error {
		return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
			err := tx.QueryRow(ctx, "delete from eddy_note where name = $1 returning convert_from(value, 'UTF8')",
				engine.RestoredNote).Scan(&mark)
			if errors.Is(err, pgx.ErrNoRows) {
				return nil
			}
			for _, sql := range []string{"update eddy_node set ended = true where not ended",
				"update eddy_shard set owner = '', epoch = epoch + 1"} {
				if err == nil {
					_, err = tx.Exec(ctx, sql)
				}
			}
			return err
		})
	})
	return mark, err
}

// Cluster reads what the cluster was made with.
func (e *Engine) Cluster(ctx context.Context) (Cluster, error) {
	var c Cluster
	var is int
	err := e.data.QueryRow(ctx, "select format, object_shards, token from eddy_cluster").Scan(&is, &c.ObjectShards,
		&c.Token)
	if has(err, "42P01") || errors.Is(err, pgx.ErrNoRows) { // undefined_table
		return c, ErrNoCluster
	}
	if err == nil && is != format {
		err = fmt.Errorf("the cluster's tables have version %d, but this eddy reads version %d: let an eddy that "+
			"reads version %[1]d export it (eddy cluster export DIR), and import that into a new database or "+
			"schema (eddy cluster init, eddy cluster import DIR)", is, format)
	}
	return c, err
}

// has tells whether an error is one of PostgreSQL's with that SQLSTATE.
func has(err error, state string) bool {
	var pe *pgconn.PgError
	return errors.As(err, &pe) && pe.Code == state
}
