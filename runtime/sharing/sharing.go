package sharing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"eddy/queues"
	"eddy/runtime/clock"
	"eddy/runtime/cluster/node"
	"eddy/runtime/control"
	"eddy/runtime/report"
	"eddy/runtime/sharing/hosting"
	"eddy/runtime/sharing/peer"
	"eddy/runtime/statedir"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// Local is what the rest of the session does for others.
type Local interface {
	// Live waits until a Worker of this session has started once; [peer.ErrNotRunning] if it does not run here.
	Live(ctx context.Context, name string) (*worker.Worker, error)
	Callees
	Flows
	Stores
	// Tell answers what another node asks of this one, as JSON.
	Tell(ctx context.Context, q url.Values) (any, error)
	// Here tells whether a Durable Object is on this node of a cluster; key is the unique key of its namespace.
	Here(key, id string) bool
	// Scripts are this session's Workers, as far as queues are concerned.
	Scripts() []control.Script
	// Config is the present configuration of a Worker of this session.
	Config(name string) *wrangler.Config
	// Namespaces are the unique keys of the Durable Objects that live here.
	Namespaces() []string
	// OpenControl makes the control API of a broker that this session owns.
	OpenControl(b *queues.Broker) (*control.API, error)
	// AttachConsumer connects a Worker to a queue whose consumer it has become through the API.
	AttachConsumer(script, queue string) error
	// EnsureLane attaches the code of a lane queue, if this session has it.
	EnsureLane(queue string) error
}

// Options are the arguments of [Open].
type Options struct {
	// State is the state directory. Ephemeral says that it is nobody else's: nothing is locked, nobody joins.
	State     statedir.Dir
	Ephemeral bool
	// Environ is the environment, as NAME=VALUE, which says where sessions register; Dir the working directory.
	Environ []string
	Dir     string
	// Relaxed leaves it to the operating system when a group reaches the disk.
	Relaxed bool
	Clock   clock.Clock
	Random  io.Reader
	Report  *report.Reporter
	// Workers are the names of the session's Workers.
	Workers []string
	// Session is the rest of it. It is not called before [Sharing.Connected].
	Session Local
	// Cluster is this node of one; nil for a session whose state is this machine's.
	Cluster *node.Self
}

// Sharing is a session among those of its state directory. Make one with [Open].
type Sharing struct {
	// Queues are those that the sessions share.
	Queues *peer.Queues

	o     Options
	token string
	// control answers /cdn-cgi/eddy/; nil until the session is connected, and while another one owns the queues.
	control atomic.Pointer[control.API]
	// connected is closed when all Workers of the start are attached. ending is closed by Hold.
	connected, ending chan struct{}
	held              sync.Once
	locks             map[string]*workerLock // by Worker; not changed after Open
	wires             *wires
	hosting           *hosting.Hosting // nil outside of a cluster
	tails             tails
	passing           passing
	seeks             seeks

	mu       sync.Mutex // guards the rest
	started  time.Time
	url      string       // "" until the session listens
	withdraw func() error // closes the door; nil while it is closed
	// unregister takes the session out of the registry; nil if it is not in it.
	unregister func() error
}

// URL is where the session answers, "" while it does not listen.
func (s *Sharing) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.url
}

// Announce tells the other sessions what this one runs now.
func (s *Sharing) Announce() {
	d := peer.Member{PID: os.Getpid(), URL: s.URL(), Namespaces: s.o.Session.Namespaces()}
	for _, script := range s.o.Session.Scripts() {
		d.Workers = append(d.Workers, peer.Worker{Name: script.Name, Producers: script.Producers,
			HasQueue: script.HasQueue})
	}
	s.Queues.Announce(d)
}

// Hold keeps this session from becoming the owner from now on, ends the streams of the control API and takes the
// session out of the registry: it is about to end. It may be called twice.
func (s *Sharing) Hold() error {
	s.held.Do(func() { close(s.ending) })
	s.Queues.Hold()
	var errs []error
	if a := s.control.Load(); a != nil {
		errs = append(errs, a.Close())
	}
	s.mu.Lock()
	unregister := s.unregister
	s.unregister = nil
	s.mu.Unlock()
	if unregister != nil {
		errs = append(errs, unregister())
	}
	return errors.Join(errs...)
}

// Close ends the wires, says bye to the other sessions, closes the log if this session has it, and gives the locks of
// the Workers back.
func (s *Sharing) Close() error {
	s.tails.close()
	s.wires.close()
	s.tails.sending.Wait()
	if s.hosting != nil {
		s.hosting.Stop()
	}
	return errors.Join(s.Queues.Close(), s.unlock())
}

func (s *Sharing) unlock() error {
	var errs []error
	for _, l := range s.locks {
		errs = append(errs, l.release())
	}
	return errors.Join(errs...)
}

// Held fails if the session no longer has the lock of a Worker: somebody has removed its file, and another session has
// taken it. That session has the Worker's objects as well, and what this one writes to them must not be acknowledged.
// If nobody has taken the lock yet, Held takes it again and tells the user. Any goroutine.
func (s *Sharing) Held(worker string) error {
	l := s.locks[worker]
	if l == nil {
		return nil // no other session uses the state directory
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil || l.held.InPlace() {
		return nil
	}
	file := s.o.State.WorkerLock(worker)
	again, err := statedir.Lock(file)
	var locked *statedir.LockedError
	switch {
	case errors.As(err, &locked):
		return fmt.Errorf("process %d runs Worker %s on this state directory, too: the lock file %s was removed while "+
			"this session ran. End one of the two", locked.Pid, worker, file)
	case err != nil:
		return fmt.Errorf("the lock file %s was removed while this session ran, and cannot be made again: %w. End the "+
			"session and start it anew", file, err)
	}
	s.o.Report.Line(report.Warn, "state", fmt.Sprintf("The lock file %s was removed, and is there again. No other "+
		"session has Worker %s.", file, worker))
	// Nothing depends on the old file any more, so an error of closing it does not matter.
	_ = l.held.Release()
	l.held = again
	return nil
}
