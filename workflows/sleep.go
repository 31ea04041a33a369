package workflows

import (
	"math"
	"time"
)

// Sleep is step.sleep. The life that comes to it first stores the due time (FLOW-50).
func (l *Life) Sleep(id StepID, d time.Duration, done func(Begun, error)) {
	l.sleep(id, func(t *turn) (time.Duration, bool) { return d, true }, done)
}

// longest is the longest sleep in ms, more than a century. A longer one counts as this.
const longest = int64(math.MaxInt64 / 2 / time.Millisecond)

// inMilliseconds is a duration as the history shows it, with its fraction.
func inMilliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// SleepUntil is step.sleepUntil, with a time in ms. The answer has Past set if the time is over when the life comes to
// it for the first time (FLOW-51): a time that was to come then has not passed because the machine stands still before
// the workflow's turn.
func (l *Life) SleepUntil(id StepID, at int64, done func(Begun, error)) {
	asked := l.w.o.Clock.Now().UnixMilli()
	l.sleep(id, func(t *turn) (time.Duration, bool) {
		return time.Duration(min(max(at-t.now, 0), longest)) * time.Millisecond, at >= asked
	}, done)
}

// sleep is what both kinds of sleep share. It calls length once, when the step begins; ok is false for a time that is
// over.
func (l *Life) sleep(id StepID, length func(t *turn) (d time.Duration, ok bool), done func(Begun, error)) {
	l.ask(func(t *turn, answer func(*turn, Begun)) {
		s := t.step(l.in, id)
		if s == nil {
			d, ok := length(t)
			if !ok {
				answer(t, Begun{Past: true})
				return
			}
			s = t.start(l.in, id, waits, t.now+max(d.Milliseconds(), 0), "")
			t.happened(l.in, SleepStart, id.Label(), meta{"durationMs": inMilliseconds(d)})
		}
		if s.state == succeeded {
			answer(t, s.result())
			return
		}
		t.await(l, s, func(t *turn) {
			t.store(s, Value{Chunks: -1})
			t.happened(l.in, SleepComplete, id.Label(), nil)
			l.stirred = true
			answer(t, s.result())
		}, nil)
	}, done)
}

// EventTimeout bounds the time to wait for an event. Now ends the wait at once, as if that time were over.
type EventTimeout struct {
	After time.Duration
	Now   bool
}

// WaitForEvent is step.waitForEvent. It takes the oldest event of the type that no step has taken, or waits for one
// (FLOW-61). In the answer Value is a structured clone of the payload, and Attempt the time of arrival in ms.
func (l *Life) WaitForEvent(id StepID, typ string, timeout EventTimeout, done func(Received, error)) {
	l.ask(func(t *turn, answer func(*turn, Begun)) {
		s := t.step(l.in, id)
		if s == nil {
			due := t.now + timeout.After.Milliseconds()
			if timeout.Now {
				due = t.now
			}
			s = t.start(l.in, id, waits, due, typ)
			t.happened(l.in, WaitStart, id.Label(), meta{"event": typ})
			if e := t.oldest(l.in, typ); e != nil && !timeout.Now {
				t.take(l.in, s, e)
			}
		}
		if s.state == succeeded || s.state == failed {
			answer(t, s.result())
			return
		}
		t.await(l, s, func(t *turn) {
			t.timedOut(l.in, s, timeout.After)
			l.stirred = true
			answer(t, s.result())
		}, func(t *turn) { answer(t, s.result()) })
	}, func(b Begun, err error) {
		r := receivedIn(b)
		r.Type = typ
		done(r, err)
	})
}

// LookEvent is [Life.Look] for a waitForEvent.
func (l *Life) LookEvent(id StepID, typ string, done func(Received, error)) {
	l.Look(id, func(b Begun, err error) {
		r := receivedIn(b)
		r.Type = typ
		done(r, err)
	})
}

func receivedIn(b Begun) Received {
	r := Received{Begun: b}
	if len(b.Value) >= 8 {
		r.Time, r.Payload = splitTime(b.Value)
	}
	return r
}
