package queues_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"eddy/queues"
	"eddy/queues/logstore"
	"eddy/runtime/clock"
)

// stepped is a virtual clock that the test sets to another time, as an administrator does.
type stepped struct {
	*clock.Virtual
	mu sync.Mutex
	by time.Duration // guarded by mu
}

func (s *stepped) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Virtual.Now().Add(s.by)
}

func (s *stepped) step(by time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.by += by
}

// A clock that was a year ahead stops nothing: not across a restart, not while the broker runs, and it is said with
// figures.
func TestClockSetBack(t *testing.T) {
	fs := logstore.NewMemFS()
	s := &stepped{Virtual: clock.NewVirtual(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), 1)}
	t.Cleanup(s.Pause())
	var said []string // written on the broker's goroutine, read when nothing runs
	open := func() *queues.Broker {
		b, _, err := queues.Open(
			queues.Options{Dir: "log", FS: fs, Clock: s, Warn: func(text string) { said = append(said, text) }},
		)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	send := func(b *queues.Broker, body string, delay int32) {
		t.Helper()
		_, err := b.Send(
			t.Context(),
			"q",
			[]queues.Outgoing{{Body: []byte(body), ContentType: queues.ContentText, Delay: queues.DelaySeconds(delay)}},
			queues.SendOptions{},
		)
		must(err)
	}
	got := make(chan string, 10)
	attach := func(b *queues.Broker) {
		_, err := b.Attach(
			"q",
			queues.ConsumerFunc(func(_ context.Context, batch *queues.Batch, done func(queues.Outcome)) {
				for _, m := range batch.Messages {
					got <- string(m.Body)
				}
				done(queues.Outcome{})
			}),
		)
		must(err)
	}
	const year = 365 * 24 * time.Hour
	b := open()
	c := queues.DefaultConsumer("q", queues.WorkerConsumer)
	c.MaxBatchTimeout = time.Second
	must(b.Declare(t.Context(), queues.Topology{Consumers: []queues.ConsumerConfig{c}}))
	s.step(year)
	send(b, "delayed", 60)
	send(b, "ready", 0)
	must(b.Close())

	s.step(-year)
	b = open()
	attach(b)
	s.Advance(t.Context(), time.Second)
	if m := <-got; m != "ready" {
		t.Errorf("got %s", m)
	}
	s.Advance(t.Context(), 58*time.Second)
	select {
	case m := <-got:
		t.Errorf("%s came before its time", m)
	default:
	}
	s.Advance(t.Context(), 2*time.Second)
	if m := <-got; m != "delayed" {
		t.Errorf("got %s", m)
	}
	want := "The machine's clock was ahead by 365d: from 2027-04-01T00:00:00Z it is back at 2026-04-01T00:00:00Z. " +
		"What waits keeps the time that was left to it: 1 delayed message, 2 messages from the time that is to come."
	if len(said) != 1 || said[0] != want {
		t.Errorf("said %s\nwant %s", strings.Join(said, "\n"), want)
	}

	// While the broker runs: whatever happens next sees it.
	s.step(year)
	send(b, "later", 10)
	s.step(-year)
	send(b, "soon", 0)
	s.Advance(t.Context(), time.Second)
	if m := <-got; m != "soon" {
		t.Errorf("got %s", m)
	}
	s.Advance(t.Context(), 10*time.Second)
	if m := <-got; m != "later" {
		t.Errorf("got %s", m)
	}
	if len(said) != 2 {
		t.Errorf("said %s", strings.Join(said, "\n"))
	}
	// A small step, as time servers make, is waited out in silence.
	s.step(-900 * time.Millisecond)
	send(b, "small", 0)
	s.Advance(t.Context(), 2*time.Second)
	if m := <-got; m != "small" || len(said) != 2 {
		t.Errorf("got %s, said %d", m, len(said))
	}
	must(b.Close())
}
