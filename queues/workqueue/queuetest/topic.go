package queuetest

import (
	queue "eddy/queues/workqueue"
)

var topicCases = []testCase{
	{
		name: "topics are apart",
		says: "Priority controls relative ordering of jobs in the same topic.",
		run: func(b *bench) {
			s := b.open()
			one, two := b.subscribe(s, "one"), b.subscribe(s, "two")
			b.enqueue(s, "one", "1")
			b.enqueue(s, "two", "2")
			b.equal("one", payloads(one.serve(1, nil)), "[1]")
			b.equal("two", payloads(two.serve(1, nil)), "[2]")
			one.quiet(s, "one")
			two.quiet(s, "two")
		}},
	{
		name: "service app and namespace",
		says: "WithApp sets the service-level app name. WithNamespace sets the service-level namespace.",
		run: func(b *bench) {
			s := b.open(queue.WithApp("shop"), queue.WithNamespace("eu"))
			sub := b.subscribe(s, "orders")
			b.enqueue(s, "orders", "a")
			d := sub.next()
			b.equal("topic", d.Topic, "shop.eu.orders")
			d.result <- nil
		}},
	{
		name: "override on enqueue",
		says: "WithEnqueueApp overrides the topic app prefix for this enqueue only. WithEnqueueNamespace overrides " +
			"the topic namespace for this enqueue only.",
		run: func(b *bench) {
			s := b.open()
			there := b.subscribe(s, "t", queue.WithSubscribeApp("shop"), queue.WithSubscribeNamespace("eu"))
			here := b.subscribe(s, "t")
			b.enqueue(s, "t", "a", queue.WithEnqueueApp("shop"), queue.WithEnqueueNamespace("eu"))
			b.enqueue(s, "t", "b")
			d, e := there.next(), here.next()
			b.equal("overridden", string(d.Payload)+" "+d.Topic, "a shop.eu.t")
			b.equal("this enqueue only", string(e.Payload)+" "+e.Topic, "b app.default.t")
			d.result <- nil
			e.result <- nil
		}},
	{
		name: "override on subscribe",
		says: "WithSubscribeApp overrides the topic app prefix for this subscription. WithSubscribeNamespace " +
			"overrides the topic namespace for this subscription.",
		run: func(b *bench) {
			s := b.open(queue.WithApp("shop"))
			for _, c := range []struct {
				want string
				opts []queue.SubscribeOption
				in   []queue.EnqueueOption
			}{
				{"warehouse.default.t", []queue.SubscribeOption{queue.WithSubscribeApp("warehouse")},
					[]queue.EnqueueOption{queue.WithEnqueueApp("warehouse")}},
				{"shop.eu.t", []queue.SubscribeOption{queue.WithSubscribeNamespace("eu")},
					[]queue.EnqueueOption{queue.WithEnqueueNamespace("eu")}},
			} {
				sub := b.subscribe(s, "t", c.opts...)
				b.enqueue(s, "t", "a", c.in...)
				d := sub.next()
				b.equal("topic", d.Topic, c.want)
				d.result <- queue.ErrSkipRetry
				dead := b.subscribe(s, "t.dead", c.opts...)
				e := dead.next()
				b.equal("its dead letter topic", e.Topic, c.want+".dead")
				e.result <- nil
				b.close(sub, dead)
			}
		}},
	{name: "a topic without a name", says: "Enqueuer enqueues jobs onto a topic.", run: func(b *bench) {
		s := b.open()
		if err := s.Enqueue(b.Context(), "", nil); err == nil {
			b.Error("Enqueue: no error")
		}
		if _, err := s.Subscribe(b.Context(), "", (&subscription{}).handle); err == nil {
			b.Error("Subscribe: no error")
		}
		if _, err := s.Subscribe(b.Context(), "t", nil); err == nil {
			b.Error("Subscribe without a handler: no error")
		}
	}},
	{
		name: "no subscriber",
		says: "accumulate jobs for topics that have no subscriber. There is no automatic expiry.",
		run: func(b *bench) {
			s := b.open()
			b.enqueue(s, "t", "a")
			b.clock.Advance(10 * 365 * 24 * hour)
			d := b.subscribe(s, "t").next()
			b.equal("payload", string(d.Payload), "a")
			d.result <- nil
		}},
}
