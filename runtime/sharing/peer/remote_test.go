package peer

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"testing"

	"eddy/queues"
)

// A guest's outcomes count as an owner's own: acks, retries and their attempts, and a dead letter with error and stack.
func TestOutcomes(t *testing.T) {
	w := newWorld(t)
	first, second := w.join("a"), w.join("b")
	c := queues.DefaultConsumer("q", queues.WorkerConsumer)
	c.Script, c.MaxBatchTimeout, c.MaxBatchSize, c.MaxRetries, c.DeadLetterQueue = "b", 0, 3, 1, "dead"
	second.declare(queues.Topology{Consumers: []queues.ConsumerConfig{c}})
	seen := make(chan queues.Activity, 100)
	if err := second.Observe(func(a queues.Activity) {
		if a.Kind == queues.ActivityBatch || a.Kind == queues.ActivityDeadLettered {
			seen <- a
		}
	}); err != nil {
		t.Fatal(err)
	}
	p := newProbe()
	second.attach("q", p)
	first.send("q", "keep", "again", "fail")
	f := <-p
	if len(f.Messages) != 3 || f.Metrics.BacklogCount != 0 {
		t.Fatalf("%d messages, backlog %+v", len(f.Messages), f.Metrics)
	}
	f.done(queues.Outcome{
		Acks:    []queues.ID{f.Messages[0].ID},
		Retries: []queues.Retry{{ID: f.Messages[1].ID}},
		Failure: &queues.Failure{Reason: "exception", Error: "Error: no", Stack: "at index.js:1"},
	})
	if a := <-seen; a.Kind != queues.ActivityBatch || a.Acked != 1 || a.Count != 3 || a.Error != "Error: no" {
		t.Errorf("the guest hears %+v", a)
	}
	f = <-p
	if len(f.Messages) != 2 || f.Messages[0].Attempts != 2 {
		t.Fatalf("%d messages, attempt %d", len(f.Messages), f.Messages[0].Attempts)
	}
	f.done(queues.Outcome{Acks: []queues.ID{f.Messages[0].ID},
		Failure: &queues.Failure{Reason: "exception", Error: "Error: still", Stack: "at index.js:2"}})
	if a := <-seen; a.Kind != queues.ActivityDeadLettered || a.DeadLetterQueue != "dead" {
		t.Errorf("the guest hears %+v", a)
	}
	dead, err := first.Broker().DeadLetters(t.Context(), "dead", queues.DeadLetterFilter{})
	if err != nil || len(dead) != 1 || dead[0].DeadLetter.Error != "Error: still" ||
		dead[0].DeadLetter.Stack != "at index.js:2" || dead[0].DeadLetter.Attempts != 2 {
		t.Errorf("dead letters: %+v, %v", dead, err)
	}
}

// The largest batch goes over a link in parts and arrives whole.
func TestLargeBatch(t *testing.T) {
	w := newWorld(t)
	first, second := w.join("a"), w.join("b")
	c := queues.DefaultConsumer("q", queues.WorkerConsumer)
	c.Script, c.MaxBatchTimeout, c.MaxBatchSize = "b", 0, queues.MaxBatchSizeLimit
	second.declare(queues.Topology{Consumers: []queues.ConsumerConfig{c}})
	body := bytes.Repeat([]byte("x"), queues.MaxMessageBytes)
	if err := first.Broker().Pause(t.Context(), "q", true); err != nil {
		t.Fatal(err)
	}
	for range queues.MaxBatchSizeLimit {
		first.send("q", string(body))
	}
	p := newProbe()
	second.attach("q", p)
	if err := first.Broker().Pause(t.Context(), "q", false); err != nil {
		t.Fatal(err)
	}
	f := <-p
	if len(f.Messages) != queues.MaxBatchSizeLimit {
		t.Errorf("%d messages", len(f.Messages))
	}
	for i, m := range f.Messages {
		if !bytes.Equal(m.Body, body) {
			t.Fatalf("message %d has %d bytes", i, len(m.Body))
		}
	}
	f.done(queues.Outcome{})
}

// When the owner gives a delivery up, the guest's context ends with the same cause.
func TestCancel(t *testing.T) {
	w := newWorld(t)
	first, second := w.join("a"), w.join("b")
	second.declare(consuming("q", "b"))
	p := newProbe()
	second.attach("q", p)
	first.send("q", "one")
	f := <-p
	var c *conn
	h := first.owner.Load()
	h.mu.Lock()
	for c = range h.conns {
	}
	h.mu.Unlock()
	ctx, cancel := context.WithCancelCause(context.Background())
	settled := make(chan queues.Outcome, 1)
	remote{c, "q"}.Deliver(ctx, f.Batch, func(o queues.Outcome) { settled <- o })
	again := <-p
	cancel(queues.ErrWallTime)
	<-again.ctx.Done()
	if err := context.Cause(again.ctx); !errors.Is(err, queues.ErrWallTime) {
		t.Errorf("the cause is %v", err)
	}
	again.done(queues.Outcome{Failure: &queues.Failure{Reason: queues.ReasonWallTime}})
	if o := <-settled; o.Failure == nil || o.Failure.Reason != queues.ReasonWallTime {
		t.Errorf("outcome %+v", o)
	}
	f.done(queues.Outcome{})
}

// lanes is a do-queue class that hands on what it gets.
type lanes struct {
	batches chan laneFlight
	dead    chan *queues.LaneDeadLetter
}

type laneFlight struct {
	*queues.LaneBatch
	done func(queues.Outcome)
}

func newLanes() lanes {
	return lanes{make(chan laneFlight, 100), make(chan *queues.LaneDeadLetter, 100)}
}

func (l lanes) DeliverLane(_ context.Context, b *queues.LaneBatch, done func(queues.Outcome)) {
	l.batches <- laneFlight{b, done}
}

func (l lanes) DeadLetterLane(_ context.Context, d *queues.LaneDeadLetter, done func(error)) {
	l.dead <- d
	done(nil)
}

func (n *node) laneSend(queue, key, body string) {
	n.w.t.Helper()
	ch := make(chan error, 1)
	n.LaneSendAsync(queue, key, texts(body)[0], func(_ queues.ID, err error) { ch <- err })
	if err := <-ch; err != nil {
		n.w.t.Fatal(err)
	}
}

// The lanes of a guest's class: whoever sends, the guest is told and attaches its code (DQ-24), gets them in order, and
// handles its dead letters (DQ-20). They go along when it becomes the owner.
func TestLanes(t *testing.T) {
	w := newWorld(t)
	first, second := w.join("a"), w.join("b")
	const name = "b-Jobs/q"
	first.laneSend(name, "k", "one")
	if got := <-second.sent; got != name {
		t.Errorf("the guest is told of %q", got)
	}
	config := queues.DefaultLanes()
	config.MaxRetries, config.MaxBatchSize, config.DeadLetter = 0, 1, true
	code := newLanes()
	if _, err := second.AttachLanes(name, config, code); err != nil {
		t.Fatal(err)
	}
	if all, err := second.LaneQueues(t.Context()); err != nil || len(all) != 1 || all[0].Name != name ||
		!all[0].Attached {
		t.Errorf("lane queues: %+v, %v", all, err)
	}
	second.laneSend(name, "k", "two")
	f := <-code.batches
	if f.Key != "k" || string(f.Messages[0].Body) != "one" {
		t.Errorf("got %+v", f.LaneBatch)
	}
	f.done(queues.Outcome{Failure: &queues.Failure{Reason: "exception", Error: "Error: no"}})
	if d := <-code.dead; string(d.Message.Body) != "one" || d.Failure.Error != "Error: no" || d.Try != 1 {
		t.Errorf("dead letter %+v", d)
	}
	f = <-code.batches
	if string(f.Messages[0].Body) != "two" {
		t.Errorf("got %s", f.Messages[0].Body)
	}
	first.crash()
	second.await(Took)
	f = <-code.batches
	if string(f.Messages[0].Body) != "two" {
		t.Errorf("after the crash: %s", f.Messages[0].Body)
	}
	f.done(queues.Outcome{})
	// What has its code here already is nobody else's business.
	second.laneSend(name, "k", "three")
	third := w.join("c")
	second.laneSend(name, "k", "four")
	second.laneSend("c-Other/q", "k", "five")
	if got := <-third.sent; got != "c-Other/q" {
		t.Errorf("the new guest is told of %q", got)
	}
	if _, err := second.AttachLanes(name, queues.LaneConfig{MaxBatchSize: -1}, code); err == nil {
		t.Error("a configuration that makes no sense is taken")
	}
}

// A hundred sends of one lane that nobody waits for arrive in order: in the owner, in a guest, and in a guest that
// becomes the owner in the midst of them. Code that is attached without waiting is there before what is sent after it.
func TestLaneSendsKeepTheirOrder(t *testing.T) {
	w := newWorld(t)
	first, second := w.join("a"), w.join("b")
	config := queues.DefaultLanes()
	config.MaxBatchSize = 1
	check := func(n *node, name string, between func()) {
		t.Helper()
		code := newLanes()
		answers := make(chan error, 101)
		n.AttachLanesAsync(name, config, code, func(err error) { answers <- err })
		for i := range 100 {
			if i == 50 {
				between()
			}
			n.LaneSendAsync(name, "k", texts(strconv.Itoa(i))[0], func(_ queues.ID, err error) { answers <- err })
		}
		if err := <-answers; err != nil {
			t.Errorf("attach or send: %v", err)
		}
		for i := range 100 {
			f := <-code.batches
			if got := string(f.Messages[0].Body); got != strconv.Itoa(i) {
				t.Fatalf("%s: message %d is %s", name, i, got)
			}
			f.done(queues.Outcome{})
		}
	}
	check(first, "a-Jobs/q", func() {})
	check(second, "b-Jobs/q", func() {})
	// Without a link the guest keeps what it is asked for, and asks it of itself once it is the owner.
	first.crash()
	second.await(Lost)
	check(second, "b-Jobs/r", func() { second.await(Took) })
	fails := make(chan error)
	second.AttachLanesAsync("b-Jobs/s", queues.LaneConfig{MaxBatchSize: -1}, newLanes(),
		func(err error) { fails <- err })
	if err := <-fails; err == nil {
		t.Error("a configuration that makes no sense is taken")
	}
}

// A consumer that was made through the API is connected by the session that runs its Worker.
func TestServe(t *testing.T) {
	w := newWorld(t)
	first, second := w.join("a"), w.join("b")
	first.declare(producing("q"))
	// The announcement is handled before what comes after it.
	second.metrics("q")
	c := queues.DefaultConsumer("q", queues.WorkerConsumer)
	c.Script, c.MaxBatchTimeout, c.MaxBatchSize = "b", 0, 1
	if _, err := first.Broker().SetConsumer(t.Context(), c, false); err != nil {
		t.Fatal(err)
	}
	if first.Serve("nobody", "q") || !first.Serve("b", "q") {
		t.Error("the wrong session is asked")
	}
	if got := <-second.served; got != "q" {
		t.Errorf("asked to serve %q", got)
	}
	if all, err := second.Consumed(t.Context()); err != nil || len(all) != 1 || all[0].Name != "q" {
		t.Errorf("the guest's queues: %+v, %v", all, err)
	}
	p := newProbe()
	second.attach("q", p)
	first.send("q", "one")
	p.ack(t, "one")
	if g := first.Guests(); len(g) != 1 || g[0].URL != second.web.URL {
		t.Errorf("guests: %+v", g)
	}
}
