package objectstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"eddy/runtime/cluster/engine"
	"eddy/runtime/cluster/node"
	"eddy/runtime/cluster/objects"
	"eddy/runtime/sqlite"
)

// resident is a node of a cluster with one store.
type resident struct {
	engine  *engine.Memory
	self    *node.Self
	shipped *objects.Shipped
	index   *Index
	unread  atomic.Bool // its files cannot be opened, as in a process that has too many open
}

var shelf = Name{Kind: "kv", ID: "shelf"}

// newResident is a node that has all shards of a cluster, with a store.
func newResident(t *testing.T, e *engine.Memory, name string) *resident {
	t.Helper()
	r := &resident{engine: e}
	var err error
	if r.self, err = node.Start(t.Context(), node.Options{Engine: e, Token: "0123456789abcdef", ObjectShards: 2,
		Name: name, Listen: "127.0.0.1:0", Lease: time.Hour}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.self.Close(context.Background()) })
	r.shipped = objects.New(r.self, objects.Live{
		Arm: func(string, string, time.Time) {},
		Release: func(match func(key, id string) bool, _ time.Duration) {
			if match(shelf.Object()) {
				if err := r.index.Leave(); err != nil {
					t.Error(err)
				}
			}
		},
		Failed: func(text string) { t.Error(text) },
		Open: func(path string) (*os.File, error) {
			if r.unread.Load() {
				return nil, &os.PathError{Op: "open", Path: path, Err: syscall.EMFILE}
			}
			return os.Open(path)
		},
	})
	dir := t.TempDir()
	key, id := shelf.Object()
	r.index = NewIndex(IndexOptions{Path: filepath.Join(dir, "x.sqlite"), What: "store",
		Schema: "CREATE TABLE IF NOT EXISTS t (key TEXT PRIMARY KEY, value TEXT)",
		Named:  "SELECT 1 FROM t WHERE value = ?1", Home: r.shipped.Store(key, id, shelf.ID)})
	r.self.Objects(r.shipped)
	t.Cleanup(func() { _ = r.index.Close() }) // a cache
	for changed := r.self.Changed(); !r.here(); changed = r.self.Changed() {
		select {
		case <-changed:
		case <-time.After(10 * time.Millisecond): // records are read after the shard was gained
		}
	}
	return r
}

func (r *resident) here() bool { return r.shipped.Here(shelf.Object()) }

// next is another node on a copy of what is kept, as if this one were lost.
func (r *resident) next(t *testing.T, name string) *resident {
	t.Helper()
	e := r.engine.Copy()
	v, err := e.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	me, _ := v.Node(r.self.ID())
	if _, err := e.Claim(t.Context(), engine.Nobody, me.ID, me.Beat); err != nil {
		t.Fatal(err)
	}
	return newResident(t, e, name)
}

func (r *resident) put(key string, data []byte) error {
	m, err := r.index.Make(bytes.NewReader(data), time.UnixMilli(1_775_000_000_000))
	if err != nil {
		return err
	}
	return r.index.Exchange([]Made{m}, func(q Execute) ([]string, error) {
		old, err := q.Names("DELETE FROM t WHERE key = ? RETURNING value", key)
		if err != nil {
			return nil, err
		}
		return old, q("INSERT INTO t VALUES (?, ?)", []any{key, m.Name}, nil)
	})
}

// open reads a value from an offset; its name is given, too.
func (r *resident) open(t *testing.T, key string, from, to int64) (name string, body io.ReadCloser) {
	t.Helper()
	err := r.index.Read(func(q Execute) (err error) {
		err = q("SELECT value FROM t WHERE key = ?", []any{key}, func(st *sqlite.Stmt) { name = st.Text(0) })
		if err != nil {
			return err
		}
		body, err = r.index.OpenValue(name, from, to)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return name, body
}

// names counts what is kept in the shards of values and of marks.
func (r *resident) names(t *testing.T, prefix engine.Key) (n int) {
	t.Helper()
	all := engine.Prefix(prefix)
	for shard := range 2 {
		if err := r.engine.Read(t.Context(), engine.Grant{Shard: shard}, all.From, all.To,
			func(engine.Key, engine.Value) error { n++; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// A store of a cluster has its values, of all sizes, on the node that takes it over; values that nobody names are gone.
func TestResidence(t *testing.T) {
	r := newResident(t, engine.NewMemory(3), "first")
	values := map[string][]byte{"empty": {}, "small": []byte("small"), "one": bytes.Repeat([]byte("1"), 512<<10),
		"large": bytes.Repeat([]byte("0123456789abcde"), 700_000)}
	for key, data := range values {
		if err := r.put(key, []byte("before")); err != nil {
			t.Fatal(err)
		}
		if err := r.put(key, data); err != nil {
			t.Fatal(err)
		}
	}
	// A write that fails leaves nothing; one whose node is lost in the middle leaves what the next owner removes.
	m, err := r.index.Make(bytes.NewReader(values["large"]), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	if err := r.index.Exchange([]Made{m}, func(Execute) ([]string, error) { return nil, boom }); !errors.Is(err, boom) {
		t.Errorf("error %v", err)
	}
	if _, err := r.index.Make(bytes.NewReader(values["large"]), time.Time{}); err != nil {
		t.Fatal(err)
	}
	_, held := r.open(t, "large", 0, int64(len(values["large"])))
	if err := r.put("large", values["large"]); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(held)
	if err != nil || !bytes.Equal(got, values["large"]) {
		t.Errorf("a value that was replaced while it was read has %d bytes, %v", len(got), err)
	}
	kept := r.names(t, "v/")
	other := r.next(t, "second")
	for key, data := range values {
		name, body := other.open(t, key, 0, int64(len(data)))
		got, err := io.ReadAll(body)
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s has %d bytes, %v; want %d", key, len(got), err, len(data))
		}
		if err := body.Close(); err != nil {
			t.Error(err)
		}
		whole, err := other.index.ReadValue(name)
		if err != nil || !bytes.Equal(whole, data) {
			t.Errorf("%s as a whole has %d bytes, %v; want %d", key, len(whole), err, len(data))
		}
	}
	_, body := other.open(t, "large", 524_280, 524_300)
	if got, err := io.ReadAll(body); err != nil || !bytes.Equal(got, values["large"][524_280:524_300]) {
		t.Errorf("a part over the end of a piece is %s, %v", got, err)
	}
	if err := other.put("small", nil); err != nil { // what was handed in before is there when this is
		t.Fatal(err)
	}
	if marks, now := other.names(t, "n/"), other.names(t, "v/"); marks != 0 || now >= kept || now != 24 {
		t.Errorf("%d values and %d marks are kept, %d values before; want 24 values", now, marks, kept)
	}
	if _, err := other.index.ReadValue("nothing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a value that never was: %v", err)
	}
}

// A node that has lost a store answers nothing of it, and writes nothing.
func TestResidenceLost(t *testing.T) {
	r := newResident(t, engine.NewMemory(3), "first")
	if err := r.put("a", []byte("1")); err != nil {
		t.Fatal(err)
	}
	r.self.Leave(context.Background())
	if err := r.put("a", []byte("2")); !errors.Is(err, ErrElsewhere) {
		t.Errorf("a write: %v", err)
	}
	err := r.index.Read(func(q Execute) error { return q("SELECT 1 FROM t", nil, nil) })
	if !errors.Is(err, ErrElsewhere) {
		t.Errorf("a read: %v", err)
	}
}

// A node that cannot read what a store has committed does not keep it: the call fails, and the next ones find the store
// as it is kept, here and on the node after this one. A value that somebody still reads stays.
func TestResidenceThatCannotBeRead(t *testing.T) {
	r := newResident(t, engine.NewMemory(3), "first")
	large := bytes.Repeat([]byte("0123456789abcde"), 700_000)
	want := map[string]string{}
	put := func(key, value string) {
		t.Helper()
		if err := r.put(key, []byte(value)); err != nil {
			t.Fatal(err)
		}
		want[key] = value
	}
	finds := func(who string, r *resident) {
		t.Helper()
		if got := r.values(t); !maps.Equal(got, want) {
			t.Fatalf("%s finds %.60v, want %.60v", who, got, want)
		}
	}
	_, err := r.index.stay() // it was opened
	for round := 0; err == nil && round < 3; round++ {
		if round > 0 {
			put("a", "kept")
			put("b", fmt.Sprint(round))
		}
		var held io.ReadCloser
		switch round {
		case 1:
			_, held = r.open(t, "a", 0, 4)
			fallthrough
		case 0:
			r.unread.Store(true)
			if err := r.put("a", large); !errors.Is(err, syscall.EMFILE) {
				t.Errorf("round %d: %v", round, err)
			}
			r.unread.Store(false)
		case 2: // the call itself sees that its log is not there
			log := r.index.o.Path + "-wal"
			if err := os.Rename(log, log+".away"); err != nil {
				t.Fatal(err)
			}
			if err := r.put("a", large); !errors.Is(err, sqlite.ErrMoved) {
				t.Errorf("round %d: %v", round, err)
			}
		}
		if held != nil {
			if data, err := io.ReadAll(held); err != nil || string(data) != "kept" {
				t.Errorf("what was read meanwhile: %.20s, %v", data, err)
			}
			if err := held.Close(); err != nil {
				t.Error(err)
			}
		}
		finds("the same node", r)
		finds("another node", r.next(t, fmt.Sprint("next", round)))
		put("after", fmt.Sprint(round))
		finds("a later node", r.next(t, fmt.Sprint("later", round)))
	}
	if marks := r.names(t, "n/"); err != nil || marks != 0 {
		t.Errorf("%d marks are left, %v", marks, err)
	}
}

// values are all that a store has.
func (r *resident) values(t *testing.T) map[string]string {
	t.Helper()
	names, got := map[string]string{}, map[string]string{}
	if err := r.index.Read(func(q Execute) error {
		return q("SELECT key, value FROM t", nil, func(st *sqlite.Stmt) { names[st.Text(0)] = st.Text(1) })
	}); err != nil {
		t.Fatal(err)
	}
	for key, name := range names {
		data, err := r.index.ReadValue(name)
		if err != nil {
			t.Fatalf("%s: %v", key, err)
		}
		got[key] = string(data)
	}
	return got
}
