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
	"time"

	"github.com/jackc/pgx/v5"
)

// Postgres starts a PostgreSQL; extra are further settings (name=value). PostgreSQL refuses to run as root. In a
// process of root it therefore runs as the user postgres, which Debian's package makes.
func Postgres(extra ...string) (*Server, error) {
	const debian = "/usr/lib/postgresql/*/bin/"
	initdb, err := find("initdb", debian+"initdb")
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
	cmd := exec.Command(initdb, "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	cmd.SysProcAttr, cmd.Dir = as, dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", initdb, err, out)
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
	s.ping = func() error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		conn, err := pgx.Connect(ctx, s.URL)
		if err != nil {
			return err
		}
		return conn.Close(ctx)
	}
	return s, s.Start()
}
