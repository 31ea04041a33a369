package testrun

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dop251/goja"

	"eddy/queues"
	"eddy/queues/queuejs"
	"eddy/runtime/clock"
	"eddy/runtime/worker"
)

// EddyTestModule is the specifier of what only eddy has for tests.
const EddyTestModule = "eddy:test"

//go:embed eddytest.js
var eddyTestSource string

// EddyTestTypes declares the module for TypeScript.
//
//go:embed eddytest.d.ts
var EddyTestTypes string

// eddyTest makes the module eddy:test of the file's isolate.
func (f *fileRun) eddyTest(s *sessionOf) worker.Module {
	return func(iso *worker.Isolate) (*goja.Object, error) {
		rt := iso.Runtime()
		host := rt.NewObject()
		set := func(name string, fn func(fc goja.FunctionCall) goja.Value) {
			_ = host.Set(name, iso.Realm.Function(name, fn))
		}
		seed := f.run.o.Seed
		if f.schedule != nil {
			seed = f.schedule.seed
		}
		_ = host.Set("seed", float64(seed))
		set("now", func(goja.FunctionCall) goja.Value { return rt.ToValue(f.clock.Now().UnixMilli()) })
		set("pause", func(goja.FunctionCall) goja.Value {
			resume := f.clock.Pause()
			return iso.Realm.Function("resume", func(goja.FunctionCall) goja.Value {
				resume()
				return goja.Undefined()
			})
		})
		set("advance", func(fc goja.FunctionCall) goja.Value {
			return f.moving(iso, time.Duration(fc.Argument(0).ToFloat()*float64(time.Millisecond)), nil)
		})
		set("advanceToNext", func(goja.FunctionCall) goja.Value { return f.moving(iso, 0, (*movement).toNext) })
		set("runUntilIdle", func(goja.FunctionCall) goja.Value { return f.moving(iso, 0, (*movement).untilIdle) })
		set("runAlarms", func(goja.FunctionCall) goja.Value {
			return f.moving(iso, 0, func(m *movement) error { return m.toLast(s.Objects().AlarmTimes()) })
		})
		set("drain", func(fc goja.FunctionCall) goja.Value {
			name := ""
			if !goja.IsUndefined(fc.Argument(0)) {
				name = fc.Argument(0).String()
			}
			return f.moving(iso, 0, func(m *movement) error { return m.drain(s.broker(), name) })
		})
		set("messages", func(fc goja.FunctionCall) goja.Value {
			return f.messages(iso, s.broker(), fc.Argument(0).String(), fc.Argument(1).ToBoolean())
		})
		set("pauseQueue", func(fc goja.FunctionCall) goja.Value {
			name, paused := fc.Argument(0).String(), fc.Argument(1).ToBoolean()
			return iso.Loop.Scope().Promise(func() func() (goja.Value, goja.Value) {
				return settled(iso, s.broker().Pause(context.Background(), name, paused))
			})
		})
		set("failNext", func(fc goja.FunctionCall) goja.Value {
			queuejs.FailNext(iso, fc.Argument(0).String(), int(fc.Argument(1).ToInteger()), fc.Argument(2).String())
			return goja.Undefined()
		})
		set("deliveries", func(fc goja.FunctionCall) goja.Value {
			return f.deliveries.show(iso, fc.Argument(0).String())
		})
		set("crash", func(goja.FunctionCall) goja.Value {
			p, settle := iso.Loop.Scope().Deferred()
			iso.Loop.Post(func() {
				f.crash()
				settle(func() (goja.Value, goja.Value) { return goja.Undefined(), nil })
			})
			return p
		})
		getter := rt.ToValue(func(goja.FunctionCall) goja.Value { return s.objects(iso) })
		_ = host.DefineAccessorProperty("objects", getter, nil, goja.FLAG_FALSE, goja.FLAG_TRUE)
		ns, err := iso.Internal(EddyTestModule, eddyTestSource, host)
		if err != nil {
			return nil, err
		}
		return ns.ToObject(rt), nil
	}
}

func settled(iso *worker.Isolate, err error) func() (goja.Value, goja.Value) {
	return func() (goja.Value, goja.Value) {
		if err != nil {
			return nil, iso.Realm.ErrorValue(err)
		}
		return goja.Undefined(), nil
	}
}

// broker is the session's own: a test's session is alone.
func (s *sessionOf) broker() *queues.Broker { return s.Sharing().Queues.Broker() }

// movement moves the file's clock while a script waits. Its methods are called on a goroutine of its own, when all is
// idle and time stands.
type movement struct {
	ctx   context.Context
	clock *clock.Virtual
	// slack is how much further than to an event time goes, so that the event can overtake what is late.
	slack time.Duration
}

// moving pauses the clock, moves it by d, which may be 0, and then does work, if there is any. It answers with the
// milliseconds by which time has gone on. The wait does not hold the clock, and time stands from the end of work until
// the script goes on.
func (f *fileRun) moving(iso *worker.Isolate, d time.Duration, work func(*movement) error) goja.Value {
	scope := iso.Loop.Scope()
	p, resolve, reject := iso.Runtime().NewPromise()
	ticket, resume, began := scope.Waiting(), f.clock.Pause(), f.clock.Now()
	f.moves++
	m := &movement{ctx: scope.Context(), clock: f.clock}
	if work != nil && clock.Exploring(f.clock) {
		m.slack = clock.Lateness
	}
	// It begins here, and not on the goroutine: how far time may go must not depend on when that runs.
	arrived := f.clock.Move(d + m.slack)
	go func() {
		err := arrived(m.ctx)
		if err == nil && work != nil {
			err = work(m)
		}
		ticket.Return(func() {
			f.moves--
			resume()
			if err != nil {
				err = reject(iso.Realm.NewError("Error", err.Error()))
			} else {
				err = resolve(f.clock.Now().Sub(began).Milliseconds())
			}
			if err != nil {
				panic(err)
			}
		})
	}()
	return iso.Runtime().ToValue(p)
}

// next is how long it is to the next event, false if none is due.
func (m *movement) next() (time.Duration, bool) {
	at, ok := m.clock.Next()
	return at.Sub(m.clock.Now()), ok
}

func (m *movement) by(d time.Duration) error { return m.clock.Advance(m.ctx, d+m.slack) }

func (m *movement) toNext() error {
	if d, ok := m.next(); ok {
		return m.by(d)
	}
	return nil
}

func (m *movement) toLast(times []time.Time) error {
	if len(times) == 0 {
		return nil
	}
	return m.by(max(slices.MaxFunc(times, time.Time.Compare).Sub(m.clock.Now()), 0))
}

// Limits of the moves that go on until nothing is left.
const (
	// idleHorizon is how far ahead an event may be to be waited for: retention ends messages after days.
	idleHorizon = 25 * time.Hour
	// idleMoves is how many moves there may be: an interval never ends.
	idleMoves = 100_000
)

func (m *movement) untilIdle() error {
	for range idleMoves {
		d, ok := m.next()
		if !ok || d > idleHorizon {
			return nil
		}
		if err := m.by(d); err != nil {
			return err
		}
	}
	return fmt.Errorf("clock.runUntilIdle(): after %d events there is still one due; an interval or an alarm that "+
		"sets "+
		"itself again never ends", idleMoves)
}

// drain goes on until a queue, all that have a consumer for "", has nothing left to deliver.
func (m *movement) drain(b *queues.Broker, name string) error {
	for range idleMoves {
		left, err := m.left(b, name)
		if err != nil || left == "" {
			return err
		}
		d, ok := m.next()
		if !ok || d > idleHorizon {
			return fmt.Errorf("drain: nothing is due that could deliver %s", left)
		}
		if err := m.by(d); err != nil {
			return err
		}
	}
	return errors.New("drain: the messages come back without end")
}

// left names the queues that drain waits for, with what they have.
func (m *movement) left(b *queues.Broker, name string) (string, error) {
	all, err := b.Queues(m.ctx)
	if err != nil {
		return "", err
	}
	var left []string
	found := name == ""
	for _, q := range all {
		if name != "" && q.Name != name {
			continue
		}
		found = true
		n := q.Ready + q.Delayed + q.InFlight
		if n > 0 && (name != "" || q.Consumer != nil && q.Consumer.Attached && !q.Settings.DeliveryPaused) {
			left = append(left, fmt.Sprintf("%s with %d messages", q.Name, n))
		}
	}
	if !found {
		return "", fmt.Errorf("queue %q: there is none of that name", name)
	}
	return strings.Join(left, ", "), nil
}

// messages are those of a queue, or the ones in its dead letter queue that came from it.
func (f *fileRun) messages(iso *worker.Isolate, b *queues.Broker, name string, dead bool) goja.Value {
	return iso.Loop.Scope().Promise(func() func() (goja.Value, goja.Value) {
		ctx, look := context.Background(), name
		q, err := b.Queue(ctx, name)
		if err == nil && dead {
			if q.Consumer == nil || q.Consumer.Config.DeadLetterQueue == "" {
				err = fmt.Errorf("queue %q has no dead letter queue", name)
			} else {
				look = q.Consumer.Config.DeadLetterQueue
			}
		}
		var list []queues.Peeked
		if err == nil {
			list, err = b.Peek(ctx, look, 10_000)
		}
		if err != nil {
			return settled(iso, err)
		}
		return func() (goja.Value, goja.Value) {
			out := iso.Runtime().NewArray()
			for _, m := range list {
				if dead && (m.DeadLetter == nil || m.DeadLetter.Source != name) {
					continue
				}
				o, err := queuedMessage(iso, &m)
				if err != nil {
					return nil, iso.Realm.ErrorValue(err)
				}
				_ = out.Set(out.Get("length").String(), o)
			}
			return out, nil
		}
	})
}

func queuedMessage(iso *worker.Isolate, m *queues.Peeked) (*goja.Object, error) {
	body, err := queuejs.Body(iso, &m.Message)
	if err != nil {
		return nil, err
	}
	o := iso.Runtime().NewObject()
	_ = o.Set("id", m.ID.String())
	_ = o.Set("body", body)
	_ = o.Set("attempts", m.Attempts)
	_ = o.Set("timestamp", m.Timestamp.UnixMilli())
	_ = o.Set("state", m.State)
	if !m.Visible.IsZero() {
		_ = o.Set("visibleAt", m.Visible.UnixMilli())
	}
	if d := m.DeadLetter; d != nil {
		_ = o.Set("deadLetter", map[string]any{
			"queue": d.Source, "reason": d.Reason, "error": d.Error, "attempts": d.Attempts})
	}
	return o, nil
}

// deliveries are the batches that went out, in order.
type deliveries struct {
	mu   sync.Mutex
	list []*batchSeen // guarded by mu
}

// batchSeen is one of them.
type batchSeen struct {
	queue        string
	at           time.Time
	ids          []string
	attempts     int
	ended        bool
	acked        int
	reason, text string
}

// take hears of what happens in the queues, on the broker's goroutine.
func (d *deliveries) take(a queues.Activity) {
	switch a.Kind {
	case queues.ActivityDelivered:
		b := &batchSeen{queue: a.Queue, at: a.Time}
		for _, m := range a.Messages {
			b.ids, b.attempts = append(b.ids, m.ID.String()), max(b.attempts, m.Attempts)
		}
		d.mu.Lock()
		d.list = append(d.list, b)
		d.mu.Unlock()
	case queues.ActivityBatch:
		d.mu.Lock()
		defer d.mu.Unlock()
		for _, b := range d.list {
			if b.queue == a.Queue && !b.ended && b.at.Equal(a.Time.Add(-a.Duration)) && len(b.ids) == a.Count {
				b.ended, b.acked, b.reason, b.text = true, a.Acked, a.Reason, a.Error
				return
			}
		}
	}
}

// show is the list for a script.
func (d *deliveries) show(iso *worker.Isolate, queue string) goja.Value {
	d.mu.Lock()
	defer d.mu.Unlock()
	rt := iso.Runtime()
	out := rt.NewArray()
	for _, b := range d.list {
		if b.queue != queue {
			continue
		}
		o := rt.NewObject()
		ids := make([]any, len(b.ids))
		for i, id := range b.ids {
			ids[i] = id
		}
		_ = o.Set("at", b.at.UnixMilli())
		_ = o.Set("messages", rt.NewArray(ids...))
		_ = o.Set("attempts", b.attempts)
		_ = o.Set("ended", b.ended)
		_ = o.Set("acked", b.acked)
		if b.reason != "" {
			_ = o.Set("reason", b.reason)
		}
		if b.text != "" {
			_ = o.Set("error", b.text)
		}
		_ = out.Set(out.Get("length").String(), o)
	}
	return out
}
