package workflows

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

var (
	randomPrograms = flag.Int("workflows.programs", 4, "how many generated programs TestRandomPrograms runs")
	randomSeed     = flag.Uint64("workflows.seed", 0, "seed of TestRandomPrograms, 0 for a new one")
)

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

// TestRandomPrograms runs generated programs with steps side by side, retries, sleeps, events that come early and late,
// pauses and restarts, and kills the process between turns. Whatever happens, a result that was stored is not made
// again, no event is given twice, no more instances run at once than the limit says, and every one comes to its end by
// itself with what its program says (FLOW-20, FLOW-23, FLOW-41, FLOW-47, FLOW-50, FLOW-61, FLOW-62, FLOW-66, FLOW-125,
// FLOW-128, FLOW-129).
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
	x := newWorld(t, seed)
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
		x.ended(id)
	}
	if err := x.w.Close(); err != nil {
		t.Error(err)
	}
	return x.life
}

// ended asserts that an instance is complete, with the output that its last life came to and that its program says.
func (x *world) ended(id string) *Info {
	x.t.Helper()
	info, err := Call(x.w, func(done func(*Info, error)) { x.w.Status(id, true, done) })
	if err != nil {
		x.t.Fatal(err)
	}
	want := fmt.Sprintf("%q", x.output[fmt.Sprintf("%s/%d/", id, x.epoch[id])])
	if info.Status != Complete || info.Output != want {
		x.t.Errorf("%s is %s with %s, want complete with %s\n%v", id, info.Status, info.Output, want, info.History)
	}
	x.model(id, info)
	return info
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
