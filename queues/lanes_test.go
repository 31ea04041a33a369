package queues_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"eddy/queues"
	"eddy/queues/queuestest"
)

func (b *bench) lane(key, body string) queues.ID {
	b.t.Helper()
	id, err := b.LaneSend(b.ctx, "jobs", key, queues.Outgoing{Body: []byte(body), ContentType: queues.ContentJSON})
	b.must(err)
	return id
}

func (b *bench) attachLanes(l *queuestest.Lanes, change func(*queues.LaneConfig)) {
	b.t.Helper()
	c := queues.DefaultLanes()
	c.RetryJitter = 0
	if change != nil {
		change(&c)
	}
	_, err := b.AttachLanes("jobs", c, l)
	b.must(err)
}

func laneBodies(l *queuestest.Lanes) (out []string) {
	for _, b := range l.Batches() {
		line := b.Key + ":"
		for _, m := range b.Messages {
			line += fmt.Sprintf(" %s@%d", m.Body, m.Attempts)
		}
		out = append(out, line)
	}
	return out
}

// DQ-8: the options' defaults.
func TestLaneDefaults(t *testing.T) {
	equal(t, queues.DefaultLanes(), queues.LaneConfig{
		MaxRetries: 3, MaxBatchSize: 10, RetryBaseDelay: time.Second, RetryMaxDelay: 30 * time.Second, RetryJitter: 0.1,
	})
}

func throwing(*queues.LaneBatch) *queues.Outcome {
	return &queues.Outcome{Failure: &queues.Failure{Reason: "exception", Error: "Error: no"}}
}

// DQ-24: delivery begins at once. DQ-5, DQ-17: a lane whose head waits holds back what is behind it, and nobody else.
// DQ-16, DQ-18, DQ-19: 1, 2, 4 s of back-off, four deliveries. DQ-22: without a handler the message is deleted then.
func TestLaneOrderAndBackoff(t *testing.T) {
	b := newBench(t)
	start := b.clock.Now()
	var times []string
	l := queuestest.NewLanes(func(batch *queues.LaneBatch) *queues.Outcome {
		times = append(times, batch.Key+b.clock.Now().Sub(start).String())
		if batch.Key == "bad" && string(batch.Messages[0].Body) == "1" {
			return throwing(batch)
		}
		return &queues.Outcome{}
	}, nil)
	b.attachLanes(l, func(c *queues.LaneConfig) { c.MaxBatchSize = 1 })
	id := b.lane("bad", "1")
	b.lane("bad", "2")
	b.lane("good", "3")
	b.clock.Advance(t.Context(), time.Minute)
	equal(t, laneBodies(l), []string{"bad: 1@1", "good: 3@1", "bad: 1@2", "bad: 1@3", "bad: 1@4", "bad: 2@1"})
	equal(t, times, []string{"bad0s", "good0s", "bad1s", "bad3s", "bad7s", "bad7s"})
	// DQ-7: a UUID that stays the same.
	equal(t, l.Batches()[4].Messages[0].ID, id)
	equal(t, strings.Count(id.UUID(), "-"), 4)
	equal(t, id.UUID()[14], '4')
}

// DQ-20, DQ-21: the hand-off state: only the dead letter handler is called, with back-off, also after a restart,
// until it succeeds; then the lane goes on.
func TestHandOffSurvivesRestart(t *testing.T) {
	b := newBench(t)
	down := errors.New("storage is down")
	l := queuestest.NewLanes(throwing, func(*queues.LaneDeadLetter) (bool, error) { return true, down })
	handler := func(c *queues.LaneConfig) { c.DeadLetter, c.MaxRetries, c.MaxBatchSize = true, 0, 1 }
	b.attachLanes(l, handler)
	b.lane("k", "first")
	b.lane("k", "second")
	b.clock.Advance(t.Context(), 2900*time.Millisecond) // tries at 0, 1 s; next at 3 s
	equal(t, laneBodies(l), []string{"k: first@1"})
	equal(t, len(l.HandOffs()), 2)
	equal(t, l.HandOffs()[1].Try, 2)
	info, _, err := b.LaneMessages(b.ctx, "jobs", "k", 10)
	b.must(err)
	equal(t, info.State, "hand-off waiting")
	equal(t, info.Messages, 2)

	b.must(b.Snapshot())
	b.restart()
	l = queuestest.NewLanes(nil, nil)
	b.attachLanes(l, handler)
	b.clock.Advance(t.Context(), time.Second)
	equal(t, len(l.HandOffs()), 1)
	h := l.HandOffs()[0]
	equal(t, string(h.Message.Body), "first")
	equal(t, h.Message.Attempts, 1)
	equal(t, []any{h.Failure.Error, h.Try}, []any{"Error: no", 3})
	equal(t, laneBodies(l), []string{"k: second@1"})
}

// DQ-23: a delivery that never took place is made again after 10 s, and does not count.
func TestLaneFallback(t *testing.T) {
	b := newBench(t)
	evicted := true
	l := queuestest.NewLanes(
		func(*queues.LaneBatch) *queues.Outcome { return &queues.Outcome{Abandoned: evicted} },
		nil,
	)
	b.attachLanes(l, nil)
	b.lane("k", "x")
	b.clock.Advance(t.Context(), 10*time.Second-time.Millisecond)
	equal(t, len(l.Batches()), 1)
	evicted = false
	b.clock.Advance(t.Context(), time.Millisecond)
	equal(t, laneBodies(l), []string{"k: x@1", "k: x@1"})
}

// DQ-6, DQ-10: messages of one millisecond keep their order, also over a restart. A message in flight when the process
// ends is delivered again; what was sent meanwhile waits behind it.
func TestLaneRestart(t *testing.T) {
	b := newBench(t)
	l := queuestest.NewLanes(func(*queues.LaneBatch) *queues.Outcome { return nil }, nil)
	b.attachLanes(l, nil)
	b.lane("k", "1")
	b.lane("k", "2")
	equal(t, laneBodies(l), []string{"k: 1@1"})
	b.restart()
	l = queuestest.NewLanes(nil, nil)
	b.attachLanes(l, nil)
	b.clock.Advance(t.Context(), 0)
	equal(t, laneBodies(l), []string{"k: 1@1 2@1"})
}

// An operator sees which lanes are blocked and by what, and removes it; the lane goes on.
func TestLaneOperator(t *testing.T) {
	b := newBench(t)
	l := queuestest.NewLanes(func(batch *queues.LaneBatch) *queues.Outcome {
		if batch.Key == "bad" && string(batch.Messages[0].Body) == "poison" {
			return throwing(batch)
		}
		return &queues.Outcome{}
	}, nil)
	b.attachLanes(l, func(c *queues.LaneConfig) { c.MaxBatchSize, c.MaxRetries = 1, 1000 })
	id := b.lane("bad", "poison")
	b.lane("bad", "fine")
	b.clock.Advance(t.Context(), 20*time.Second)
	all, err := b.LaneQueues(b.ctx)
	b.must(err)
	equal(t, []any{all[0].Name, all[0].Lanes, all[0].Blocked, all[0].Messages}, []any{"jobs", 1, 1, 2})
	lanes, err := b.Lanes(b.ctx, "jobs", "", 10, true)
	b.must(err)
	equal(
		t,
		[]any{lanes[0].Key, lanes[0].State, lanes[0].HeadID, lanes[0].HeadAttempts},
		[]any{"bad", "waiting", id, 5},
	)
	if err := b.LaneRemove(b.ctx, "jobs", "bad", queues.ID{9}, ""); !errors.Is(err, queues.ErrNoMessage) {
		t.Fatalf("removing what is not there: %v", err)
	}
	b.must(b.LaneRemove(b.ctx, "jobs", "bad", id, "poison"))
	b.clock.Advance(t.Context(), 0)
	bodies := laneBodies(l)
	equal(t, bodies[len(bodies)-1], "bad: fine@1")
	lanes, err = b.Lanes(b.ctx, "jobs", "", 10, false)
	b.must(err)
	equal(t, len(lanes), 0)
	notes, err := b.Notes(b.ctx)
	b.must(err)
	equal(t, notes[0].Text, "poison")
}

// Removing a message while it is being delivered: the outcome finds nothing to settle, and the next delivery waits
// for it all the same.
func TestLaneRemoveInFlight(t *testing.T) {
	b := newBench(t)
	l := queuestest.NewLanes(func(*queues.LaneBatch) *queues.Outcome { return nil }, nil)
	b.attachLanes(l, nil)
	b.must(b.LaneRemove(b.ctx, "jobs", "k", b.lane("k", "1"), ""))
	b.lane("k", "2")
	b.clock.Advance(t.Context(), 0)
	equal(t, laneBodies(l), []string{"k: 1@1"})
	l.Batches()[0].Done(*throwing(nil))
	b.clock.Advance(t.Context(), 0)
	equal(t, laneBodies(l), []string{"k: 1@1", "k: 2@1"})
}

// Ten thousand lanes with random failures: in every lane the messages are completed in the order in which they were
// sent, across restarts, and all of them are.
func TestTenThousandLanes(t *testing.T) {
	const lanes, perLane = 10_000, 3
	b := newBench(t)
	r := rand.New(rand.NewPCG(5, 5))
	done := map[string]int{}
	script := func(batch *queues.LaneBatch) *queues.Outcome {
		o := &queues.Outcome{}
		for _, m := range batch.Messages {
			n := int(m.Body[0] - '0')
			if r.IntN(4) == 0 {
				// A failure: this one and what is behind it are retried, so order must hold.
				o.Failure = &queues.Failure{Reason: "exception"}
				return o
			}
			if n != done[batch.Key] {
				t.Fatalf("lane %s: message %d completed after %d others", batch.Key, n, done[batch.Key])
			}
			done[batch.Key]++
			o.Acks = append(o.Acks, m.ID)
		}
		return o
	}
	config := func(c *queues.LaneConfig) { c.MaxRetries, c.RetryJitter = 1000, 0.5 }
	b.attachLanes(queuestest.NewLanes(script, nil), config)
	for n := range perLane {
		for k := range lanes {
			b.LaneSendAsync(
				"jobs",
				fmt.Sprint("k", k),
				queues.Outgoing{Body: []byte{byte('0' + n)}},
				func(_ queues.ID, err error) {
					if err != nil {
						t.Error(err)
					}
				},
			)
		}
	}
	b.clock.Advance(t.Context(), time.Second)
	b.restart()
	b.attachLanes(queuestest.NewLanes(script, nil), config)
	b.clock.Advance(t.Context(), time.Hour)
	for k := range lanes {
		if done[fmt.Sprint("k", k)] != perLane {
			t.Fatalf("lane %d completed %d", k, done[fmt.Sprint("k", k)])
		}
	}
	all, err := b.LaneQueues(b.ctx)
	b.must(err)
	equal(t, len(all), 1)
	equal(t, all[0].Messages, 0)
}
