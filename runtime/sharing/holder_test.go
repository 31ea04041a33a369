package sharing

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"eddy/runtime/running"
	"eddy/runtime/statedir"
)

// A session that begins while the system still takes down the killed one before it waits for its locks; one whose
// Worker runs elsewhere is refused by name.
func TestLockOfKilledSession(t *testing.T) {
	for _, c := range []struct {
		name  string
		alive bool
		pid   int
	}{{"killed", false, 1 << 30}, {"alive", true, os.Getppid()}} { // the first is no process
		t.Run(c.name, func(t *testing.T) {
			s := &Sharing{o: Options{State: statedir.Dir(t.TempDir())}}
			file := s.o.State.WorkerLock("w")
			unlock, err := s.o.State.LockWorker("w")
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, fmt.Appendln(nil, c.pid), 0o666); err != nil {
				t.Fatal(err)
			}
			said := running.Process{PID: c.pid, State: string(s.o.State), Workers: []string{"w"}}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if !c.alive {
					// The last thing that its socket sees: by the next try the system has taken the lock away.
					if err := unlock(); err != nil {
						t.Error(err)
					}
					http.Error(w, "gone", http.StatusBadGateway)
					return
				}
				if err := json.NewEncoder(w).Encode(said); err != nil {
					t.Error(err)
				}
			}))
			defer server.Close()
			said.URL = server.URL
			if _, err := running.Announce(said, ""); err != nil {
				t.Fatal(err)
			}
			again, err := s.lockWorker("w")
			switch {
			case c.alive && (err == nil || !strings.Contains(err.Error(), "Worker w runs already") ||
				!strings.Contains(err.Error(), fmt.Sprint("process ", c.pid, ", which serves w at "+server.URL))):
				t.Errorf("beside a living session: %v", err)
			case !c.alive && err != nil:
				t.Errorf("after a killed session: %v", err)
			case !c.alive:
				unlock = again.Release
			}
			if err := unlock(); err != nil {
				t.Error(err)
			}
		})
	}
}
