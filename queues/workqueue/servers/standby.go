//go:build unix

package servers

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

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
		return primary.set("synchronous_standby_names", "*")
	})
}

// Promote makes a standby take writes.
func (s *Server) Promote() error {
	// It waits for no standby of its own before it has one.
	if err := s.set("synchronous_standby_names", ""); err != nil {
		return err
	}
	return s.query("select pg_promote()")
}

// Alone makes a primary wait for no standby.
func (s *Server) Alone() error { return s.set("synchronous_standby_names", "") }

// Set changes a setting of a PostgreSQL that runs, if it needs no restart for that.
func (s *Server) Set(name, value string) error { return s.set(name, value) }

func (s *Server) set(name, value string) error {
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

// newPostgres makes a PostgreSQL's data with a program of its own and starts it; ready is called when it runs.
func newPostgres(
	maker string, args func(program, data string) []string, extra []string, ready func(*Server) error,
) (*Server, error) {
	const debian = "/usr/lib/postgresql/*/bin/"
	program, err := find(maker, debian+maker)
	if err != nil {
		return nil, err
	}
	path, err := find("postgres", debian+"postgres")
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "workqueue-postgres-")
	if err != nil {
		return nil, err
	}
	as := &syscall.SysProcAttr{}
	if os.Getuid() == 0 {
		u, err := user.Lookup("postgres")
		if err != nil {
			return nil, err
		}
		uid, _ := strconv.Atoi(u.Uid) // a number on every unix
		gid, _ := strconv.Atoi(u.Gid)
		as.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(dir, uid, gid); err != nil {
			return nil, err
		}
	}
	data := filepath.Join(dir, "data")
	all := args(program, data)
	cmd := exec.Command(all[0], all[1:]...)
	cmd.SysProcAttr, cmd.Dir = as, dir
	if out, err := cmd.CombinedOutput(); err != nil {
		_ = os.RemoveAll(dir)
		return nil, fmt.Errorf("%s: %w: %s", program, err, out)
	}
	addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	s := &Server{Addr: addr, URL: "postgres://postgres@" + addr + "/postgres?sslmode=disable", dir: dir}
	s.command = func() *exec.Cmd {
		args := []string{"-D", data, "-h", "127.0.0.1", "-p", strconv.Itoa(port), "-c", "unix_socket_directories="}
		for _, e := range extra {
			args = append(args, "-c", e)
		}
		cmd := exec.Command(path, args...)
		cmd.SysProcAttr, cmd.Dir = as, dir
		return cmd
	}
	s.ping = func() error { return s.query("select 1") }
	if err := s.Start(); err != nil {
		return nil, err
	}
	return s, ready(s)
}
