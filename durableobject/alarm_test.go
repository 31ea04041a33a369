package durableobject

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"eddy/runtime/clock"
)

type alarmBench struct {
	clock *clock.Virtual
	a     *Alarms
	log   []string
	// handler decides each run's outcome.
	handler func(info AlarmInfo) AlarmOutcome
}

var alarmKey = AlarmKey{Namespace: "w-C"}

func newAlarmBench() *alarmBench {
	b := &alarmBench{clock: clock.NewVirtual(time.Unix(0, 0), 1)}
	b.a = NewAlarms(b.clock, AlarmHooks{
		Fire: func(_ AlarmKey, info AlarmInfo, done func(AlarmOutcome)) {
			b.log = append(b.log, fmt.Sprintf("%v#%d", b.clock.Now().Sub(time.Unix(0, 0)), info.RetryCount))
			done(b.handler(info))
		},
		Clear: func(_ AlarmKey, at time.Time, gaveUp bool) {
			b.log = append(b.log, fmt.Sprintf("clear %d %v", at.Unix(), gaveUp))
		},
	}, func() float64 { return 0 })
	return b
}

func (b *alarmBench) expect(t *testing.T, want string) {
	t.Helper()
	b.clock.WaitIdle(t.Context())
	if got := strings.Join(b.log, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func at(s int64) time.Time { return time.Unix(s, 0) }

// AL4: seven runs in all with doubling delays, then dropped.
func TestAlarmRetries(t *testing.T) {
	b := newAlarmBench()
	b.handler = func(AlarmInfo) AlarmOutcome { return AlarmFailed }
	b.a.Set(alarmKey, at(1))
	b.expect(t, "1s#0 3s#1 7s#2 15s#3 31s#4 1m3s#5 2m7s#6 clear 1 true")
}

// AL2: setting replaces; AL4: success clears; deleting cancels.
func TestAlarmReplaceAndDelete(t *testing.T) {
	b := newAlarmBench()
	b.handler = func(AlarmInfo) AlarmOutcome { return AlarmDone }
	resume := b.clock.Pause()
	b.a.Set(alarmKey, at(5))
	b.a.Set(alarmKey, at(9))
	other := AlarmKey{Namespace: "w-D"}
	b.a.Set(other, at(2))
	b.a.Delete(other)
	resume()
	b.expect(t, "9s#0 clear 9 false")
}

// AL5: set inside, then throw: no retry, the new one runs with count 0; delete inside, then throw: no retry.
func TestAlarmChangedInsideHandler(t *testing.T) {
	b := newAlarmBench()
	runs := 0
	b.handler = func(AlarmInfo) AlarmOutcome {
		runs++
		switch runs {
		case 1:
			b.a.Set(alarmKey, at(50))
			if running, replaced := b.a.Running(alarmKey); !running || !replaced {
				t.Error("the handler's own alarm is not seen")
			}
		case 2:
			b.a.Delete(alarmKey)
		}
		return AlarmFailed
	}
	b.a.Set(alarmKey, at(1))
	b.expect(t, "1s#0 50s#0")
}

// AL7 and --alarms=hold: held alarms wait, overdue ones fire at once.
func TestAlarmHold(t *testing.T) {
	b := newAlarmBench()
	b.handler = func(AlarmInfo) AlarmOutcome { return AlarmDone }
	b.a.Hold()
	b.a.Set(alarmKey, at(3))
	b.clock.Advance(t.Context(), 10*time.Second)
	b.expect(t, "")
	b.a.Resume()
	b.expect(t, "10s#0 clear 3 false")
}

// AL2, AL5: a handler whose alarm was moved or deleted while it waited to enter the object does not run.
func TestAlarmBegin(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(a *Alarms)
		stands bool
		log    string
	}{
		{"untouched", func(*Alarms) {}, true, "1s#0 clear 1 false"},
		{"moved", func(a *Alarms) { a.Set(alarmKey, at(5)) }, false, "1s#0 5s#0 clear 5 false"},
		{"deleted", func(a *Alarms) { a.Delete(alarmKey) }, false, "1s#0"},
		{"moved to where it was", func(a *Alarms) { a.Set(alarmKey, at(1)) }, true, "1s#0 clear 1 false"},
	} {
		b := newAlarmBench()
		first := true
		b.handler = func(AlarmInfo) AlarmOutcome {
			if first {
				first = false
				c.change(b.a)
				if got := b.a.Begin(alarmKey); got != c.stands {
					t.Errorf("%s: stands %v", c.name, got)
				}
			}
			return AlarmDone
		}
		b.a.Set(alarmKey, at(1))
		b.expect(t, c.log)
	}
	if newAlarmBench().a.Begin(alarmKey) {
		t.Error("an alarm that nobody has set stands")
	}
}

// setRight is a clock that is ahead until somebody sets it right.
type setRight struct {
	*clock.Virtual
	ahead time.Duration
}

func (c *setRight) Now() time.Time { return c.Virtual.Now().Add(c.ahead) }

// A clock that was ahead and is set right while the session runs delays no alarm: it comes after the time that was left
// to it.
func TestAlarmAfterTheClockIsSetRight(t *testing.T) {
	c := &setRight{Virtual: clock.NewVirtual(time.Unix(0, 0), 1), ahead: 365 * 24 * time.Hour}
	resume := c.Pause()
	fired := make(chan time.Time, 1)
	a := NewAlarms(c, AlarmHooks{
		Fire: func(_ AlarmKey, _ AlarmInfo, done func(AlarmOutcome)) {
			fired <- c.Virtual.Now()
			done(AlarmDone)
		},
		Clear: func(AlarmKey, time.Time, bool) {},
	}, nil)
	a.Set(alarmKey, c.Now().Add(time.Minute))
	c.ahead = 0
	resume()
	c.WaitIdle(t.Context())
	if at := <-fired; !at.Equal(time.Unix(60, 0)) {
		t.Errorf("fired at %v", at)
	}
}
