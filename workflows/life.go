package workflows

import (
	"errors"
	"slices"
	"time"

	"eddy/runtime/clock"
)

// Runner executes lives. The workflow calls its methods on its own goroutine, so they must not block.
type Runner interface {
	// Run begins a life, and returns the function that ends it from outside. ok is false if the runner has been
	// stopped: the instance then waits for the next runner.
	Run(l *Life) (stop Stop, ok bool)
}

// Stop ends a life for a reason: the life is cut off at its next await. With [ErrIdle] the life ends only if nothing of
// it is in flight and it has made no more calls than calls says. Then the runner answers with [Life.Ended], otherwise
// with [Life.Stays].
type Stop func(reason error, calls int)

// Life is one execution of `run`. Any goroutine may call its methods; their callbacks are called as those of [Workflow]
// are. A life that has ended answers every call with [ErrOver].
type Life struct {
	w   *Workflow
	in  *instance
	run Runner
	end Stop
	// Instance is the instance's id. Payload is the structured clone of its payload, nil for none. Created is the time
	// at which it was created, in ms. Cron and Scheduled are set if a schedule created it.
	Instance  string
	Payload   []byte
	Created   int64
	Cron      string
	Scheduled int64
	// Rollback says that this life rolls its instance back before it is terminated: run is executed to find the
	// rollbacks of the steps that have begun, of which there are Steps. Nothing new begins in it.
	Rollback bool
	Steps    int

	// The workflow's goroutine owns the fields from here on.
	attempts int
	calls    int   // how many calls the workflow has handled
	stored   int64 // how many bytes of streams it has stored
	waits    []*wait
	since    int64 // when it began to wait, 0 while it does not wait
	asked    bool  // whether it was asked to end because it only waits
	stirred  bool  // whether it has made a call since it was asked
	stays    bool  // whether it has answered since it began to wait that something of it is in flight
}

// wait is one thing that a life waits for.
type wait struct {
	clock.Deadline
	life *Life
	step *step
	// come is called in a turn when the due time has come.
	come func(t *turn)
	// told is called in a turn when something else, an event, has ended the wait.
	told func(t *turn)
}

// Before orders waits by their due times.
func (w *wait) Before(other *wait) bool { return w.Earlier(&other.Deadline) }

// Attach gives a workflow a runner, which gets the instances that are ready. The lives of an earlier runner end where
// they wait, and their instances go on with the new one.
func (w *Workflow) Attach(r Runner) (detach func()) {
	nothing := func(struct{}, error) {}
	command(w, func(t *turn) (struct{}, error) {
		w.runner = r
		t.leave(r)
		return struct{}{}, nil
	}, nothing)
	return func() { w.Detach(r) }
}

// Detach takes a runner away, if it is the present one: what waits is let go, and nothing begins.
func (w *Workflow) Detach(r Runner) {
	command(w, func(t *turn) (struct{}, error) {
		if w.runner == r {
			w.runner = nil
			t.leave(nil)
		}
		return struct{}{}, nil
	}, func(struct{}, error) {})
}

// leave asks the waiting lives of all other runners to end.
func (t *turn) leave(r Runner) {
	for _, l := range slices.Clone(t.w.waiting) {
		if l.run != r {
			l.askToEnd()
		}
	}
}

// launch begins a life for each instance that is ready, the oldest one first.
func (t *turn) launch() {
	w := t.w
	if w.runner == nil || w.store == nil {
		return
	}
	room := maxRunning - (len(w.lives) - len(w.waiting))
	if room <= 0 {
		return
	}
	if w.limit > 0 {
		t.launchWithin(min(w.limit, maxRunning), room)
		return
	}
	var ready []*instance
	t.query("SELECT "+instanceColumns+" FROM instances WHERE wake BETWEEN 0 AND ? ORDER BY wake, seq LIMIT ?",
		func(r row) { ready = append(ready, readInstance(r)) }, t.now, room)
	for _, in := range ready {
		t.launchOne(in)
	}
}

// scheduledFree is how long an instance of a schedule takes no slot of its workflow's concurrency (FLOW-180).
const scheduledFree = time.Hour

func (t *turn) takesSlot(in *instance) bool {
	return in.cron == "" || t.now-in.created >= scheduledFree.Milliseconds()
}

// launchWithin begins lives while fewer than limit run, and as many as there is room for of those that take no slot.
func (t *turn) launchWithin(limit, room int) {
	w := t.w
	for _, l := range w.lives {
		if l.since == 0 && t.takesSlot(l.in) {
			limit--
		}
	}
	columns := "SELECT " + instanceColumns + " FROM instances WHERE wake BETWEEN 0 AND ?1"
	var ready []*instance
	add := func(r row) { ready = append(ready, readInstance(r)) }
	t.query(columns+" AND cron IS NOT NULL AND created>?2 ORDER BY wake, seq LIMIT ?3", add, t.now,
		t.now-scheduledFree.Milliseconds(), room)
	if limit = min(limit, room-len(ready)); limit > 0 {
		t.query(columns+" AND (cron IS NULL OR created<=?2) ORDER BY wake, seq LIMIT ?3", add, t.now,
			t.now-scheduledFree.Milliseconds(), limit)
	}
	for _, in := range ready {
		t.launchOne(in)
	}
}

// Limit says how many instances run at once, those that wait not counted; 0 stands for the default, a thousand. With a
// limit of its own a workflow keeps no waiting life in memory, so that one whose wait is over takes a slot like any
// other.
func (w *Workflow) Limit(instances int) {
	command(w, func(t *turn) (struct{}, error) {
		w.limit = instances
		return struct{}{}, nil
	}, func(struct{}, error) {})
}

func (t *turn) launchOne(in *instance) {
	w := t.w
	l := &Life{w: w, in: in, run: w.runner, Instance: in.id, Payload: in.payload, Created: in.created, Cron: in.cron,
		Scheduled: in.scheduled, Rollback: in.rollback}
	if l.Rollback {
		l.Steps = t.begunSteps(in)
	}
	l.end = func(error, int) {}
	w.lives[in.seq] = l
	first := in.started == 0
	if first {
		in.started = t.now
	}
	in.status = Running
	t.exec("UPDATE instances SET wake=-1, status=?, started=?, modified=? WHERE seq=?", int64(in.status), in.started,
		t.now, in.seq)
	if first {
		t.happened(in, WorkflowStart, "", nil)
		t.happened(in, WorkflowRunning, "", nil)
	}
	t.then(func() {
		if w.lives[in.seq] != l {
			return // another command of this turn has ended the life
		}
		end, ok := l.run.Run(l)
		if !ok {
			if w.runner == l.run {
				w.runner = nil
			}
			l.Ended(ErrClosed)
			return
		}
		l.end = end
	})
}

// stop ends a life.
func (l *Life) stop(reason error) { l.end(reason, l.calls) }

// drop removes a life that has ended from the workflow's accounts.
func (t *turn) drop(l *Life) {
	w := t.w
	delete(w.lives, l.in.seq)
	for _, x := range l.waits {
		w.due.Remove(x)
	}
	l.waits = nil
	l.active()
}

// cut ends the life of an instance, if there is one.
func (t *turn) cut(seq int64, reason error) {
	if l := t.w.lives[seq]; l != nil {
		t.drop(l)
		t.then(func() { l.stop(reason) })
	}
}

// active notes that a life does not wait.
func (l *Life) active() {
	w := l.w
	if l.since != 0 {
		l.since = 0
		w.waiting = slices.DeleteFunc(w.waiting, func(x *Life) bool { return x == l })
	}
	if l.asked {
		l.asked = false
		w.asked--
	}
	l.stirred, l.stays = true, false
}

// settle brings the status of an instance, and the accounts of its life, up to date after a step has begun or ended.
func (t *turn) settle(l *Life) {
	in := l.in
	idle := l.attempts == 0 && len(l.waits) > 0
	if in.status == WaitingForPause {
		if l.attempts == 0 {
			t.paused(in)
		}
		return
	}
	status := Running
	if idle {
		status = Waiting
	}
	if idle && l.since == 0 {
		l.since, l.stirred = t.now, false
		t.w.waiting = append(t.w.waiting, l)
	} else if !idle {
		l.active()
	}
	if in.status != status {
		in.status = status
		t.exec("UPDATE instances SET status=?, modified=? WHERE seq=?", int64(status), t.now, in.seq)
	}
}

// letGo asks lives to end that have waited for long, and the longest waiting ones if too many wait.
func (t *turn) letGo() {
	w := t.w
	kept := maxWaiting
	if w.limit > 0 {
		kept = 0
	}
	if len(w.waiting) == 0 || len(w.waiting)-w.asked <= kept &&
		t.now-w.waiting[0].since < keepWaiting.Milliseconds() && w.waiting[0].run == w.runner {
		return
	}
	for _, l := range slices.Clone(w.waiting) {
		if !l.asked && (len(w.waiting)-w.asked > kept && !l.stays || t.now-l.since >= keepWaiting.Milliseconds() ||
			l.run != w.runner) {
			l.askToEnd()
		}
	}
}

func (l *Life) askToEnd() {
	if l.asked {
		return
	}
	l.asked, l.stirred = true, false
	l.w.asked++
	l.stop(ErrIdle)
}

// Ended tells the workflow that a life has ended before its run did. The reason is [ErrIdle], a [Failure] (a limit or a
// hang of this life), or another error (its isolate was closed).
func (l *Life) Ended(reason error) {
	command(l.w, func(t *turn) (struct{}, error) {
		t.ended(l, reason)
		return struct{}{}, nil
	}, func(struct{}, error) {})
}

// Stays is a runner's answer to [ErrIdle] when something of the life is in flight. The workflow asks again later.
func (l *Life) Stays() {
	command(l.w, func(t *turn) (struct{}, error) {
		if t.w.lives[l.in.seq] == l && l.since != 0 {
			l.active()
			t.settle(l)
			l.stays = true // asking again at once would not end
		}
		return struct{}{}, nil
	}, func(struct{}, error) {})
}

func (t *turn) ended(l *Life, reason error) {
	in := l.in
	if t.w.lives[in.seq] != l {
		return
	}
	var own *Failure
	switch {
	case errors.Is(reason, ErrIdle):
		wake := int64(0)
		if !l.stirred {
			wake = t.nextWait(l)
		}
		t.drop(l)
		t.exec("UPDATE instances SET wake=? WHERE seq=?", wake, in.seq)
	case in.status == WaitingForPause:
		t.paused(in)
	case errors.As(reason, &own) && in.rollback:
		t.drop(l)
		t.happened(in, RollbackFailed, "", meta{"error": own})
		t.finish(in, Terminated, "", nil)
	case errors.As(reason, &own):
		t.gaveUp(l, own)
	default:
		t.drop(l)
		t.exec("UPDATE instances SET wake=0 WHERE seq=?", in.seq)
	}
}

// nextWait returns the time at which the first wait of a life ends, in ms.
func (t *turn) nextWait(l *Life) int64 {
	var first int64
	for _, x := range l.waits {
		if at := x.When.UnixMilli(); first == 0 || at < first {
			first = at
		}
	}
	return max(first, 1)
}

// live returns ErrOver if the instance has another life, or none.
func (t *turn) live(l *Life) error {
	if t.w.lives[l.in.seq] != l {
		return ErrOver
	}
	return nil
}
