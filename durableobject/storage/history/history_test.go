package history_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"eddy/durableobject/storage/history"
	"eddy/runtime/sqlite"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// recorded is a database with a history, whose log is never checkpointed unless
// the test does so.
type recorded struct {
	t    testing.TB
	file history.File
	db   *sqlite.DB
	now  time.Time
}

func record(t testing.TB) *recorded {
	dir := t.TempDir()
	r := &recorded{t: t, now: time.Unix(2e9, 0), file: history.File{
		Path: filepath.Join(dir, "history", "x.history"), DB: filepath.Join(dir, "x.sqlite"),
		Empty: sqlite.EmptyPage(), Keep: history.DefaultKeep, Bytes: history.DefaultBytes,
		BaseBytes: history.DefaultBaseBytes,
	}}
	r.open()
	must(t, r.db.Exec("CREATE TABLE t(a)"))
	t.Cleanup(func() { r.db.Close() })
	return r
}

func (r *recorded) open() {
	db, err := sqlite.Open(r.file.DB, sqlite.Options{AutoCheckpoint: -1, KeepLog: true})
	must(r.t, err)
	r.db = db
}

// add writes a row and archives it.
func (r *recorded) add(n int) history.Bookmark {
	r.t.Helper()
	must(r.t, r.db.Exec(fmt.Sprintf("INSERT INTO t VALUES(%d)", n)))
	r.now = r.now.Add(time.Minute)
	b, err := r.file.Current(r.commits(history.Mark{Frame: r.db.LogFrames(), At: r.now}))
	must(r.t, err)
	return b
}

// commits knows of these commits, the last of which ended the log.
func (r *recorded) commits(marks ...history.Mark) history.Commits {
	c := history.Commits{Now: func() time.Time { return r.now }, Marks: func(through uint32) (list []history.Mark) {
		for _, m := range marks {
			if m.Frame <= through {
				list = append(list, m)
			}
		}
		return list
	}}
	if n := len(marks); n > 0 {
		c.Known = marks[n-1].Frame
	}
	return c
}

// sum is what the rows add up to at a bookmark.
func (r *recorded) sum(b history.Bookmark) string {
	r.t.Helper()
	p, err := r.file.Find(b)
	must(r.t, err)
	return r.sumAt(p)
}

func (r *recorded) sumAt(p history.Position) string {
	r.t.Helper()
	path := filepath.Join(r.t.TempDir(), "restored.sqlite")
	must(r.t, r.file.Restored(p, path))
	db, err := sqlite.Open(path, sqlite.Options{ReadOnly: true})
	must(r.t, err)
	defer db.Close()
	s, _, err := db.Prepare("SELECT coalesce(sum(a), 'none') FROM t", sqlite.Trusted)
	must(r.t, err)
	defer s.Close()
	_, err = s.Step()
	must(r.t, err)
	return s.Text(0)
}

// Whatever a crash leaves of the last batch, the states before it stand, and the
// next archiving adds what is missing.
func TestTornHistory(t *testing.T) {
	r := record(t)
	one := r.add(1)
	before, err := os.ReadFile(r.file.Path)
	must(t, err)
	two := r.add(2)
	after, err := os.ReadFile(r.file.Path)
	must(t, err)
	for cut := len(before); cut < len(after); cut += 7 {
		for _, tail := range []string{"", "garbage behind the end of what was written, longer than a tail"} {
			must(t, os.WriteFile(r.file.Path, append(append([]byte(nil), after[:cut]...), tail...), 0o644))
			if got := r.sum(one); got != "1" {
				t.Fatalf("cut at %d: %s", cut, got)
			}
			must(t, r.file.Archive(r.commits()))
			if got := r.sum(two); got != "3" {
				t.Fatalf("cut at %d, archived again: %s", cut, got)
			}
		}
	}
}

// A changed byte in a batch is found, not restored.
func TestDamagedHistory(t *testing.T) {
	r := record(t)
	r.add(1)
	before, err := os.ReadFile(r.file.Path)
	must(t, err)
	two := r.add(2)
	p, err := r.file.Find(two)
	must(t, err)
	after, err := os.ReadFile(r.file.Path)
	must(t, err)
	for at := len(before) + 96; at < len(after)-8; at += 11 {
		damaged := append([]byte(nil), after...)
		damaged[at] ^= 0x40
		must(t, os.WriteFile(r.file.Path, damaged, 0o644))
		if err := r.file.Restored(p, filepath.Join(t.TempDir(), "x")); err == nil {
			t.Fatalf("byte %d changed, and nobody noticed", at)
		}
	}
}

// The three ways in which a database may follow from its history, and one in
// which it does not.
func TestContinuity(t *testing.T) {
	for name, c := range map[string]struct {
		between func(r *recorded)
		same    bool
	}{
		"the same log": {func(*recorded) {}, true},
		"checkpointed and settled": {func(r *recorded) {
			r.checkpoint()
			must(r.t, r.file.Settled(r.now, true))
		}, true},
		"a crash after the checkpoint": {func(r *recorded) { r.checkpoint() }, true},
		"somebody else wrote": {func(r *recorded) {
			r.checkpoint()
			must(r.t, r.file.Settled(r.now, true))
			must(r.t, r.db.Exec("UPDATE t SET a = a + 100"))
			r.checkpoint()
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := record(t)
			one := r.add(1)
			c.between(r)
			two := r.add(2)
			_, err := r.file.Find(one)
			if c.same != (err == nil) || err != nil && !errors.Is(err, history.ErrBookmark) || two <= one {
				t.Errorf("%s %s %v", one, two, err)
			}
			if c.same {
				if got := r.sum(one) + " " + r.sum(two); got != "1 3" {
					t.Errorf("got %s", got)
				}
			}
		})
	}
}

// checkpoint copies the log and removes it.
func (r *recorded) checkpoint() {
	must(r.t, r.db.Close())
	db, err := sqlite.Open(r.file.DB, sqlite.Options{AutoCheckpoint: -1})
	must(r.t, err)
	must(r.t, db.Exec("SELECT 1 FROM t"))
	must(r.t, db.Close())
	r.open()
}

// Times lead to the last state that is not after them.
func TestAt(t *testing.T) {
	r := record(t)
	began := r.now
	for i := range 5 {
		r.add(1)
		if i == 2 {
			r.checkpoint()
		}
	}
	for _, c := range []struct {
		after time.Duration
		want  string
	}{{time.Minute, "1"}, {90 * time.Second, "1"}, {3 * time.Minute, "3"}, {4 * time.Minute, "4"}, {time.Hour, "5"}} {
		b, err := r.file.At(began.Add(c.after))
		must(t, err)
		if got := r.sum(b); got != c.want {
			t.Errorf("after %v: %s, want %s", c.after, got, c.want)
		}
	}
}

// Commits that are made while the log before them is archived and copied keep their times, although what says that it
// was copied is written after them.
func TestAtBesideCheckpoint(t *testing.T) {
	r := record(t)
	write := func() history.Mark {
		must(t, r.db.Exec("INSERT INTO t VALUES(1)"))
		r.now = r.now.Add(time.Minute)
		return history.Mark{Frame: r.db.LogFrames(), At: r.now}
	}
	one := write()
	must(t, r.file.Archive(r.commits(one)))
	two, three := write(), write()
	must(t, r.file.Settled(r.now, false))
	must(t, r.file.Archive(r.commits(one, two, three)))
	for want, m := range map[string]history.Mark{"1": one, "2": two, "3": three} {
		b, err := r.file.At(m.At)
		must(t, err)
		if got := r.sum(b); got != want {
			t.Errorf("when %s had been written: %s", want, got)
		}
	}
}

// A commit whose frames are in the log when it is archived has its time even if it was not known when that began, and
// one that comes later is left for the next time.
func TestAtBesideArchive(t *testing.T) {
	r := record(t)
	var marks []history.Mark
	write := func() {
		must(t, r.db.Exec("INSERT INTO t VALUES(1)"))
		r.now = r.now.Add(time.Minute)
		marks = append(marks, history.Mark{Frame: r.db.LogFrames(), At: r.now})
	}
	write()
	known := marks[0].Frame
	write()
	c := r.commits()
	c.Known = known
	c.Marks = func(through uint32) []history.Mark {
		write()
		return r.commits(marks...).Marks(through)
	}
	must(t, r.file.Archive(c))
	must(t, r.file.Archive(r.commits(marks...)))
	for i, m := range marks {
		b, err := r.file.At(m.At)
		must(t, err)
		if got := r.sum(b); got != fmt.Sprint(i+1) {
			t.Errorf("after %d commits: %s", i+1, got)
		}
	}
}

// No bytes make a reader panic or loop.
func FuzzHistory(f *testing.F) {
	r := record(f)
	r.add(1)
	seed, err := os.ReadFile(r.file.Path)
	must(f, err)
	log, err := os.ReadFile(r.file.DB + "-wal")
	must(f, err)
	f.Add(seed, log)
	f.Add(seed[:len(seed)/2], log[:len(log)/2])
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, file, log []byte) {
		h := r.file
		h.Path, h.DB = filepath.Join(dir, "f.history"), filepath.Join(dir, "f.sqlite")
		must(t, os.WriteFile(h.Path, file, 0o644))
		must(t, os.WriteFile(h.DB, sqlite.EmptyPage(), 0o644))
		must(t, os.WriteFile(h.DB+"-wal", log, 0o644))
		b, err := h.Current(r.commits())
		if err != nil {
			return
		}
		if _, err := h.Find(b); err != nil {
			t.Fatalf("the current bookmark: %v", err)
		}
	})
}

// FuzzBookmark: a text is a bookmark in its one form, or refused.
func FuzzBookmark(f *testing.F) {
	f.Add("00000001-00000002-00000003-0123456789abcdef0123456789abcdef")
	f.Add("")
	f.Add("00000001-00000002-00000003-0123456789ABCDEF0123456789abcdef")
	r := record(f)
	r.add(1)
	f.Add(string(r.add(2)))
	f.Add(string(r.add(3)))
	f.Fuzz(func(t *testing.T, text string) {
		p, err := r.file.Find(history.Bookmark(text))
		if err != nil && !errors.Is(err, history.ErrBookmark) {
			t.Fatalf("%q: %v", text, err)
		}
		if err == nil && len(text) != 8+1+8+1+8+1+32 {
			t.Fatalf("%q leads to %v", text, p)
		}
	})
}
