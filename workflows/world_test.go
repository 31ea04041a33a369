package workflows

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"eddy/runtime/clock"
)

// op is one step of a generated program, or a group of branches that run side by side.
type op struct {
	id           Kind
	name, typ    string
	fails, limit int           // of a do: how many of its attempts fail, and how many retries it has
	delay, takes time.Duration // of a do: before a retry, and of an attempt
	lasts        time.Duration // of a sleep, or the timeout of a wait
	branches     [][]*op
}

// world is all that lies outside of the workflow and survives its crashes: the effects of steps, and what was asked
// for.
type world struct {
	t     *testing.T
	clock *clock.Virtual
	rng   *rand.Rand // says when the process dies, where killAt is 0; under mu
	path  string
	life  int // crashes so far
	limit int // how many instances may run at once, 0 for no limit of their own
	w     *Workflow

	mu sync.Mutex // guards all below
	// killAt is the point at which the process dies, counted by points from 1; 0 for points that rng chooses.
	killAt, points int
	// crashed says that the process has died: copies of its files are at next, and nothing of it is heard any more.
	crashed bool
	next    string
	// asking says that somebody waits for an answer. The process does not die meanwhile: nobody could tell whether what
	// was asked for has happened.
	asking  bool
	busy    int // lives of this process with attempts that run
	program map[string][]*op
	epoch   map[string]int  // restarts, by instance
	stored  map[string]bool // results whose storing was confirmed, by instance, epoch and step
	died    map[string]int  // attempts that did not end, likewise
	taken   map[string]string
	output  map[string]string
}

// newWorld makes a world on a clock that is moved by hand, and its first process.
func newWorld(t *testing.T, seed uint64) *world {
	x := &world{t: t, rng: rand.New(rand.NewPCG(seed, 4)), path: filepath.Join(t.TempDir(), "flow.sqlite"),
		clock:   clock.NewVirtual(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), seed),
		program: map[string][]*op{}, epoch: map[string]int{}, stored: map[string]bool{}, died: map[string]int{},
		taken: map[string]string{}, output: map[string]string{}}
	x.clock.Pause()
	x.limit = x.rng.IntN(3)
	x.open()
	return x
}

// run is one life in the world.
type run struct {
	*world
	l       *Life
	w       *Workflow
	over    bool
	calls   int
	running int // attempts
	counts  map[string]int
}

// Run implements [Runner].
func (x *world) Run(l *Life) (Stop, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	r := &run{world: x, l: l, w: l.w, counts: map[string]int{}}
	var out []string
	r.seq(x.program[l.Instance], &out, func() {
		text := strings.Join(out, " ")
		x.output[r.key("")] = text
		r.calls++
		r.l.Finish(fmt.Sprintf("%q", text), nil, func(struct{}, error) {})
	})
	return r.stop, true
}

func (r *run) stop(reason error, calls int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.w != r.world.w {
		return
	}
	if reason == ErrIdle && (r.calls != calls || r.running > 0) {
		r.l.Stays()
		return
	}
	r.over = true
	if r.running > 0 {
		r.busy--
	}
	r.l.Ended(reason)
}

func (r *run) key(step string) string {
	return fmt.Sprintf("%s/%d/%s", r.l.Instance, r.epoch[r.l.Instance], step)
}

// heard calls f for an answer, unless its life is over or the process has died. Now and then the process dies first.
func (r *run) heard(err error, f func()) {
	if err != nil {
		return // the life has ended, or the workflow was closed; the caller may hold mu
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone() {
		return
	}
	f()
	if r.dies() {
		r.die(r.w)
	}
}

// dies tells whether the process dies at this point.
func (x *world) dies() bool {
	if x.killAt == 0 {
		return x.rng.IntN(40) == 0
	}
	x.points++
	return x.points == x.killAt
}

// gone tells whether the life is over, or the process that it was in has died.
func (r *run) gone() bool { return r.over || r.crashed || r.w != r.world.w }

func (r *run) seq(ops []*op, out *[]string, then func()) {
	if len(ops) == 0 {
		then()
		return
	}
	r.op(ops[0], out, func() { r.seq(ops[1:], out, then) })
}

func (r *run) op(o *op, out *[]string, then func()) {
	if o.branches != nil {
		left := len(o.branches)
		parts := make([][]string, left)
		for i, b := range o.branches {
			r.seq(b, &parts[i], func() {
				if left--; left == 0 {
					for _, p := range parts {
						*out = append(*out, "["+strings.Join(p, " ")+"]")
					}
					then()
				}
			})
		}
		return
	}
	counted := fmt.Sprint(o.id, o.name)
	r.counts[counted]++
	id := StepID{o.id, o.name, r.counts[counted]}
	r.calls++
	switch o.id {
	case Do:
		r.l.Begin(id, `{"retries":{"limit":9}}`, func(b Begun, err error) {
			r.heard(err, func() { r.attempt(o, id, b, out, then) })
		})
	case Sleep:
		r.l.Sleep(id, o.lasts, func(b Begun, err error) {
			r.heard(err, func() { *out = append(*out, "slept"); then() })
		})
	case Wait:
		r.l.WaitForEvent(id, o.typ, EventTimeout{After: o.lasts}, func(b Received, err error) {
			r.heard(err, func() {
				what := "late"
				if b.Failure == nil {
					what = string(b.Payload)
					if other, twice := r.taken[r.key(what)]; twice && other != id.Label() {
						r.t.Errorf("%s: the event %s came to %s and to %s", r.key(""), what, other, id.Label())
					}
					r.taken[r.key(what)] = id.Label()
				}
				*out = append(*out, what)
				then()
			})
		})
	}
}

func (r *run) attempt(o *op, id StepID, b Begun, out *[]string, then func()) {
	if b.Ended {
		if b.Failure != nil {
			*out = append(*out, id.Label()+":failed")
		} else {
			*out = append(*out, string(b.Value))
		}
		then()
		return
	}
	key := r.key(id.Label())
	if r.stored[key] {
		r.t.Errorf("%s runs again after its result was stored", key)
	}
	r.running++
	if r.running == 1 {
		if r.busy++; r.limit > 0 && r.busy > r.limit {
			r.t.Errorf("%d instances run at once, the limit is %d", r.busy, r.limit)
		}
	}
	r.died[key]++ // until it ends
	r.clock.AfterFunc(o.takes, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.gone() {
			return
		}
		if r.dies() { // its callback has ended, and nobody has heard of it
			r.die(r.w)
			return
		}
		if r.running--; r.running == 0 {
			r.busy--
		}
		r.died[key]--
		r.calls++
		if b.Attempt <= o.fails {
			why, ended := &Failure{"Error", "no"}, func(b Begun, err error) {
				r.heard(err, func() { r.attempt(o, id, b, out, then) })
			}
			if b.Attempt <= o.limit {
				r.l.Retry(id, why, o.delay, ended)
			} else {
				r.l.Fail(id, why, why, ended)
			}
			return
		}
		v := Value{Clone: []byte(id.Label()), Shown: `"v"`, Chunks: -1}
		r.l.Succeed(id, v, func(_ struct{}, err error) {
			r.heard(err, func() {
				r.stored[key] = true
				*out = append(*out, string(v.Clone))
				then()
			})
		})
	})
}

// die copies the files as they are, and from then on nothing of this process is heard. It is called between two turns
// or at the end of one, so the copies hold what the system has of a process that was killed there.
func (x *world) die(w *Workflow) {
	if x.crashed || x.asking || w != x.w {
		return
	}
	x.crashed = true
	x.life++
	x.next = filepath.Join(x.t.TempDir(), "flow.sqlite")
	for _, suffix := range []string{"", "-wal"} {
		in, err := os.Open(x.path + suffix)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			x.t.Fatal(err)
		}
		out, err := os.Create(x.next + suffix)
		if err == nil {
			_, err = io.Copy(out, in)
		}
		if err != nil {
			x.t.Fatal(err)
		}
		_, _ = in.Close(), out.Close()
	}
}

// open begins the next process.
func (x *world) open() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.w = Open(Options{Name: "flow", Path: x.path, Clock: x.clock, Relaxed: true,
		Failed: func(err error) { x.t.Error(err) }})
	x.busy = 0
	x.w.Limit(x.limit)
	x.w.Attach(x)
}

// revive replaces a process that has died.
func (x *world) revive() {
	x.mu.Lock()
	died, old := x.crashed, x.w
	x.mu.Unlock()
	if !died {
		return
	}
	if err := old.Close(); err != nil {
		x.t.Fatal(err)
	}
	x.mu.Lock()
	x.crashed, x.path = false, x.next
	x.mu.Unlock()
	x.open()
}

// ask calls f while a process lives, which does not die before f has its answer.
func (x *world) ask(f func()) {
	for {
		x.revive()
		x.mu.Lock()
		x.asking = !x.crashed
		ready := x.asking
		x.mu.Unlock()
		if ready {
			break
		}
	}
	f()
	x.mu.Lock()
	x.asking = false
	x.mu.Unlock()
}

func (x *world) call(f func(done func(struct{}, error))) {
	if _, err := Call(x.w, f); err != nil {
		x.t.Error(err)
	}
}
