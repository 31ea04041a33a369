package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"eddy/durableobject"
	"eddy/durableobject/storage"
	"eddy/queues"
	"eddy/runtime/clock"
	"eddy/runtime/cluster/engine"
	"eddy/runtime/cluster/node"
	"eddy/runtime/sqlite"
	"eddy/runtime/statedir"
	"eddy/workflows"
)

const shards = 4 // of objects

const key = "shop-Cart"

func id(n int) string { return fmt.Sprintf("%064x", n) }

var alarm = time.UnixMilli(4102444800123).UTC()

// directory makes a state directory as a session leaves it: with a log beside one object, as after a crash.
func directory(t *testing.T) statedir.Dir {
	t.Helper()
	d := statedir.Dir(filepath.Join(t.TempDir(), "state"))
	ns, err := storage.OpenNamespace(d.Namespace(key), storage.Options{})
	check(t, err)
	for n := range 6 {
		s := ns.Store(id(n))
		s.SetName(fmt.Sprint("cart", n))
		check(t, s.Put("n", fmt.Append(nil, n)))
		check(t, s.Put("much", make([]byte, n*100_000)))
		if n%2 == 1 {
			check(t, s.SetAlarm(alarm))
		}
		check(t, s.Commit())
		if n == 4 {
			putFacet(t, ns, id(n))
		}
		if n == 5 {
			crashed(t, d.Namespace(key))
		}
	}
	check(t, ns.Close())
	uncrash(t, d.Namespace(key))
	b := broker(t, d)
	_, err = b.SetConsumer(t.Context(), queues.DefaultConsumer("orders", queues.WorkerConsumer), true)
	check(t, err)
	for n := range 20 {
		_, err := b.Send(t.Context(), "orders", []queues.Outgoing{{Body: fmt.Append(nil, n),
			ContentType: queues.ContentText}}, queues.SendOptions{})
		check(t, err)
	}
	check(t, b.Close())
	check(t, d.WriteApplied(map[string]any{"workers": map[string]any{}}))
	return d
}

// putFacet gives an object a facet in a facet, which has something stored.
func putFacet(t *testing.T, ns *storage.Namespace, id string) {
	t.Helper()
	f, err := ns.Facets(id)
	check(t, err)
	_, err = f.Number(0, "part")
	check(t, err)
	n, err := f.Number(1, "of part")
	check(t, err)
	s := ns.Store(storage.FacetID(id, n))
	check(t, s.Put("x", []byte("in a facet")))
	check(t, s.Commit())
}

// crashed keeps a copy of a folder's last object, which is open; uncrash puts it in the place of the one that was
// closed.
func crashed(t *testing.T, dir string) {
	t.Helper()
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(storage.ObjectFile(dir, id(5)) + suffix)
		check(t, err)
		check(t, os.WriteFile(storage.ObjectFile(dir, id(5))+suffix+".crashed", data, 0o600))
	}
}

func uncrash(t *testing.T, dir string) {
	t.Helper()
	for _, suffix := range []string{"", "-wal"} {
		file := storage.ObjectFile(dir, id(5)) + suffix
		check(t, os.Rename(file+".crashed", file))
	}
}

func broker(t *testing.T, d statedir.Dir) *queues.Broker {
	t.Helper()
	b, _, err := queues.Open(queues.Options{Dir: d.Queues(), Clock: clock.Real{}})
	check(t, err)
	check(t, b.Declare(t.Context(), queues.Topology{Queues: []string{"orders"}}))
	return b
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const shelf = "miniflare-KVNamespaceObject"

// putStore makes a store of a binding, with a value of more than a piece.
func putStore(t *testing.T, d statedir.Dir) {
	t.Helper()
	path := d.Index("kv", shelf, durableobject.IDFromName(shelf, "shelf").String())
	db, err := sqlite.Open(path, sqlite.Options{})
	check(t, err)
	check(t, db.Exec("CREATE TABLE t (v); INSERT INTO t VALUES ('kept')"))
	check(t, db.Close())
	check(t, os.MkdirAll(d.Blobs("kv", "shelf"), 0o700))
	check(t, os.WriteFile(filepath.Join(d.Blobs("kv", "shelf"), "value"), make([]byte, 1_300_000), 0o600))
	check(t, os.WriteFile(filepath.Join(d.Blobs("kv", "shelf"), "empty"), nil, 0o600))
}

// records are lines of a pipeline that do not fit into one piece.
var records = bytes.Repeat([]byte("{\"n\":1}\n"), recordsPiece/8+3)

// putNamed makes stores whose names a file cannot have: a vector index and a pipeline.
func putNamed(t *testing.T, d statedir.Dir) {
	t.Helper()
	db, err := sqlite.Open(d.Vectorize("a/b c"), sqlite.Options{})
	check(t, err)
	check(t, db.Exec("CREATE TABLE vectors (id); INSERT INTO vectors VALUES ('kept')"))
	check(t, db.Close())
	check(t, os.MkdirAll(filepath.Dir(d.Pipeline("x")), 0o700))
	check(t, os.WriteFile(d.Pipeline("../up"), records, 0o600))
}

func wantNamed(t *testing.T, d statedir.Dir) {
	t.Helper()
	db, err := sqlite.Open(d.Vectorize("a/b c"), sqlite.Options{Existing: true})
	check(t, err)
	st, _, err := db.Prepare("SELECT id FROM vectors", sqlite.Trusted)
	check(t, err)
	if more, err := st.Step(); err != nil || !more || st.Text(0) != "kept" {
		t.Errorf("the index has %v, %v", more, err)
	}
	check(t, db.Close())
	got, err := os.ReadFile(d.Pipeline("../up"))
	check(t, err)
	if !bytes.Equal(got, records) {
		t.Errorf("the pipeline has %d bytes, want %d", len(got), len(records))
	}
	if rest, err := os.ReadDir(filepath.Dir(d.Pipeline("x"))); err != nil || len(rest) != 1 {
		t.Errorf("beside the pipeline: %v, %v", rest, err)
	}
}

// putFlow makes a workflow with an instance that has not begun.
func putFlow(t *testing.T, d statedir.Dir) {
	t.Helper()
	w := workflows.Open(workflows.Options{Name: "flow", Path: d.Workflow("flow")})
	_, err := workflows.Call(w, func(done func([]error, error)) {
		w.Create([]workflows.New{{ID: "one", Shown: "{}"}}, done)
	})
	check(t, err)
	check(t, w.Close())
}

func wantFlow(t *testing.T, d statedir.Dir) {
	t.Helper()
	w := workflows.Open(workflows.Options{Name: "flow", Path: d.Workflow("flow")})
	info, err := workflows.Call(w, func(done func(*workflows.Info, error)) { w.Status("one", true, done) })
	check(t, err)
	if info.Status != workflows.Queued || len(info.History) != 1 {
		t.Errorf("the instance is %+v", info)
	}
	check(t, w.Close())
}

func wantStore(t *testing.T, d statedir.Dir) {
	t.Helper()
	db, err := sqlite.Open(d.Index("kv", shelf, durableobject.IDFromName(shelf, "shelf").String()),
		sqlite.Options{Existing: true})
	check(t, err)
	st, _, err := db.Prepare("SELECT v FROM t", sqlite.Trusted)
	check(t, err)
	if more, err := st.Step(); err != nil || !more || st.Text(0) != "kept" {
		t.Errorf("the store has %v, %v", more, err)
	}
	check(t, db.Close())
	for name, size := range map[string]int64{"value": 1_300_000, "empty": 0} {
		st, err := os.Stat(filepath.Join(d.Blobs("kv", "shelf"), name))
		check(t, err)
		if st.Size() != size {
			t.Errorf("%s has %d bytes, want %d", name, st.Size(), size)
		}
	}
}

// wantAll checks that a state directory has what directory has made.
func wantAll(t *testing.T, d statedir.Dir) {
	t.Helper()
	ns, err := storage.OpenNamespace(d.Namespace(key), storage.Options{})
	check(t, err)
	infos, err := ns.Objects()
	check(t, err)
	alarms, err := ns.Alarms()
	check(t, err)
	if len(infos) != 6 || len(alarms) != 3 {
		t.Fatalf("%d objects, %d alarms", len(infos), len(alarms))
	}
	f, err := ns.Facets(id(4))
	check(t, err)
	number, _ := f.Find(1, "of part")
	part, _, err := ns.Store(storage.FacetID(id(4), number)).Get("x")
	check(t, err)
	if number != 2 || string(part) != "in a facet" {
		t.Errorf("facet %d has %q", number, part)
	}
	for n, info := range infos {
		s := ns.Store(info.ID)
		value, _, err := s.Get("n")
		check(t, err)
		much, _, err := s.Get("much")
		check(t, err)
		at, err := s.Alarm()
		check(t, err)
		if info.ID != id(n) || info.Name != fmt.Sprint("cart", n) || string(value) != fmt.Sprint(n) ||
			len(much) != n*100_000 || at.Equal(alarm) != (n%2 == 1) {
			t.Errorf("object %d: %+v, %q, %d bytes, alarm %s", n, info, value, len(much), at)
		}
	}
	for _, a := range alarms {
		if !a.Time.Equal(alarm) || !strings.HasPrefix(a.Name, "cart") {
			t.Errorf("alarm %+v", a)
		}
	}
	check(t, ns.Close())
	b := broker(t, d)
	q, err := b.Queue(t.Context(), "orders")
	check(t, err)
	if q.Metrics.BacklogCount != 20 {
		t.Errorf("%d messages wait, want 20", q.Metrics.BacklogCount)
	}
	check(t, b.Close())
	if ledger, err := d.Applied(); err != nil || !strings.Contains(string(ledger), "workers") {
		t.Errorf("the record of migrations is %q, %v", ledger, err)
	}
}

// What a state directory has goes into a cluster and comes out of it, and the same import again changes nothing.
func TestRoundTrip(t *testing.T) {
	e, from := engine.NewMemory(shards+1), directory(t)
	check(t, os.MkdirAll(from.Email(), 0o700))
	putStore(t, from)
	putNamed(t, from)
	putFlow(t, from)
	sum, err := Import(t.Context(), e, shards, from, false)
	check(t, err)
	if sum.Objects != 6 || sum.Namespaces != 1 || sum.Alarms != 3 || sum.QueueBytes == 0 || sum.Before ||
		sum.Stores != 4 || !slices.Equal(sum.Left, []string{"v3/eddy/email"}) {
		t.Errorf("imported %+v", sum)
	}
	v, err := e.Look(t.Context())
	check(t, err)
	again, err := Import(t.Context(), e, shards, from, false)
	check(t, err)
	if after, _ := e.Look(t.Context()); !again.Before || again.Objects != 6 || !slices.Equal(v.Shards, after.Shards) {
		t.Errorf("again: %+v", again)
	}
	to := filepath.Join(t.TempDir(), "out", "state")
	out, err := Export(t.Context(), e, shards, to)
	check(t, err)
	if out.Objects != 6 || out.Stores != 4 || out.Alarms != 3 || out.QueueBytes != sum.QueueBytes {
		t.Errorf("exported %+v, imported %+v", out, sum)
	}
	if rest, err := os.ReadDir(filepath.Dir(to)); err != nil || len(rest) != 1 {
		t.Errorf("beside the export: %v, %v", rest, err)
	}
	wantAll(t, statedir.Dir(to))
	wantStore(t, statedir.Dir(to))
	wantFlow(t, statedir.Dir(to))
	wantNamed(t, statedir.Dir(to))
	if _, err := Export(t.Context(), e, shards, to); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("into a directory with something: %v", err)
	}
	// And once more, over what is there.
	var occupied *OccupiedError
	if _, err := Import(t.Context(), e, shards, statedir.Dir(to), false); !errors.As(err, &occupied) ||
		occupied.Objects != 10 {
		t.Errorf("over something: %v", err)
	}
	if _, err := Import(t.Context(), e, shards, statedir.Dir(to), true); err != nil {
		t.Error(err)
	}
}

// All that is in the way is told at once, and nothing is changed.
func TestUnfit(t *testing.T) {
	d := directory(t)
	check(t, os.WriteFile(storage.ObjectFile(d.Namespace(key), id(1)), []byte("no database at all, this"), 0o600))
	log, err := filepath.Glob(filepath.Join(d.Queues(), "*.log"))
	check(t, err)
	data, err := os.ReadFile(log[0])
	check(t, err)
	data[len(data)/2] ^= 1
	check(t, os.WriteFile(log[0], data, 0o600))
	e := engine.NewMemory(shards + 1)
	var unfit *Unfit
	_, err = Import(t.Context(), e, shards, d, false)
	if !errors.As(err, &unfit) {
		t.Fatal(err)
	}
	for _, want := range []string{id(1) + " of " + key + " is damaged", "log is damaged"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say %q", err, want)
		}
	}
	empty := statedir.Dir(t.TempDir())
	if _, err := Import(t.Context(), e, shards, empty, false); !errors.As(err, &unfit) {
		t.Errorf("an empty one: %v", err)
	}
	d = directory(t)
	b := broker(t, d)
	if _, err := Import(t.Context(), e, shards, d, false); !errors.As(err, &unfit) ||
		!strings.Contains(err.Error(), "has it open") {
		t.Errorf("while a session runs: %v", err)
	}
	check(t, b.Close())
}

// failing is an engine whose import breaks in the middle.
type failing struct{ *engine.Memory }

type failingContents struct {
	engine.Contents
	left *int
}

var errCut = errors.New("the connection broke")

func (f failing) Replace(ctx context.Context, fn func(engine.Contents) error) error {
	left := 4
	return f.Memory.Replace(ctx, func(c engine.Contents) error { return fn(failingContents{c, &left}) })
}

func (f failingContents) Change(ctx context.Context, shard int, b engine.Batch) error {
	if *f.left--; *f.left < 0 {
		return errCut
	}
	return f.Contents.Change(ctx, shard, b)
}

// An import that breaks leaves nothing, and one beside nodes is refused unless they are silent.
func TestBroken(t *testing.T) {
	e, d := engine.NewMemory(shards+1), directory(t)
	if _, err := Import(t.Context(), failing{e}, shards, d, false); !errors.Is(err, errCut) {
		t.Fatal(err)
	}
	if err := empty(t.Context(), e, shards); err != nil {
		t.Errorf("left behind: %v", err)
	}
	a := engine.Node{ID: engine.NewNodeID("a"), Lease: 20 * time.Millisecond}
	check(t, e.Beat(t.Context(), a))
	var alive *engine.AliveError
	if _, err := Import(t.Context(), e, shards, d, false); !errors.As(err, &alive) {
		t.Errorf("beside a node: %v", err)
	}
	if err := EndSilent(t.Context(), beating{e, a}); !errors.As(err, &alive) || alive.Error() != "nodes run: a" {
		t.Errorf("a node that beats: %v", err)
	}
	check(t, EndSilent(t.Context(), e))
	_, err := Import(t.Context(), e, shards, d, false)
	check(t, err)
	in := map[int]bool{}
	for n := range 6 {
		in[node.ShardOf(key, id(n), shards)] = true
	}
	if len(in) < 2 {
		t.Error("all objects are in one shard: the test says little")
	}
}

// beating is an engine on which a node beats with each look.
type beating struct {
	*engine.Memory
	node engine.Node
}

func (b beating) Look(ctx context.Context) (engine.View, error) {
	v, err := b.Memory.Look(ctx)
	return v, errors.Join(err, b.Beat(ctx, b.node))
}

// What was exported of a cluster that keeps nothing is imported again, as nothing.
func TestEmptyRoundTrip(t *testing.T) {
	e, to := engine.NewMemory(shards+1), filepath.Join(t.TempDir(), "state")
	_, err := Export(t.Context(), e, shards, to)
	check(t, err)
	sum, err := Import(t.Context(), e, shards, statedir.Dir(to), false)
	check(t, err)
	if sum.Objects != 0 || sum.QueueBytes != 0 || len(sum.Left) != 0 {
		t.Errorf("imported %+v", sum)
	}
}
