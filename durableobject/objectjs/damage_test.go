package objectjs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"eddy/runtime/clock"
	"eddy/runtime/sqlite"
	"eddy/runtime/statedir"
	"eddy/runtime/worker"
)

var damageObject = prelude + script("damage.js")

// A full disk during a put, SQL, a transaction, a commit, with a new file: the caller hears which file and what to do,
// the object starts again from its last commit (SQL19, RPC18), others go on, and it all works again when there is room.
func TestFullDisk(t *testing.T) {
	var f sqlite.Faults
	b := newBenchAt(t, t.TempDir(), Options{faults: &f})
	w := b.start(config{classes: []string{"D"}}, damageObject)
	b.expect(w, "/put", "no error: put")
	b.expect(w, "/other", "no error: put")
	for i, c := range []string{"/more", "/big", "/sql", "/tx", "/fresh", "/swallow"} {
		f.SetFull(true)
		got := b.get(w, c)
		if !strings.HasPrefix(got, "Error: object file "+b.root) ||
			!strings.Contains(got, "database or disk is full: SQLITE_FULL. Make room on the disk.") &&
				!strings.Contains(got, "no space left") || !strings.HasSuffix(got, " durableObjectReset") {
			t.Errorf("%s: %s", c, got)
		}
		if got := b.get(w, "/readOther"); !strings.HasSuffix(got, " k") {
			t.Errorf("%s: the other object: %s", c, got)
		}
		f.SetFull(false)
		if got := b.get(w, "/read"); !strings.HasSuffix(got, " k") {
			t.Errorf("%s: %d: afterwards %s", c, i, got)
		}
	}
	b.expect(w, "/more", "no error: put")
	f.SetFull(true)
	// RPC18: the stub stays broken.
	if got := strings.Split(b.get(w, "/stub"), "|"); len(got) != 2 || got[0] != got[1] ||
		!strings.Contains(got[0], "SQLITE_FULL") {
		t.Error(got)
	}
	f.SetFull(false)
	if got := b.get(w, "/read"); !strings.HasSuffix(got, " k,m") {
		t.Error(got)
	}
	b.expect(w, "/tx", "no error: undefined")
}

// A write that cannot be made durable is not acknowledged (GT7): the object is reset.
func TestFailedSync(t *testing.T) {
	var f sqlite.Faults
	b := newBenchAt(t, t.TempDir(), Options{faults: &f})
	w := b.start(config{classes: []string{"D"}}, damageObject)
	b.expect(w, "/put", "no error: put")
	f.FailSyncs(true)
	if got := b.get(w, "/more"); !strings.HasPrefix(got, "Error: ") || !strings.HasSuffix(got, " durableObjectReset") {
		t.Error(got)
	}
	f.FailSyncs(false)
	f.SetFull(false)
	b.expect(w, "/put", "no error: put")
}

// A damaged object file, before the start or under a live object, hurts that object alone.
func TestDamagedObject(t *testing.T) {
	for _, c := range []struct {
		name, text string
		damage     func(path string) error
	}{
		{"garbage", "file is not a database", func(path string) error {
			return os.WriteFile(path,
				[]byte(strings.Repeat("garbage ", 4000)), 0o600)
		}},
		{"cut short", "database disk image is malformed", func(path string) error { return os.Truncate(path, 4096) }},
		{"a directory", "it is not a file", func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.Mkdir(path, 0o700)
		}},
	} {
		b := newBench(t)
		w := b.start(config{classes: []string{"D"}}, damageObject)
		for _, p := range []string{"/put", "/other"} {
			b.expect(w, p, "no error: put")
		}
		b.close()
		path := filepath.Join(statedir.Dir(b.root).Namespace("w-D"), b.objs.ID("w-D", "a")+".sqlite")
		if err := c.damage(path); err != nil {
			t.Fatal(err)
		}
		again := newBenchAt(t, b.root, Options{})
		w = again.start(config{classes: []string{"D"}}, damageObject)
		for _, p := range []string{"/sql", "/read", "/more", "/wake"} {
			got := again.get(w, p)
			if !strings.Contains(got, "object file "+path) || !strings.Contains(got, c.text) ||
				!strings.Contains(got, "eddy objects delete w-D ") || !strings.HasSuffix(got, " durableObjectReset") {
				t.Errorf("%s: %s: %s", c.name, p, got)
			}
		}
		if got := again.get(w, "/readOther"); !strings.HasSuffix(got, " k") {
			t.Errorf("%s: the other object: %s", c.name, got)
		}
		again.close()
	}
}

// A damaged alarm index costs no alarm, and is reported (AL7).
func TestDamagedAlarmIndex(t *testing.T) {
	b := newBench(t)
	b.clock.Pause()
	b.expect(b.start(config{classes: []string{"D"}}, damageObject), "/wake", "no error: undefined")
	b.close()
	index := filepath.Join(statedir.Dir(b.root).Namespace("w-D"), "metadata.sqlite")
	if err := os.WriteFile(index, []byte(strings.Repeat("garbage ", 4000)), 0o600); err != nil {
		t.Fatal(err)
	}
	again := newBenchAt(t, b.root, Options{})
	w := again.start(config{classes: []string{"D"}}, damageObject)
	again.get(w, "/readOther")
	if n := again.notes(); !strings.Contains(n, "alarm index "+index+" was damaged") ||
		!strings.Contains(n, "1 alarms") {
		t.Errorf("notes: %s", n)
	}
	again.clock.Advance(t.Context(), time.Hour)
	if got := again.get(w, "/read"); !strings.HasSuffix(got, " alarm") {
		t.Error(got)
	}
}

// unheld is a virtual clock on which a disk write holds nobody up, so that time passes while the disk hangs.
type unheld struct{ *clock.Virtual }

func (unheld) Hold(string) func() { return func() {} }

// GT7: a commit that the disk takes more than 30 s for resets the object. Its callers hear why, sockets and waiting
// alarms go the way of every reset, other objects go on, and the next instance works with what is stored.
func TestSlowCommit(t *testing.T) {
	var f sqlite.Faults
	b := newBenchAt(t, t.TempDir(), Options{faults: &f})
	b.clock.Pause()
	w := b.start(config{classes: []string{"D"}, change: func(o *worker.Options) { o.Clock = unheld{b.clock} }},
		damageObject)
	b.expect(w, "/put", "no error: put")
	stalled := make(chan struct{}, 10)
	resume := f.StallSyncs(func() { stalled <- struct{}{} })
	answers := make(chan string, 1)
	go func() { answers <- b.get(w, "/stub") }()
	<-stalled
	b.clock.Advance(t.Context(), 29999*time.Millisecond)
	select {
	case got := <-answers:
		t.Errorf("answered before the time: %s", got)
	default:
	}
	if got := b.get(w, "/readOther"); !strings.HasPrefix(got, "no error: #") {
		t.Errorf("the other object: %s", got)
	}
	b.clock.Advance(t.Context(), time.Millisecond)
	const late = "Error: Durable Object storage operation exceeded timeout which caused object to be reset. " +
		"overloaded durableObjectReset"
	if got := <-answers; got != late+"|"+late {
		t.Errorf("got %s", got)
	}
	resume()
	if got := b.get(w, "/read"); !strings.HasSuffix(got, " k,z") {
		t.Errorf("afterwards: %s", got)
	}
	b.expect(w, "/more", "no error: put")
	if n := b.happened("reset"); n != 1 {
		t.Errorf("%d resets", n)
	}
}
