package statedir

import (
	"errors"
	"os"
	"testing"
)

// One process has a Worker's lock, also against itself; the refusal names it.
func TestLockWorker(t *testing.T) {
	d := Dir(t.TempDir())
	unlock, err := d.LockWorker("w")
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.LockWorker("w")
	var locked *LockedError
	if !errors.As(err, &locked) || locked.Pid != os.Getpid() || locked.File != d.WorkerLock("w") {
		t.Errorf("a second lock: %v", err)
	}
	other, err := d.LockWorker("other")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(other(), unlock()); err != nil {
		t.Fatal(err)
	}
	if unlock, err = d.LockWorker("w"); err != nil {
		t.Fatalf("after it was given back: %v", err)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
}
