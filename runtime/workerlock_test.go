package runtime

import (
	"os"
	"strings"
	"testing"

	"eddy/runtime/statedir"
)

// The lock file of a Worker that is removed while its session runs is noticed before the next write of an object is
// acknowledged: it is taken again with a word, and while another process has it nothing is acknowledged.
func TestWorkerLockIsRemoved(t *testing.T) {
	p := newProject(t)
	p.change("w", "A", newSQLiteA)
	s := p.serve(using("w"))
	s.expect("/add", "1")
	state := statedir.Choose("", p.dir, p.dir)
	remove := func() {
		t.Helper()
		if err := os.Remove(state.WorkerLock("w")); err != nil {
			t.Fatal(err)
		}
	}
	remove()
	s.expect("/add", "2")
	if out := s.out.String(); !strings.Contains(out, "The lock file "+state.WorkerLock("w")+
		" was removed, and is there "+
		"again. No other session has Worker w.") {
		t.Errorf("the session says:\n%s", out)
	}
	if _, err := state.LockWorker("w"); err == nil {
		t.Error("it is not there again")
	}
	remove()
	unlock, err := state.LockWorker("w") // as another session
	if err != nil {
		t.Fatal(err)
	}
	if got := s.read("/add"); !strings.Contains(got, "runs Worker w on this state directory, too: the lock file "+
		state.WorkerLock("w")+" was removed while this session ran. End one of the two") {
		t.Errorf("beside another session: %s", got)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if got := s.read("/add"); strings.Contains(got, "session") {
		t.Errorf("after the other session has ended: %s", got)
	}
}
