//go:build unix

package statedir

import (
	"os"
	"path/filepath"
	"testing"
)

// What the state holds is its user's alone, and a lock file that is a link leads nowhere else.
func TestStateIsPrivate(t *testing.T) {
	d := Dir(filepath.Join(t.TempDir(), "state"))
	if err := d.Make(); err != nil {
		t.Fatal(err)
	}
	if err := d.WriteApplied(map[string]int{}); err != nil {
		t.Fatal(err)
	}
	unlock, err := d.LockWorker("w")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	for path, want := range map[string]os.FileMode{
		string(d): 0o700, d.v3(): 0o700, d.own(): 0o700, d.applied(): 0o600,
		filepath.Dir(d.WorkerLock("w")): 0o700, d.WorkerLock("w"): 0o600,
	} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v (%v), want %v", path, info.Mode().Perm(), err, want)
		}
	}
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, d.WorkerLock("linked")); err != nil {
		t.Fatal(err)
	}
	if unlock, err := d.LockWorker("linked"); err == nil {
		t.Error("a lock that is a link was taken")
		_ = unlock()
	}
	if b, err := os.ReadFile(victim); err != nil || string(b) != "kept" {
		t.Errorf("the file behind the link has %q (%v)", b, err)
	}
}
