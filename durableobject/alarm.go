package durableobject

import (
	"math/rand/v2"
	"sync"
	"time"

	"eddy/runtime/clock"
)

// Alarm limits (AL4).
const (
	alarmRetries    = 6
	alarmRetryDelay = 2 * time.Second
	alarmJitter     = 0.25
)

// AlarmKey names the object that an alarm belongs to: the namespace's unique key and the id.
type AlarmKey struct {
	Namespace string
	ID        ID
}

// AlarmInfo is what the handler is told (AL3).
type AlarmInfo struct {
	Scheduled  time.Time
	RetryCount int
}

// AlarmOutcome is how a run of the handler ended.
type AlarmOutcome int

// The outcomes of a run.
const (
	// AlarmDone: the handler returned; the alarm is cleared unless a new one was set meanwhile.
	AlarmDone AlarmOutcome = iota
	// AlarmFailed: the handler threw, or the object was reset; the run counts as a try.
	AlarmFailed
	// AlarmUndelivered: the handler was never reached (the Worker is being swapped); it is tried again at once and
	// not counted.
	AlarmUndelivered
	// AlarmDropped: the object was reset and wants no other try (BIND-171).
	AlarmDropped
)

// Alarms fires the alarms of all objects: never earlier than stored, again after a failure with back-off, and gone
// only after success or the last try. The stored row is the truth; Alarms holds the times in memory and tells the
// owner through its hooks when a row is to be cleared. Any goroutine.
type Alarms struct {
	clock clock.Clock
	hooks AlarmHooks
	rand  func() float64

	mu sync.Mutex
	m  map[AlarmKey]*alarm
	// stopped says that nothing fires any more.
	stopped bool
	held    bool
}

// AlarmHooks connect Alarms to objects. They are called without any lock held.
type AlarmHooks struct {
	// Fire runs the handler and calls done once, from anywhere.
	Fire func(key AlarmKey, info AlarmInfo, done func(AlarmOutcome))
	// Clear removes the stored row if it still says scheduled: the alarm has succeeded or is given up.
	Clear func(key AlarmKey, scheduled time.Time, gaveUp bool)
}

type alarm struct {
	scheduled time.Time // as the user set it
	retry     int
	timer     clock.Timer
	running   bool
	// set or deleted by the handler while it runs
	changed bool
	next    time.Time // zero: none
	deleted bool
	// once: it was started by Run, and a failure is its end
	once bool
}

// NewAlarms makes a scheduler. random gives numbers in [0,1) for the jitter; nil is the system's.
func NewAlarms(c clock.Clock, hooks AlarmHooks, random func() float64) *Alarms {
	if random == nil {
		random = rand.Float64
	}
	return &Alarms{clock: c, hooks: hooks, rand: random, m: map[AlarmKey]*alarm{}}
}

// Set schedules the object's alarm, replacing what was set. A time that is past fires at once (AL2). While the
// handler runs the new alarm waits for its end (AL5).
func (a *Alarms) Set(key AlarmKey, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stopped {
		return
	}
	al := a.m[key]
	if al == nil {
		al = &alarm{}
		a.m[key] = al
	}
	if al.running {
		al.changed, al.deleted, al.next = true, false, at
		return
	}
	al.scheduled, al.retry = at, 0
	a.arm(key, al, at)
}

// Run runs the object's handler now, with info, in place of the alarm that is set. A failure is not tried again. It
// does nothing while the handler runs.
func (a *Alarms) Run(key AlarmKey, info AlarmInfo) {
	a.mu.Lock()
	al := a.m[key]
	if a.stopped || al != nil && al.running {
		a.mu.Unlock()
		return
	}
	if al != nil {
		al.stopTimer()
	}
	al = &alarm{scheduled: info.Scheduled, retry: info.RetryCount, once: true}
	a.m[key] = al
	a.mu.Unlock()
	a.fire(key, al)
}

// Hasten runs the alarm that is set now. It tells whether there is one whose handler does not run yet.
func (a *Alarms) Hasten(key AlarmKey) bool {
	a.mu.Lock()
	al := a.m[key]
	if a.stopped || al == nil || al.running {
		a.mu.Unlock()
		return false
	}
	al.stopTimer()
	a.mu.Unlock()
	a.fire(key, al)
	return true
}

// Delete cancels the object's alarm; in the handler it also keeps a failure from being tried again (AL5).
func (a *Alarms) Delete(key AlarmKey) {
	a.mu.Lock()
	defer a.mu.Unlock()
	al := a.m[key]
	if al == nil {
		return
	}
	if al.running {
		al.changed, al.deleted, al.next = true, true, time.Time{}
		return
	}
	al.stopTimer()
	delete(a.m, key)
}

// Drop forgets the alarms for which match is true. Their rows stay: somebody else fires them. A handler that runs ends
// by itself.
func (a *Alarms) Drop(match func(AlarmKey) bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for key, al := range a.m {
		if match(key) {
			al.stopTimer()
			delete(a.m, key)
		}
	}
}

// Running tells whether the object's handler is in progress, and whether it has set a new alarm meanwhile. (While it
// runs, getAlarm answers null, or that new alarm, AL3.)
func (a *Alarms) Running(key AlarmKey) (running, replaced bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	al := a.m[key]
	if al == nil || !al.running {
		return false, false
	}
	return true, al.changed && !al.deleted
}

// Begin tells, when the handler is about to run, whether the alarm still stands. It does not if it was moved or deleted
// since it fired, while it waited to enter the object. The owner then ends the run as done and does not call the
// handler.
func (a *Alarms) Begin(key AlarmKey) (stands bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	al := a.m[key]
	if al == nil || !al.running {
		return false
	}
	if al.changed && !al.deleted && al.next.Equal(al.scheduled) {
		al.changed = false // moved to where it was
	}
	return !al.changed
}

func (al *alarm) stopTimer() {
	if al.timer != nil {
		al.timer.Stop()
		al.timer = nil
	}
}

// arm is called with mu held.
func (a *Alarms) arm(key AlarmKey, al *alarm, at time.Time) {
	al.stopTimer()
	if a.held {
		return
	}
	al.timer = a.clock.AfterFunc(at.Sub(a.clock.Now()), func() { a.fire(key, al) })
}

func (a *Alarms) fire(key AlarmKey, al *alarm) {
	a.mu.Lock()
	if a.stopped || a.m[key] != al || al.running {
		a.mu.Unlock()
		return
	}
	al.running, al.changed, al.deleted, al.timer = true, false, false, nil
	info := AlarmInfo{Scheduled: al.scheduled, RetryCount: al.retry}
	// Time is held until the handler has been sent for, not until it ends: it may sleep.
	release := a.clock.Hold("an alarm")
	a.mu.Unlock()
	defer release()
	var once sync.Once
	a.hooks.Fire(key, info, func(o AlarmOutcome) {
		once.Do(func() { a.ended(key, al, o) })
	})
}

func (a *Alarms) ended(key AlarmKey, al *alarm, o AlarmOutcome) {
	a.mu.Lock()
	if a.stopped || a.m[key] != al {
		a.mu.Unlock()
		return
	}
	al.running = false
	was := al.scheduled
	clear, gaveUp := false, false
	switch {
	case o == AlarmUndelivered:
		a.arm(key, al, a.clock.Now())
	case al.changed && al.deleted:
		delete(a.m, key)
	case al.changed:
		al.scheduled, al.retry, al.once = al.next, 0, false
		a.arm(key, al, al.next)
	case o == AlarmFailed && al.once:
		delete(a.m, key)
	case o == AlarmDone, o == AlarmDropped:
		delete(a.m, key)
		clear = true
	case al.retry >= alarmRetries:
		delete(a.m, key)
		clear, gaveUp = true, true
	default:
		delay := alarmRetryDelay << al.retry
		delay += time.Duration(float64(delay) * alarmJitter * a.rand())
		al.retry++
		a.arm(key, al, a.clock.Now().Add(delay))
	}
	a.mu.Unlock()
	if clear {
		a.hooks.Clear(key, was, gaveUp)
	}
}

// Times are those of all alarms that are set.
func (a *Alarms) Times() []time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	times := make([]time.Time, 0, len(a.m))
	for _, al := range a.m {
		times = append(times, al.scheduled)
	}
	return times
}

// Hold keeps every alarm from firing until Resume (--alarms=hold).
func (a *Alarms) Hold() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.held = true
	for _, al := range a.m {
		al.stopTimer()
	}
}

// Resume lets alarms fire again; overdue ones at once.
func (a *Alarms) Resume() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.held {
		return
	}
	a.held = false
	for key, al := range a.m {
		if !al.running {
			a.arm(key, al, al.scheduled)
		}
	}
}

// Stop ends the scheduler. Handlers that are running end by themselves; their rows stay.
func (a *Alarms) Stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stopped = true
	for _, al := range a.m {
		al.stopTimer()
	}
}
