//go:build unix

package servers

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5"
)

// Standby starts a standby of a PostgreSQL that runs, and returns when it follows. The primary waits for it with each
// commit from then on, as it would in use.
func Standby(primary *Server, extra ...string) (*Server, error) {
	return StandbyThrough(primary, primary.Addr, extra...)
}

// StandbyThrough is Standby for one that reaches the primary at another address, e.g. a proxy's.
func StandbyThrough(primary *Server, address string, extra ...string) (*Server, error) {
	host, at, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	args := []string{"-h", host, "-p", at, "-U", "postgres", "-R", "-X", "stream", "-c", "fast", "--no-sync"}
	return newPostgres("pg_basebackup", args, "", extra, func(*Server) error {
		return primary.Set("synchronous_standby_names", "*")
	})
}

// Promote makes a standby take writes.
func (s *Server) Promote() error {
	// It waits for no standby of its own before it has one.
	if err := s.Set("synchronous_standby_names", ""); err != nil {
		return err
	}
	return s.query("select pg_promote()")
}

// Set changes a setting of a PostgreSQL that runs, if it needs no restart for that. When it returns, every process of
// the server has the setting.
func (s *Server) Set(name, value string) error {
	// A file, not SQL: a standby takes no ALTER SYSTEM.
	file := filepath.Join(s.dir, "data", "postgresql.auto.conf")
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "\n%s = '%s'\n", name, value)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	if err := s.query("select pg_reload_conf()"); err != nil {
		return err
	}
	// The server has only been told: it reads the file, then tells its processes. A new connection has what the server
	// has read; and the checkpointer, which tells commits for whom they wait, has it when it has done a checkpoint.
	for has := ""; has != value; {
		if err := s.query("show "+name, &has); err != nil {
			return err
		}
	}
	return s.query("checkpoint")
}

// query runs a statement on a connection of its own, and reads the first row of its answer into places, if any.
func (s *Server) query(sql string, places ...any) error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, s.URL)
	if err != nil {
		return err
	}
	if len(places) > 0 {
		err = conn.QueryRow(ctx, sql).Scan(places...)
	} else {
		_, err = conn.Exec(ctx, sql)
	}
	if e := conn.Close(ctx); err == nil {
		err = e
	}
	return err
}
