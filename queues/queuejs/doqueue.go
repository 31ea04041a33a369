package queuejs

import (
	"cmp"
	_ "embed"
	"math"
	"sync"
	"time"

	"github.com/dop251/goja"

	"eddy/queues"
	"eddy/runtime/engine/structured"
	"eddy/runtime/worker"
)

// DOQueueModule is the specifier under which do-queue is imported; it needs no installation.
const DOQueueModule = "@cloudflare-boilerplate/do-queue"

//go:embed doqueue.js
var doQueueSource string

// DOQueueTypes declares [DOQueueModule] for TypeScript: there is no package to bring the types (DQ-1).
//
//go:embed doqueue.d.ts
var DOQueueTypes string

// DOQueues joins do-queue classes to the broker's lanes. One for a session; any goroutine unless said otherwise.
//
// A lane queue of the broker is named by the class's unique key and the producer's queue name: instances of one class
// under different queue names are different queues, as they are different Durable Objects (DQ-4).
type DOQueues struct {
	Broker Lanes
	// Driven says that batches come from whoever has started the session, through Deliver: the broker delivers none.
	Driven bool
	// NamespaceKey is the unique key of the namespace behind a binding (env.MY_QUEUE_DO), false if v is none. Loop
	// goroutine only.
	NamespaceKey func(iso *worker.Isolate, v goja.Value) (string, bool)

	mu       sync.Mutex                 // guards the rest; never held while somebody else is waited for
	classes  map[string]*laneClass      // by unique key
	attached map[string]*laneAttachment // by lane queue
	// displaced are attachments that others have replaced. They are still detached with their class. The broker then
	// takes nothing off, but a session that shares its queues counts its attachments (package peer).
	displaced []*laneAttachment
}

// laneClass is a class that createDOQueue made, in one isolate.
type laneClass struct {
	iso        *worker.Isolate
	queue      goja.Callable
	deadLetter goja.Callable // nil for none
	handlers   *goja.Object
	config     queues.LaneConfig
}

// Module makes the do-queue module of an isolate.
func (d *DOQueues) Module(iso *worker.Isolate) (*goja.Object, error) {
	host := iso.Runtime().NewObject()
	_ = host.Set("DurableObject", iso.DurableObjectClass())
	_ = host.Set("define", iso.Realm.Function("define", func(fc goja.FunctionCall) goja.Value {
		return d.define(iso, fc.Argument(0).(*goja.Object), fc.Argument(1), fc.Argument(2))
	}))
	_ = host.Set("send", iso.Realm.Function("send", func(fc goja.FunctionCall) goja.Value {
		return iso.Realm.Promised(func() goja.Value {
			return d.send(iso, fc.Argument(0), fc.Argument(1).String(), fc.Argument(2), fc.Argument(3))
		})
	}))
	ns, err := iso.Internal(DOQueueModule, doQueueSource, host)
	if err != nil {
		return nil, err
	}
	return ns.ToObject(iso.Runtime()), nil
}

// define records handlers and options on the class (DQ-8).
func (d *DOQueues) define(iso *worker.Isolate, class *goja.Object, handlers, options goja.Value) goja.Value {
	needRPC(iso)
	c := &laneClass{iso: iso, config: queues.DefaultLanes()}
	var ok bool
	if c.handlers, ok = handlers.(*goja.Object); ok {
		c.queue, ok = goja.AssertFunction(c.handlers.Get("queue"))
	}
	if !ok {
		iso.Realm.ThrowType("createDOQueue() requires an object with a queue(batch, env, ctx) function.")
	}
	c.deadLetter, c.config.DeadLetter = goja.AssertFunction(c.handlers.Get("deadLetter"))
	if o, ok := options.(*goja.Object); ok {
		number := func(name string, set func(float64)) {
			v := o.Get(name)
			if v == nil || goja.IsUndefined(v) {
				return
			}
			f := v.ToFloat()
			if math.IsNaN(f) || f < 0 {
				iso.Realm.ThrowError(
					"RangeError",
					"createDOQueue(): %s must be a number of at least 0, got %s.",
					name,
					v,
				)
			}
			set(f)
		}
		number("maxRetries", func(f float64) { c.config.MaxRetries = int(min(f, math.MaxInt32)) })
		number("maxBatchSize", func(f float64) { c.config.MaxBatchSize = int(max(min(f, math.MaxInt32), 1)) })
		number("retryBaseDelayMs", func(f float64) { c.config.RetryBaseDelay = milliseconds(f) })
		number("retryMaxDelayMs", func(f float64) { c.config.RetryMaxDelay = milliseconds(f) })
		number("retryJitter", func(f float64) { c.config.RetryJitter = min(f, 1) })
	}
	iso.Realm.SetState(class, c)
	return class
}

// milliseconds is a duration of f milliseconds, or the longest there is.
func milliseconds(f float64) time.Duration {
	if f *= float64(time.Millisecond); f < math.MaxInt64 {
		return time.Duration(f)
	}
	return math.MaxInt64
}

// needRPC refuses compatibility dates at which the package could not work on the platform: its Durable Objects are
// called by RPC (DQ-2).
func needRPC(iso *worker.Isolate) {
	if !iso.Flags.Enabled("rpc") {
		iso.Realm.ThrowError(
			"Error",
			"%s calls Durable Objects by RPC: set compatibility_date to 2024-04-03 or later, or the compatibility "+
				"flag \"rpc\".",
			DOQueueModule,
		)
	}
}

// send enqueues one message (DQ-3): the promise resolves when it is on disk.
func (d *DOQueues) send(iso *worker.Isolate, namespace goja.Value, queue string, key, body goja.Value) goja.Value {
	needRPC(iso)
	unique, ok := d.NamespaceKey(iso, namespace)
	if !ok {
		iso.Realm.ThrowType(
			"DOQueueProducer requires a Durable Object namespace binding (env.MY_QUEUE_DO) as its first argument.",
		)
	}
	enc, err := iso.Codec().Encode(body, structured.EncodeOptions{})
	if err != nil {
		panic(iso.Realm.ErrorValue(err))
	}
	lane := queue
	if !goja.IsUndefined(key) && !goja.IsNull(key) {
		lane = queue + ":" + key.String()
	}
	msg := queues.Outgoing{Body: enc.Data, ContentType: queues.ContentV8}
	name := laneQueueName(unique, queue)
	scope := iso.Host.Scope()
	promise, deferred := scope.Deferred()
	settle := func(err error) {
		deferred(func() (value, failure goja.Value) {
			if err != nil {
				failure = iso.Realm.NewError("Error", "DOQueueProducer.send failed: "+err.Error())
			}
			return nil, failure
		})
	}
	scope.Output(func(err error) {
		if err != nil {
			settle(err)
			return
		}
		// Nothing here waits, so that sends reach the broker in the order in which they were made. The code is attached
		// before the message is there, so that the message is dispatched at once (DQ-24).
		done := settle
		d.mu.Lock()
		if a := d.ensure(unique, name); a != nil {
			done = both(settle)
			d.wait(a, done)
		}
		d.mu.Unlock()
		d.Broker.LaneSendAsync(name, lane, msg, func(_ queues.ID, err error) { done(err) })
	})
	return promise
}

// both returns a function that must be called twice, from any goroutine; the second call calls done with the first
// error of the two.
func both(done func(error)) func(error) {
	var mu sync.Mutex // guards first and left
	var first error
	left := 2
	return func(err error) {
		mu.Lock()
		first = cmp.Or(first, err)
		left--
		last := left == 0
		mu.Unlock()
		if last {
			done(first)
		}
	}
}

// laneQueueName is the broker's name for a class's queue.
func laneQueueName(unique, queue string) string { return unique + "/" + queue }
