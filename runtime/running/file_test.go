package running

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"eddy/runtime/statedir"
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
	said := Process{PID: gone, URL: "http://" + silent.Addr().String(), State: state}
	if _, err := Announce(said, "token"); err != nil {
		t.Fatal(err)
	}
	if _, s, err := Find(t.Context(), state); !errors.Is(err, ErrNotRunning) || s.PID != gone {
		t.Errorf("found process %d: %v", s.PID, err)
	}
}

// A running file that says nothing is named, with what to do. It does not keep the session from withdrawing.
func TestDamagedRunningFile(t *testing.T) {
	state := t.TempDir()
	withdraw, err := Announce(Process{PID: os.Getpid(), URL: "http://127.0.0.1:1", State: state}, "token")
	if err != nil {
		t.Fatal(err)
	}
	path := statedir.Dir(state).Running()
	for _, text := range []string{"", "{", "[]", "\x00\x00"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, err := Find(t.Context(), state)
		if err == nil || errors.Is(err, ErrNotRunning) || !strings.HasPrefix(err.Error(),
			path+" is damaged: expected ") ||
			!strings.Contains(err.Error(), "start again the one that is running; if none is, remove the file") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := withdraw(); err != nil {
		t.Error(err)
	}
	if _, _, err := Find(t.Context(), state); !errors.Is(err, ErrNotRunning) {
		t.Error(err)
	}
}
