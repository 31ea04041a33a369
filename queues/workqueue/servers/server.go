package servers

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// Server is a running server.
type Server struct {
	// Addr is host:port.
	Addr string
	// URL is what a client connects to.
	URL string

	dir     string
	command func() *exec.Cmd
	ping    func() error
	process *exec.Cmd
	ended   chan struct{}
	output  bytes.Buffer
}

// Missing says that a test did not run because a server is not installed, and returns the exit code: with
// WORKQUEUE_SERVERS=required that is a failure.
func Missing(test string, err error) int {
	if os.Getenv("WORKQUEUE_SERVERS") == "required" {
		fmt.Fprintf(os.Stderr, "%s: %v\n", test, err)
		return 1
	}
	fmt.Fprintf(os.Stderr, "%s did not run: %v\n", test, err)
	return 0
}

// MissingAll is Missing for the TestMain of a package that needs the server for every test. `go test ./...` drops what
// a package prints that passes; but it looks for the line that package testing prints when there are no tests, and
// then says "[no tests to run]" behind the package's name. The result is not cached: installing the server suffices.
func MissingAll(pkg string, err error) int {
	code := Missing("the tests of "+pkg, err)
	fmt.Fprint(os.Stderr, noTests)
	return code
}

const noTests = "testing: warning: no tests to run\n"

// find looks for the newest program that matches a pattern (where Debian keeps it), and then for name on the path.
func find(name string, patterns ...string) (string, error) {
	for _, p := range patterns {
		if found, err := filepath.Glob(p); err == nil && len(found) > 0 {
			return found[len(found)-1], nil
		}
	}
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	return "", fmt.Errorf("%s is not installed", name)
}

// FreeAddr is an address where nobody listens. On Linux, where the whole of 127.0.0.0/8 is this machine's, its host is
// drawn: nobody takes the port before a process of the caller's does, nor while that is killed and starts again.
func FreeAddr() (string, error) {
	host := "127.0.0.1"
	if runtime.GOOS == "linux" {
		host = fmt.Sprintf("127.%d.%d.%d", 1+rand.IntN(250), rand.IntN(250), 1+rand.IntN(250))
	}
	l, err := net.Listen("tcp", host+":0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// Start starts a server that was killed.
func (s *Server) Start() error {
	s.output.Reset()
	s.process = s.command()
	s.process.Stdout, s.process.Stderr = &s.output, &s.output
	if err := s.process.Start(); err != nil {
		return err
	}
	s.ended = make(chan struct{})
	go func() {
		_ = s.process.Wait() // it is killed
		close(s.ended)
	}()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	var err error
	for range 3000 {
		if err = s.ping(); err == nil {
			return nil
		}
		select {
		case <-s.ended:
			return fmt.Errorf("%s ended: %s", s.process.Path, s.output.String())
		case <-tick.C:
		}
	}
	return errors.Join(fmt.Errorf("%s does not answer: %w", s.process.Path, err), s.Kill())
}

// Kill ends the server as a crash would.
func (s *Server) Kill() error {
	err := s.process.Process.Kill()
	<-s.ended
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// Stop ends the server for good.
func (s *Server) Stop() {
	_ = s.Kill() // it may be dead already
	_ = os.RemoveAll(s.dir)
}

// Pid is the server's process.
func (s *Server) Pid() int { return s.process.Process.Pid }

// Redis starts a Redis whose data survives a kill; extra are further settings.
func Redis(extra ...string) (*Server, error) {
	path, err := find("redis-server")
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
	dir, err := os.MkdirTemp("", "workqueue-redis-")
	if err != nil {
		return nil, err
	}
	s := &Server{Addr: addr, URL: "redis://" + addr, dir: dir, ping: func() error { return pingRedis(addr) }}
	s.command = func() *exec.Cmd {
		return exec.Command(path, append([]string{
			"--bind", host, "--port", port, "--dir", dir, "--save", "", "--appendonly", "yes",
			"--appendfsync", "everysec", "--daemonize", "no",
		}, extra...)...)
	}
	return s, s.Start()
}

// pingRedis asks a Redis whether it has loaded its data.
func pingRedis(addr string) error {
	c, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	if _, err := c.Write([]byte("PING\r\n")); err != nil {
		return err
	}
	answer := make([]byte, 64)
	n, err := c.Read(answer)
	if err == nil && !bytes.HasPrefix(answer[:n], []byte("+PONG")) {
		err = fmt.Errorf("%q", answer[:n])
	}
	return err
}
