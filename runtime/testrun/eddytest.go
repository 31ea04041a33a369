package testrun

import (
	"context"
	_ "embed"
	"fmt"
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
		_ = host.DefineAccessorProperty("seed", rt.ToValue(func(goja.FunctionCall) goja.Value {
			if f.schedule == nil {
				return rt.ToValue(float64(f.run.o.Seed))
			}
			f.schedule.asked.Store(true)
			return rt.ToValue(float64(f.schedule.seed))
		}), nil, goja.FLAG_FALSE, goja.FLAG_TRUE)
		set("now", func(goja.FunctionCall) goja.Value { return rt.ToValue(iso.Loop.Clock().Now().UnixMilli()) })
		set("pause", func(goja.FunctionCall) goja.Value {
			f.needVirtual(iso)
			resume := f.clock.Pause()
			return iso.Realm.Function("resume", func(goja.FunctionCall) goja.Value {
				resume()
				return goja.Undefined()
			})
		})
		set("advance", func(fc goja.FunctionCall) goja.Value {
			return f.moving(iso, time.Duration(fc.Argument(0).ToFloat()*float64(time.Millisecond)), nil)
		})
		set("advanceToNext", func(goja.FunctionCall) goja.Value {
			return f.moving(iso, 0, func(ctx context.Context, m clock.Mover) error { return m.ToNext(ctx) })
		})
		set("runUntilIdle", func(goja.FunctionCall) goja.Value {
			return f.moving(iso, 0, func(ctx context.Context, m clock.Mover) error {
				if err := m.UntilIdle(ctx); err != nil {
					return fmt.Errorf("clock.runUntilIdle(): %w", err)
				}
				return nil
			})
		})
		set("runAlarms", func(goja.FunctionCall) goja.Value {
			return f.moving(iso, 0, func(ctx context.Context, m clock.Mover) error {
				return m.ToLast(ctx, s.Objects().AlarmTimes())
			})
		})
		set("drain", func(fc goja.FunctionCall) goja.Value {
			name := ""
			if !goja.IsUndefined(fc.Argument(0)) {
				name = fc.Argument(0).String()
			}
			return f.moving(iso, 0, func(ctx context.Context, m clock.Mover) error {
				return s.broker().UntilEmpty(ctx, m, name)
			})
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

// moving pauses the clock, moves it by d, which may be 0, and then does work, if there is any, on a goroutine of its
// own and when all is idle and time stands. It answers with the milliseconds by which time has gone on. The wait does
// not hold the clock, and time stands from the end of work until the script goes on.
func (f *fileRun) moving(
	iso *worker.Isolate, d time.Duration, work func(context.Context, clock.Mover) error,
) goja.Value {
	f.needVirtual(iso)
	scope := iso.Loop.Scope()
	p, resolve, reject := iso.Runtime().NewPromise()
	ticket, resume, began := scope.Waiting(), f.clock.Pause(), f.clock.Now()
	f.moves++
	ctx, m := scope.Context(), clock.Mover{Clock: f.clock}
	if work != nil && clock.Exploring(f.clock) {
		m.Slack = clock.Lateness
	}
	// It begins here, and not on the goroutine: how far time may go must not depend on when that runs.
	arrived := f.clock.Move(d + m.Slack)
	go func() {
		err := arrived(ctx)
		if err == nil && work != nil {
			err = work(ctx, m)
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

// needVirtual throws where time cannot be moved.
func (f *fileRun) needVirtual(iso *worker.Isolate) {
	if f.clock == nil {
		panic(iso.Realm.NewError("Error", "eddy:test: time cannot be moved, because these tests run on real time "+
			"(--time=real)"))
	}
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

// forget begins anew.
func (d *deliveries) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.list = nil
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
