package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"eddy/runtime/sqlite"
)

// connection is the one connection of a store. Owned by the store's goroutine.
type connection struct {
	db    *sqlite.DB
	stmts map[string]*sqlite.Stmt
}

func connect(path string) (*connection, error) {
	db, err := sqlite.Open(path, sqlite.Options{CacheKB: 4096})
	if err != nil {
		return nil, err
	}
	// A job that was accepted survives a loss of power.
	if err := db.Exec("PRAGMA synchronous=FULL"); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &connection{db: db, stmts: map[string]*sqlite.Stmt{}}, nil
}

// run carries out one statement; row, if not nil, is called for each of its rows.
func (c *connection) run(sql string, row func(*sqlite.Stmt), args ...any) error {
	s := c.stmts[sql]
	if s == nil {
		var err error
		if s, _, err = c.db.Prepare(sql, sqlite.Trusted); err != nil {
			return err
		}
		c.stmts[sql] = s
	}
	defer s.Reset()
	for i, a := range args {
		switch v := a.(type) {
		case int:
			a = int64(v)
		case time.Duration:
			a = v.Microseconds()
		}
		if err := s.Bind(i+1, a); err != nil {
			return err
		}
	}
	for {
		more, err := s.Step()
		if err != nil || !more {
			return err
		}
		if row != nil {
			row(s)
		}
	}
}

// transact runs f in a transaction. While other processes write it waits, until ctx ends.
func (c *connection) transact(ctx context.Context, f func() error) error {
	for {
		err := c.run("BEGIN IMMEDIATE", nil)
		if err == nil {
			break
		}
		// SQLite itself has waited for five seconds by now.
		if !busy(err) {
			return fmt.Errorf("begin: %w", err)
		}
		if ctx.Err() != nil {
			return fmt.Errorf("begin: %w, after %w", context.Cause(ctx), err)
		}
	}
	err := f()
	if err == nil {
		if err = c.run("COMMIT", nil); err == nil {
			return nil
		}
	}
	if c.db.InTransaction() {
		err = errors.Join(err, c.run("ROLLBACK", nil))
	}
	return err
}

func busy(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && (e.Primary() == codeBusy || e.Primary() == codeLocked)
}

// SQLite's result codes for a database that somebody else is using.
const (
	codeBusy   = 5
	codeLocked = 6
)
