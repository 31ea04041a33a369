package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"time"

	"eddy/queues/workqueue/servers"
)

// side is one way to serve the Worker.
type side struct {
	name     string
	database *servers.Server // nil for one machine
	nodes    []*process
	stop     []func()
}

// process is a running eddy serve.
type process struct {
	cmd   *exec.Cmd
	url   string
	ended chan struct{}
}

var ready = regexp.MustCompile(`"msg":"Ready on (http://localhost:\d+)`)

// newSide starts one: with no database, with one, or with one and its standby.
func newSide(ctx context.Context, o options, tmp, name string, database, standby bool) (*side, error) {
	s := &side{name: name}
	if database {
		var err error
		if s.database, err = servers.Postgres(); err != nil {
			return nil, err
		}
		s.stop = append(s.stop, s.database.Stop)
		if standby {
			other, err := servers.Standby(s.database)
			if err != nil {
				s.end()
				return nil, err
			}
			s.stop = append(s.stop, other.Stop)
		}
		if out, err := exec.CommandContext(ctx, o.eddy, "cluster", "init", s.database.URL).CombinedOutput(); err != nil {
			s.end()
			return nil, fmt.Errorf("cluster init: %w\n%s", err, out)
		}
	}
	if err := s.add(ctx, o, tmp, "a"); err != nil {
		s.end()
		return nil, err
	}
	return s, nil
}

// add starts a node and waits until it serves.
func (s *side) add(ctx context.Context, o options, tmp, node string) error {
	dir := filepath.Join(tmp, s.name, node)
	if err := os.CopyFS(dir, os.DirFS("testdata/clusterbench/worker")); err != nil {
		return err
	}
	args := []string{"serve", "--port", "0", "--admin", "off", "--journal", "off", "--node", node}
	if s.database != nil {
		free, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		links := free.Addr().String()
		if err := free.Close(); err != nil {
			return err
		}
		args = append(args, "--cluster", s.database.URL, "--advertise", links)
	}
	p := &process{cmd: exec.CommandContext(ctx, o.eddy, args...), ended: make(chan struct{})}
	p.cmd.Dir, p.cmd.Stderr = dir, os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return err
	}
	served := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if m := ready.FindStringSubmatch(lines.Text()); m != nil {
				served <- m[1]
			}
		}
		_ = p.cmd.Wait() // that it has ended says enough
		close(p.ended)
	}()
	s.nodes = append(s.nodes, p)
	s.stop = append(s.stop, p.end)
	select {
	case p.url = <-served:
		return nil
	case <-p.ended:
		return fmt.Errorf("%s: eddy serve has ended", s.name)
	case <-time.After(time.Minute):
		return fmt.Errorf("%s: eddy serve is not ready after a minute", s.name)
	}
}

func (p *process) end() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may be gone
	select {
	case <-p.ended:
	case <-time.After(10 * time.Second):
		_ = p.cmd.Process.Kill() // it may be gone now
	}
}

// end stops all that the side has started.
func (s *side) end() {
	for i := len(s.stop) - 1; i >= 0; i-- {
		s.stop[i]()
	}
}

// ask sends a request to the first node.
func (s *side) ask(ctx context.Context, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.nodes[0].url+path, nil)
	if err != nil {
		return "", err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(res.Body)
	if err = errors.Join(err, res.Body.Close()); err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s %.200s", s.name, path, res.Status, text)
	}
	return string(text), err
}

// found waits until the first node sees so many objects here, or on another node.
func (s *side) found(ctx context.Context, many int, query string) error {
	for range 600 {
		text, err := s.ask(ctx, "/objects?many="+strconv.Itoa(many)+query)
		if err != nil {
			return err
		}
		if text == strconv.Itoa(many) {
			return nil
		}
		time.Sleep(200 * time.Millisecond)
	}
	return fmt.Errorf("%s: there are no %d objects%s after two minutes", s.name, many, query)
}
