package sharing

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"eddy/runtime/clock"
	"eddy/runtime/running"
	"eddy/runtime/sharing/peer"
	"eddy/runtime/statedir"
)

// lockPatience is how long a session waits for a lock while no session answers for it. The locks of a killed process
// last until the system has taken it down, and a session that is started right after it must not be refused. The
// machine's clock counts, less what this process stood still: so it is counted in tries.
const lockPatience, lockTries = time.Second, 50

// lockWorkers takes the session's Workers for itself: sessions that share a state directory share its queues, but the
// objects of a Worker live in one of them. The locks are taken before anything of the Workers is opened, and kept to
// the end.
func (s *Sharing) lockWorkers() error {
	if s.o.Ephemeral || s.o.Cluster != nil { // all nodes of a cluster run all Workers
		return nil
	}
	for _, name := range s.o.Workers {
		held, err := s.lockWorker(name)
		if err != nil {
			return err
		}
		if s.locks == nil {
			s.locks = map[string]*workerLock{}
		}
		s.locks[name] = &workerLock{held: held}
	}
	return nil
}

func (s *Sharing) lockWorker(name string) (held *statedir.Held, err error) {
	for try := 1; ; try++ {
		held, err = s.o.State.HoldWorker(name)
		var locked *statedir.LockedError
		if err == nil {
			return held, nil
		}
		if !errors.As(err, &locked) {
			return nil, statedir.Advise(fmt.Errorf("lock Worker %s: %w", name, err))
		}
		if locked.Pid == os.Getpid() || s.answers(locked.Pid) || try > lockTries {
			return nil, s.runsAlready(name, locked.Pid)
		}
		<-time.After(lockPatience / lockTries)
	}
}

// answers tells whether a process is alive and has the queues of the state directory.
func (s *Sharing) answers(pid int) bool {
	ctx, cancel := clock.WithPatience(context.Background(), lockPatience)
	defer cancel()
	_, owner, err := running.Find(ctx, string(s.o.State))
	return err == nil && owner.PID == pid
}

// runsAlready refuses a Worker that another session on the state directory runs.
func (s *Sharing) runsAlready(name string, pid int) error {
	return fmt.Errorf("Worker %s runs already on the state directory %s, in %s\n"+
		"  its Durable Objects cannot live in two sessions: end that one, or give this one a directory of its own: "+
		"--persist-to DIR\n"+
		"  to share queues between Workers of different names, give them different names", name, s.o.State,
		s.holder(pid))
}

// inUse explains, when another process has the log and this session could not join it, which one it is and what can be
// done.
func (s *Sharing) inUse(err error) error {
	var refused *peer.Refused
	if errors.As(err, &refused) {
		return fmt.Errorf("the state directory %s is shared, and this session is refused: %w", s.o.State, err)
	}
	var locked *statedir.LockedError
	if !errors.As(err, &locked) {
		return fmt.Errorf("queues: %w", err)
	}
	return fmt.Errorf("the state directory %s is in use by %s, which takes no other sessions\n"+
		"  to share its queues, run the Workers in one session: eddy dev -c ONE -c ANOTHER\n"+
		"  to keep them apart, give this one a directory of its own: --persist-to DIR\n  %w", s.o.State,
		s.holder(locked.Pid), err)
}

// holder names the session of a process, as far as it can be found.
func (s *Sharing) holder(pid int) string {
	ctx, cancel := clock.WithPatience(context.Background(), 5*time.Second)
	defer cancel()
	if _, owner, err := running.Find(ctx, string(s.o.State)); err == nil {
		for _, g := range append(owner.Guests, running.Guest{PID: owner.PID, URL: owner.URL, Workers: owner.Workers}) {
			if g.PID == pid {
				return fmt.Sprintf("process %d, which serves %s at %s", pid, strings.Join(g.Workers, ", "), g.URL)
			}
		}
	}
	return fmt.Sprintf("process %d", pid)
}
