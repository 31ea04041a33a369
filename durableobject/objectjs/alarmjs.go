package objectjs

import (
	"context"
	"math"
	"time"

	"github.com/dop251/goja"

	"eddy/durableobject"
	"eddy/durableobject/storage"
	"eddy/runtime/clock"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/rpc"
)

// alarmLimit is how long a handler may take (AL8).
const alarmLimit = 15 * time.Minute

const errAlarmTime = "Alarm exceeded its allowed execution time"

// lastDate is the end of the year that setAlarm takes (AL1): what fits int64 nanoseconds, less some room.
var lastDate = time.Date(2190, 1, 1, 0, 0, 0, 0, time.UTC)

// alarmMembers are getAlarm, setAlarm and deleteAlarm.
func (k *kit) alarmMembers() []webidl.Member {
	return []webidl.Member{
		webidl.Async("getAlarm", func(a *area, c *webidl.Call) goja.Value {
			c.Object(0, "GetAlarmOptions")
			at, err := a.check("getAlarm").Alarm()
			a.fail(err)
			if at.IsZero() || a.i.alarm != nil && a.i.alarm.started && !a.i.alarm.replaced {
				return goja.Null()
			}
			return c.Value(at.UnixMilli())
		}),
		webidl.Async("setAlarm", func(a *area, c *webidl.Call) goja.Value {
			at := a.i.alarmTime(c)
			c.Object(1, "SetAlarmOptions")
			if a.i.h.parent != nil {
				f := rpc.Fail("alarms are not yet implemented for SQLite-backed Durable Objects")
				f.Reset = true
				a.i.abort(f)
			}
			s := a.check("setAlarm")
			a.fail(s.SetAlarm(at))
			a.i.noteAlarmUse("setAlarm", at)
			a.i.noteAlarm()
			a.i.alarmChanged()
			a.i.wrote()
			return undef()
		}),
		webidl.Async("deleteAlarm", func(a *area, c *webidl.Call) goja.Value {
			c.Object(0, "SetAlarmOptions")
			s := a.check("deleteAlarm")
			a.fail(s.DeleteAlarm())
			a.i.noteAlarmUse("deleteAlarm", time.Time{})
			a.i.alarmChanged()
			a.i.wrote()
			return undef()
		}),
	}
}

// date is the first argument as milliseconds: a Date or a number.
func (i *instance) date(c *webidl.Call) float64 {
	const typ = "date"
	v := c.Require(0, typ)
	var ms float64
	if obj, ok := v.(*goja.Object); ok {
		if obj.ClassName() != "Date" {
			c.ThrowNotOfType(0, typ)
		}
		value, _ := goja.AssertFunction(obj.Get("valueOf"))
		n, err := value(obj)
		if err != nil {
			panic(err)
		}
		ms = n.ToFloat()
	} else {
		switch webidl.Primitive(v).(type) {
		case int64, float64:
			ms = v.ToFloat()
		default:
			c.ThrowNotOfType(0, typ)
		}
	}
	if math.IsNaN(ms) || math.IsInf(ms, 0) {
		i.h.iso.Realm.ThrowType("The value cannot be converted because it is not a valid Date.")
	}
	return ms
}

// alarmTime converts the argument of setAlarm (AL1, AL2).
func (i *instance) alarmTime(c *webidl.Call) time.Time {
	r := i.h.iso.Realm
	ms := i.date(c)
	if ms <= 0 {
		r.ThrowType("setAlarm() cannot be called with an alarm time <= 0")
	}
	if ms >= float64(lastDate.UnixMilli()) {
		r.ThrowType("This API doesn't support dates after 2189.")
	}
	if i.value != nil {
		if _, ok := goja.AssertFunction(i.value.Get("alarm")); !ok {
			r.ThrowType("Your Durable Object class must have an alarm() handler in order to call setAlarm()")
		}
	}
	at := time.UnixMilli(int64(ms)).UTC()
	if now := i.h.now().Truncate(time.Millisecond); at.Before(now) {
		at = now
	}
	return at
}

// alarmMark is a copy of what the instance knows of uncommitted changes to the alarm. A transaction that is rolled back
// returns to it.
type alarmMark struct {
	dirty, replaced bool
	run             *alarmRun
}

func (i *instance) alarmMark() alarmMark {
	m := alarmMark{dirty: i.alarmDirty, run: i.alarm}
	if i.alarm != nil {
		m.replaced = i.alarm.replaced
	}
	return m
}

// alarmBack forgets changes that were rolled back.
func (i *instance) alarmBack(m alarmMark) {
	i.alarmDirty = m.dirty
	if i.alarm != nil && i.alarm == m.run {
		i.alarm.replaced = m.replaced
	}
}

// alarmChanged says that the turn set or deleted an alarm: the scheduler hears of it with the commit.
func (i *instance) alarmChanged() {
	i.alarmDirty = true
	if i.alarm != nil && i.alarm.started {
		i.alarm.replaced = true
	}
}

// syncAlarm tells the scheduler what was committed. It does nothing while a transaction is open.
func (i *instance) syncAlarm() {
	if !i.alarmDirty || i.transactions > 0 {
		return
	}
	i.alarmDirty = false
	at, err := i.store.Alarm()
	if err != nil {
		return // the store is broken, and the reset that follows says so
	}
	key := i.alarmKey()
	if at.IsZero() {
		i.h.ns.objs.alarms.Delete(key)
		return
	}
	i.h.ns.objs.alarms.Set(key, at)
}

func (i *instance) alarmKey() durableobject.AlarmKey {
	return durableobject.AlarmKey{Namespace: i.h.ns.key, ID: i.object.ID}
}

// alarmRun is one run of a handler. Loop of its home only.
type alarmRun struct {
	i       *instance
	info    durableobject.AlarmInfo
	began   time.Time
	done    func(durableobject.AlarmOutcome)
	started bool
	// last says that the object has aborted and wants the alarm not to be tried again.
	last     bool
	over     bool
	replaced bool
	stop     func() bool
	// recording is what the journal will get of it.
	recording *recording
}

// fireAlarm delivers an alarm to its object.
func (o *Objects) fireAlarm(key durableobject.AlarmKey, info durableobject.AlarmInfo,
	done func(durableobject.AlarmOutcome)) {
	o.mu.Lock()
	n := o.mu.namespaces[key.Namespace]
	o.mu.Unlock()
	if n == nil {
		o.unserved(key, done)
		return
	}
	release := o.clock.Hold("an alarm on its way")
	arrive := func() {
		if !n.bring(key.ID, func(h *home) {
			defer release()
			if h == nil || h.closed {
				done(durableobject.AlarmUndelivered)
				return
			}
			h.alarm(key.ID, info, done)
		}) {
			release()
			o.unserved(key, done)
		}
	}
	if !clock.Exploring(o.clock) ||
		!clock.Offer(o.clock, &clock.Step{Kind: "arrival", Name: n.class.Name + ".alarm", Do: arrive}) {
		arrive()
	}
}

// unserved ends an alarm whose Worker is not running: it comes back when that is attached.
func (o *Objects) unserved(key durableobject.AlarmKey, done func(durableobject.AlarmOutcome)) {
	o.alarms.Delete(key)
	done(durableobject.AlarmDone)
}

// clearAlarm removes the stored row of an alarm that has run or was given up.
func (o *Objects) clearAlarm(key durableobject.AlarmKey, scheduled time.Time, gaveUp bool) {
	o.mu.Lock()
	n := o.mu.namespaces[key.Namespace]
	o.mu.Unlock()
	if n == nil {
		return
	}
	n.post(func(h *home) {
		if h == nil || h.closed {
			return
		}
		h.clearAlarm(key.ID, scheduled)
		if gaveUp {
			o.note(ObjectActivity{Kind: "alarm-dropped", Namespace: key.Namespace, ID: key.ID.String()})
		}
	})
}

// clearAlarm deletes the row if it still says scheduled.
func (h *home) clearAlarm(id durableobject.ID, scheduled time.Time) {
	ns, err := h.storage()
	if err != nil {
		return // the next use of the namespace reports it
	}
	s := ns.Store(id.String())
	if at, err := s.Alarm(); err != nil || !at.Equal(scheduled) {
		return
	}
	if o := h.live.Live(id); o != nil {
		if inst, ok := o.Actor.(*instance); ok && !inst.gone {
			if s.DeleteAlarm() == nil {
				inst.wrote()
			}
			return
		}
	}
	if s.DeleteAlarm() == nil && s.Commit() == nil {
		s.Sync(func(error) {})
		s.Release()
	}
}

// storedName returns the name that an object which is not in memory had when it last stored something, "" if that is
// not known.
func (h *home) storedName(id durableobject.ID) string {
	if o := h.live.Live(id); o != nil && o.HasName {
		return o.Name
	}
	ns, err := h.storage()
	if err != nil {
		return "" // the next use of the object reports it
	}
	name, err := ns.Store(id.String()).KnownName()
	if err != nil {
		return ""
	}
	return name
}

// alarm delivers an alarm. The object knows its name, whoever wakes it (CL15).
func (h *home) alarm(id durableobject.ID, info durableobject.AlarmInfo, done func(durableobject.AlarmOutcome)) {
	defer h.unstarted(func(*rpc.RemoteError) { done(durableobject.AlarmFailed) })
	name := h.storedName(id)
	inst, failure := h.instance(id, name, name != "")
	if failure != nil {
		done(durableobject.AlarmFailed)
		return
	}
	if h.ns.objs.opts.Cluster != nil {
		// What an earlier ownership of the object has set here may not be what is stored.
		if at, err := inst.store.Alarm(); err == nil && at.IsZero() {
			done(durableobject.AlarmDone)
			return
		}
	}
	run := &alarmRun{i: inst, info: info, done: done, began: h.now()}
	inst.begin()
	inst.alarm = run // a reset ends it from now on
	inst.enter(run, run.start)
}

func (r *alarmRun) start() {
	i := r.i
	iso := i.h.iso
	if !i.h.ns.objs.alarms.Begin(i.alarmKey()) {
		r.replaced = true
		r.end(durableobject.AlarmDone, nil)
		return
	}
	r.started, r.replaced = true, false
	r.recordAlarm()
	r.stop = iso.Loop.Clock().AfterFunc(alarmLimit, func() {
		iso.Loop.Post(func() {
			if !r.over {
				// The handler must not go on beside the next try.
				iso.Uncaught(iso.Realm.NewError("Error", errAlarmTime))
				i.reset(&rpc.RemoteError{Name: "Error", Message: errAlarmTime, Overloaded: true, Reset: true})
			}
		})
	}).Stop
	var result goja.Value
	if ex := iso.Realm.Try(func() {
		fn, ok := goja.AssertFunction(i.value.Get("alarm"))
		if !ok {
			iso.Realm.ThrowError("Error", "Handler does not export an alarm() function.")
		}
		v, err := fn(i.value, i.h.kit.newAlarmInfo(r.info))
		if err != nil {
			panic(iso.Realm.ErrorValue(err))
		}
		result = v
	}); ex != nil {
		r.failed(ex)
		return
	}
	iso.Realm.Then(result, func(goja.Value) {
		i.scope.Output(func(err error) {
			if err != nil {
				r.end(durableobject.AlarmFailed, err)
				return
			}
			r.end(durableobject.AlarmDone, nil)
		})
	}, r.failed)
}

func (r *alarmRun) failed(ex goja.Value) {
	r.i.h.iso.Uncaught(ex)
	f := r.i.h.kit.rpc.Thrown(ex)
	r.i.scope.Output(func(error) { r.end(durableobject.AlarmFailed, f) })
}

// end tells the scheduler, once.
func (r *alarmRun) end(o durableobject.AlarmOutcome, err error) {
	if r.over {
		return
	}
	r.over = true
	if r.stop != nil {
		r.stop()
	}
	i := r.i
	if r.recording.end(o != durableobject.AlarmDone); o == durableobject.AlarmDone && !r.replaced {
		i.forgetAlarm()
	}
	if i.alarm == r {
		i.alarm = nil
	}
	i.h.ns.objs.note(ObjectActivity{
		Kind: "alarm", Namespace: i.h.ns.key, ID: i.object.ID.String(), Name: i.object.Name, Retry: r.info.RetryCount,
		Err:  err,
		Took: i.h.now().Sub(r.began),
	})
	if o == durableobject.AlarmDone && !r.replaced && !i.gone {
		// The row is deleted in the same turn, so that the next handler does not see it.
		if at, err := i.store.Alarm(); err == nil && at.Equal(r.info.Scheduled) && i.store.DeleteAlarm() == nil {
			i.wrote()
		}
	}
	r.done(o)
	if !i.gone {
		i.end()
	}
}

// rearm schedules the alarms that are stored, once per session (AL7).
func (n *namespace) rearm(ctx context.Context) error {
	n.mu.Lock()
	seen, home := n.seen, n.home
	n.seen = true
	n.mu.Unlock()
	if seen || home == nil {
		return nil
	}
	var failed error
	err := home.iso.Loop.Do(ctx, func() { failed = home.rearm() })
	if err != nil {
		return err
	}
	return failed
}

func (h *home) rearm() error {
	ns, err := h.storage()
	if err != nil {
		return err
	}
	alarms, err := ns.Alarms()
	if err != nil {
		return err
	}
	for _, a := range alarms {
		id, err := durableobject.ParseID(h.ns.key, a.ID)
		if err != nil {
			continue // not an id of this namespace: a facet's or somebody else's file
		}
		if h.ns.objs.opts.Alarms == AlarmsDrop {
			if err := dropAlarm(ns.Store(a.ID)); err != nil {
				return err
			}
			continue
		}
		h.ns.objs.alarms.Set(durableobject.AlarmKey{Namespace: h.ns.key, ID: id}, a.Time)
	}
	return nil
}

func dropAlarm(s *storage.Store) error {
	if err := s.DeleteAlarm(); err != nil {
		return err
	}
	defer s.Release()
	return s.Commit()
}

// defineAlarmInfo makes the class of the handler's argument (AL3).
func (k *kit) defineAlarmInfo() {
	k.alarmInfo = k.iso.Realm.Define(webidl.Spec{Name: "AlarmInvocationInfo"})
}

func (k *kit) newAlarmInfo(info durableobject.AlarmInfo) *goja.Object {
	obj := k.alarmInfo.Wrap(&info)
	rt := k.iso.Runtime()
	own := func(name string, v any) {
		_ = obj.DefineDataProperty(name, rt.ToValue(v), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
	own("scheduledTime", info.Scheduled.UnixMilli())
	own("retryCount", info.RetryCount)
	own("isRetry", info.RetryCount > 0)
	return obj
}
