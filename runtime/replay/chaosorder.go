package replay

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"eddy/runtime/clock"
	"eddy/runtime/worker"
)

// chaosOrder decides what is next within one delivery: the oldest step, unless a fault is due. It implements
// [clock.Chooser]. The clock calls it while nothing else runs.
type chaosOrder struct {
	r *chaosRun
	// fault, if armed, happens after so many side effects.
	fault   fault
	armed   bool
	arrived bool
	settled bool // the outcome of the batch has been told
	calls   int
	asked   int    // calls of objects
	used    int    // calls of bindings
	last    string // place of the last call
	lines   []string
	// crashed says that the Worker must start anew. happened tells which faults have happened.
	crashed  bool
	happened string
	at       int
	after    string
	turn     map[uint64]int
}

// Choose implements [clock.Chooser]. Events that run at the same time take turns.
func (o *chaosOrder) Choose(steps []*clock.Step) int {
	index := 0
	if last := steps[len(steps)-1]; last.Kind == "fault" {
		index = len(steps) - 1
	} else {
		for i, s := range steps {
			if o.armed && o.fault.kind == gone && s.Kind == "outcome" {
				index = i
				break
			}
			if !s.Timer && !steps[index].Timer && o.turn[s.Owner] < o.turn[steps[index].Owner] {
				index = i
			}
		}
	}
	s := steps[index]
	switch {
	case s.Fail == nil:
	case s.Kind != "arrival":
		o.used++
		if o.armed && o.fault.kind == refused && o.used == o.fault.n {
			o.armed = false
			o.happened = cmp.Or(worker.Place(o.r.c.source(s.Where.Worker), o.r.c.o.Dir, s.Where),
				fmt.Sprintf("call %d of a binding", o.used)) + "  fails"
			s.Do = s.Fail
		}
	default:
		o.asked++
		if o.armed && o.fault.kind == fails && o.asked == o.fault.n {
			o.armed = false
			o.happened = "the call of " + s.Name + " fails"
			s.Do = s.Fail
		} else if o.crashed && o.fault.kind != limit {
			s.Do = s.Fail // the caller does not exist any more
		}
	}
	switch s.Kind {
	case "arrival":
		o.arrived = true
	case "outcome":
		o.settled = true
	case "fault", "time", "timer":
	default:
		o.calls++
		if o.turn == nil {
			o.turn = map[uint64]int{}
		}
		o.turn[s.Owner]++
		o.last = worker.Place(o.r.c.source(s.Where.Worker), o.r.c.o.Dir, s.Where)
		if o.last != "" && !slices.Contains(o.lines, o.last) {
			o.lines = append(o.lines, o.last)
		}
	}
	return index
}

// Faults implements [clock.Chooser].
func (o *chaosOrder) Faults(time.Time) []*clock.Step {
	switch {
	case !o.armed, !o.arrived, o.fault.kind == fails, o.fault.kind == refused, o.fault.kind == gone && !o.settled,
		o.calls < o.fault.n:
		return nil
	}
	o.armed = false
	return []*clock.Step{{Kind: "fault", Name: string(o.fault.kind), Do: o.happens}}
}

// happens makes the fault happen.
func (o *chaosOrder) happens() {
	reason := errCrash
	switch o.fault.kind {
	case crash, gone:
		o.happened, o.crashed = "the process crashes", true
	case limit:
		o.happened, o.crashed, reason = "the Worker exceeds its CPU limit", true, worker.ErrCPULimit
	case reset:
		o.happened = "objects lose what they have in memory"
	}
	o.at, o.after = o.calls, o.last
	for _, name := range o.r.up.Workers() {
		w := o.r.up.Worker(name)
		w.Loop.Post(func() {
			if o.crashed {
				w.AbortOthers(nil, reason)
			}
			o.r.up.Objects().Crash(w.Isolate)
		})
	}
	if o.fault.kind == crash || o.fault.kind == gone {
		o.r.clock.Crash()
	}
}

// told describes the fault and its place after the delivery. By then, what was on its way at a crash has ended.
func (o *chaosOrder) told() string {
	if o.crashed {
		o.at, o.after = o.calls, o.last
	}
	switch {
	case o.happened == "" || o.fault.kind == "" || o.fault.kind == fails || o.fault.kind == refused:
		return o.happened
	case o.fault.kind == gone:
		return o.happened + " once the batch is settled, before what nobody awaits is done"
	case o.at == 0:
		return o.happened + " before any side effect"
	case o.after == "":
		return fmt.Sprintf("%s after side effect %d", o.happened, o.at)
	}
	return o.happened + " after " + o.after
}
