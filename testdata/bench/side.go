package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// side is something that runs Workers.
type side struct {
	name       string
	configured bool // it reads wrangler.jsonc, so that it has queues and objects
	lanes      bool // it has do-queue
	tells      bool
	command    func(dir string, port int) []string
}

func eddyCommand(binary string) func(string, int) []string {
	return func(_ string, port int) []string {
		return []string{binary, "dev", "--ip", "127.0.0.1", "--port", strconv.Itoa(port), "--log-level", "error",
			"--no-hotkeys"}
	}
}

func wranglerCommand(binary string) func(string, int) []string {
	return func(_ string, port int) []string {
		return []string{binary, "dev", "--ip", "127.0.0.1", "--port", strconv.Itoa(port), "--log-level", "error",
			"--show-interactive-dev-session=false", "--inspector-port", strconv.Itoa(port + 1)}
	}
}

func workerdCommand(binary string) func(string, int) []string {
	return func(_ string, port int) []string {
		return []string{binary, "serve", "workerd.capnp", "--socket-addr=http=127.0.0.1:" + strconv.Itoa(port)}
	}
}

// server is a running side.
type server struct {
	*side
	url    string
	dir    string
	cmd    *exec.Cmd
	ended  chan struct{}
	client *http.Client
}

// start starts a side on a project and waits for its first answer.
func (s *side) start(dir string) (*server, time.Duration, error) {
	port, err := freePort()
	if err != nil {
		return nil, 0, err
	}
	args := s.command(dir, port)
	v := &server{side: s, url: fmt.Sprintf("http://127.0.0.1:%d", port), dir: dir,
		ended:  make(chan struct{}),
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	v.cmd = exec.Command(args[0], args[1:]...)
	v.cmd.Dir = dir
	v.cmd.Env = append(os.Environ(), "WRANGLER_SEND_METRICS=false")
	v.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if s.tells {
		v.cmd.Stdout, v.cmd.Stderr = os.Stderr, os.Stderr
	}
	began := time.Now()
	if err := v.cmd.Start(); err != nil {
		return nil, 0, err
	}
	go func() {
		_ = v.cmd.Wait() // that it has ended says enough
		close(v.ended)
	}()
	late := time.After(2 * time.Minute)
	for {
		body, err := v.get("/")
		if err == nil && body == "Hello World!" {
			return v, time.Since(began), nil
		}
		select {
		case <-time.After(2 * time.Millisecond):
			continue
		case <-v.ended:
		case <-late:
			v.stop()
		}
		return nil, 0, fmt.Errorf("%s does not answer: %w %q (-v shows what it says)", s.name, err, body)
	}
}

// freePort is a port that is free, and the next one too; nothing holds it until the server does.
func freePort() (int, error) {
	for range 100 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return 0, err
		}
		port := l.Addr().(*net.TCPAddr).Port
		next, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port+1))
		if err == nil {
			err = next.Close()
		}
		if err := errors.Join(err, l.Close()); err == nil {
			return port, nil
		}
	}
	return 0, errors.New("no two free ports")
}

// stop ends the server and all that it has started.
func (v *server) stop() {
	v.client.CloseIdleConnections()
	_ = syscall.Kill(-v.cmd.Process.Pid, syscall.SIGTERM) // it may be gone
	select {
	case <-v.ended:
	case <-time.After(5 * time.Second):
	}
	_ = syscall.Kill(-v.cmd.Process.Pid, syscall.SIGKILL)
}

func (v *server) get(path string) (string, error) { return v.ask("GET", path, "") }

func (v *server) ask(method, path, body string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, v.url+path, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	res, err := v.client.Do(req)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(res.Body)
	if err = errors.Join(err, res.Body.Close()); err == nil && res.StatusCode != 200 {
		err = fmt.Errorf("%s %s: %s %.200s", v.name, path, res.Status, text)
	}
	return string(text), err
}

// used is the processor time of all processes of the server, in seconds.
func (v *server) used() (seconds float64) {
	for pid := range v.processes() {
		var t unix.Timespec
		if unix.ClockGettime(int32(^pid<<3|2), &t) == nil { // CPUCLOCK_SCHED of a process; it may have ended meanwhile
			seconds += float64(t.Nano()) / 1e9
		}
	}
	return seconds
}

// memory is what all processes of the server have resident, in bytes.
func (v *server) memory() float64 {
	pages := 0
	for _, fields := range v.processes() {
		n, _ := strconv.Atoi(fields[21])
		pages += n
	}
	return float64(pages) * float64(os.Getpagesize())
}

// processes are the fields of /proc/PID/stat, from the third on, of the processes that the server is.
func (v *server) processes() map[int][]string {
	list, _ := filepath.Glob("/proc/[0-9]*/stat")
	found := map[int][]string{}
	for _, path := range list {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile
		}
		id, rest, _ := strings.Cut(string(text), " ")
		_, rest, _ = strings.Cut(rest, ") ")
		fields := strings.Fields(rest)
		if len(fields) > 21 && fields[2] == strconv.Itoa(v.cmd.Process.Pid) {
			pid, _ := strconv.Atoi(id)
			found[pid] = fields
		}
	}
	return found
}
