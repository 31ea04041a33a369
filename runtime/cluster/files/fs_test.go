package files

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"testing"

	"eddy/queues/logstore"
	"eddy/queues/logstore/logstoretest"
	"eddy/runtime/cluster/engine"
)

// owned is a shard that one node owns, with no time and no network.
type owned struct {
	m     *engine.Memory
	grant engine.Grant
	head  int64
	last  int64
	sizes []int
}

func own(t *testing.T, m *engine.Memory, name string, dead engine.NodeID) *owned {
	t.Helper()
	id := engine.NodeID(name + "/1")
	if err := m.Beat(t.Context(), engine.Node{ID: id}); err != nil {
		t.Fatal(err)
	}
	g, err := m.Claim(t.Context(), id, dead, 1)
	if err != nil || len(g) != 1 {
		t.Fatal(g, err)
	}
	return &owned{m: m, grant: g[0], head: g[0].Head, last: (g[0].Head + 2) << 24}
}

func (o *owned) Number() int64 { o.last++; return o.last }

func (o *owned) Keep(b engine.Batch) error {
	o.sizes = append(o.sizes, b.Size())
	err := o.m.Commit(context.Background(), o.grant, o.head+1, b)
	if err == nil {
		o.head++
	}
	return err
}

func (o *owned) Read(ctx context.Context, from, to engine.Key, fn func(engine.Key, engine.Value) error) error {
	return o.m.Read(ctx, o.grant, from, to, fn)
}

func opened(t *testing.T, o *owned) *FS {
	t.Helper()
	f, err := Open(t.Context(), o, logstore.NewMemFS(), "scratch")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The log's own suite holds in a shard.
func TestLog(t *testing.T) {
	logstoretest.Exercise(t, func(t *testing.T) (logstore.FS, string) {
		return opened(t, own(t, engine.NewMemory(1), "a", engine.Nobody)), "v/queues"
	})
}

func openLog(f *FS) (l *logstore.Log, groups []string, err error) {
	l, err = logstore.Open(logstore.Options{Dir: "queues", FS: f, SegmentBytes: 300,
		LoadSnapshot: func([]byte) error { return nil },
		Replay:       func(_ logstore.Ref, g []byte) error { groups = append(groups, string(g)); return nil }})
	return l, groups, err
}

// Another node takes over what was acknowledged, and the one before is refused: its log is poisoned.
func TestTakeover(t *testing.T) {
	m := engine.NewMemory(1)
	zombie, _, err := openLog(opened(t, own(t, m, "a", engine.Nobody)))
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for i := range 40 {
		want = append(want, fmt.Sprintf("group %d", i))
		if _, err := zombie.Append([]byte(want[i]), true); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := zombie.Append([]byte("not synced"), false); err != nil {
		t.Fatal(err)
	}
	next, groups, err := openLog(opened(t, own(t, m, "b", "a/1")))
	if err != nil || !slices.Equal(groups, want) {
		t.Fatalf("%q, %v", groups, err)
	}
	if _, err := zombie.Append([]byte("late"), true); !errors.Is(err, engine.ErrFenced) {
		t.Fatalf("the zombie: %v", err)
	}
	if _, err := zombie.Append([]byte("later"), true); !errors.Is(err, logstore.ErrPoisoned) {
		t.Fatalf("the zombie again: %v", err)
	}
	if _, err := next.Append([]byte("new"), true); err != nil {
		t.Fatal(err)
	}
}

// A file grows, shrinks and is written in its middle, also if it does not fit into a batch; each sync is all or
// nothing.
func TestSync(t *testing.T) {
	m := engine.NewMemory(1)
	o := own(t, m, "a", engine.Nobody)
	f := opened(t, o)
	file, err := f.Create("d/file")
	if err != nil {
		t.Fatal(err)
	}
	var model []byte
	write := func(off, n int, b byte) {
		t.Helper()
		data := slices.Repeat([]byte{b}, n)
		if _, err := file.WriteAt(data, int64(off)); err != nil {
			t.Fatal(err)
		}
		if grow := off + n - len(model); grow > 0 {
			model = append(model, make([]byte, grow)...)
		}
		copy(model[off:], data)
	}
	cut := func(n int) {
		t.Helper()
		if err := file.Truncate(int64(n)); err != nil {
			t.Fatal(err)
		}
		model = model[:n]
	}
	check := func(what string) {
		t.Helper()
		if err := file.Sync(); err != nil {
			t.Fatal(err)
		}
		again, err := Open(t.Context(), o, logstore.NewMemFS(), "other")
		if err != nil {
			t.Fatal(err)
		}
		kept, err := again.Open("/d/./file")
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		got := make([]byte, len(model))
		size, _ := kept.Size()
		_, err = kept.ReadAt(got, 0)
		if len(got) > 0 && err != nil || size != int64(len(model)) || string(got) != string(model) {
			t.Fatalf("%s: %d bytes of %d are kept, %v", what, size, len(model), err)
		}
	}
	write(0, 10, 'a')
	check("first")
	write(10, 5, 'b')
	check("grown")
	o.sizes = nil
	write(15, 10, 'b')
	check("grown again")
	if o.sizes[0] > 150 {
		t.Errorf("10 bytes more took %d", o.sizes[0])
	}
	write(12, 2, 'c')
	check("in the middle")
	cut(11)
	check("cut")
	cut(0)
	check("empty")
	write(0, 11<<20, 'd')
	check("large")
	write(10<<20, 2<<20, 'e')
	check("a large one grown and changed")
	write(5, 1, 'f')
	check("a large one changed at its start")
	if err := f.Rename("d/file", "d/renamed"); err != nil {
		t.Fatal(err)
	}
	if err := f.SyncDir("d"); err != nil {
		t.Fatal(err)
	}
	if names, _ := opened(t, o).List("d"); !slices.Equal(names, []string{"renamed"}) {
		t.Errorf("names %v", names)
	}
	if err := errors.Join(f.Remove("d/renamed"), f.SyncDir("d"), f.Close()); err != nil {
		t.Fatal(err)
	}
	left := 0
	err = o.Read(t.Context(), "", "", func(engine.Key, engine.Value) error { left++; return nil })
	if left > 0 || err != nil {
		t.Errorf("%d keys are left, %v", left, err)
	}
}

// A piece that is missing, in the middle or at the end, is noticed when the file is opened, and named.
func TestDamage(t *testing.T) {
	m := engine.NewMemory(1)
	o := own(t, m, "a", engine.Nobody)
	file, err := opened(t, o).Create("log")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if _, err := file.WriteAt([]byte("abc"), int64(3*i)); err != nil {
			t.Fatal(err)
		}
		if err := file.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		key := engine.Key(path.Join("d", fmt.Sprintf("%016x", 0), fmt.Sprintf("%016x", 3*i)))
		var whole []byte
		m.Damage(0, key, func(b []byte) []byte { whole = slices.Clone(b); return nil })
		if len(whole) == 0 {
			t.Fatalf("there is no %s", key)
		}
		if _, err := opened(t, o).Open("log"); err == nil {
			t.Errorf("without piece %d the file opens", i)
		}
		m.Damage(0, key, func([]byte) []byte { return whole })
	}
	if _, err := opened(t, o).Open("log"); err != nil {
		t.Error(err)
	}
}
