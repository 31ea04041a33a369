package runtime

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"eddy/queues/logstore"
	"eddy/runtime/control"
	"eddy/wrangler"
)

// stateDir is the session's state directory, in wrangler's layout (DEV4): <root>/v3/do/<unique key>/…, and what is
// eddy's own under <root>/v3/eddy.
type stateDir struct {
	// root is the directory of --persist-to, or .wrangler/state; "" for an ephemeral session that was given a temporary
	// directory.
	root      string
	ephemeral bool
	// migrations say which namespaces the classes of Durable Objects have.
	migrations migrations
	limiters   limiters
	cache      cacheStore
}

func (d *stateDir) v3(elem ...string) string {
	return filepath.Join(append([]string{d.root, "v3"}, elem...)...)
}

// openState finds and makes the state directory.
func (s *Server) openState(first *wrangler.Config) error {
	d := &stateDir{ephemeral: s.opts.Ephemeral}
	switch {
	case s.opts.Ephemeral:
		tmp, err := os.MkdirTemp("", "eddy-state-")
		if err != nil {
			return fmt.Errorf("state directory: %w", err)
		}
		d.root = tmp
		s.closers = append(s.closers, func() error { return os.RemoveAll(tmp) })
	case s.opts.PersistTo != "":
		d.root = s.opts.PersistTo
		if !filepath.IsAbs(d.root) {
			d.root = filepath.Join(s.dir, d.root)
		}
	default:
		d.root = filepath.Join(first.ProjectDir, ".wrangler", "state")
	}
	if err := os.MkdirAll(d.v3(), 0o777); err != nil {
		if errors.Is(err, os.ErrPermission) {
			return fmt.Errorf("state directory: %w\n  choose another one: --persist-to DIR", err)
		}
		return fmt.Errorf("state directory: %w", err)
	}
	s.state = d
	return nil
}

// lockWorkers takes the session's Workers for itself: sessions that share a state directory share its queues, but the
// objects of a Worker live in one of them. Taken before anything of the Workers is opened, and kept to the end.
func (s *Server) lockWorkers() error {
	if s.state.ephemeral {
		return nil
	}
	var fs logstore.OS
	dir := s.state.v3("eddy", "workers")
	if err := fs.MkdirAll(dir); err != nil {
		return fmt.Errorf("state directory: %w", err)
	}
	for _, svc := range s.services {
		unlock, err := s.lockWorker(svc.name, filepath.Join(dir, url.PathEscape(svc.name)+".lock"))
		if err != nil {
			return err
		}
		s.closers = append(s.closers, unlock)
	}
	return nil
}

// lockPatience is how long a lock is waited for while no session answers for it: those of a killed process last until the
// system has taken it down, and whoever starts the next one at once shall not be refused. The machine's clock counts.
const lockPatience = time.Second

func (s *Server) lockWorker(worker, file string) (unlock func() error, err error) {
	for deadline := time.Now().Add(lockPatience); ; <-time.After(lockPatience / 50) {
		unlock, err = logstore.OS{}.Lock(file)
		var locked *logstore.LockedError
		if err == nil {
			return unlock, nil
		}
		if !errors.As(err, &locked) {
			return nil, fmt.Errorf("state directory: lock Worker %s: %w", worker, err)
		}
		if locked.Pid == os.Getpid() || s.answers(locked.Pid) || time.Now().After(deadline) {
			return nil, s.runsAlready(worker, locked.Pid)
		}
	}
}

// answers tells whether a process is alive and has the queues of the state directory.
func (s *Server) answers(pid int) bool {
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	_, owner, err := control.Find(ctx, s.state.root)
	return err == nil && owner.PID == pid
}

// StateDir is where the session keeps its state.
func (s *Server) StateDir() string { return s.state.root }
