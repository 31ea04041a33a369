package crash

import (
	"os"
	"testing"
	"time"

	queue "eddy/queues/workqueue"
)

// clockFile makes processes of this test tell time as the file of that name says.
const clockFile = "WORKQUEUE_CRASH_CLOCK"

// jumping is a clock that is as far from the machine's as its file says. Timers are the machine's: they do not follow
// a clock that is set.
type jumping struct{ path string }

func (j jumping) Now() time.Time {
	text, err := os.ReadFile(j.path)
	if err != nil {
		panic(err)
	}
	d, err := time.ParseDuration(string(text))
	if err != nil {
		panic(err)
	}
	return time.Now().Round(0).Add(d)
}

func (jumping) NewTimer(d time.Duration) queue.Timer { return queue.RealClock().NewTimer(d) }

// set lets the clock jump, for all processes at once.
func (j jumping) set(t *testing.T, d time.Duration) {
	t.Helper()
	next := j.path + ".next"
	if err := os.WriteFile(next, []byte(d.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, j.path); err != nil {
		t.Fatal(err)
	}
}
