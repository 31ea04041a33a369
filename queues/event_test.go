package queues

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"eddy/queues/logstore"
)

// fill sets every exported field of an event to something, so that a field that is not coded shows.
func fill(v reflect.Value, n *int) {
	*n++
	switch x := v.Addr().Interface().(type) {
	case *time.Time:
		*x = time.UnixMilli(int64(*n) * 1000).UTC()
		return
	case *time.Duration:
		*x = time.Duration(*n) * time.Second
		return
	case *ID:
		*x = ID{byte(*n), 1, 2, 3}
		return
	case *[]byte:
		*x = fmt.Appendf(nil, "body %d", *n)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			// The queue's name in a consumer's settings is not stored: the event names the queue.
			if f := v.Type().Field(i); f.IsExported() &&
				!(v.Type() == reflect.TypeFor[ConsumerConfig]() && f.Name == "Queue") {
				fill(v.Field(i), n)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8:
		v.SetUint(2)
	case reflect.Uint64:
		v.SetUint(uint64(*n) * 1000)
	case reflect.Int:
		v.SetInt(int64(*n))
	case reflect.Int64:
		v.SetInt(int64(*n) * -100)
	default:
		panic(v.Type())
	}
}

func decodeOne(group []byte) (out []LogEvent, err error) {
	err = decodeGroup(group, func(int64) {}, func(e LogEvent) error { out = append(out, e); return nil })
	return out, err
}

// Every kind of event is coded whole: what is read is what was written, and it says where bodies are.
func TestEventsRoundTrip(t *testing.T) {
	for kind, make := range eventKinds {
		e := make()
		if e.kind() != kind {
			t.Errorf("%T says it is kind %d, the table says %d", e, e.kind(), kind)
		}
		n := 0
		fill(reflect.ValueOf(e).Elem(), &n)
		c := &coder{}
		c.beginGroup(42)
		c.event(e)
		got, err := decodeOne(c.b)
		if err != nil {
			t.Fatalf("%T: %v", e, err)
		}
		unexported := cmp.FilterPath(func(p cmp.Path) bool {
			f, ok := p.Last().(cmp.StructField)
			return ok && f.Name() == "off"
		}, cmp.Ignore())
		if d := cmp.Diff([]LogEvent{e}, got, unexported); d != "" {
			t.Errorf("%T: %s", e, d)
		}
		if s, ok := got[0].(*Sent); ok {
			it := s.Items[1]
			if !bytes.Equal(c.b[it.off:int(it.off)+len(it.Body)], it.Body) {
				t.Errorf("the body is not at %d", it.off)
			}
		}
	}
}

// What a newer release wrote is refused, not skipped.
func TestUnknownEvent(t *testing.T) {
	c := &coder{}
	c.beginGroup(0)
	c.event(&Acked{Queue: 1})
	c.b[groupHeader] = 200
	if _, err := decodeOne(c.b); !errors.Is(err, errFormat) || !strings.Contains(err.Error(), "kind 200") {
		t.Fatal(err)
	}
	c.b[0] = 9
	if _, err := decodeOne(c.b); !errors.Is(err, errFormat) || !strings.Contains(err.Error(), "version 9") {
		t.Fatal(err)
	}
}

// A duration that this machine cannot hold is refused: as one that it can hold, a snapshot would change it.
func TestDurationOutOfRange(t *testing.T) {
	for n, ok := range map[int64]bool{
		math.MaxInt64 / 1_000_000: true, math.MaxInt64/1_000_000 + 1: false, math.MinInt64 / 1_000_000: true,
		math.MinInt64: false,
	} {
		c := &coder{}
		c.int(&n)
		c.reading, c.end = true, len(c.b)
		var d time.Duration
		if c.duration(&d); (c.err == nil) != ok || ok && d.Milliseconds() != n {
			t.Errorf("%d ms: %v, %v", n, d, c.err)
		}
	}
}

// FuzzGroup: any bytes are decoded or refused; what decodes is applied or refused, and never panics.
func FuzzGroup(f *testing.F) {
	for _, make := range eventKinds {
		e := make()
		n := 0
		fill(reflect.ValueOf(e).Elem(), &n)
		c := &coder{}
		c.beginGroup(1)
		c.event(&QueueCreated{Serial: 1000, Name: "q", Settings: DefaultQueueSettings()})
		c.event(&Sent{Queue: 1000, Items: []SentItem{{Body: []byte("x")}, {Delay: 50}}})
		c.event(e)
		f.Add(c.b)
	}
	f.Fuzz(func(t *testing.T, group []byte) {
		s := newState()
		if s.replay(logstore.Ref{Segment: 1, Offset: 100}, group) != nil {
			return
		}
		before := s.dump(false)
		loaded := newState()
		if err := s.save(loaded.load); err != nil {
			t.Fatalf("a snapshot of what was replayed does not load: %v", err)
		}
		loaded.now = s.now
		if after := loaded.dump(false); before != after {
			t.Fatalf("a snapshot changed the state from\n%s\nto\n%s", before, after)
		}
	})
}

// FuzzSnapshot: any piece is loaded or refused.
func FuzzSnapshot(f *testing.F) {
	c := newCoreBench(nil)
	for _, line := range []string{"create q", "consumer q type=pull", "send q a b@5 c d", "pull q x n=2",
		"lane jobs k body"} {
		c.run(line)
	}
	var whole []byte
	if err := c.state.save(func(piece []byte) error {
		whole = append(append(whole, byte(len(piece))), piece...)
		return nil
	}); err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Fuzz(func(t *testing.T, data []byte) {
		s := newState()
		for len(data) > 1 {
			n := min(int(data[0]), len(data)-1)
			if s.load(data[1:1+n]) != nil {
				return
			}
			data = data[1+n:]
		}
	})
}

// The index entry of a waiting message must stay small: a million of them are kept in memory.
func TestEntrySize(t *testing.T) {
	if size := unsafe.Sizeof(message{}); size > 112 {
		t.Fatalf("an index entry takes %d bytes; the allocator's class is 112", size)
	}
}

// Logs of every released format replay for ever. When the format grows, give newestLog a new name and run
// go test ./queues -run TestFrozenLogs -rewrite; a log that exists is never written again.
func TestFrozenLogs(t *testing.T) {
	const root, newestLog = "../testdata/logs", "v4"
	if _, err := os.Stat(filepath.Join(root, newestLog)); *rewrite && errors.Is(err, os.ErrNotExist) {
		writeFrozenLog(t, filepath.Join(root, newestLog))
	}
	logs, err := filepath.Glob(filepath.Join(root, "*", "state.txt"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("no frozen logs: %v", err)
	}
	for _, want := range logs {
		text, err := os.ReadFile(want)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir() // the frozen one must not be touched
		if err := os.CopyFS(dir, os.DirFS(filepath.Dir(want))); err != nil {
			t.Fatal(err)
		}
		s := newState()
		log, err := logstore.Open(logstore.Options{Dir: dir, LoadSnapshot: s.load, Replay: s.replay})
		if err != nil {
			t.Fatal(err)
		}
		if cut := log.Report().Cut; len(cut) > 0 {
			t.Errorf("%s: cut %v", want, cut)
		}
		equalText(t, s.dump(false), string(text))
		b := &Broker{log: log}
		for _, q := range s.sorted() {
			for m := q.arrival.head; m != nil; m = m.link[byArrival].next {
				if _, err := b.readMessages([]*message{m}); err != nil {
					t.Errorf("%s: %v", want, err)
				}
			}
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// writeFrozenLog writes a log with a snapshot and, after it, every kind of event.
func writeFrozenLog(t *testing.T, dir string) {
	t.Helper()
	log, err := logstore.Open(logstore.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	c := newCoreBench(t)
	write := func(lines ...string) {
		for _, line := range lines {
			c.run(line)
			at, err := log.Append(c.groups[len(c.groups)-1], true)
			if err != nil {
				t.Fatal(err)
			}
			lists := []list{}
			for _, q := range c.state.sorted() {
				lists = append(lists, q.arrival)
			}
			for _, l := range c.state.sortedLanes() {
				lists = append(lists, l.msgs)
			}
			for _, list := range lists {
				for m := list.head; m != nil; m = m.link[byArrival].next {
					// The bench counts places by group; the log knows them.
					if m.ref.Segment == 1 && m.ref.Offset >= uint32(len(c.groups)-1)<<16 {
						m.ref = logstore.Ref{Segment: at.Segment, Offset: at.Offset + m.ref.Offset&0xffff}
					}
				}
			}
		}
	}
	life := []string{
		"create q delay=1s", "create old", "consumer q type=pull retries=1 dlq=q-dead", "send q a b@5 c d e", "wait 1s",
		"pull q x n=2 for=10s", "ack q x1 retry=x2", "wait 1s", "pull q y n=2 for=100s", "ack q y1 retry=y2@3",
		"send old x", "update old name=older paused=true", "lane jobs k1 first", "lane jobs k1 second",
		"lane jobs k2 third",
		"lane-settle jobs k1 all=retry@0 handler=true", "lane-settle jobs k2",
	}
	write(life...)
	if err := log.Snapshot(c.state.save); err != nil {
		t.Fatal(err)
	}
	write(
		"consumer q type=pull retries=0 dlq=q-dead replace=true",
		"send q f g h",
		"wait 4s",
		"pull q z n=3 for=5s",
		"wait 5s",
		"pull q u n=1 for=500s",
		"push q p n=1",
		"settle q p throw=boom",
		"lane-settle jobs k1 all=retry@0 handler=true",
		"lane-settle jobs k1 all=retry@0 handler=true",
		"lane-settle jobs k1 throw=late handler=true",
		"lane-settle jobs k1 error=down handler=true",
		"create gone",
		"send gone x",
		"purge gone",
		"delete gone",
		"declare d dlq=q-dead",
		"declare",
		"send q late@50 now",
		"hasten q",
		"lane-hasten jobs k1",
		"send q later@70",
		"send older t1 t2 trace=00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
		"back 1h",
	)
	// What no command of the text tests makes.
	extra := &coder{}
	extra.beginGroup(c.now)
	dead := c.state.byName["q-dead"]
	if dead.arrival.n < 3 {
		t.Fatalf("the life must leave three dead letters, not %d", dead.arrival.n)
	}
	first := dead.arrival.head.num
	for _, e := range []LogEvent{
		&Redriven{Queue: dead.serial, To: c.state.byName["older"].serial, Nums: []uint64{first}, NewIDs: []ID{{7}}},
		&Edited{Queue: dead.serial, Num: first + 1, ContentType: ContentJSON, Body: []byte(`{"edited":1}`)},
		&Moved{Queue: dead.serial, Num: first + 2, Body: []byte("c")},
		&Escalated{Queue: dead.serial, Note: "look", Nums: []uint64{first + 1}},
		&Noted{Note{At: fromMillis(c.now), Action: "escalate", Queue: "q-dead", Text: "look",
			Messages: []string{"id"}}},
		&LaneMoved{Queue: "jobs", Key: "k1", Num: 1, Body: []byte("second")},
	} {
		extra.event(e)
		if err := e.apply(c.state); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := log.Append(extra.b, true); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "state.txt"), []byte(c.state.dump(false)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "lock")); err != nil {
		t.Fatal(err)
	}
}
