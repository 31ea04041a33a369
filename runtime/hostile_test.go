package runtime

import (
	"bufio"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	hostileSeed = flag.Uint("hostile.seed", 0,
		"seed of TestHostile, 0 for the usual one, or a new one with -hostile.time")
	hostileTime = flag.Duration("hostile.time", 0,
		"how long TestHostile goes on with other seeds after its first round")
	hostileBudget = flag.Duration("hostile.budget", 6*time.Second,
		"how long TestHostile draws jobs of its first round, 0 for all of them")
	hostileOnly = flag.String("hostile.only", "", "regular expression of the jobs that TestHostile does")
)

// hostileChild is the environment variable that makes the test binary the child of TestHostile: its hostileWork as
// JSON.
const hostileChild = "EDDY_HOSTILE_CHILD"

// hostileWork is what a child has to do.
type hostileWork struct {
	Seed  uint32
	First int // the job to begin with
	Short bool
	Only  string
	// Budget is how long to draw jobs from when the session is ready, 0 for all of them. Last is when it ends: a child
	// begins no job after that, unless it is zero; the first child that is ready says when that is.
	Budget time.Duration
	Last   time.Time
	Until  time.Time // go on with other seeds until then
}

// TestHostile runs snippets that attack the session, in a process of its own: everything below testdata/hostile, some
// of the acts in each place, and calls of some of the functions that can be reached, with hostile receivers and
// arguments (walk.js), in the order of a seed, as far as the budget goes. With -hostile.time it does all acts in all
// places, and calls all functions.
// Each is answered within the CPU limit and a second, as far as the processor time of the process tells; after each the
// session answers, it has taken no more than one and a half times the memory limit, and has told of no error of its
// own. A child that dies is one failure; the next one goes on behind.
func TestHostile(t *testing.T) {
	t.Parallel() // it only waits for its child
	seed := uint32(*hostileSeed)
	switch {
	case seed != 0:
	case *hostileTime > 0:
		seed = rand.Uint32()
	default:
		seed = 1 // so that a failure is that of a change, and not of the draw
	}
	t.Logf("-hostile.seed %d", seed)
	work := hostileWork{Seed: seed, Short: testing.Short(), Only: *hostileOnly}
	if *hostileTime == 0 && *hostileOnly == "" && *hostileBudget > 0 {
		work.Budget = *hostileBudget
	}
	if *hostileTime > 0 {
		work.Until = time.Now().Add(*hostileTime)
	}
	for lives := 0; ; lives++ {
		done := hostileLife(t, &work)
		if done || lives == 50 {
			break
		}
	}
	if work.First == 0 {
		t.Error("no job was done")
	}
}

// hostileLife runs one child. It tells whether the work is over; if not, work is what is left.
func hostileLife(t *testing.T, work *hostileWork) (done bool) {
	text, err := json.Marshal(work)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), hostileChild+"="+string(text))
	last := &tail{}
	cmd.Stderr = last
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	at := hostileStart
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		kind, rest, _ := strings.Cut(lines.Text(), " ")
		switch kind {
		case "last": // the end of the budget
			if err := work.Last.UnmarshalText([]byte(rest)); err != nil {
				t.Fatal(err)
			}
		case "at": // job, seed, name
			var job hostilePlace
			if err := json.Unmarshal([]byte(rest), &job); err != nil {
				t.Fatal(err)
			}
			work.First, work.Seed, at = job.Job+1, job.Seed, job.Name
		case "fail":
			t.Errorf("%s: %s", at, rest)
		case "log":
			t.Log(rest)
		case "done":
			done = true
		}
	}
	if err := cmd.Wait(); err != nil || !done {
		t.Errorf("%s: the process ended (%v)\n%s", at, err, last)
	}
	return done || at == hostileStart
}

// hostileStart is where a child is before its first job: there is no next one to go on with.
const hostileStart = "the start"

// hostilePlace says which job a child is at.
type hostilePlace struct {
	Job  int
	Seed uint32
	Name string
}

// tail keeps the first and the last of what is written.
type tail struct {
	mu          sync.Mutex // guards all below
	first, last []byte
}

const tailSize = 6000

func (w *tail) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := min(len(p), tailSize-len(w.first))
	w.first = append(w.first, p[:n]...)
	w.last = append(w.last, p[n:]...)
	w.last = w.last[max(0, len(w.last)-tailSize):]
	return len(p), nil
}

func (w *tail) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.first) + "\n…\n" + string(w.last)
}
