package queues_test

import (
	"testing"
	"time"

	"eddy/queues"
)

// What waits for its time or for a whole batch goes out when an operator says so, and only that.
func TestDeliver(t *testing.T) {
	b := newBench(t)
	c := b.consume("q", nil, func(c *queues.ConsumerConfig) { c.MaxBatchSize, c.MaxBatchTimeout = 10, time.Minute })
	send := func(body string, seconds int32) {
		t.Helper()
		_, err := b.Send(b.ctx, "q", []queues.Outgoing{{Body: []byte(body), ContentType: queues.ContentText}},
			queues.SendOptions{Delay: queues.DelaySeconds(seconds)})
		b.must(err)
	}
	bodies := func() (out []string) {
		for _, batch := range c.Batches() {
			for _, m := range batch.Messages {
				out = append(out, string(m.Body))
			}
			out = append(out, "|")
		}
		return out
	}
	send("ready", 0)
	send("later", 100)
	send("much later", 1000)
	all, err := b.Peek(b.ctx, "q", 10)
	b.must(err)
	n, err := b.Deliver(b.ctx, "q", []string{all[1].Ref, all[1].Ref, all[0].Ref})
	b.must(err)
	b.clock.Advance(t.Context(), 0)
	equal(t, n, 1)
	equal(t, bodies(), []string{"ready", "later", "|"})
	send("waits", 0)
	b.clock.Advance(t.Context(), time.Second)
	equal(t, len(c.Batches()), 1)
	n, err = b.Deliver(b.ctx, "q", nil)
	b.must(err)
	b.clock.Advance(t.Context(), 0)
	equal(t, n, 1)
	equal(t, bodies(), []string{"ready", "later", "|", "waits", "much later", "|"})
	if _, err := b.Deliver(b.ctx, "q", []string{all[1].Ref}); err == nil {
		t.Error("a message that is over is delivered")
	}
	if _, err := b.Deliver(b.ctx, "none", nil); err == nil {
		t.Error("a queue that does not exist delivers")
	}
}
