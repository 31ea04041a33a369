package running

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"testing"
)

// The running file of a killed session is stale, and whoever has its port by now and says nothing holds up nobody for
// long.
func TestStaleRunningFile(t *testing.T) {
	child := exec.Command(os.Args[0], "-test.run=^$")
	if err := child.Run(); err != nil {
		t.Fatal(err)
	}
	gone := child.Process.Pid
	if patience(gone) != gonePatience || patience(os.Getpid()) != livePatience {
		t.Errorf("a process that has gone gets %v, one that lives %v", patience(gone), patience(os.Getpid()))
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	state := t.TempDir()
	said := Session{PID: gone, URL: "http://" + silent.Addr().String(), State: state}
	if _, err := Announce(said, "token"); err != nil {
		t.Fatal(err)
	}
	if _, s, err := Find(t.Context(), state); !errors.Is(err, ErrNotRunning) || s.PID != gone {
		t.Errorf("found process %d: %v", s.PID, err)
	}
}
