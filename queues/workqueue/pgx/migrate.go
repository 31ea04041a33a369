package pgx

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrationLock orders processes that migrate; it is the ASCII of "workqueu".
const migrationLock = 0x776f726b71756575

// migrate brings the tables up to date.
func migrate(ctx context.Context, pool *pgxpool.Pool) error {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	current := func(tx querier) (version int, err error) {
		err = tx.QueryRow(ctx, "SELECT coalesce(max(version), 0) FROM workqueue_schema").Scan(&version)
		var e *pgconn.PgError
		if errors.As(err, &e) && e.Code == undefinedTable {
			return 0, nil
		}
		if err == nil && version > len(files) {
			err = fmt.Errorf("the database has version %d of the work queue's tables, this program knows %d: use a "+
				"newer one", version, len(files))
		}
		return version, err
	}
	// Mostly the tables are up to date. Then the account needs no right to make them.
	if version, err := current(pool); err != nil || version == len(files) {
		if err != nil {
			return fmt.Errorf("tables of the work queue: %w", err)
		}
		return nil
	}
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", migrationLock); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "CREATE TABLE IF NOT EXISTS workqueue_schema (version integer PRIMARY KEY, "+
			"applied timestamptz NOT NULL DEFAULT now())"); err != nil {
			return err
		}
		version, err := current(tx)
		if err != nil {
			return err
		}
		for ; version < len(files); version++ {
			text, err := migrations.ReadFile(files[version])
			if err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, string(text)); err != nil {
				return fmt.Errorf("%s: %w", files[version], err)
			}
			if _, err := tx.Exec(ctx, "INSERT INTO workqueue_schema (version) VALUES ($1)", version+1); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("tables of the work queue: %w", err)
	}
	return nil
}

const undefinedTable = "42P01"

type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}
