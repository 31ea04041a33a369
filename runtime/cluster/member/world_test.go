package member

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"eddy/runtime/clock"
	"eddy/runtime/cluster/engine"
)

// world is a cluster on a virtual clock: nodes, a database with a standby, and a network with accidents, all by seed.
// Everything happens in callbacks of the clock, one at a time.
type world struct {
	clock   *clock.Virtual
	rng     *rand.Rand
	mutant  mutant
	nodes   []*node
	primary *engine.Memory
	standby *engine.Memory
	// since counts failovers: what was on its way to an earlier primary is lost.
	since int
	// behind is when the standby will have everything that was written so far.
	behind time.Time
	stall  time.Time // until then the standby takes nothing
	shards []*history
	alarms []string // marks of nodes
}

// mutant is what was taken out of a world, to see it fail.
type mutant struct {
	fence      bool // the engine takes batches of old epochs
	lease      bool // answers go out without asking the lease
	settleRead bool // an unknown outcome is settled by a look
	frozen     bool // the clock of a node that is paused stands still, as that of a virtual machine may
	confirmed  bool // no mutant: epochs are read before answers go out
	calm       bool // no mutant: no packet travels for seconds, which makes a node look lost
}

var errUnknown = errors.New("the connection broke")

func newWorld(seed uint64, nodes, shards int, mu mutant) *world {
	w := &world{clock: clock.NewVirtual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), seed),
		rng: rand.New(rand.NewPCG(seed, 16)), primary: engine.NewMemory(shards), mutant: mu}
	w.clock.Pause() // it moves in run only
	w.standby = w.primary.Copy()
	for range shards {
		w.shards = append(w.shards, &history{acked: map[int]bool{}})
	}
	for i := range nodes {
		n := &node{w: w, name: string(rune('a' + i)), rate: 0.955 + 0.09*w.rng.Float64()}
		w.nodes = append(w.nodes, n)
		w.after(w.upTo(time.Second), n.join)
	}
	return w
}

func (w *world) upTo(d time.Duration) time.Duration { return time.Duration(w.rng.Int64N(int64(d))) }

func (w *world) after(d time.Duration, f func()) { w.clock.AfterFunc(d, f) }

func (w *world) now() time.Time { return w.clock.Now() }

// run lets time pass.
func (w *world) run(d time.Duration) error {
	return w.clock.Advance(context.Background(), d)
}

// travel is how long a packet takes: mostly a little, sometimes so long that nobody waits for it any more.
func (w *world) travel() time.Duration {
	accident := w.rng.IntN(60)
	switch {
	case w.mutant.calm:
	case accident == 0:
		return w.upTo(12 * time.Second)
	case accident < 3:
		return w.upTo(time.Second)
	}
	return 200*time.Microsecond + w.upTo(3*time.Millisecond)
}

// failover makes the standby the primary; what it had not got is gone.
func (w *world) failover() {
	w.primary = w.standby
	w.standby = w.primary.Copy()
	w.since++
	w.behind, w.stall = w.now(), w.now()
}

// write carries out a change on the primary and answers when the standby has it. A wait that is cancelled is an
// unknown outcome, although the primary shows the change.
func (w *world) write(change func(*engine.Memory) error, answer func(error)) {
	err := change(w.primary)
	if err != nil {
		answer(err)
		return
	}
	if w.rng.IntN(25) == 0 {
		answer(errUnknown)
	}
	at := w.now().Add(w.travel() / 4)
	for _, t := range []time.Time{w.behind, w.stall} {
		if t.After(at) {
			at = t
		}
	}
	w.behind = at
	since := w.since
	w.after(at.Sub(w.now()), func() {
		if since == w.since {
			if err := change(w.standby); err != nil {
				panic(fmt.Sprintf("the standby does not take what the primary took: %v", err))
			}
			answer(nil)
		}
	})
}

// net is a node's way to the database: calls with delays, cuts and unknown outcomes.
type net struct {
	n    *node
	life int
}

// call sends a request, which do carries out, and gives its answer or an unknown outcome to done, once.
func (c net) call(timeout time.Duration, do func(answer func(error)), done func(error)) {
	w := c.n.w
	over := false
	finish := func(err error) {
		if !over {
			over = true
			c.n.wake(c.life, func() { done(err) })
		}
	}
	w.after(timeout, func() { finish(errUnknown) })
	if w.now().Before(c.n.cut) {
		w.after(w.upTo(timeout), func() { finish(errUnknown) })
		if w.rng.IntN(2) == 0 { // the request is lost, not only the answer
			return
		}
	}
	since := w.since
	w.after(w.travel(), func() {
		if since != w.since {
			return // it went to a machine that is no more
		}
		do(func(err error) {
			if !w.now().Before(c.n.cut) {
				w.after(w.travel(), func() { finish(err) })
			}
		})
	})
}

func (c net) beat(n engine.Node, done func(error)) {
	w := c.n.w
	c.call(2*time.Second, func(answer func(error)) {
		w.write(func(m *engine.Memory) error { return m.Beat(context.Background(), n) }, answer)
	}, done)
}

func (c net) look(done func(engine.View, error)) {
	w := c.n.w
	var v engine.View
	c.call(2*time.Second, func(answer func(error)) {
		var err error
		v, err = w.primary.Look(context.Background())
		answer(err)
	}, func(err error) { done(v, err) })
}

func (c net) holds(shards []int, done func([]engine.Holding, error)) {
	w := c.n.w
	var list []engine.Holding
	c.call(callTime, func(answer func(error)) {
		var err error
		list, err = w.primary.Holds(context.Background(), shards)
		answer(err)
	}, func(err error) { done(list, err) })
}

// mark is a false alarm: nobody puts the database back.
func (c net) mark(text string, _ func(error)) { c.n.w.alarms = append(c.n.w.alarms, text) }

func (c net) claim(me, dead engine.NodeID, beat int64, done func([]engine.Grant, error)) {
	c.grants(func(m *engine.Memory) ([]engine.Grant, error) {
		return m.Claim(context.Background(), me, dead, beat)
	}, done)
}

// grants sends what gives shards.
func (c net) grants(do func(*engine.Memory) ([]engine.Grant, error), done func([]engine.Grant, error)) {
	w := c.n.w
	var grants []engine.Grant
	c.call(callTime, func(answer func(error)) {
		first := true
		w.write(func(m *engine.Memory) error {
			g, err := do(m)
			if first {
				first, grants = false, g
			}
			return err
		}, answer)
	}, func(err error) { done(grants, err) })
}

func (c net) take(me engine.NodeID, shards []int, done func([]engine.Grant, error)) {
	c.grants(func(m *engine.Memory) ([]engine.Grant, error) { return m.Take(context.Background(), me, shards) }, done)
}

func (c net) hand(g engine.Grant, to engine.NodeID, done func(error)) {
	w := c.n.w
	c.call(callTime, func(answer func(error)) {
		w.write(func(m *engine.Memory) error { return m.Hand(context.Background(), g, to) }, answer)
	}, done)
}

func (c net) commit(g engine.Grant, n int64, b engine.Batch, done func(error)) {
	w := c.n.w
	c.call(callTime, func(answer func(error)) {
		w.write(func(m *engine.Memory) error {
			if w.mutant.fence {
				m.CommitUnfenced(g, n, b)
				return nil
			}
			return m.Commit(context.Background(), g, n, b)
		}, answer)
	}, func(err error) {
		if !w.mutant.settleRead || err == nil || errors.Is(err, engine.ErrFenced) {
			done(err)
			return
		}
		c.look(func(v engine.View, failed error) {
			if failed == nil && v.Shards[g.Shard].Epoch == g.Epoch && v.Shards[g.Shard].Head == n {
				err = nil
			}
			done(err)
		})
	})
}
