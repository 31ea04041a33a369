package workflows

import (
	"strconv"
	"time"
)

// StepID identifies a step of an instance (FLOW-20).
type StepID struct {
	Kind  Kind
	Name  string
	Count int
}

// Label is the step's name in the history.
func (id StepID) Label() string { return id.Name + "-" + strconv.Itoa(id.Count) }

// step is a row of the table steps.
type step struct {
	row      int64
	instance int64
	StepID
	state    state
	attempts int
	due      int64
	config   string
	value    []byte
	chunks   int64 // pieces of a stream, -1 if the value is no stream
	failure  *Failure
}

const stepColumns = "step, instance, kind, name, count, state, attempts, due, config, value, chunks, error_name, " +
	"error_message"

func readStep(r row) *step {
	s := &step{row: r.Int(0), instance: r.Int(1), state: state(r.Int(5)), attempts: int(r.Int(6)), due: r.Int(7),
		config: r.Text(8), chunks: -1, failure: readFailure(r, 11),
		StepID: StepID{Kind(r.Int(2)), r.Text(3), int(r.Int(4))}}
	if !r.Null(9) {
		s.value = r.Bytes(9)
	}
	if !r.Null(10) {
		s.chunks = r.Int(10)
	}
	return s
}

// step returns a step of an instance, nil if it has not begun.
func (t *turn) step(in *instance, id StepID) *step {
	var s *step
	t.query("SELECT "+stepColumns+" FROM steps WHERE instance=? AND kind=? AND name=? AND count=?",
		func(r row) { s = readStep(r) }, in.seq, int64(id.Kind), id.Name, id.Count)
	return s
}

// start stores a new step.
func (t *turn) start(in *instance, id StepID, st state, due int64, config string) *step {
	t.exec("INSERT INTO steps(instance, kind, name, count, ord, state, due, config) VALUES(?,?,?,?,"+
		"(SELECT coalesce(max(ord), 0)+1 FROM steps WHERE instance=?),?,?,?)",
		in.seq, int64(id.Kind), id.Name, id.Count, in.seq, int64(st), due, config)
	return t.step(in, id)
}

// Begun answers a life that comes to a step.
type Begun struct {
	// Ended says that the step has a result, Value or Failure. Chunks counts the pieces of a stream; it is -1 if the
	// value is no stream.
	Ended   bool
	Value   []byte
	Chunks  int
	Failure *Failure
	// Attempt is the number of the attempt that begins now, or of the last one. Its configuration is the one that the
	// first attempt stored.
	Attempt int
	Config  string
	// Past says that the time of a sleepUntil was over.
	Past bool
}

func (s *step) result() Begun {
	return Begun{Ended: true, Value: s.value, Chunks: int(s.chunks), Failure: s.failure, Config: s.config,
		Attempt: s.attempts}
}

// Look is Begin for a life in which nothing begins. A step that has not begun has Attempt 0.
func (l *Life) Look(id StepID, done func(Begun, error)) {
	l.ask(func(t *turn, answer func(*turn, Begun)) {
		var b Begun
		if s := t.step(l.in, id); s != nil {
			b = s.result()
			b.Ended = s.state == succeeded || s.state == failed
		}
		answer(t, b)
	}, done)
}

// Begin begins an attempt of a step of kind Do or Rollback, or answers with the step's result. It calls done when the
// life has something to do: before a retry, when the delay is over.
func (l *Life) Begin(id StepID, config string, done func(Begun, error)) {
	l.ask(func(t *turn, answer func(*turn, Begun)) {
		s := t.step(l.in, id)
		switch {
		case t.w.retired != nil && (s == nil || s.state == attempting || s.state == waits):
			return // it begins where the workflow goes to
		case s == nil:
			s = t.start(l.in, id, attempting, 0, config)
			t.happened(l.in, of(id.Kind, StepStart), id.Label(), meta{"config": shown(config)})
		case s.state == succeeded || s.state == failed:
			answer(t, s.result())
			return
		case s.state == waits:
			t.await(l, s, func(t *turn) { answer(t, t.attempting(l, s)) }, nil)
			return
		case s.attempts > 0:
			// It was running when its life ended (FLOW-46).
			t.happened(l.in, of(id.Kind, AttemptFailure), id.Label(), meta{"attempt": s.attempts, "error": errDied})
		}
		answer(t, t.attempting(l, s))
	}, done)
}

// attempting begins an attempt of a step, and returns the answer for the life.
func (t *turn) attempting(l *Life, s *step) Begun {
	s.attempts++
	s.state = attempting
	t.exec("UPDATE steps SET state=?, attempts=?, due=0 WHERE step=?", int64(attempting), s.attempts, s.row)
	if s.attempts > 1 {
		t.exec("DELETE FROM chunks WHERE step=?", s.row)
	}
	t.happened(l.in, of(s.Kind, AttemptStart), s.Label(), meta{"attempt": s.attempts})
	l.attempts++
	l.stirred = true
	t.settle(l)
	return Begun{Attempt: s.attempts, Config: s.config}
}

// ask is like command, for calls that a later turn may answer.
func (l *Life) ask(f func(t *turn, answer func(*turn, Begun)), done func(Begun, error)) {
	fail := func(err error) { done(Begun{}, err) }
	c := request{refuse: fail, run: func(t *turn) {
		answered := false
		answer := func(t *turn, b Begun) {
			answered = true
			t.after = append(t.after, func(err error) { done(b, err) })
		}
		if err := t.live(l); err != nil {
			t.then(func() { fail(err) })
			return
		}
		l.calls++
		f(t, answer)
		if !answered {
			t.after = append(t.after, func(err error) {
				if err != nil {
					fail(err)
				}
			})
		}
	}}
	if err := l.w.post(c); err != nil {
		fail(err)
	}
}

// await lets a life wait for the due time of a step.
func (t *turn) await(l *Life, s *step, come, told func(*turn)) {
	if s.due <= t.now && come != nil && t.w.retired == nil {
		come(t)
		return
	}
	x := &wait{life: l, step: s, come: come, told: told}
	t.w.due.Add(x, time.UnixMilli(s.due))
	l.waits = append(l.waits, x)
	t.settle(l)
}

// stopWaiting ends a wait of a life.
func (t *turn) stopWaiting(x *wait) {
	l := x.life
	t.w.due.Remove(x)
	for i, other := range l.waits {
		if other == x {
			l.waits = append(l.waits[:i], l.waits[i+1:]...)
			break
		}
	}
	l.active()
}

// wakeDue ends the waits whose due time has come.
func (t *turn) wakeDue() {
	for {
		x, ok := t.w.due.First()
		if !ok || x.When.UnixMilli() > t.now {
			return
		}
		t.stopWaiting(x)
		x.come(t)
		t.settle(x.life)
	}
}

// Value is the result of an attempt: a structured clone, the same value as JSON, and the number of a stream's pieces,
// which are stored before it. Chunks is -1 for a value that is no stream.
type Value struct {
	Clone  []byte
	Shown  string
	Chunks int
}

// Succeed ends a step with its result.
func (l *Life) Succeed(id StepID, v Value, done func(struct{}, error)) {
	l.command(func(t *turn) error {
		s := t.step(l.in, id)
		t.store(s, v)
		result := meta{"result": shown(v.Shown)}
		if v.Chunks >= 0 {
			result = meta{"streamOutput": map[string]int{"chunks": v.Chunks}}
		}
		t.happened(l.in, of(id.Kind, AttemptSuccess), id.Label(), meta{"attempt": s.attempts})
		t.happened(l.in, of(id.Kind, StepSuccess), id.Label(), result)
		l.attempts--
		l.stirred = true
		t.settle(l)
		return t.live(l) // a pause that waited for this attempt has ended the life
	}, done)
}

func (t *turn) store(s *step, v Value) {
	s.state = succeeded
	var chunks any
	if v.Chunks >= 0 {
		chunks = int64(v.Chunks)
	}
	t.exec("UPDATE steps SET state=?, due=0, value=?, shown=?, chunks=?, "+
		"finished=(SELECT events FROM instances WHERE seq=instance) WHERE step=?", int64(succeeded), v.Clone, v.Shown,
		chunks, s.row)
}

// Retry ends an attempt that has failed. After delay the next one begins, and done is called.
func (l *Life) Retry(id StepID, why *Failure, delay time.Duration, done func(Begun, error)) {
	l.ask(func(t *turn, answer func(*turn, Begun)) {
		s := t.step(l.in, id)
		l.attempts--
		l.stirred = true
		t.retryIn(l.in, s, why, delay)
		if l.in.status == WaitingForPause && l.attempts == 0 {
			t.settle(l) // the wait may be interrupted at once (FLOW-47)
			return
		}
		t.await(l, s, func(t *turn) { answer(t, t.attempting(l, s)) }, nil)
	}, done)
}

// Fail ends a step whose last attempt has failed. attempt is the failure of that attempt, why the failure of the step.
func (l *Life) Fail(id StepID, attempt, why *Failure, done func(Begun, error)) {
	l.ask(func(t *turn, answer func(*turn, Begun)) {
		s := t.step(l.in, id)
		l.attempts--
		l.stirred = true
		t.failedStep(l.in, s, attempt, why)
		answer(t, s.result())
		t.settle(l)
	}, done)
}

func (t *turn) retryIn(in *instance, s *step, why *Failure, delay time.Duration) {
	s.state, s.due = waits, t.now+delay.Milliseconds()
	t.exec("UPDATE steps SET state=?, due=? WHERE step=?", int64(waits), s.due, s.row)
	t.happened(in, of(s.Kind, AttemptFailure), s.Label(), meta{"attempt": s.attempts, "error": why,
		"retryDelayMs": inMilliseconds(delay)})
}

func (t *turn) failedStep(in *instance, s *step, attempt, why *Failure) {
	s.state, s.failure = failed, why
	t.exec("UPDATE steps SET state=?, due=0, error_name=?, error_message=? WHERE step=?", int64(failed), why.Name,
		why.Message, s.row)
	t.happened(in, of(s.Kind, AttemptFailure), s.Label(), meta{"attempt": s.attempts, "error": attempt})
	t.happened(in, of(s.Kind, StepFailure), s.Label(), meta{"error": why})
}

// of returns the event type that stands for typ in a step of kind k: rollbacks have events of their own.
func of(k Kind, typ EventType) EventType {
	if k != Rollback {
		return typ
	}
	return map[EventType]EventType{StepStart: RollbackStepStart, StepSuccess: RollbackStepSuccess,
		StepFailure: RollbackStepFailure, AttemptStart: RollbackAttemptStart, AttemptSuccess: RollbackAttemptSuccess,
		AttemptFailure: RollbackAttemptFailure}[typ]
}

// RollingBack adds the start or the end of a rollback to the history: [RollbackStart], [RollbackComplete] or
// [RollbackFailed].
func (l *Life) RollingBack(what EventType, done func(struct{}, error)) {
	l.command(func(t *turn) error {
		t.happened(l.in, what, "", nil)
		return nil
	}, done)
}
