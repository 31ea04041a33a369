package queuejs

import (
	"time"

	"github.com/dop251/goja"

	"eddy/queues"
	"eddy/runtime/engine/structured"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/worker"
)

// Install lets a service binding or stub send a batch to a queue() handler, if the compatibility flag for it is on
// (C-31).
func Install(iso *worker.Isolate) error {
	iso.SetExtraHandler("queue", func(target *goja.Object, env, ctx goja.Value, args []goja.Value) goja.Value {
		return serveBatch(iso, target, env, ctx, args)
	})
	return nil
}

// serveBatch makes a batch of queue(queueName, messages, metadata), hands it to the handler and answers with the result
// as data (C-30).
func serveBatch(iso *worker.Isolate, target *goja.Object, env, ctx goja.Value, args []goja.Value) goja.Value {
	fn, ok := goja.AssertFunction(target.Get("queue"))
	if !ok {
		iso.Realm.ThrowError("Error", NoHandler)
	}
	if len(args) < 2 {
		iso.Realm.ThrowType(
			"Failed to execute 'queue' on 'Fetcher': parameter %d is not of type '%s'.",
			len(args)+1,
			[2]string{"string", "Array"}[len(args)],
		)
	}
	b := &batch{iso: iso, queue: args[0].String()}
	list, ok := args[1].(*goja.Object)
	if !ok {
		iso.Realm.ThrowType("Failed to execute 'queue' on 'Fetcher': parameter 2 is not of type 'Array'.")
	}
	var items []*goja.Object
	iso.Runtime().ForOf(list, func(item goja.Value) bool {
		items = append(items, item.ToObject(iso.Runtime()))
		return true
	})
	for _, in := range items {
		givenItem(iso, in)
	}
	// A body that cannot be read fails the batch, as a handler that throws does, not the call.
	if ex := iso.Realm.Try(func() {
		for _, in := range items {
			givenMessage(b, in)
		}
	}); ex != nil {
		iso.Uncaught(ex)
		return b.result(true)
	}
	var metrics queues.Metrics
	if len(args) > 2 {
		metrics = givenMetrics(iso, args[2])
	}
	controller := b.controller(metrics)
	failed := false
	done, resolve, _ := iso.Runtime().NewPromise()
	finish := func() { _ = resolve(b.result(failed)) }
	var v goja.Value
	if ex := iso.Realm.Try(func() {
		var err error
		if v, err = fn(target, controller, env, ctx); err != nil {
			panic(iso.Realm.ErrorValue(err))
		}
	}); ex != nil {
		failed = true
		iso.Uncaught(ex)
		finish()
		return iso.Runtime().ToValue(done)
	}
	iso.Realm.Then(v, func(goja.Value) { finish() }, func(reason goja.Value) {
		failed = true
		iso.Uncaught(reason)
		finish()
	})
	return iso.Runtime().ToValue(done)
}

// givenItem checks that a message has one body (C-31).
func givenItem(iso *worker.Isolate, item goja.Value) *goja.Object {
	in := item.ToObject(iso.Runtime())
	if (webidl.Option(in, "body") == nil) == (webidl.Option(in, "serializedBody") == nil) {
		iso.Realm.ThrowType("Expected one of body or serializedBody for each message")
	}
	return in
}

// givenMessage adds a message made from {id, timestamp, attempts, body | serializedBody} to a batch.
func givenMessage(b *batch, in *goja.Object) {
	body, serialized := webidl.Option(in, "body"), webidl.Option(in, "serializedBody")
	if serialized != nil {
		data, ok := b.iso.Realm.Bytes(serialized)
		if !ok {
			b.iso.Realm.ThrowType("Expected one of body or serializedBody for each message")
		}
		var err error
		if body, err = b.iso.Codec().Decode(data, structured.DecodeOptions{}); err != nil {
			panic(b.iso.Realm.ErrorValue(err))
		}
	}
	m := &message{batch: b, given: in.Get("id").String()}
	at := time.Now()
	if ts, ok := in.Get("timestamp").(*goja.Object); ok {
		at = time.UnixMilli(ts.ToInteger())
	}
	attempts := int64(1)
	if a := webidl.Option(in, "attempts"); a != nil {
		attempts = a.ToInteger()
	}
	obj := classesOf(b.iso).message.Wrap(m)
	m.define(obj, int(attempts), body, at)
	b.messages, b.objects = append(b.messages, m), append(b.objects, obj)
}

// givenMetrics reads {metrics: {backlogCount, backlogBytes, oldestMessageTimestamp}}; what is missing is zero.
func givenMetrics(iso *worker.Isolate, v goja.Value) (m queues.Metrics) {
	meta, ok := v.(*goja.Object)
	if !ok {
		return m
	}
	in, ok := webidl.Option(meta, "metrics").(*goja.Object)
	if !ok {
		return m
	}
	number := func(name string) int64 {
		if n := webidl.Option(in, name); n != nil {
			return n.ToNumber().ToInteger()
		}
		return 0
	}
	m.BacklogCount, m.BacklogBytes = number("backlogCount"), number("backlogBytes")
	if ms := number("oldestMessageTimestamp"); ms != 0 {
		m.OldestMessageTimestamp = time.UnixMilli(ms)
	}
	return m
}

// result is what became of the batch, as data (C-30).
func (b *batch) result(failed bool) goja.Value {
	rt := b.iso.Runtime()
	res, retryBatch := rt.NewObject(), rt.NewObject()
	outcome := "ok"
	if failed {
		outcome = "exception"
	}
	delay := func(o *goja.Object, d queues.Delay) {
		if n, given := d.Seconds(); given {
			_ = o.Set("delaySeconds", n)
		}
	}
	_ = retryBatch.Set("retry", b.retryAll)
	delay(retryBatch, b.retryDelay)
	var acks, retries []any
	for _, m := range b.messages {
		switch {
		case m.acked:
			acks = append(acks, m.name())
		case m.retry:
			r := rt.NewObject()
			_ = r.Set("msgId", m.name())
			delay(r, m.delay)
			retries = append(retries, r)
		}
	}
	_ = res.Set("outcome", outcome)
	_ = res.Set("ackAll", b.ackAll)
	_ = res.Set("retryBatch", retryBatch)
	_ = res.Set("explicitAcks", rt.NewArray(acks...))
	_ = res.Set("retryMessages", rt.NewArray(retries...))
	return res
}
