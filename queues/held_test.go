package queues_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"eddy/queues"
	"eddy/queues/logstore"
	"eddy/queues/queuestest"
	"eddy/runtime/clock"
)

// heldBench is a broker whose disk damages what it is told to, or answers reads with an error.
type heldBench struct {
	*bench
	mem  *logstore.MemFS
	said []string // on the broker's goroutine
	fail atomic.Bool
}

func newHeldBench(t *testing.T) *heldBench {
	h := &heldBench{bench: &bench{t: t, ctx: t.Context()}, mem: logstore.NewMemFS()}
	h.fs = failingReads{h.mem, &h.fail}
	h.clock = clock.NewVirtual(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), 1)
	h.clock.Pause()
	h.open()
	t.Cleanup(func() { h.Close() })
	return h
}

func (h *heldBench) open() {
	h.t.Helper()
	b, _, err := queues.Open(queues.Options{
		Dir: "log", FS: h.fs, Clock: h.clock, SegmentBytes: 1000,
		Warn: func(text string) { h.said = append(h.said, text) },
	})
	h.must(err)
	h.Broker = b
}

// failingReads answers every read with EIO while fail is set.
type failingReads struct {
	*logstore.MemFS
	fail *atomic.Bool
}

type failingFile struct {
	logstore.File
	fail *atomic.Bool
}

func (f failingReads) Open(name string) (logstore.File, error) {
	file, err := f.MemFS.Open(name)
	return failingFile{file, f.fail}, err
}

func (f failingReads) Create(name string) (logstore.File, error) {
	file, err := f.MemFS.Create(name)
	return failingFile{file, f.fail}, err
}

func (f failingReads) InPlace(name string, file logstore.File) bool {
	return f.MemFS.InPlace(name, file.(failingFile).File)
}

func (f failingFile) ReadAt(p []byte, off int64) (int, error) {
	if f.fail.Load() {
		return 0, syscall.EIO
	}
	return f.File.ReadAt(p, off)
}

// held is a queue's figures: waiting in all, ready, in flight, held.
func (h *heldBench) held(queue string) [4]int {
	h.t.Helper()
	q, err := h.Queue(h.ctx, queue)
	h.must(err)
	return [4]int{int(q.Metrics.BacklogCount), q.Ready, q.InFlight, q.Held}
}

// What was said, and then forgotten, has these parts.
func (h *heldBench) says(parts ...string) {
	h.t.Helper()
	h.must(h.Post(func() {}))
	if len(h.said) != 1 {
		h.t.Fatalf("said %q", h.said)
	}
	for _, part := range parts {
		if !strings.Contains(h.said[0], part) {
			h.t.Errorf("said %q, without %q", h.said[0], part)
		}
	}
	h.said = nil
}

// One body that does not read holds its message and nothing else: the rest of its batch is delivered, its queue and the
// others go on, sends are taken. The message is told with what to do, counts no attempt, outlives its retention, and is
// there, and told, in the next session.
func TestDamagedBodyIsHeld(t *testing.T) {
	h := newHeldBench(t)
	h.must(h.Declare(h.ctx, queues.Topology{Queues: []string{"q", "other"}}))
	h.send("q", "first", "damaged", "last")
	h.send("other", "fine")
	flip(t, h.mem, "log/00000001.log", "damaged")
	c := h.consume("q", nil, nil)
	other := h.consume("other", nil, nil)
	h.clock.Advance(h.ctx, time.Minute)
	equal(t, c.Bodies(), [][]string{{"first", "last"}})
	equal(t, other.Bodies(), [][]string{{"fine"}})
	equal(t, h.held("q"), [4]int{1, 0, 0, 1})
	h.says(`Queue "q": a message is held`, "log/00000001.log", "eddy state check", "eddy state repair")

	h.send("q", "later")
	h.send("other", "too")
	h.clock.Advance(h.ctx, 30*24*time.Hour)
	equal(t, c.Bodies(), [][]string{{"first", "last"}, {"later"}})
	equal(t, other.Bodies(), [][]string{{"fine"}, {"too"}})
	equal(t, h.held("q"), [4]int{1, 0, 0, 1})
	if len(h.said) > 0 {
		t.Errorf("told again: %q", h.said)
	}

	h.must(h.Snapshot())
	h.must(h.Close())
	h.said = nil
	h.clock = clock.NewVirtual(h.clock.Now().Add(-29*24*time.Hour), 1)
	h.clock.Pause()
	h.open()
	again := h.consume("q", nil, nil)
	h.clock.Advance(h.ctx, time.Minute)
	equal(t, len(again.Bodies()), 0)
	equal(t, h.held("q"), [4]int{1, 0, 0, 1})
	h.said = h.said[1:] // the first is of the clock
	h.says("a message is held")
}

// A batch of which nothing reads is not delivered, and the next one is.
func TestBatchWithoutSoundBodies(t *testing.T) {
	h := newHeldBench(t)
	h.must(h.Declare(h.ctx, queues.Topology{Queues: []string{"q"}}))
	h.send("q", "aaaa", "bbbb", "cccc")
	flip(t, h.mem, "log/00000001.log", "aaaa")
	flip(t, h.mem, "log/00000001.log", "bbbb")
	c := h.consume("q", nil, func(c *queues.ConsumerConfig) { c.MaxBatchSize = 2 })
	h.clock.Advance(h.ctx, time.Minute)
	equal(t, c.Bodies(), [][]string{{"cccc"}})
	equal(t, h.held("q"), [4]int{2, 0, 0, 2})
	h.says("2 messages are held", "log/00000001.log")
	// What nobody has, an operator may remove; a purge removes it, too.
	q, err := h.Purge(h.ctx, "q")
	h.must(err)
	equal(t, q, 2)
	equal(t, h.held("q"), [4]int{})
}

// A body that cannot be read now is tried again, and says when.
func TestUnreadableBodyIsTriedAgain(t *testing.T) {
	h := newHeldBench(t)
	h.must(h.Declare(h.ctx, queues.Topology{Queues: []string{"q"}}))
	h.send("q", "one", "two")
	_, err := h.LaneSend(h.ctx, "jobs", "k", queues.Outgoing{Body: []byte("job"), ContentType: queues.ContentText})
	h.must(err)
	h.fail.Store(true)
	c := h.consume("q", nil, func(c *queues.ConsumerConfig) { c.MaxRetries = 0 })
	lanes := queuestest.NewLanes(nil, nil)
	_, err = h.AttachLanes("jobs", queues.DefaultLanes(), lanes)
	h.must(err)
	h.clock.Advance(h.ctx, 30*time.Second)
	equal(t, len(c.Bodies()), 0)
	equal(t, len(lanes.Batches()), 0)
	equal(t, h.held("q"), [4]int{2, 0, 0, 2})
	slices.Sort(h.said)
	if len(h.said) != 2 || !strings.Contains(h.said[0], `Lane "k" of "jobs"`) ||
		!strings.Contains(h.said[1], "input/output error") || !strings.Contains(h.said[1], "tried again in 1m0s") {
		t.Errorf("said %q", h.said)
	}
	h.fail.Store(false)
	h.clock.Advance(h.ctx, time.Minute)
	equal(t, c.Bodies(), [][]string{{"one", "two"}})
	equal(t, c.Batches()[0].Messages[0].Attempts, 1)
	equal(t, len(lanes.Batches()), 1)
	equal(t, h.held("q"), [4]int{})
}

// A held message can be removed by its ref, and a peek and a pull are refused while it is there.
func TestHeldMessageIsRemoved(t *testing.T) {
	h := newHeldBench(t)
	h.must(h.Declare(h.ctx, queues.Topology{Queues: []string{"q"}}))
	h.send("q", "damaged")
	peeked, err := h.Peek(h.ctx, "q", 1)
	h.must(err)
	flip(t, h.mem, "log/00000001.log", "damaged")
	h.consume("q", nil, nil)
	h.clock.Advance(h.ctx, time.Minute)
	var damage *logstore.CorruptError
	if _, err := h.Peek(h.ctx, "q", 1); !errors.As(err, &damage) {
		t.Errorf("peek: %v", err)
	}
	n, _, err := h.Remove(h.ctx, "q", []string{peeked[0].Ref})
	h.must(err)
	equal(t, n, 1)
	equal(t, h.held("q"), [4]int{})
}

// A lane whose oldest message does not read waits behind it, because its order is strict; what stands before it is
// delivered, and other lanes go on. It goes on when an operator removes the message.
func TestDamagedBodyHoldsItsLane(t *testing.T) {
	h := newHeldBench(t)
	lanes := queuestest.NewLanes(nil, nil)
	var ids []queues.ID
	for _, body := range []string{"first", "damaged", "behind"} {
		id, err := h.LaneSend(h.ctx, "jobs", "k", queues.Outgoing{Body: []byte(body), ContentType: queues.ContentText})
		h.must(err)
		ids = append(ids, id)
	}
	_, err := h.LaneSend(h.ctx, "jobs", "other", queues.Outgoing{Body: []byte("fine"), ContentType: queues.ContentText})
	h.must(err)
	flip(t, h.mem, "log/00000001.log", "damaged")
	_, err = h.AttachLanes("jobs", queues.DefaultLanes(), lanes)
	h.must(err)
	bodies := func() (all []string) {
		h.clock.Advance(h.ctx, time.Minute)
		for _, b := range lanes.Batches() {
			for _, m := range b.Messages {
				all = append(all, string(m.Body))
			}
		}
		slices.Sort(all)
		return all
	}
	equal(t, bodies(), []string{"fine", "first"})
	h.says(`Lane "k" of "jobs"`, "log/00000001.log", "eddy state check")
	all, err := h.Lanes(h.ctx, "jobs", "", 10, false)
	h.must(err)
	if len(all) != 1 || all[0].State != "held" || all[0].HeadID != ids[1] {
		t.Errorf("lanes: %+v", all)
	}
	h.must(h.LaneRemove(h.ctx, "jobs", "k", ids[1], "it does not read"))
	equal(t, bodies(), []string{"behind", "fine", "first"})
}

// A segment with a body that does not read is not emptied, and stays; the others are, and nothing is refused.
func TestCompactionPassesDamage(t *testing.T) {
	h := newHeldBench(t)
	h.must(h.Declare(h.ctx, queues.Topology{Queues: []string{"q", "kept"}}))
	h.send("kept", "damaged")
	for range 3 {
		h.send("q", strings.Repeat("x", 900))
		h.send("kept", "sound")
	}
	h.must(h.Snapshot())
	_, err := h.Purge(h.ctx, "q")
	h.must(err)
	flip(t, h.mem, "log/00000001.log", "damaged")
	for range 3 { // what has been written makes the broker look at the segments
		h.send("q", slices.Repeat([]string{strings.Repeat("y", 100_000)}, 2)...)
		for range 5 {
			h.send("q", strings.Repeat("z", 120_000), strings.Repeat("z", 120_000))
		}
		_, err := h.Purge(h.ctx, "q")
		h.must(err)
		h.must(h.Snapshot())
		h.clock.Advance(context.Background(), time.Second)
	}
	h.says("00000001.log", "damaged", "eddy state check")
	names, err := h.mem.List("log")
	h.must(err)
	if !slices.Contains(names, "00000001.log") || slices.Contains(names, "00000002.log") {
		t.Errorf("segments: %v", names)
	}
	if _, err := h.Queues(h.ctx); err != nil {
		t.Error(err)
	}
}
