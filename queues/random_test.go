package queues_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"eddy/queues"
	"eddy/queues/logstore/logstoretest"
	"eddy/queues/queuestest"
	"eddy/runtime/clock"
)

var (
	operations = flag.Int("operations", 10_000, "length of the random run against the model")
	randomSeed = flag.Uint64("seed", 1, "seed of the random run; 0 takes the time")
)

// TestAgainstModel does random operations on the broker and on a naive model, and compares: sends with and without
// delay, pulls, acks and retries in time and late, expiry, dead letters, redrives, purges, pauses, restarts, power
// cuts that lose what was not synced, and a clock that jumps forward and back.
func TestAgainstModel(t *testing.T) {
	seed := *randomSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d, %d operations", seed, *operations)
	r := newRandomRun(t, seed)
	for i := range *operations {
		r.op = i
		r.step()
	}
	r.compareAll()
	r.must(r.Close())
}

type randomRun struct {
	*bench
	r      *rand.Rand
	op     int
	crash  *logstoretest.CrashFS
	model  *queuestest.Model
	bodies int
	tokens []heldToken
}

type heldToken struct {
	queue       *queuestest.ModelQueue
	message     *queuestest.ModelMessage
	token, body string
	lease       int
}

func newRandomRun(t *testing.T, seed uint64) *randomRun {
	r := &randomRun{r: rand.New(rand.NewPCG(seed, 3)), model: &queuestest.Model{}, crash: logstoretest.NewCrashFS()}
	r.bench = &bench{t: t, ctx: t.Context(), rand: rand.NewChaCha8([32]byte{byte(seed)})}
	r.start(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC))
	r.model.Now = r.clock.Now().UnixMilli()
	dead := &queuestest.ModelQueue{Name: "dead", MaxRetries: 1, Retention: 4 * 24 * 3600_000}
	for i, q := range []*queuestest.ModelQueue{
		dead,
		{Name: "a", MaxRetries: 2, Retention: 4 * 24 * 3600_000, DeadLetter: dead},
		{Name: "b", MaxRetries: 0, Retention: 120_000, RetryDelay: 7000, DeadLetter: dead},
		{Name: "c", MaxRetries: 3, Retention: 4 * 24 * 3600_000, RetryDelay: 1000},
	} {
		s := queues.DefaultQueueSettings()
		s.Retention = time.Duration(q.Retention) * time.Millisecond
		_, err := r.CreateQueue(r.ctx, q.Name, s)
		r.must(err)
		c := queues.DefaultConsumer(q.Name, queues.PullConsumer)
		c.MaxRetries, c.RetryDelay = q.MaxRetries, time.Duration(q.RetryDelay)*time.Millisecond
		if q.DeadLetter != nil {
			c.DeadLetterQueue = q.DeadLetter.Name
		}
		_, err = r.SetConsumer(r.ctx, c, i%2 == 0)
		r.must(err)
		r.model.Queues = append(r.model.Queues, q)
	}
	return r
}

// start opens the broker at a time of its clock.
func (r *randomRun) start(now time.Time) {
	r.clock = clock.NewVirtual(now, 1)
	r.clock.Pause()
	b, _, err := queues.Open(
		queues.Options{
			Dir:           "log",
			FS:            r.crash,
			Clock:         r.clock,
			Rand:          r.rand,
			SegmentBytes:  16 << 10,
			SnapshotBytes: 64 << 10,
		},
	)
	if err != nil {
		r.t.Fatalf("operation %d: %v", r.op, err)
	}
	r.Broker = b
}

func (r *randomRun) fatalf(format string, args ...any) {
	r.t.Helper()
	r.t.Fatalf("operation %d: %s", r.op, fmt.Sprintf(format, args...))
}

func (r *randomRun) queue() *queuestest.ModelQueue {
	return r.model.Queues[r.r.IntN(len(r.model.Queues))]
}

func (r *randomRun) step() {
	q := r.queue()
	switch n := r.r.IntN(1000); {
	case n < 300:
		r.send(q)
	case n < 550:
		r.pull(q)
	case n < 850:
		r.settle()
	case n < 960:
		d := time.Duration(r.r.IntN(20_000)) * time.Millisecond
		r.clock.Advance(context.Background(), d)
		r.model.Advance(r.clock.Now().UnixMilli())
	case n < 970:
		r.redrive(q)
	case n < 974:
		_, err := r.Purge(r.ctx, q.Name)
		r.must(err)
		r.model.Purge(q)
	case n < 978:
		r.pause(q)
	case n < 983:
		r.compare(q)
	case n < 984:
		r.must(r.Snapshot())
	case n < 988:
		r.reopen(n)
	default:
		r.compare(q)
	}
}

func (r *randomRun) send(q *queuestest.ModelQueue) {
	var msgs []queues.Outgoing
	var bodies []string
	var delays []int64
	for range 1 + r.r.IntN(4) {
		r.bodies++
		body := fmt.Sprintf("%d-%s", r.bodies, strings.Repeat("x", r.r.IntN(100)))
		m := queues.Outgoing{Body: []byte(body), ContentType: queues.ContentText}
		delay := int32(0)
		if r.r.IntN(3) == 0 {
			delay = int32(r.r.IntN(40))
			m.Delay = queues.DelaySeconds(delay)
		}
		msgs, bodies, delays = append(msgs, m), append(bodies, body), append(delays, int64(delay)*1000)
	}
	got, err := r.Send(r.ctx, q.Name, msgs, queues.SendOptions{Batch: true})
	r.must(err)
	if int(got.BacklogCount) != len(q.Messages) {
		r.fatalf("backlog of %s before a send is %d, want %d", q.Name, got.BacklogCount, len(q.Messages))
	}
	r.model.Send(q, bodies, delays)
}

func (r *randomRun) pull(q *queuestest.ModelQueue) {
	n, visibility := 1+r.r.IntN(5), time.Duration(1+r.r.IntN(30))*time.Second
	got, _, err := r.Pull(r.ctx, q.Name, queues.PullOptions{BatchSize: n, VisibilityTimeout: visibility})
	if q.Paused {
		if err != queues.ErrPaused {
			r.fatalf("pull from a paused queue: %v", err)
		}
		return
	}
	r.must(err)
	lease, want := r.model.Pull(q, n, visibility.Milliseconds())
	if len(got) != len(want) {
		r.fatalf("pulled %d messages from %s, want %d", len(got), q.Name, len(want))
	}
	for i := range got {
		if string(got[i].Body) != want[i].Body || got[i].Attempts != want[i].Fails+1 ||
			got[i].Timestamp.UnixMilli() != want[i].Sent {
			r.fatalf("pulled %+v, want %+v", got[i], want[i])
		}
		r.tokens = append(r.tokens, heldToken{q, want[i], got[i].LeaseID, want[i].Body, lease})
	}
}

func (r *randomRun) settle() {
	if len(r.tokens) == 0 {
		return
	}
	i := r.r.IntN(len(r.tokens))
	tok := r.tokens[i]
	if r.r.IntN(5) > 0 { // else it is used again, late
		r.tokens[i] = r.tokens[len(r.tokens)-1]
		r.tokens = r.tokens[:len(r.tokens)-1]
	}
	if r.r.IntN(2) == 0 {
		_, err := r.Ack(r.ctx, tok.queue.Name, []string{tok.token}, nil)
		r.must(err)
		// The token stands for the message in the queue that it was pulled from, while it is there without having
		// left in between.
		if r.stillThere(tok) {
			r.model.Ack(tok.queue, tok.body)
		}
		return
	}
	retry := queues.LeaseRetry{LeaseID: tok.token}
	delay := int64(-1)
	if r.r.IntN(2) == 0 {
		delay = int64(r.r.IntN(10))
		retry.Delay = queues.DelaySeconds(int32(delay))
		delay *= 1000
	}
	res, err := r.Ack(r.ctx, tok.queue.Name, nil, []queues.LeaseRetry{retry})
	r.must(err)
	want := r.stillThere(tok) && r.model.Retry(tok.queue, tok.body, tok.lease, delay)
	if (res.Retried == 1) != want || (len(res.Warnings) == 1) == want {
		r.fatalf("retry of %s gave %+v, want it retried: %v", tok.body, res, want)
	}
}

// stillThere says whether the message has not left the queue since it was pulled, be it to come back.
func (r *randomRun) stillThere(tok heldToken) bool {
	return slices.Contains(tok.queue.Messages, tok.message)
}

func (r *randomRun) redrive(to *queuestest.ModelQueue) {
	dead := r.model.Queues[0]
	if to == dead {
		return
	}
	limit := 1 + r.r.IntN(5)
	n, err := r.Redrive(r.ctx, "dead", queues.DeadLetterFilter{Limit: limit}, queues.RedriveOptions{To: to.Name})
	r.must(err)
	if want := r.model.Redrive(dead, to, limit); n != want {
		r.fatalf("redrove %d, want %d", n, want)
	}
}

func (r *randomRun) pause(q *queuestest.ModelQueue) {
	q.Paused = !q.Paused
	r.must(r.Pause(r.ctx, q.Name, q.Paused))
}

// reopen ends the broker, in an orderly way or by a power cut, and opens it again, at the same time, later, or
// earlier.
func (r *randomRun) reopen(n int) {
	// Time that passed without anything being written is forgotten; a clock that then jumps back counts.
	r.send(r.queue())
	before, err := r.Dump()
	r.must(err)
	now := r.clock.Now()
	if n%2 == 0 {
		after := r.crash.PowerCut(r.r)
		r.must(r.Close())
		r.crash = after
	} else {
		r.must(r.Close())
	}
	switch r.r.IntN(4) {
	case 0:
		now = now.Add(time.Duration(r.r.IntN(300)) * time.Second)
	case 1:
		now = now.Add(-time.Duration(r.r.IntN(60)) * time.Second)
	}
	r.start(now)
	if r.model.Now-now.UnixMilli() >= 1000 {
		_, err = r.Dump()
		r.must(err)
		r.model.SetBack(now.UnixMilli())
		r.compareAll()
		return
	}
	if now.UnixMilli() <= r.model.Now {
		after, err := r.Dump()
		r.must(err)
		r.sameState(before, after)
		return
	}
	_, err = r.Dump() // a turn that sees the new time
	r.must(err)
	r.model.Jump(now.UnixMilli())
}

func (r *randomRun) sameState(before, after string) {
	r.t.Helper()
	b, a := strings.Split(before, "\n"), strings.Split(after, "\n")
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			r.fatalf(
				"a restart changed the state, at line %d: from\n%s\nto\n%s",
				i+1,
				strings.Join(b[min(i, len(b)):min(i+3, len(b))], "\n"),
				strings.Join(a[min(i, len(a)):min(i+3, len(a))], "\n"),
			)
		}
	}
}

func (r *randomRun) compareAll() {
	for _, q := range r.model.Queues {
		r.compare(q)
	}
}

func (r *randomRun) compare(q *queuestest.ModelQueue) {
	r.t.Helper()
	got, err := r.Peek(r.ctx, q.Name, 1<<30)
	r.must(err)
	var b strings.Builder
	for _, p := range got {
		fmt.Fprintf(&b, "%s %s fails=%d dead=%v", p.Body, p.State, p.Attempts, p.DeadLetter != nil)
		if p.State == "delayed" {
			fmt.Fprintf(&b, " until %d", p.Visible.UnixMilli())
		}
		b.WriteString("\n")
	}
	if want := q.String(); b.String() != want {
		r.fatalf("queue %s holds\n%s\nwant\n%s", q.Name, b.String(), want)
	}
	info, err := r.Queue(r.ctx, q.Name)
	r.must(err)
	var bytes int64
	for _, m := range q.Messages {
		bytes += int64(len(m.Body))
	}
	if info.Metrics.BacklogBytes != bytes || int(info.Metrics.BacklogCount) != len(q.Messages) ||
		info.Ready+info.Delayed+info.InFlight != len(q.Messages) {
		r.fatalf("info of %s is %+v, want %d messages and %d bytes", q.Name, info, len(q.Messages), bytes)
	}
}
