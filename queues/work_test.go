package queues

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"eddy/queues/logstore"
)

// openIn opens the log of a file system once more.
func openIn(t *testing.T, fs logstore.FS) *Broker {
	t.Helper()
	b, _, err := Open(Options{Dir: "log", FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What a work queue does survives a restart of the broker, and a queue of a Worker is refused.
func TestWork(t *testing.T) {
	fs := logstore.NewMemFS()
	open := func() *Broker { return openIn(t, fs) }
	step := func(b *Broker, w Work) Worked {
		t.Helper()
		w.Queue, w.Visibility = "jobs", time.Hour
		out, err := b.Work(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	b := open()
	step(b, Work{Send: []WorkSend{{Body: []byte("low"), Priority: -1}, {Body: []byte("a")}, {Body: []byte("b")},
		{Body: []byte("high"), Priority: 1}}})
	first := step(b, Work{Want: 2}).Jobs
	if len(first) != 2 || string(first[0].Body) != "high" || string(first[1].Body) != "a" {
		t.Fatalf("claimed %v", first)
	}
	step(b, Work{Settle: []WorkResult{
		{Queue: first[0].Queue, LeaseID: first[0].LeaseID},
		{Queue: first[1].Queue, LeaseID: first[1].LeaseID, DeadTo: "graves", Reason: "broken"},
	}})
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	b = open()
	defer b.Close()
	dead, err := b.DeadLetters(t.Context(), "graves", DeadLetterFilter{})
	if err != nil || len(dead) != 1 || dead[0].ID != first[1].ID || dead[0].DeadLetter.Source != "jobs" ||
		dead[0].DeadLetter.Error != "broken" {
		t.Errorf("dead letters: %+v, %v", dead, err)
	}
	rest := step(b, Work{Want: 10})
	if len(rest.Jobs) != 2 || string(rest.Jobs[0].Body) != "b" || string(rest.Jobs[1].Body) != "low" || rest.Next <= 0 {
		t.Errorf("after a restart: %+v", rest)
	}
	// The lease of the first claim is over: nothing happens to who has the message now.
	step(b, Work{Settle: []WorkResult{{Queue: "jobs", LeaseID: first[1].LeaseID}, {Queue: "gone", LeaseID: "x"},
		{Queue: "jobs", LeaseID: "x"}}})

	if err := b.Declare(t.Context(), Topology{Consumers: []ConsumerConfig{DefaultConsumer("mail",
		WorkerConsumer)}}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Work(t.Context(), Work{Queue: "mail", Want: 1}); !errors.Is(err, ErrWorkerConsumes) {
		t.Errorf("claiming from a Worker's queue: %v", err)
	}
	if _, err := b.Work(t.Context(), Work{Queue: "mail", Send: []WorkSend{{Body: []byte("1"),
		ContentType: ContentJSON}}}); err != nil {
		t.Errorf("sending to a Worker's queue: %v", err)
	}
	for _, w := range []Work{
		{Queue: "no space"}, {Queue: ""}, {Queue: "q", Send: []WorkSend{{Body: make([]byte, MaxWorkBytes+1)}}},
		{Queue: "mail", Send: []WorkSend{{Body: []byte("1")}, {Body: make([]byte, MaxMessageBytes+1)}}},
		{Queue: "mail", Send: []WorkSend{{Body: []byte("1")}, {Delay: 5 * 24 * time.Hour}}},
	} {
		if _, err := b.Work(context.Background(), w); err == nil {
			t.Errorf("%.40v: no error", w)
		}
	}
}

// The queues that a work queue makes keep messages without expiry, also after a restart, and so does the one that the
// broker moves messages to whose workers die again and again. A queue that exists keeps its own retention.
func TestWorkKeepsForever(t *testing.T) {
	fs := logstore.NewMemFS()
	open := func() *Broker { return openIn(t, fs) }
	b := open()
	if _, err := b.CreateQueue(t.Context(), "shared", DefaultQueueSettings()); err != nil {
		t.Fatal(err)
	}
	for _, w := range []Work{
		{Queue: "jobs", Want: 1, Visibility: time.Hour, Send: []WorkSend{{Body: []byte("low"), Priority: -1}}},
		{Queue: "shared", Send: []WorkSend{{Body: []byte("a")}}},
	} {
		if _, err := b.Work(t.Context(), w); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	b = open()
	defer b.Close()
	for name, want := range map[string]time.Duration{
		"jobs": KeepForever, "jobs.p-1": KeepForever, "jobs.dead": KeepForever,
		"shared": DefaultQueueSettings().Retention,
	} {
		q, err := b.Queue(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if q.Settings.Retention != want {
			t.Errorf("%s: retention %s, want %s", name, q.Settings.Retention, want)
		}
		// Other settings of such a queue can be changed.
		q.Settings.DeliveryDelay = time.Second
		if _, err := b.UpdateQueue(t.Context(), name, name, q.Settings); err != nil {
			t.Error(err)
		}
	}
	beyond := DefaultQueueSettings()
	beyond.Retention = KeepForever - time.Millisecond
	if _, err := b.CreateQueue(t.Context(), "beyond", beyond); err == nil {
		t.Error("a retention of 292 years was not refused")
	}
}

// A step whose caller does not wait for it goes on without touching what the caller got. The race detector sees it.
func TestWorkCancelled(t *testing.T) {
	b, _, err := Open(Options{Dir: "log", FS: logstore.NewMemFS()})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for range 200 {
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		out, err := b.Work(ctx, Work{Queue: "jobs", Send: []WorkSend{{Body: []byte("a")}}, Want: 1,
			Visibility: time.Hour})
		if err != nil && (len(out.Jobs) > 0 || !errors.Is(err, context.Canceled)) {
			t.Fatalf("%+v, %v", out, err)
		}
	}
}

// A work queue takes larger and later messages than a Worker sends; one answer has about MaxWorkBytes, and nothing
// overtakes what did not fit.
func TestWorkLimits(t *testing.T) {
	b, _, err := Open(Options{Dir: "log", FS: logstore.NewMemFS()})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	step := func(w Work) (names []string, out Worked) {
		t.Helper()
		w.Queue, w.Visibility = "jobs", time.Hour
		out, err := b.Work(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range out.Jobs {
			names = append(names, string(j.Body[:1]))
		}
		return names, out
	}
	step(Work{Send: []WorkSend{
		{Body: []byte("s"), Delay: 1000 * time.Hour}, {Body: append([]byte("a"), make([]byte, MaxWorkBytes-1)...)},
		{Body: []byte("b")}, {Body: append([]byte("h"), make([]byte, MaxWorkBytes-2)...), Priority: 1},
	}})
	for _, want := range []string{"[h]", "[a]", "[b]", "[]"} {
		got, out := step(Work{Want: 10})
		if fmt.Sprint(got) != want || (out.Next == 0) != (want == "[h]" || want == "[a]") {
			t.Errorf("got %v, next in %s, want %s", got, out.Next, want)
		}
	}
	if _, out := step(Work{Want: 1}); out.Next > time.Hour || out.Retention != 0 {
		t.Errorf("%+v", out)
	}
	// More jobs than one lease has.
	step(Work{Send: slices.Repeat([]WorkSend{{Body: []byte("m")}}, 150)})
	for _, want := range []int{100, 50} {
		got, out := step(Work{Want: 150 - (100 - want)})
		if len(got) != want || (out.Next == 0) != (want == 100) {
			t.Errorf("%d jobs, next in %s, want %d", len(got), out.Next, want)
		}
	}
}

// What Go enqueues for a Worker comes to it whatever its priority, and an answer tells how long the queue keeps it.
func TestWorkForWorker(t *testing.T) {
	b, _, err := Open(Options{Dir: "log", FS: logstore.NewMemFS()})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	err = b.Declare(t.Context(), Topology{Consumers: []ConsumerConfig{DefaultConsumer("mail", WorkerConsumer)}})
	if err != nil {
		t.Fatal(err)
	}
	out, err := b.Work(t.Context(), Work{Queue: "mail", Send: []WorkSend{{Body: []byte("1"), Priority: 1},
		{Body: []byte("2"), Priority: -1}}})
	if err != nil || out.Retention != DefaultQueueSettings().Retention {
		t.Errorf("%+v, %v", out, err)
	}
	all, err := b.Queues(t.Context())
	if err != nil || len(all) != 1 || all[0].Ready != 2 {
		t.Errorf("queues: %+v, %v", all, err)
	}
}

// The trace context of a sender stays with its message: over a restart, in a snapshot, and in the dead letter queue.
func TestWorkTrace(t *testing.T) {
	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	fs := logstore.NewMemFS()
	open := func() *Broker { return openIn(t, fs) }
	claim := func(b *Broker, queue string) []WorkJob {
		t.Helper()
		out, err := b.Work(t.Context(), Work{Queue: queue, Want: 10, Visibility: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		return out.Jobs
	}
	b := open()
	_, err := b.Work(t.Context(), Work{Queue: "jobs", Send: []WorkSend{{Body: []byte("a")}, {Trace: trace}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	b = open()
	got := claim(b, "jobs")
	if len(got) != 2 || got[0].Trace != "" || got[1].Trace != trace {
		t.Fatalf("after a restart: %+v", got)
	}
	loaded := newState()
	if err := b.state.save(loaded.load); err != nil {
		t.Fatal(err)
	}
	if text := loaded.dump(false); !strings.Contains(text, "trace "+trace) {
		t.Errorf("a snapshot has no trace:\n%s", text)
	}
	_, err = b.Work(t.Context(), Work{Queue: "jobs", Settle: []WorkResult{{Queue: "jobs", LeaseID: got[1].LeaseID,
		DeadTo: "graves"}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := claim(b, "graves"); len(got) != 1 || got[0].Trace != trace {
		t.Errorf("in the dead letter queue: %+v", got)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
}
