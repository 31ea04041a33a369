package queues_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"eddy/queues"
)

// fail sends bodies to q, one by one, and lets each fail for good with its body as error; they are in dead then.
func (b *bench) fail(q, dead string, bodies ...string) {
	b.t.Helper()
	b.consume(q, func(batch *queues.Batch, _ int) *queues.Outcome {
		return &queues.Outcome{
			Failure: &queues.Failure{
				Reason: "exception",
				Error:  "Error: " + string(batch.Messages[0].Body),
				Stack:  "at queue (src/index.ts:7:9)",
			},
		}
	}, func(c *queues.ConsumerConfig) { c.MaxBatchTimeout, c.MaxRetries, c.DeadLetterQueue = 0, 1, dead })
	for _, body := range bodies {
		b.send(q, body)
		b.clock.Advance(context.Background(), time.Minute)
	}
	b.must(b.RemoveConsumer(b.ctx, q))
}

func (b *bench) peekBodies(queue string) (out []string) {
	b.t.Helper()
	got, err := b.Peek(b.ctx, queue, 100)
	b.must(err)
	for _, p := range got {
		out = append(out, string(p.Body))
	}
	return out
}

// Z0-11: what failed and why is kept beside the dead letter; a restart and a snapshot keep it.
func TestDeadLetterRecord(t *testing.T) {
	b := newBench(t)
	start := b.clock.Now()
	b.fail("q", "dead", "bad")
	for range 2 {
		got, err := b.DeadLetters(b.ctx, "dead", queues.DeadLetterFilter{})
		b.must(err)
		equal(t, len(got), 1)
		equal(t, *got[0].DeadLetter, queues.DeadLetter{
			Source: "q", Reason: "exception", Error: "Error: bad", Stack: "at queue (src/index.ts:7:9)", Attempts: 2,
			FirstAttempt: start, LastAttempt: start,
		})
		equal(t, string(got[0].Body), "bad")
		equal(t, got[0].Attempts, 0)
		b.must(b.Snapshot())
		b.restart()
	}
}

// Filters by queue, time, text and id; BE-13: oldest first, with a limit.
func TestDeadLetterFilter(t *testing.T) {
	b := newBench(t)
	b.fail("q", "dead", "one", "two")
	middle := b.clock.Now()
	b.fail("other", "dead", "three")
	for _, c := range []struct {
		filter queues.DeadLetterFilter
		want   []string
	}{
		{queues.DeadLetterFilter{}, []string{"one", "two", "three"}},
		{queues.DeadLetterFilter{Source: "q"}, []string{"one", "two"}},
		{queues.DeadLetterFilter{Since: middle}, []string{"three"}},
		{queues.DeadLetterFilter{Until: middle.Add(-time.Second)}, []string{"one", "two"}},
		{queues.DeadLetterFilter{Error: "exception"}, []string{"one", "two", "three"}}, // the reason
		{queues.DeadLetterFilter{Error: ": t"}, []string{"two", "three"}},
		{queues.DeadLetterFilter{Limit: 1}, []string{"one"}},
	} {
		got, err := b.DeadLetters(b.ctx, "dead", c.filter)
		b.must(err)
		bodies := []string{}
		for _, p := range got {
			bodies = append(bodies, string(p.Body))
		}
		equal(t, bodies, c.want)
		if len(got) > 0 {
			byID, err := b.DeadLetters(b.ctx, "dead", queues.DeadLetterFilter{IDs: []queues.ID{got[0].ID}})
			b.must(err)
			equal(t, len(byID), 1)
		}
	}
}

// Z0-12: replay with the old id or a new one, edited or not; skip and escalate with a note; all of it in the
// operator's log, which survives a restart.
func TestDeadLetterVerbs(t *testing.T) {
	b := newBench(t)
	b.fail("q", "dead", "one", "two", "three", "four")
	all, err := b.DeadLetters(b.ctx, "dead", queues.DeadLetterFilter{})
	b.must(err)

	b.must(b.Edit(b.ctx, "dead", all[0].Ref, queues.ContentJSON, []byte(`{"fixed":true}`), "typo"))
	n, err := b.Redrive(b.ctx, "dead", queues.DeadLetterFilter{Limit: 1}, queues.RedriveOptions{Note: "fixed"})
	b.must(err)
	equal(t, n, 1)
	n, err = b.Redrive(b.ctx, "dead", queues.DeadLetterFilter{Error: "two"}, queues.RedriveOptions{NewID: true})
	b.must(err)
	equal(t, n, 1)
	n, err = b.Skip(b.ctx, "dead", queues.DeadLetterFilter{Error: "three"}, "customer called")
	b.must(err)
	equal(t, n, 1)
	n, err = b.Escalate(b.ctx, "dead", queues.DeadLetterFilter{}, "to billing")
	b.must(err)
	equal(t, n, 1)
	n, err = b.Skip(b.ctx, "dead", queues.DeadLetterFilter{Error: "nothing like it"}, "")
	b.must(err)
	equal(t, n, 0)

	b.restart()
	equal(t, b.peekBodies("q"), []string{`{"fixed":true}`, "two"})
	equal(t, b.peekBodies("dead"), []string{"four"})
	back, err := b.Peek(b.ctx, "q", 10)
	b.must(err)
	equal(t, back[0].ID, all[0].ID)
	equal(t, back[0].Timestamp, all[0].Timestamp)
	equal(t, back[0].ContentType, queues.ContentJSON)
	equal(t, back[1].ID == all[1].ID, false)
	equal(t, back[1].Timestamp.After(all[1].Timestamp), true)
	left, err := b.DeadLetters(b.ctx, "dead", queues.DeadLetterFilter{})
	b.must(err)
	equal(t, left[0].DeadLetter.Escalated, "to billing")

	notes, err := b.Notes(b.ctx)
	b.must(err)
	var said []string
	for _, n := range notes {
		said = append(said, n.Action+" "+n.Queue+": "+n.Text)
	}
	equal(
		t,
		said,
		[]string{
			"edit dead: typo",
			"redrive dead: fixed",
			"redrive dead: ",
			"skip dead: customer called",
			"escalate dead: to billing",
		},
	)

	// A redriven message that fails again is a dead letter again, with a new count.
	b.consume("q", func(*queues.Batch, int) *queues.Outcome { return &queues.Outcome{RetryAll: true} },
		func(c *queues.ConsumerConfig) { c.MaxRetries, c.DeadLetterQueue = 0, "dead" })
	b.clock.Advance(t.Context(), time.Minute)
	left, err = b.DeadLetters(b.ctx, "dead", queues.DeadLetterFilter{})
	b.must(err)
	equal(t, left[1].DeadLetter.Attempts, 1)
	equal(t, left[1].DeadLetter.Reason, queues.ReasonRetry)
	if _, err := b.Redrive(b.ctx, "dead", queues.DeadLetterFilter{}, queues.RedriveOptions{To: "nowhere"}); !isCode(
		err,
		queues.CodeQueueNotFound,
	) {
		t.Fatalf("redrive to a queue that does not exist: %v", err)
	}
}

func isCode(err error, code int) bool {
	var e *queues.Error
	return errors.As(err, &e) && e.Code == code
}

// H-16: a peek leases nothing and counts no attempt; its refs serve to remove messages, and nothing else does.
func TestPeekAndRemove(t *testing.T) {
	b := newBench(t)
	b.must(b.Declare(b.ctx, queues.Topology{Queues: []string{"q", "other"}}))
	b.send("q", "a", "b", "c")
	first, err := b.Peek(b.ctx, "q", 2)
	b.must(err)
	equal(t, b.peekBodies("q"), []string{"a", "b", "c"})
	_, err = b.SetConsumer(b.ctx, queues.DefaultConsumer("q", queues.PullConsumer), true)
	b.must(err)
	pulled, _, err := b.Pull(b.ctx, "q", queues.PullOptions{BatchSize: 1})
	b.must(err)
	equal(t, pulled[0].Attempts, 1)
	n, warnings, err := b.Remove(b.ctx, "q", []string{first[0].Ref, first[1].Ref, first[1].Ref, "junk"})
	b.must(err)
	equal(t, n, 1)
	equal(
		t,
		warnings,
		map[string]string{first[0].Ref: "the message is in flight", "junk": `"junk" was not issued by this server`},
	)
	equal(t, b.peekBodies("q"), []string{"a", "c"})
	_, warnings, err = b.Remove(b.ctx, "other", []string{first[0].Ref})
	b.must(err)
	equal(t, len(warnings), 1)
}

// DQ-25, D-10, BE-11, X-3: a dead letter queue is made by its name, keeps what it gets without any consumer, and for
// the four days of its own retention.
func TestDeadLettersAreKeptFourDays(t *testing.T) {
	b := newBench(t)
	b.consume("q", func(*queues.Batch, int) *queues.Outcome {
		return &queues.Outcome{Failure: &queues.Failure{Reason: "exception"}}
	}, func(c *queues.ConsumerConfig) { c.DeadLetterQueue, c.MaxRetries, c.MaxBatchTimeout = "made", 0, 0 })
	b.send("q", "x")
	b.clock.Advance(t.Context(), 4*24*time.Hour-time.Second)
	equal(t, b.backlog("made"), 1)
	b.restart()
	equal(t, b.backlog("made"), 1)
	b.clock.Advance(t.Context(), 2*time.Second)
	equal(t, b.backlog("made"), 0)
}
