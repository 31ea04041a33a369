package workflows

import (
	"flag"
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

var (
	randomPrograms = flag.Int("workflows.programs", 8, "how many generated programs TestRandomPrograms runs")
	randomSeed     = flag.Uint64("workflows.seed", 0, "seed of TestRandomPrograms, 0 for a new one")
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

// generate makes a sequence of operations. depth bounds how groups nest. Branches have names of their own: of steps of
// one name the platform counts those that are called first, and which branch that is depends on the time.
func generate(rng *rand.Rand, depth int, prefix string) []*op {
	var ops []*op
	for range 1 + rng.IntN(4) {
		o := &op{name: prefix + string(rune('a'+rng.IntN(2)))}
		switch rng.IntN(6) {
		case 0, 1, 2:
			o.id, o.fails, o.limit = Do, rng.IntN(4)*rng.IntN(2), rng.IntN(4)
			o.delay, o.takes = time.Duration(rng.IntN(300))*time.Second, time.Duration(rng.IntN(20))*time.Second
		case 3:
			o.id, o.lasts = Sleep, time.Duration(rng.IntN(400))*time.Second
		case 4:
			o.id, o.typ, o.lasts = Wait, string(rune('x'+rng.IntN(2))), time.Duration(1+rng.IntN(900))*time.Second
		case 5:
			if depth == 0 {
				continue
			}
			for n := range 2 + rng.IntN(2) {
				o.branches = append(o.branches, generate(rng, depth-1, fmt.Sprint(prefix, len(ops), "/", n, "/")))
			}
		}
		ops = append(ops, o)
	}
	return ops
}

// world is all that lies outside of the workflow and survives its crashes: the effects of steps, and what was asked
// for.
type world struct {
	t     *testing.T
	clock *clock.Virtual
	rng   *rand.Rand // says when the process dies; under mu
	path  string
	life  int // crashes so far
	w     *Workflow

	mu sync.Mutex // guards all below
	// crashed says that the process has died: copies of its files are at next, and nothing of it is heard any more.
	crashed bool
	next    string
	// asking says that somebody waits for an answer. The process does not die meanwhile: nobody could tell whether what
	// was asked for has happened.
	asking  bool
	program map[string][]*op
	epoch   map[string]int  // restarts, by instance
	stored  map[string]bool // results whose storing was confirmed, by instance, epoch and step
	died    map[string]int  // attempts that did not end, likewise
	taken   map[string]string
	output  map[string]string
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
	if r.rng.IntN(40) == 0 {
		r.die(r.w)
	}
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
	r.died[key]++ // until it ends
	r.clock.AfterFunc(o.takes, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.gone() {
			return
		}
		r.running--
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
		Warn: func(text string) { x.t.Error(text) }})
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

// TestRandomPrograms runs generated programs with steps side by side, retries, sleeps, events that come early and late,
// pauses and restarts, and kills the process between turns. Whatever happens, a result that was stored is not made
// again, no event is given twice, and every instance comes to its end by itself with what its program says
// (FLOW-20, FLOW-23, FLOW-41, FLOW-47, FLOW-50, FLOW-61, FLOW-62, FLOW-66, FLOW-125, FLOW-128, FLOW-129).
func TestRandomPrograms(t *testing.T) {
	seed := *randomSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	crashes := 0
	for n := range *randomPrograms {
		crashes += randomProgram(t, seed+uint64(n))
		if t.Failed() {
			t.Fatalf("program %d: -workflows.seed %d -workflows.programs 1", n, seed+uint64(n))
		}
	}
	t.Logf("%d programs, %d crashes", *randomPrograms, crashes)
}

func randomProgram(t *testing.T, seed uint64) (crashes int) {
	rng := rand.New(rand.NewPCG(seed, 3))
	x := &world{t: t, rng: rand.New(rand.NewPCG(seed, 4)), path: filepath.Join(t.TempDir(), "flow.sqlite"),
		clock:   clock.NewVirtual(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), seed),
		program: map[string][]*op{}, epoch: map[string]int{}, stored: map[string]bool{}, died: map[string]int{},
		taken: map[string]string{}, output: map[string]string{}}
	x.clock.Pause()
	x.open()
	var ids []string
	for i := range 1 + rng.IntN(3) {
		id := fmt.Sprint("i", i)
		ids = append(ids, id)
		program := generate(rng, 2, "")
		x.mu.Lock() // an instance before may run already
		x.program[id] = program
		x.mu.Unlock()
		x.ask(func() {
			errs, err := Call(x.w, func(done func([]error, error)) { x.w.Create([]New{{ID: id, Shown: "{}"}}, done) })
			if err != nil || errs[0] != nil {
				t.Fatal(err, errs)
			}
		})
	}
	events := 0
	for range 20 + rng.IntN(40) {
		x.clock.Advance(t.Context(), time.Duration(rng.IntN(120))*time.Second)
		x.revive()
		x.mu.Lock() // the generator of random numbers is shared with the lives
		id, what := ids[rng.IntN(len(ids))], rng.IntN(10)
		typ := string(rune('x' + rng.IntN(2)))
		if what == 9 {
			x.die(x.w)
		}
		x.mu.Unlock()
		x.ask(func() {
			switch what {
			case 0, 1, 2:
				events++
				e := Sent{Type: typ, Payload: fmt.Appendf(nil, "e%d", events), Shown: "1"}
				x.call(func(done func(struct{}, error)) { x.w.SendEvent(id, e, done) })
			case 3, 4:
				x.call(func(done func(struct{}, error)) { x.w.Pause(id, done) })
			case 5, 6:
				x.call(func(done func(struct{}, error)) { x.w.Resume(id, done) })
			case 7:
				x.mu.Lock()
				restart := rng.IntN(4) == 0
				if restart {
					x.epoch[id]++
				}
				x.mu.Unlock()
				if restart {
					x.call(func(done func(struct{}, error)) { x.w.Restart(id, nil, done) })
				}
			}
		})
	}
	for _, id := range ids { // nothing is touched any more after this
		x.ask(func() { x.call(func(done func(struct{}, error)) { x.w.Resume(id, done) }) })
	}
	for range 60 {
		x.clock.Advance(t.Context(), time.Hour)
		x.revive()
	}
	x.ask(func() {}) // a process that has died is replaced
	for _, id := range ids {
		info, err := Call(x.w, func(done func(*Info, error)) { x.w.Status(id, true, done) })
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("%q", x.output[fmt.Sprintf("%s/%d/", id, x.epoch[id])])
		if info.Status != Complete || info.Output != want {
			t.Errorf("%s is %s with %s, want complete with %s\n%v", id, info.Status, info.Output, want, info.History)
		}
		x.model(id, info)
	}
	if err := x.w.Close(); err != nil {
		t.Error(err)
	}
	return x.life
}

// model compares an output with what the program says: every step in its place, with its value unless it has more
// failures than retries.
func (x *world) model(id string, info *Info) {
	got := strings.Fields(strings.NewReplacer("[", "", "]", "", `"`, "").Replace(info.Output))
	var want [][]string
	counts := map[string]int{}
	var walk func(ops []*op)
	walk = func(ops []*op) {
		for _, o := range ops {
			for _, b := range o.branches {
				walk(b)
			}
			if o.branches != nil {
				continue
			}
			counts[o.name]++
			switch {
			case o.id == Sleep:
				want = append(want, []string{"slept"})
			case o.id == Wait:
				want = append(want, nil)
			case o.fails <= o.limit:
				want = append(want, []string{"value"})
			default:
				// an attempt that died has a number, and may be the last
				want = append(want, []string{"failed", "value"})
			}
		}
	}
	walk(x.program[id])
	if len(got) != len(want) {
		x.t.Errorf("%s has %d results, and its program %d steps: %s", id, len(got), len(want), info.Output)
		return
	}
	for i, w := range want {
		kind := "value"
		switch {
		case got[i] == "slept":
			kind = "slept"
		case strings.HasSuffix(got[i], ":failed"):
			kind = "failed"
		}
		if w != nil && kind != w[0] && (len(w) < 2 || kind != w[1] || x.life == 0 && x.epoch[id] == 0) {
			x.t.Errorf("%s: result %d is %q, want a %s: %s", id, i, got[i], w[0], info.Output)
		}
	}
}
