package workflows

import (
	"time"

	"eddy/runtime/clock"
)

// arm sets the timer for the first thing that is due: the end of a wait, an instance that sleeps, a life that has
// waited for long, the end of a retention.
func (w *Workflow) arm(t *turn) {
	var next, chore int64
	earlier := func(at *int64, ms int64) {
		if ms > 0 && (*at == 0 || ms < *at) {
			*at = ms
		}
	}
	if x, ok := w.due.First(); ok {
		earlier(&next, x.When.UnixMilli())
	}
	if w.runner != nil {
		// Those that are overdue wait for others to end, and are begun in the turn in which one does.
		t.query("SELECT wake FROM instances WHERE wake>? ORDER BY wake LIMIT 1",
			func(r row) { earlier(&next, r.Int(0)) }, t.now)
	}
	for _, l := range w.waiting {
		if !l.asked {
			earlier(&chore, l.since+keepWaiting.Milliseconds())
			break
		}
	}
	t.query("SELECT min(expires) FROM instances WHERE expires IS NOT NULL", func(r row) { earlier(&chore, r.Int(0)) })
	if next != w.timerAt {
		if w.timer != nil {
			w.timer.Stop()
		}
		if w.timerAt, w.timer = next, nil; next != 0 {
			w.timer = w.o.Clock.AfterFunc(time.UnixMilli(next).Sub(w.o.Clock.Now()), func() { w.tick(&w.timerAt) })
		}
	}
	if chore != w.choreAt {
		if w.chore != nil {
			w.chore.Stop()
		}
		if w.choreAt, w.chore = chore, nil; chore != 0 {
			w.chore = clock.Housekeeping(w.o.Clock, time.UnixMilli(chore).Sub(w.o.Clock.Now()),
				func() { w.tick(&w.choreAt) })
		}
	}
}

// tick runs a turn when a timer has fired.
func (w *Workflow) tick(at *int64) {
	// A refusal means that the workflow has been closed, or that its file has failed: nothing is due then.
	_ = w.post(request{run: func(t *turn) {
		*at = 0
		t.expire()
	}, refuse: func(error) {}})
}

// manyExpired is how many instances one turn removes at most.
const manyExpired = 200

// expire removes instances whose retention is over (FLOW-131).
func (t *turn) expire() {
	var gone []int64
	t.query("SELECT seq FROM instances WHERE expires<=? LIMIT ?", func(r row) { gone = append(gone, r.Int(0)) }, t.now,
		manyExpired)
	for _, seq := range gone {
		t.remove(seq)
	}
}

// Wake is when an instance that waits goes on.
type Wake struct {
	ID string
	At int64 // ms
}

// Wakes lists the instances that wake next, at most limit, in order of time.
func (w *Workflow) Wakes(limit int, done func([]Wake, error)) {
	command(w, func(t *turn) (list []Wake, err error) {
		t.query("SELECT id, wake FROM instances WHERE wake>0 ORDER BY wake, seq LIMIT ?",
			func(r row) { list = append(list, Wake{r.Text(0), r.Int(1)}) }, int64(limit))
		return list, nil
	}, done)
}
