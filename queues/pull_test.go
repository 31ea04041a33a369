package queues_test

import (
	"testing"
	"time"

	"eddy/queues"
)

func (b *bench) pullable(queue string) {
	b.t.Helper()
	b.must(b.Declare(b.ctx, queues.Topology{Queues: []string{queue}}))
	_, err := b.SetConsumer(b.ctx, queues.DefaultConsumer(queue, queues.PullConsumer), true)
	b.must(err)
}

// H-7, H-11, H-13, H-14, K-7, K-8: pull takes five at most by default and leases them for 30 s.
func TestPullDefaults(t *testing.T) {
	b := newBench(t)
	b.pullable("q")
	got, m, err := b.Pull(b.ctx, "q", queues.PullOptions{})
	b.must(err)
	equal(t, len(got), 0)
	equal(t, m.BacklogCount, 0)
	b.send("q", "a", "b", "c", "d", "e", "f")
	got, m, err = b.Pull(b.ctx, "q", queues.PullOptions{})
	b.must(err)
	equal(t, len(got), 5)
	equal(t, m.BacklogCount, 6)
	res, err := b.Ack(
		b.ctx,
		"q",
		[]string{got[0].LeaseID, got[1].LeaseID, "forged"},
		[]queues.LeaseRetry{{LeaseID: got[2].LeaseID}},
	)
	b.must(err)
	equal(
		t,
		res,
		queues.AckResult{
			Acked:    2,
			Retried:  1,
			Warnings: map[string]string{"forged": `"forged" was not issued by this server`},
		},
	)
	b.clock.Advance(t.Context(), 30*time.Second-time.Millisecond)
	equal(t, b.ready("q"), 2)
	b.clock.Advance(t.Context(), time.Millisecond)
	equal(t, b.ready("q"), 4)
}

func (b *bench) ready(queue string) int {
	b.t.Helper()
	q, err := b.Queue(b.ctx, queue)
	b.must(err)
	return q.Ready
}

// A lease survives a restart: nobody else gets the message, and its id still acknowledges it.
func TestLeaseSurvivesRestart(t *testing.T) {
	b := newBench(t)
	b.pullable("q")
	b.send("q", "a", "b")
	got, _, err := b.Pull(b.ctx, "q", queues.PullOptions{})
	b.must(err)
	b.restart()
	more, _, err := b.Pull(b.ctx, "q", queues.PullOptions{})
	b.must(err)
	equal(t, len(more), 0)
	res, err := b.Ack(b.ctx, "q", []string{got[0].LeaseID}, nil)
	b.must(err)
	equal(t, res.Acked, 1)
	b.must(b.Snapshot())
	b.restart()
	b.clock.Advance(t.Context(), 30*time.Second)
	more, _, err = b.Pull(b.ctx, "q", queues.PullOptions{})
	b.must(err)
	equal(t, len(more), 1)
	equal(t, string(more[0].Body), "b")
	equal(t, more[0].Attempts, 2)
}

// H-7, K-7, K-8: what is out of range is refused.
func TestPullRanges(t *testing.T) {
	b := newBench(t)
	b.pullable("q")
	for _, o := range []queues.PullOptions{{BatchSize: 101}, {BatchSize: -1}, {VisibilityTimeout: 12*time.Hour + 1}} {
		if _, _, err := b.Pull(b.ctx, "q", o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
	if _, _, err := b.Pull(b.ctx, "none", queues.PullOptions{}); !isCode(err, queues.CodeQueueNotFound) {
		t.Errorf("pull from a queue that does not exist: %v", err)
	}
}
