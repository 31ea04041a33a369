package member

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strconv"
	"testing"
	"time"

	"eddy/runtime/cluster/engine"
)

var seeds = flag.Int("member.seeds", 60, "how many seeds TestSimulation tries; 10,000 in a campaign")

// history is what clients have seen of one counter. It is linearizable if no answer is behind one that was there
// before its question was put, and no two increments give the same number.
type history struct {
	newest int // of all answers so far
	acked  map[int]bool
	top    int // the largest increment that was acknowledged
	wrong  []string
	ops    int
}

// ask puts a question and judges the answer.
func (h *history) ask(name string, increment bool, do func(done func(int, bool))) {
	floor := h.newest
	answered := false
	do(func(value int, ok bool) {
		if !ok || answered {
			return
		}
		answered = true
		h.ops++
		if increment {
			if h.acked[value] {
				h.wrong = append(h.wrong, fmt.Sprintf("%s: %d was given twice", name, value))
			}
			h.acked[value] = true
			h.top = max(h.top, value)
		}
		if value < floor || increment && value == floor {
			h.wrong = append(h.wrong, fmt.Sprintf("%s: %d after %d was told", name, value, floor))
		}
		h.newest = max(h.newest, value)
	})
}

// client asks one node after the other. While a node is paused it gets nothing but questions about odd shards: those
// which a node answers that wakes up too late and does not look at its lease. An increment before them would make them
// wait, and the fence would refuse all.
func (w *world) client() {
	n := w.nodes[w.rng.IntN(len(w.nodes))]
	id := w.rng.IntN(len(w.shards))
	increment := w.rng.IntN(3+7*(id%2)) == 0 && (id%2 == 0 || !n.paused)
	h := w.shards[id]
	life := n.life
	h.ask(fmt.Sprintf("%s at node %s, shard %d", w.now().Format("05.000"), n.name, id), increment,
		func(done func(int, bool)) {
			n.wake(life, func() {
				if increment {
					n.increment(id, done)
				} else {
					n.read(id, done)
				}
			})
		})
	w.after(w.upTo(100*time.Millisecond), w.client)
}

// nemesis does harm from time to time.
func (w *world) nemesis() {
	n := w.nodes[w.rng.IntN(len(w.nodes))]
	switch w.rng.IntN(9) {
	case 0:
		n.pause(w.upTo(12 * time.Second))
	case 1: // whoever has a shard that is mostly read, until others have it
		for _, owner := range w.nodes {
			if owner.held[1] != nil {
				owner.pause(6*time.Second + w.upTo(6*time.Second))
				break
			}
		}
	case 2:
		n.cut = w.now().Add(w.upTo(10 * time.Second))
	case 3:
		if n.member != nil {
			n.crash()
		}
	case 4:
		w.failover()
	case 5:
		w.stall = w.now().Add(w.upTo(4 * time.Second))
	case 6:
		if n.member != nil && !n.paused {
			n.member.Leave()
		}
	case 8: // a standby that has fallen behind for longer than anybody waits is promoted
		w.stall = w.now().Add(callTime + time.Second + w.upTo(2*time.Second))
		w.after(callTime+w.upTo(time.Second), w.failover)
	case 7: // an operator, whose outcome is as good as any
		if n.member != nil {
			drain := w.rng.IntN(2) == 0
			id := n.member.o.Node.ID
			w.write(func(m *engine.Memory) error {
				if err := m.Drain(context.Background(), id, engine.Asked, drain); !errors.Is(err, engine.ErrEnded) {
					return err
				}
				return nil
			}, func(error) {})
		}
	}
	w.after(w.upTo(5*time.Second), w.nemesis)
}

// simulate runs a cluster for a minute, heals it, and tells what was wrong.
func simulate(seed uint64, mu mutant) (w *world, wrong []string, err error) {
	w = newWorld(seed, 3, 2, mu)
	if seed%3 == 0 { // a roll-out: one node is of a version that places shards otherwise
		w.nodes[seed%9/3].places = hashing
	}
	for range 4 {
		w.after(w.upTo(time.Second), w.client)
	}
	w.after(3*time.Second, w.nemesis)
	if err := w.run(time.Minute); err != nil {
		return w, nil, err
	}
	wrong = append(wrong, w.alarms...)
	w.failover() // what was acknowledged outlives the primary
	for id, h := range w.shards {
		wrong = append(wrong, h.wrong...)
		kept := 0
		err := w.primary.Read(context.Background(), engine.Grant{Shard: id}, "", "",
			func(_ engine.Key, v engine.Value) (err error) {
				kept, err = strconv.Atoi(string(v.Data))
				return err
			})
		if err != nil {
			return w, nil, err
		}
		if kept < h.top {
			wrong = append(wrong, fmt.Sprintf("shard %d: %d was acknowledged, %d is kept", id, h.top, kept))
		}
	}
	return w, wrong, nil
}

// TestSimulation: whatever happens to nodes, network and database, what was acknowledged is kept, a shard has one
// order, and no answer is of an older world.
func TestSimulation(t *testing.T) {
	ops, gained := 0, 0
	for seed := range uint64(*seeds) {
		w, wrong, err := simulate(seed, mutant{})
		if err != nil {
			t.Fatal(err)
		}
		if len(wrong) > 0 {
			t.Fatalf("seed %d: %d wrong, the first: %s", seed, len(wrong), wrong[0])
		}
		for _, h := range w.shards {
			ops += h.ops
		}
		for _, n := range w.nodes {
			gained += n.gained
		}
	}
	t.Logf("%d answers, %d changes of owner", ops, gained)
	if ops < *seeds*100 || gained < *seeds*4 {
		t.Errorf("only %d answers and %d changes of owner", ops, gained)
	}
}

// TestSimulationRepeats: one seed is one run.
func TestSimulationRepeats(t *testing.T) {
	told := func() string {
		w, _, err := simulate(5, mutant{})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%+v %+v %v", *w.shards[0], *w.shards[1], w.now())
	}
	if one, two := told(), told(); one != two {
		t.Errorf("one seed gave\n%s\nand\n%s", one, two)
	}
}

// TestConfirmedReads: if epochs are read before answers go out, a clock that stands still makes nothing wrong.
func TestConfirmedReads(t *testing.T) {
	ops := 0
	for seed := range uint64(*seeds / 5) {
		w, wrong, err := simulate(seed, mutant{frozen: true, confirmed: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(wrong) > 0 {
			t.Fatalf("seed %d: %d wrong, the first: %s", seed, len(wrong), wrong[0])
		}
		for _, h := range w.shards {
			ops += h.ops
		}
	}
	if ops < *seeds*20 {
		t.Errorf("only %d answers", ops)
	}
}

// TestMutants: without the fence, without the lease at the gate, and with unknown outcomes settled by a look, the
// simulation fails within 20 seeds, wherever they begin. A check that cannot fail says nothing.
func TestMutants(t *testing.T) {
	for name, mu := range map[string]mutant{
		"fence": {fence: true}, "lease": {lease: true}, "settle by a read": {settleRead: true},
		"the lease while clocks stand still": {frozen: true},
		"no lease while epochs are read":     {lease: true, confirmed: true},
	} {
		for _, base := range []uint64{0, 1000, 2000} {
			t.Run(fmt.Sprintf("%s from seed %d", name, base), func(t *testing.T) {
				for seed := base; seed < base+20; seed++ {
					_, wrong, err := simulate(seed, mu)
					if err != nil {
						t.Fatal(err)
					}
					if len(wrong) > 0 {
						t.Logf("seed %d: %s", seed, wrong[0])
						return
					}
				}
				t.Error("nothing was wrong in 20 seeds")
			})
		}
	}
}
