package work

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	queue "eddy/queues/workqueue"
)

var rewrite = flag.Bool("rewrite", false, "write what the text tests give into their files")

// TestMachine runs the files of testdata/machine: each line that begins with > tells the machine something; below it
// stands what it wants to do next, and its state.
func TestMachine(t *testing.T) {
	files, err := filepath.Glob("testdata/machine/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			b := &machineBench{t: t, now: time.Unix(0, 0)}
			var out strings.Builder
			for line := range strings.Lines(string(text)) {
				line = strings.TrimRight(line, "\n")
				switch {
				case line == "" || strings.HasPrefix(line, "#"):
					fmt.Fprintln(&out, line)
				case strings.HasPrefix(line, ">"):
					fmt.Fprintf(&out, "%s\n    %s\n", line, b.run(strings.Fields(line[1:])))
				}
			}
			if *rewrite {
				if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if out.String() != string(text) {
				t.Errorf("want:\n%s\ngot:\n%s", text, out.String())
			}
		})
	}
}

type machineBench struct {
	t      *testing.T
	m      *machine
	now    time.Time
	began  time.Time
	tokens int
}

func (b *machineBench) run(args []string) string {
	b.t.Helper()
	num := func(i int) int {
		if i >= len(args) {
			return 0
		}
		n, err := strconv.Atoi(args[i])
		if err != nil {
			b.t.Fatal(err)
		}
		return n
	}
	span := func(i int) time.Duration {
		if i >= len(args) {
			return -1
		}
		d, err := time.ParseDuration(args[i])
		if err != nil {
			b.t.Fatal(err)
		}
		return d
	}
	flying := strings.HasSuffix(args[0], "stored") && b.m.acking != nil
	flying = flying || slices.Contains([]string{"answer", "fail"}, args[0]) && b.m.flight != nil
	if !flying && slices.Contains([]string{"answer", "fail", "stored", "unstored"}, args[0]) {
		b.t.Fatalf("%v: there is nothing in flight: %s", args, b.state())
	}
	switch args[0] {
	case "new": // concurrency [poll]
		b.m = newMachine(num(1), max(span(2), 0), false)
	case "apart": // concurrency
		b.m = newMachine(num(1), 0, true)
	case "wake":
		b.m.wake()
	case "pass": // duration
		b.now = b.now.Add(span(1))
		b.m.tick(b.now)
	case "end": // id...
		for _, id := range args[1:] {
			b.m.finished(Settlement{ID: id, Verdict: Acked})
		}
	case "late": // id
		b.m.finished(Settlement{ID: args[1], Verdict: Acked, until: b.now})
	case "until": // id and for how long its job is certainly its worker's
		b.m.finished(Settlement{ID: args[1], Verdict: Acked, until: b.now.Add(span(2))})
	case "retry": // id
		b.m.finished(Settlement{ID: args[1], Verdict: Retry})
	case "answer": // deliveries [next]
		b.m.answered(b.m.flight, Claimed{Deliveries: make([]Delivery, num(1)), Next: span(2)}, b.began)
	case "fail":
		b.m.failed(b.m.flight, b.now)
	case "stored":
		b.m.answered(b.m.acking, Claimed{}, b.began)
	case "unstored":
		b.m.failed(b.m.acking, b.now)
	case "close":
		b.m.close()
	case "abandon":
		return fmt.Sprintf("%d abandoned; %s", b.m.abandon(), b.state())
	default:
		b.t.Fatalf("unknown command %q", args[0])
	}
	b.m.tick(b.now)
	var out []string
	newToken := func() string { b.tokens++; return fmt.Sprint("#", b.tokens) }
	for x := b.m.next(newToken); x != nil; x = b.m.next(newToken) {
		b.began = b.now
		var ids []string
		for _, s := range x.Settle {
			ids = append(ids, s.ID)
		}
		out = append(out, fmt.Sprintf("exchange settle=%v lost=%v want=%d %s; ", ids, x.Lost, x.Want, x.Token))
	}
	passed := ""
	if b.m.passOn() {
		passed = " wakes another"
	}
	return strings.Join(out, "") + b.state() + passed
}

func (b *machineBench) state() string {
	m := b.m
	s := fmt.Sprintf("running=%d pending=%d", m.running, len(m.pending))
	if m.flight != nil {
		s += " in-flight"
	}
	if m.acking != nil {
		s += " acking"
	}
	if m.waits() {
		s += " waits"
	}
	if m.hungry {
		s += " hungry"
	}
	if at := m.alarm(); !at.IsZero() {
		s += fmt.Sprintf(" alarm=+%s", at.Sub(b.now))
	}
	if m.done() {
		s += " done"
	}
	return s
}

func TestSettle(t *testing.T) {
	cfg := &queue.SubscribeConfig{
		MaxRetries: 2, DeadLetterTopic: "dead",
		Backoff: func(n int) time.Duration { return time.Duration(n) * time.Second },
	}
	failed := errors.New("failed")
	for _, c := range []struct {
		attempt, retries int
		err              error
		want             string
	}{
		{1, 2, nil, "acked 0s  "},
		{1, 2, failed, "retried 1s  failed"},
		{2, 2, failed, "retried 2s  failed"},
		{3, 2, failed, "dead-lettered 0s dead failed"},
		{9, 2, failed, "dead-lettered 0s dead failed"}, // attempts whose worker died count, but only a failure ends it
		{9, 2, nil, "acked 0s  "},
		{9, -1, failed, "retried 9s  failed"},
		{1, -1, queue.ErrSkipRetry, "dead-lettered 0s dead queue: skip retry"},
		{1, 2, queue.SkipRetry(failed), "dead-lettered 0s dead queue: skip retry: failed"},
		{1, 2, errors.New("bad \xff\x00 text"), "retried 1s  bad \ufffd\ufffd text"},
	} {
		cfg.MaxRetries = c.retries
		s := Settle(&Delivery{Job: queue.Job{ID: "id", Attempt: c.attempt}, Token: "token"}, c.err, cfg)
		got := fmt.Sprintf("%s %s %s %s", s.Verdict, s.Delay, s.DeadTopic, s.Reason)
		if got != c.want || s.ID != "id" || s.Token != "token" {
			t.Errorf("attempt %d of %d retries, %v: got %q, want %q", c.attempt, c.retries, c.err, got, c.want)
		}
	}
}
