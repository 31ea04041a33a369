package objectjs

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"eddy/durableobject"
	"eddy/durableobject/storage"
	"eddy/runtime/clock"
	"eddy/runtime/containers"
	"eddy/runtime/sqlite"
	"eddy/runtime/worker"
)

// AlarmMode says what becomes of alarms that an earlier run left behind.
type AlarmMode string

// The modes of --alarms.
const (
	AlarmsFire AlarmMode = "fire"
	AlarmsHold AlarmMode = "hold"
	AlarmsDrop AlarmMode = "drop"
)

// Options configure Objects.
type Options struct {
	// Root is the state directory; objects are kept in <Root>/v3/do. Required.
	Root string
	// Clock is the source of time; nil is the machine's.
	Clock clock.Clock
	// Alarms is what becomes of alarms left from an earlier run; empty means AlarmsFire.
	Alarms AlarmMode
	// Durability of acknowledged writes; the zero value is strict.
	Durability storage.Durability
	// Temporary says that nobody needs the objects after the process; see storage.Options.
	Temporary bool
	// Limits of the key-value API of classes without SQLite; zero means none (KV11), storage.KVBackedLimits are
	// production's (KV12).
	Limits storage.Limits
	// HistoryKeep is how long the earlier states of objects with SQLite are kept for point-in-time recovery (SQL18); 0
	// is production's 30 days, negative keeps none: bookmarks are then as in wrangler dev.
	HistoryKeep time.Duration
	// IdleTime is how long an object stays in memory with nothing to do; 0 is the platform's (GT9).
	IdleTime time.Duration
	// Jitter gives numbers in [0,1) for the back-off of alarms; nil is the system's.
	Jitter func() float64
	// Key returns the unique key of a class to which a migration has given the objects of another class. If Key is nil
	// or returns "", the key is [Class.UniqueKey]. Any goroutine.
	Key func(worker, class string) string
	// Distant is the way to an object of a Worker that another session on the state directory runs. It returns nil if
	// no session runs the Worker. A session that is alone leaves Distant nil. Any goroutine.
	Distant func(worker string, to DistantObject) Distant
	// Held, if set, fails when the session no longer has the objects of a Worker for itself. It is asked before a write
	// is acknowledged; the object is reset by an error. Any goroutine.
	Held func(worker string) error
	// Cluster says which objects are on this node of a cluster, nil outside of one. Distant is then the way to all
	// others.
	Cluster Cluster
	// Activity, if set, is called with what happens to objects, for logs and live views. Any goroutine.
	Activity func(ObjectActivity)

	// faults, for tests, are those of the disk.
	faults *sqlite.Faults
}

func (o *Options) noHistory() bool { return o.HistoryKeep < 0 }

// ObjectActivity is one thing that happened to an object.
type ObjectActivity struct {
	// Kind is "start", "evict", "hibernate", "reset", "alarm" or "alarm-dropped".
	Kind      string
	Namespace string // the unique key
	ID        string
	Name      string
	// Retry counts the earlier tries of an alarm.
	Retry int
	// Err is the reason of a reset or of a failed alarm.
	Err  error
	Took time.Duration
}

// Objects is all namespaces of a session. Any goroutine.
type Objects struct {
	opts   Options
	clock  clock.Clock
	alarms *durableobject.Alarms

	mu struct {
		sync.Mutex
		namespaces map[string]*namespace
		closed     bool
	}
}

// New makes an empty set of namespaces.
func New(o Options) (*Objects, error) {
	if o.Root == "" {
		return nil, errors.New("durable objects: no state directory")
	}
	switch o.Alarms {
	case "":
		o.Alarms = AlarmsFire
	case AlarmsFire, AlarmsHold, AlarmsDrop:
	default:
		return nil, fmt.Errorf("alarms left from an earlier run can be fired, held or dropped, not %q", o.Alarms)
	}
	if o.Clock == nil {
		o.Clock = clock.Real{}
	}
	objs := &Objects{opts: o, clock: o.Clock}
	objs.mu.namespaces = map[string]*namespace{}
	objs.alarms = durableobject.NewAlarms(o.Clock, durableobject.AlarmHooks{Fire: objs.fireAlarm,
		Clear: objs.clearAlarm}, o.Jitter)
	if o.Alarms == AlarmsHold {
		objs.alarms.Hold()
	}
	return objs, nil
}

// Class describes a class that objects are made of.
type Class struct {
	// Worker and Name are the Worker that exports the class and the class's name.
	Worker, Name string
	// SQL says that the class may use the SQL and synchronous key-value APIs (CL9).
	SQL bool
	// Container is what the configuration says of its objects' containers (BIND-150), nil if they have none.
	Container *containers.App
}

// UniqueKey is the name of the namespace, from which ids derive, and of its folder (ID3), unless a migration gave the
// class another one's ([Options].Key).
func (c Class) UniqueKey() string { return c.Worker + "-" + c.Name }

// namespace finds or makes a namespace. declared says that c.SQL is known: a binding to another script's class knows
// the key, not the kind.
func (o *Objects) namespace(c Class, declared bool) *namespace {
	o.mu.Lock()
	defer o.mu.Unlock()
	key := o.key(c)
	n := o.mu.namespaces[key]
	if n == nil {
		n = &namespace{objs: o, class: c, key: key}
		o.mu.namespaces[key] = n
	}
	if declared {
		n.mu.Lock()
		n.class.SQL, n.class.Container, n.declared = c.SQL, c.Container, true
		n.mu.Unlock()
	}
	return n
}

// of lists the declared namespaces of a Worker.
func (o *Objects) of(worker string) []*namespace {
	o.mu.Lock()
	defer o.mu.Unlock()
	var list []*namespace
	for _, n := range o.mu.namespaces {
		n.mu.Lock()
		if n.class.Worker == worker && n.declared {
			list = append(list, n)
		}
		n.mu.Unlock()
	}
	return list
}

// Attach lets an isolate serve the namespaces of its Worker, in the place of the isolate that did so before: what is
// live there is dropped, and events that come meanwhile wait. Alarms that are due fire. Not on a loop goroutine.
func (o *Objects) Attach(ctx context.Context, iso *worker.Isolate) error {
	var errs []error
	for _, n := range o.of(iso.Name) {
		errs = append(errs, n.attach(ctx, iso))
	}
	return errors.Join(errs...)
}

// Detach ends what iso serves; it is no error if another isolate has taken over already. Events for its objects wait
// until the next Attach, and hibernatable sockets stay open until then. Not on a loop goroutine.
func (o *Objects) Detach(ctx context.Context, iso *worker.Isolate) error {
	var errs []error
	for _, n := range o.of(iso.Name) {
		errs = append(errs, n.detach(ctx, iso))
	}
	return errors.Join(errs...)
}

// Close ends the alarm scheduler and every namespace that is still served. Not on a loop goroutine.
func (o *Objects) Close(ctx context.Context) error {
	o.alarms.Stop()
	o.mu.Lock()
	o.mu.closed = true
	list := make([]*namespace, 0, len(o.mu.namespaces))
	for _, n := range o.mu.namespaces {
		list = append(list, n)
	}
	o.mu.Unlock()
	var errs []error
	for _, n := range list {
		errs = append(errs, n.detach(ctx, nil))
		n.end()
	}
	return errors.Join(errs...)
}

func (o *Objects) note(a ObjectActivity) {
	if o.opts.Activity != nil {
		o.opts.Activity(a)
	}
}
