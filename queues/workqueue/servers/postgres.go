//go:build unix

package servers

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// Postgres starts a PostgreSQL; extra are further settings (name=value). PostgreSQL refuses to run as root. In a
// process of root it therefore runs as the user postgres, which Debian's package makes.
func Postgres(extra ...string) (*Server, error) {
	return newPostgres("initdb", []string{"-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"},
		templates(), extra, func(*Server) error { return nil })
}

// newPostgres makes a PostgreSQL's data with a program of its own, or takes what that has made before, if it is kept in
// a folder, and starts it; ready is called when it runs.
func newPostgres(maker string, args []string, kept string, extra []string, ready func(*Server) error) (*Server, error) {
	const debian = "/usr/lib/postgresql/*/bin/"
	program, err := find(maker, debian+maker)
	if err != nil {
		return nil, err
	}
	path, err := find("postgres", debian+"postgres")
	if err != nil {
		return nil, err
	}
	addr, err := FreeAddr()
	if err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "workqueue-postgres-")
	if err != nil {
		return nil, err
	}
	as, uid, gid := &syscall.SysProcAttr{}, -1, -1
	if os.Getuid() == 0 {
		u, err := user.Lookup("postgres")
		if err != nil {
			return nil, err
		}
		uid, _ = strconv.Atoi(u.Uid) // a number on every unix
		gid, _ = strconv.Atoi(u.Gid)
		as.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(dir, uid, gid); err != nil {
			return nil, err
		}
	}
	data := filepath.Join(dir, "data")
	file := template(kept, program, args)
	if !fromTemplate(file, data, uid, gid) {
		cmd := exec.Command(program, append([]string{"-D", data}, args...)...)
		cmd.SysProcAttr, cmd.Dir = as, dir
		if out, err := cmd.CombinedOutput(); err != nil {
			_ = os.RemoveAll(dir)
			return nil, fmt.Errorf("%s: %w: %s", program, err, out)
		}
		keepTemplate(file, data)
	}
	s := &Server{Addr: addr, URL: "postgres://postgres@" + addr + "/postgres?sslmode=disable", dir: dir}
	s.command = func() *exec.Cmd {
		args := []string{"-D", data, "-h", host, "-p", port, "-c", "unix_socket_directories="}
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
