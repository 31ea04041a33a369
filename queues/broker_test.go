package queues_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"eddy/queues"
	"eddy/queues/logstore"
	"eddy/queues/queuestest"
	"eddy/runtime/clock"
)

// bench is a broker on a virtual clock and a file system in memory; it can be restarted.
type bench struct {
	*queues.Broker
	t     testing.TB
	ctx   context.Context
	clock *clock.Virtual
	fs    logstore.FS
	rand  *rand.ChaCha8
}

func newBench(t testing.TB) *bench {
	b := &bench{t: t, ctx: context.Background(), fs: logstore.NewMemFS(), rand: rand.NewChaCha8([32]byte{1})}
	b.clock = clock.NewVirtual(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), 1)
	b.clock.Pause()
	b.open()
	t.Cleanup(func() { b.Close() })
	return b
}

func (b *bench) open() {
	b.t.Helper()
	broker, report, err := queues.Open(queues.Options{Dir: "log", FS: b.fs, Clock: b.clock, Rand: b.rand})
	if err != nil {
		b.t.Fatal(err)
	}
	if len(report.Cut) > 0 {
		b.t.Fatalf("a clean log was cut: %v", report.Cut)
	}
	b.Broker = broker
}

func (b *bench) restart() {
	b.t.Helper()
	b.must(b.Close())
	b.open()
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// consume declares a consumer with the settings that change makes and attaches it.
func (b *bench) consume(
	queue string,
	script func(*queues.Batch, int) *queues.Outcome,
	change func(*queues.ConsumerConfig),
) *queuestest.Consumer {
	b.t.Helper()
	c := queues.DefaultConsumer(queue, queues.WorkerConsumer)
	if change != nil {
		change(&c)
	}
	b.must(b.Declare(b.ctx, queues.Topology{Queues: []string{queue}}))
	_, err := b.SetConsumer(b.ctx, c, true)
	b.must(err)
	consumer := queuestest.NewConsumer(script)
	_, err = b.Attach(queue, consumer)
	b.must(err)
	return consumer
}

// send sends text messages, one sendBatch.
func (b *bench) send(queue string, bodies ...string) queues.Metrics {
	b.t.Helper()
	var msgs []queues.Outgoing
	for _, body := range bodies {
		msgs = append(msgs, queues.Outgoing{Body: []byte(body), ContentType: queues.ContentText})
	}
	m, err := b.Send(b.ctx, queue, msgs, queues.SendOptions{Batch: true})
	b.must(err)
	return m
}

func (b *bench) backlog(queue string) int64 {
	b.t.Helper()
	q, err := b.Queue(b.ctx, queue)
	b.must(err)
	return q.Metrics.BacklogCount
}

func equal[T any](t testing.TB, got, want T) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("-want +got\n%s", d)
	}
}

// D-1, D-2: a batch goes out when it is full, or when its wait is over; the wait begins with its first message and
// is not extended by later ones.
func TestBatchingBySizeAndTime(t *testing.T) {
	b := newBench(t)
	c := b.consume("q", nil, func(c *queues.ConsumerConfig) { c.MaxBatchSize = 3; c.MaxBatchTimeout = time.Second })
	b.send("q", "a")
	b.clock.Advance(t.Context(), 600*time.Millisecond)
	b.send("q", "b")
	b.clock.Advance(t.Context(), 399*time.Millisecond)
	equal(t, c.Bodies(), nil)
	b.clock.Advance(t.Context(), time.Millisecond)
	equal(t, c.Bodies(), [][]string{{"a", "b"}})
	b.send("q", "c", "d", "e", "f")
	b.clock.Advance(t.Context(), 0)
	equal(t, c.Bodies(), [][]string{{"a", "b"}, {"c", "d", "e"}})
	b.clock.Advance(t.Context(), time.Second)
	equal(t, c.Bodies()[2:], [][]string{{"f"}})
	equal(t, b.backlog("q"), 0)
}

// D-6, D-7, D-9, C-5: a failing message is delivered max_retries+1 times and then moves with id, timestamp and body.
func TestRetriesEndInDeadLetterQueue(t *testing.T) {
	b := newBench(t)
	dead := b.consume("dead", nil, nil)
	fail := func(*queues.Batch, int) *queues.Outcome {
		return &queues.Outcome{Failure: &queues.Failure{Reason: "exception", Error: "Error: no"}}
	}
	c := b.consume("q", fail, func(c *queues.ConsumerConfig) {
		c.DeadLetterQueue, c.RetryDelay, c.MaxRetries = "dead", 10*time.Second, 2
	})
	b.send("q", "x")
	b.clock.Advance(t.Context(), time.Hour)
	var attempts []int
	for _, d := range c.Batches() {
		attempts = append(attempts, d.Messages[0].Attempts)
	}
	equal(t, attempts, []int{1, 2, 3})
	equal(t, len(dead.Batches()), 1)
	first, last := c.Batches()[0].Messages[0], dead.Batches()[0].Messages[0]
	first.Attempts = 1
	equal(t, last, first)
	equal(t, b.backlog("q")+b.backlog("dead"), 0)
}

// D-2: without a wait a batch goes out at once, what was sent together together. D-4: a retried message goes behind
// those that wait already.
func TestOrderOfRetries(t *testing.T) {
	b := newBench(t)
	c := b.consume("q", hold, func(c *queues.ConsumerConfig) { c.MaxBatchTimeout, c.MaxConcurrency = 0, 1 })
	b.send("q", "a", "b")
	b.clock.Advance(t.Context(), 0)
	equal(t, c.Bodies(), [][]string{{"a", "b"}})
	b.send("q", "c")
	first := c.Batches()[0]
	first.Done(queues.Outcome{Retries: []queues.Retry{{ID: first.Messages[0].ID}}})
	b.clock.Advance(t.Context(), 0)
	equal(t, c.Bodies(), [][]string{{"a", "b"}, {"c", "a"}})
}

// D-5: a retry's delay begins when the batch ends, and is followed by the ordinary wait for a batch.
func TestRetryDelayThenBatching(t *testing.T) {
	b := newBench(t)
	c := b.consume(
		"q",
		hold,
		func(c *queues.ConsumerConfig) { c.MaxBatchTimeout, c.RetryDelay = time.Second, 2*time.Second },
	)
	b.send("q", "x")
	b.clock.Advance(t.Context(), time.Second+5*time.Second) // five seconds of work
	c.Batches()[0].Done(queues.Outcome{RetryAll: true})
	b.clock.Advance(t.Context(), 2*time.Second+999*time.Millisecond)
	equal(t, len(c.Batches()), 1)
	b.clock.Advance(t.Context(), time.Millisecond)
	equal(t, c.Bodies(), [][]string{{"x"}, {"x"}})
}

// X-3, D-19, Z0-1: messages of a queue without consumer are kept, across restarts, and delivered when one is attached.
func TestRestartKeepsEverything(t *testing.T) {
	b := newBench(t)
	b.must(b.Declare(b.ctx, queues.Topology{Queues: []string{"q"}}))
	for i := range 25 {
		b.send("q", fmt.Sprint("m", i))
	}
	b.restart()
	equal(t, b.backlog("q"), 25)
	c := b.consume("q", nil, nil)
	b.clock.Advance(t.Context(), time.Minute)
	n := 0
	for _, bodies := range c.Bodies() {
		for _, body := range bodies {
			equal(t, body, fmt.Sprint("m", n))
			n++
		}
	}
	equal(t, n, 25)
	b.restart()
	equal(t, b.backlog("q"), 0)
}

// The same seed gives the same run: events in the same order, the same ids, the same state.
func TestSameSeedSameRun(t *testing.T) {
	run := func() (text string) {
		b := newBench(t)
		for _, q := range []string{"a", "b", "c"} {
			b.consume(q, func(batch *queues.Batch, n int) *queues.Outcome {
				return &queues.Outcome{RetryAll: n%2 == 0, RetryAllDelay: queues.DelaySeconds(int32(n))}
			}, func(c *queues.ConsumerConfig) { c.MaxBatchSize, c.DeadLetterQueue, c.MaxRetries = 2, "dead", 1 })
		}
		_, err := b.Observe(func(a queues.Activity) { text += fmt.Sprintln(a) })
		b.must(err)
		for range 5 {
			for _, q := range []string{"c", "a", "b"} {
				b.send(q, "1", "2", "3")
				b.clock.Advance(t.Context(), 0) // the test is no lane of the clock: it must wait its turn by hand
			}
			b.clock.Advance(t.Context(), 3*time.Second)
		}
		b.clock.Advance(t.Context(), time.Hour)
		dump, err := b.Dump()
		b.must(err)
		return text + dump
	}
	equal(t, run(), run())
}

// A body that was damaged on disk, in a part of the log that a start does not read, is never delivered: the broker
// stops with an error that names the file and the place.
func TestDamagedBody(t *testing.T) {
	b := newBench(t)
	b.must(b.Declare(b.ctx, queues.Topology{Queues: []string{"q"}}))
	b.send("q", "precious")
	b.must(b.Snapshot())
	b.must(b.Close())
	f, err := b.fs.Open("log/00000001.log")
	b.must(err)
	size, err := f.Size()
	b.must(err)
	data := make([]byte, size)
	_, err = f.ReadAt(data, 0)
	b.must(err)
	at := bytes.Index(data, []byte("precious"))
	_, err = f.WriteAt([]byte("P"), int64(at))
	b.must(err)
	b.open()
	_, err = b.Peek(b.ctx, "q", 1)
	var damage *logstore.CorruptError
	if !errors.As(err, &damage) || damage.File != "log/00000001.log" || damage.Offset != int64(at) {
		t.Fatalf("reading a damaged body: %v", err)
	}
}

// blocked is a broker on the machine's clock whose goroutine stands in a turn until release.
func blocked(t *testing.T) (b *queues.Broker, id queues.ID, release func()) {
	t.Helper()
	b, _, err := queues.Open(queues.Options{Dir: "log", FS: logstore.NewMemFS()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	info, err := b.CreateQueue(t.Context(), "q", queues.DefaultQueueSettings())
	if err != nil {
		t.Fatal(err)
	}
	stands, release := stand(t, b)
	<-stands
	return b, info.ID, release
}

// stand makes a turn stand still until release.
func stand(t *testing.T, b *queues.Broker) (stands <-chan struct{}, release func()) {
	t.Helper()
	begun, goOn := make(chan struct{}), make(chan struct{})
	if err := b.Post(func() {
		close(begun)
		<-goOn
	}); err != nil {
		t.Fatal(err)
	}
	return begun, func() { close(goOn) }
}

// A call whose caller has gone before its turn began does not happen; one that is under way is waited for, and its
// result is the caller's.
func TestCancelledCall(t *testing.T) {
	b, id, release := blocked(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if info, err := b.CreateQueue(ctx, "late", queues.DefaultQueueSettings()); !errors.Is(err, context.Canceled) ||
		info.Name != "" {
		t.Errorf("cancelled: %+v, %v", info, err)
	}
	release()
	if info, err := b.Queue(t.Context(), "late"); err == nil {
		t.Errorf("a cancelled call happened: %+v", info)
	}
	ctx, cancel = context.WithCancel(t.Context())
	got, err := b.ChangeQueue(ctx, id, func(i queues.QueueInfo) (string, queues.QueueSettings, error) {
		cancel()
		return "renamed", i.Settings, nil
	})
	if err != nil || got.Name != "renamed" {
		t.Errorf("cancelled under way: %+v, %v", got, err)
	}
}

// What is asked while the broker closes is answered: nobody waits for ever.
func TestClosingAnswers(t *testing.T) {
	b, _, release := blocked(t)
	stands, finish := stand(t, b)
	closed := make(chan error, 1)
	go func() { closed <- b.Close() }()
	for !b.Closing() {
		goruntime.Gosched()
	}
	release()
	<-stands // in the turn at whose end the broker is closed
	answers := make(chan error, 1)
	b.MetricsAsync("q", func(_ queues.Metrics, err error) { answers <- err })
	finish()
	if err := <-closed; err != nil {
		t.Error(err)
	}
	select {
	case err := <-answers:
		if !errors.Is(err, queues.ErrClosed) {
			t.Errorf("answered with %v", err)
		}
	default:
		t.Error("the broker is closed, and what was asked meanwhile has no answer")
	}
}
