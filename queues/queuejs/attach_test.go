package queuejs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync/atomic"
	"testing"

	"eddy/queues"
)

// DQ-5: messages of one lane are delivered in the order in which they were sent, be the sends awaited or not. The
// Worker sends a hundred of one key without awaiting one of them, and answers with the order in which they came.
func TestSendsWithoutAwaitKeepTheirOrder(t *testing.T) {
	var want []string
	for i := range 100 {
		want = append(want, fmt.Sprint(i))
	}
	for _, real := range []bool{false, true} {
		b := newBench(t, setup{source: script("attach_hundred.js"), real: real})
		if got := b.get("/"); got != "sent" {
			t.Error(got)
		}
		if !real {
			b.settle()
		}
		if got := b.get("/log"); got != strings.Join(want, " ") {
			t.Errorf("machine's clock %v: the messages came as %s", real, got)
		}
	}
}

// unwilling is a broker that attaches nothing.
type unwilling struct{ *queues.Broker }

func (unwilling) AttachLanesAsync(_ string, _ queues.LaneConfig, _ queues.LaneConsumer, done func(error)) func() {
	go done(errors.New("not today"))
	return func() {}
}

// A send that finds its class running, but the broker unwilling to attach it, says so; and so do those made meanwhile.
func TestAttachFails(t *testing.T) {
	b := newBench(t, setup{source: script("attach_unwilling.js")})
	b.lanes.Broker = unwilling{b.broker}
	const want = "DOQueueProducer.send failed: do-queue w-Lane/jobs: not today"
	if got := b.get("/"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if err := b.lanes.Ensure("w-Lane/more"); err == nil || err.Error() != "do-queue w-Lane/more: not today" {
		t.Errorf("Ensure: %v", err)
	}
	if _, err := b.broker.LaneSend(context.Background(), "w-Lane/old", "w-Lane/old",
		queues.Outgoing{Body: []byte("x"), ContentType: queues.ContentText}); err != nil {
		t.Fatal(err)
	}
	if detach, err := b.lanes.Attach(b.worker.Isolate, "w"); err == nil || detach != nil {
		t.Errorf("Attach: %v", err)
	}
	b.lanes.Broker = b.broker
	if got := b.get("/"); got != "" {
		t.Errorf("the next send: %s", got)
	}
}

// counted is a broker that counts attachments which were not taken off.
type counted struct {
	*queues.Broker
	n *atomic.Int64
}

func (c counted) AttachLanesAsync(queue string, o queues.LaneConfig, to queues.LaneConsumer, done func(error)) func() {
	detach := c.Broker.AttachLanesAsync(queue, o, to, done)
	c.n.Add(1)
	return func() {
		c.n.Add(-1)
		detach()
	}
}

// A reload takes off what it attached in the place of, once each: a session that joined another one counts by it.
func TestReloadsDetach(t *testing.T) {
	source := fmt.Sprintf(`
		import { createDOQueue, DOQueueProducer } from %q;
		let seen = 0;
		export const Lane = createDOQueue({ queue(b) { seen += b.messages.length } });
		export default { async fetch() { await new DOQueueProducer("namespace", "jobs").send(1);
			return new Response("sent") } };`, DOQueueModule)
	b := newBench(t, setup{source: source})
	var n atomic.Int64
	b.lanes.Broker = counted{b.broker, &n}
	if got := b.get("/"); got != "sent" || n.Load() != 1 {
		t.Fatalf("%s; attached %d times", got, n.Load())
	}
	first := maps.Clone(b.lanes.classes)
	detach := func() { b.lanes.detachAll(first) }
	for range 3 {
		next := newBench(t, setup{source: source})
		after, err := b.lanes.Attach(next.worker.Isolate, "w")
		if err != nil {
			t.Fatal(err)
		}
		detach()
		detach = after
		if n.Load() != 1 {
			t.Errorf("after a reload %d attachments", n.Load())
		}
	}
	detach()
	if n.Load() != 0 {
		t.Errorf("%d attachments are left", n.Load())
	}
}
