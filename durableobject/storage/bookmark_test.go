package storage_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"eddy/durableobject/storage"
	"eddy/durableobject/storage/history"
	"eddy/runtime/sqlite"
	"eddy/runtime/statedir"
)

// past is a namespace with histories whose time the test moves.
type past struct {
	t   *testing.T
	dir string
	at  atomic.Int64 // Unix nanoseconds
	ns  *storage.Namespace
	o   storage.Options
}

func (p *past) now() time.Time { return time.Unix(0, p.at.Load()).UTC() }

func (p *past) advance(d time.Duration) { p.at.Add(int64(d)) }

func newPast(t *testing.T, o storage.Options) *past {
	p := &past{t: t, dir: t.TempDir(), o: o}
	p.at.Store(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC).UnixNano())
	p.o.HistoryDir = statedir.Dir(p.dir).History("w-C")
	p.o.Now = p.now
	p.o.Notify = func(text string) { t.Error(text) }
	p.open()
	t.Cleanup(func() { must(t, p.ns.Close()) })
	return p
}

func (p *past) open() {
	ns, err := storage.OpenNamespace(statedir.Dir(p.dir).Namespace("w-C"), p.o)
	must(p.t, err)
	p.ns = ns
}

func (p *past) restart() { must(p.t, p.ns.Close()); p.open() }

func (p *past) store() *storage.Store { return p.ns.Store(objectID) }

func (p *past) bookmark() string {
	p.t.Helper()
	b, err := p.store().CurrentBookmark()
	must(p.t, err)
	return b
}

// restore goes back and begins the next session.
func (p *past) restore(bookmark string) (undo string) {
	p.t.Helper()
	undo, err := p.store().RestoreOnNextSession(bookmark)
	must(p.t, err)
	done, err := p.store().BeginSession()
	must(p.t, err)
	if !done {
		p.t.Fatal("nothing was restored")
	}
	return undo
}

func (p *past) commit(do ...func(s *storage.Store) error) {
	p.t.Helper()
	for _, f := range do {
		must(p.t, f(p.store()))
	}
	must(p.t, p.store().Commit())
}

func putting(k, v string) func(*storage.Store) error {
	return func(s *storage.Store) error { return s.Put(k, []byte(v)) }
}

func running(sql string) func(*storage.Store) error {
	return func(s *storage.Store) error { return exec(s, sql) }
}

// contents is everything in an object: keys, rows, alarm.
func contents(t *testing.T, s *storage.Store) string {
	t.Helper()
	text := dump(t, s)
	if tables, err := s.Tables(); err != nil {
		t.Fatal(err)
	} else if len(tables) > 0 {
		text += " t:" + rows(t, s, "SELECT group_concat(a || '/' || length(b)) FROM (SELECT * FROM t ORDER BY a)")
	}
	return text
}

// SQL18: the shape of a bookmark; later ones are greater; keys, rows and alarm go
// back together; the bookmark that is returned undoes it.
func TestBookmarks(t *testing.T) {
	t.Run("kept", func(t *testing.T) { bookmarks(t, storage.Options{}) })
	t.Run("temporary", func(t *testing.T) { bookmarks(t, storage.Options{Temporary: true}) })
}

func bookmarks(t *testing.T, o storage.Options) {
	p := newPast(t, o)
	shape := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$`)
	empty := p.bookmark()
	p.commit(putting("k", "1"), running("CREATE TABLE t(a, b)"),
		func(s *storage.Store) error { return s.SetAlarm(time.Unix(2e9, 0)) })
	one, first := p.bookmark(), contents(t, p.store())
	if again := p.bookmark(); again != one {
		t.Errorf("nothing happened between %s and %s", one, again)
	}
	p.commit(putting("k", "2"), running("INSERT INTO t VALUES(1, 'x')"), (*storage.Store).DeleteAlarm)
	two, second := p.bookmark(), contents(t, p.store())
	p.restart()
	p.commit(putting("later", "3"))
	three := p.bookmark()
	if !(empty < one && one < two && two < three) || !shape.MatchString(three) {
		t.Errorf("%s %s %s %s", empty, one, two, three)
	}

	undo := p.restore(one)
	if got := contents(t, p.store()); got != first || undo <= three {
		t.Errorf("at %s: %s, want %s; undo %s", one, got, first, undo)
	}
	if list, err := p.ns.Alarms(); err != nil || len(list) != 1 || list[0].Time.Unix() != 2e9 {
		t.Errorf("alarms: %v %v", list, err)
	}
	p.commit(putting("after", "4"))
	four := p.bookmark()
	if four <= undo {
		t.Errorf("%s comes after %s", four, undo)
	}
	p.restore(undo)
	if got := names(t, p.store(), storage.ListOptions{}); got != "k later" {
		t.Errorf("undone: %s", got)
	}
	p.restart()
	p.restore(two)
	if got := contents(t, p.store()); got != second {
		t.Errorf("at %s: %s, want %s", two, got, second)
	}
	p.restore(empty)
	if got := contents(t, p.store()); got != dump(t, p.ns.Store(id(9))) {
		t.Errorf("before anything: %s", got)
	}
	p.restore(four)
	if got := names(t, p.store(), storage.ListOptions{}); got != "after k" {
		t.Errorf("at %s: %s", four, got)
	}
}

// What leads nowhere is refused with the reason.
func TestBookmarksRefused(t *testing.T) {
	p := newPast(t, storage.Options{})
	p.commit(putting("k", "1"))
	mine := p.bookmark()
	other, err := p.ns.Store(id(1)).CurrentBookmark()
	must(t, err)
	for bookmark, reason := range map[string]string{
		"":                                "expected 8-8-8-32",
		"x" + mine[1:]:                    "expected 8-8-8-32",
		other:                             "of another object",
		mine[:9] + "ffffffff" + mine[17:]: "a time that has not come",
	} {
		if _, err := p.store().RestoreOnNextSession(bookmark); !errors.Is(err, history.ErrBookmark) ||
			!strings.Contains(err.Error(), reason) {
			t.Errorf("%q: %v", bookmark, err)
		}
	}
	if _, err := p.store().BookmarkForTime(p.now().Add(time.Hour)); err == nil ||
		!strings.Contains(err.Error(), "future") {
		t.Errorf("tomorrow: %v", err)
	}
	if _, err := p.store().BookmarkForTime(p.now().Add(-31 * 24 * time.Hour)); err == nil ||
		!strings.Contains(err.Error(), "30 days at most") {
		t.Errorf("last month: %v", err)
	}
	none := store(t, storage.Options{})
	if _, err := none.BookmarkForTime(p.now()); !errors.Is(err, storage.ErrNoPointInTimeRecovery) {
		t.Errorf("without history: %v", err)
	}
	if _, err := none.RestoreOnNextSession(mine); !errors.Is(err, storage.ErrNoPointInTimeRecovery) {
		t.Errorf("without history: %v", err)
	}
}

// Somebody else's write ends what can be gone back to, and only that.
func TestHistoryOfAForeignFile(t *testing.T) {
	p := newPast(t, storage.Options{})
	p.commit(putting("k", "1"))
	old := p.bookmark()
	path := p.store().Path()
	must(t, p.ns.Close())
	db, err := sqlite.Open(path, sqlite.Options{})
	must(t, err)
	must(t, db.Exec("INSERT INTO _cf_KV VALUES('foreign', x'00')"))
	must(t, db.Close())
	p.advance(time.Minute)
	p.open()
	now := p.bookmark()
	if _, err := p.store().RestoreOnNextSession(old); !errors.Is(err, history.ErrBookmark) ||
		!strings.Contains(err.Error(), "began anew") {
		t.Errorf("an old bookmark: %v", err)
	}
	if now <= old {
		t.Errorf("%s comes after %s", now, old)
	}
	p.commit(putting("k2", "2"))
	p.restore(now)
	if got := names(t, p.store(), storage.ListOptions{}); got != "foreign k" {
		t.Errorf("got %s", got)
	}
	// A copied directory is no write, although its files have other times.
	must(t, p.ns.Close())
	copied := filepath.Join(t.TempDir(), "copy")
	must(t, os.CopyFS(copied, os.DirFS(p.dir)))
	p.dir, p.o.HistoryDir = copied, statedir.Dir(copied).History("w-C")
	p.open()
	p.restore(now)
}

// The state directory keeps the layout of the reference: histories lie elsewhere.
func TestHistoryLiesApart(t *testing.T) {
	p := newPast(t, storage.Options{})
	p.commit(putting("k", "1"))
	b := p.bookmark()
	_, err := p.store().RestoreOnNextSession(b)
	must(t, err)
	must(t, p.ns.Close())
	list, err := filepath.Glob(filepath.Join(statedir.Dir(p.dir).Namespace("w-C"), "*"))
	must(t, err)
	if len(list) != 2 || filepath.Base(list[0]) != "metadata.sqlite" && filepath.Base(list[1]) != "metadata.sqlite" {
		t.Errorf("files: %v", list)
	}
	must(t, storage.RemoveObject(statedir.Dir(p.dir).Namespace("w-C"), objectID))
	if left, _ := filepath.Glob(filepath.Join(p.o.HistoryDir, "*")); len(left) != 0 {
		t.Errorf("left of a removed object: %v", left)
	}
	p.open()
}

var historySteps = flag.Int("history.steps", 100, "how many steps TestHistoryAgainstModel takes")

// Random writes of all kinds, long logs, restarts, crashes between any two steps
// and restorations agree with a list of what the object held.
func TestHistoryAgainstModel(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 7))
	p := newPast(t, storage.Options{})
	type snapshot struct {
		bookmark, contents string
		at                 time.Time
	}
	var known []snapshot
	type moment struct {
		at       time.Time
		contents string
	}
	var moments []moment // what it held from then on, in whole seconds
	for step := range *historySteps {
		p.advance(time.Duration(1+rnd.IntN(5)) * time.Second)
		s := p.store()
		switch op := rnd.IntN(100); {
		case op < 40:
			p.commit(putting(fmt.Sprint("k", rnd.IntN(20)), fmt.Sprint(step)))
		case op < 60:
			p.commit(running("CREATE TABLE IF NOT EXISTS t(a INTEGER PRIMARY KEY, b)"),
				running(fmt.Sprintf("INSERT OR REPLACE INTO t VALUES(%d, zeroblob(%d))", rnd.IntN(30),
					rnd.IntN(60_000))))
		case op < 62:
			// Long logs are checkpointed while the file is open.
			p.commit(running("CREATE TABLE IF NOT EXISTS t(a INTEGER PRIMARY KEY, b)"),
				running(fmt.Sprintf("INSERT OR REPLACE INTO t VALUES(%d, zeroblob(%d))", rnd.IntN(30),
					1_000_000+rnd.IntN(1_000_000))))
		case op < 65:
			p.commit(running("CREATE TABLE IF NOT EXISTS t(a INTEGER PRIMARY KEY, b)"),
				running("DELETE FROM t WHERE a % 2 = 0"))
		case op < 70:
			p.commit(func(s *storage.Store) error { return s.SetAlarm(p.now().Add(time.Hour)) })
		case op < 72:
			must(t, s.Put("lost", nil))
			must(t, s.Rollback())
		case op < 74:
			must(t, s.DeleteAll(false))
			must(t, s.Commit())
		case op < 78:
			s.Release()
		case op < 82:
			p.restart()
		case op < 86:
			p.crash()
			moments = nil // when the last commits were made is lost with the process
		case op < 92 && len(known) > 0:
			to := known[rnd.IntN(len(known))]
			before := contents(t, s)
			undo := p.restore(to.bookmark)
			if got := contents(t, p.store()); got != to.contents {
				t.Fatalf("step %d: at %s\n got %s\nwant %s", step, to.bookmark, got, to.contents)
			}
			known = append(known, snapshot{undo, before, p.now()})
		case op < 95 && len(moments) > 0:
			m := moments[rnd.IntN(len(moments))]
			b, err := p.store().BookmarkForTime(m.at)
			must(t, err)
			known = append(known, snapshot{b, m.contents, p.now()})
		default:
			b := p.bookmark()
			if n := len(known); n > 0 && known[n-1].at.Before(p.now()) && b < known[0].bookmark {
				t.Fatalf("step %d: %s sorts before %s", step, b, known[0].bookmark)
			}
			known = append(known, snapshot{b, contents(t, p.store()), p.now()})
		}
		moments = append(moments, moment{p.now(), contents(t, p.store())})
		if step%50 == 0 {
			p.ns.Settle()
		}
	}
	for _, k := range known {
		p.restore(k.bookmark)
		if got := contents(t, p.store()); got != k.contents {
			t.Fatalf("at the end, %s\n got %s\nwant %s", k.bookmark, got, k.contents)
		}
	}
}

// crash goes on with a copy of the files as they are, which is what a killed
// process leaves.
func (p *past) crash() {
	p.ns.Settle()
	copied := filepath.Join(p.t.TempDir(), "crashed")
	must(p.t, os.CopyFS(copied, os.DirFS(p.dir)))
	must(p.t, p.ns.Close())
	p.dir, p.o.HistoryDir = copied, statedir.Dir(copied).History("w-C")
	p.open()
}

// The history stays within its limits: the oldest is given up, what is left is
// right, and what is gone is refused.
func TestHistoryIsBounded(t *testing.T) {
	for name, o := range map[string]storage.Options{"bytes": {HistoryBytes: 200_000},
		"time": {HistoryKeep: time.Hour}} {
		p := newPast(t, o)
		var bookmarks, held []string
		rnd := rand.New(rand.NewPCG(1, 1))
		for i := range 60 {
			p.advance(5 * time.Minute)
			noise := make([]byte, 10_000)
			for j := range noise {
				noise[j] = byte(rnd.Uint32())
			}
			p.commit(putting("noise", string(noise)), putting("n", fmt.Sprint(i)))
			bookmarks, held = append(bookmarks, p.bookmark()), append(held, contents(t, p.store()))
			p.store().Release()
		}
		p.ns.Settle()
		st, err := os.Stat(filepath.Join(p.o.HistoryDir, objectID+".history"))
		must(t, err)
		if st.Size() > 400_000 {
			t.Errorf("%s: the history has %d bytes", name, st.Size())
		}
		if _, err := p.store().RestoreOnNextSession(bookmarks[0]); !errors.Is(err, history.ErrBookmark) ||
			!strings.Contains(err.Error(), "too old") {
			t.Errorf("%s: the oldest: %v", name, err)
		}
		for _, i := range []int{52, 55, 59} {
			p.restore(bookmarks[i])
			if got := contents(t, p.store()); got != held[i] {
				t.Errorf("%s: state %d is wrong", name, i)
			}
		}
	}
}
