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
	host, at, err := net.SplitHostPort(primary.Addr)
	if err != nil {
		return nil, err
	}
	return newPostgres("pg_basebackup", func(program, data string) []string {
		return []string{program, "-h", host, "-p", at, "-U", "postgres", "-D", data, "-R", "-X", "stream", "-c", "fast",
			"--no-sync"}
	}, extra, func(s *Server) error {
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

// Set changes a setting of a PostgreSQL that runs, if it needs no restart for that.
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
	return s.query("select pg_reload_conf()")
}

func (s *Server) query(sql string) error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, s.URL)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, sql)
	if e := conn.Close(ctx); err == nil {
		err = e
	}
	return err
}
