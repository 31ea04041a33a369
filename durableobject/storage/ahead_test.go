package storage_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"eddy/durableobject/storage"
)

// Alarms that were set while the clock was ahead keep their times; the next session says so, with figures, once.
func TestClockWasAhead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "w-C")
	var said []string
	open := func() *storage.Namespace {
		ns, err := storage.OpenNamespace(dir, storage.Options{Notify: func(text string) { said = append(said, text) }})
		must(t, err)
		return ns
	}
	ns := open()
	later := time.Now().Add(100 * time.Hour).Truncate(time.Second)
	for i, at := range []time.Time{time.Unix(1e9, 0), later.Add(time.Minute), later.Add(time.Hour)} {
		must(t, ns.Store(id(i)).SetAlarm(at))
		must(t, ns.Store(id(i)).Commit())
	}
	must(t, ns.Close())
	must(t, open().Close())
	if len(said) != 0 {
		t.Errorf("the clock was right: %q", said)
	}
	index := filepath.Join(dir, "metadata.sqlite")
	must(t, os.Chtimes(index, later, later))
	ns = open()
	shown := func(d time.Duration) string { return later.Add(d).UTC().Format(time.RFC3339) }
	want := []string{index, "it said " + shown(0),
		"2 to come, the first at " + shown(time.Minute) + ", the last at " + shown(time.Hour)}
	for _, w := range want {
		if len(said) != 1 || !strings.Contains(said[0], w) {
			t.Errorf("said %q, want %q in it", said, w)
		}
	}
	must(t, ns.Store(id(1)).SetAlarm(time.Now().Add(time.Minute)))
	must(t, ns.Store(id(1)).Commit())
	must(t, ns.Close())
	must(t, open().Close())
	if len(said) != 1 {
		t.Errorf("said again: %q", said)
	}
}

// The clock is set right while the session runs: whatever happens to the index after that, the next session says which
// alarms wait for the old time, once. Within the session a timer waits as long as it was to (see durableobject.Alarms).
func TestClockIsSetRightMeanwhile(t *testing.T) {
	for _, after := range []string{"an alarm is set", "an alarm is deleted", "the session ends"} {
		t.Run(after, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "w-C")
			var said []string
			var ahead time.Duration
			open := func() *storage.Namespace {
				ns, err := storage.OpenNamespace(dir, storage.Options{
					Notify: func(text string) { said = append(said, text) },
					Now:    func() time.Time { return time.Now().Add(ahead) },
				})
				must(t, err)
				return ns
			}
			ns := open()
			set := func(n int, at time.Time) {
				must(t, ns.Store(id(n)).SetAlarm(at))
				must(t, ns.Store(id(n)).Commit())
			}
			set(0, time.Now().Add(time.Hour))
			ahead = 100 * time.Hour
			late := time.Now().Add(ahead + time.Minute).Truncate(time.Second)
			set(1, late)
			ahead = 0
			switch after {
			case "an alarm is set":
				set(2, time.Now().Add(time.Hour))
			case "an alarm is deleted":
				set(0, time.Time{})
			}
			must(t, ns.Close())
			must(t, open().Close())
			if len(said) != 1 || !strings.Contains(said[0], "100h0m") ||
				!strings.Contains(said[0], "the last at "+late.UTC().Format(time.RFC3339)) {
				t.Errorf("said %q", said)
			}
			must(t, open().Close())
			if len(said) != 1 {
				t.Errorf("said again: %q", said)
			}
		})
	}
}
