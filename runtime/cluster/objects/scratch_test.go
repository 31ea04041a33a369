package objects

import (
	"flag"
	"fmt"
	"maps"
	"strings"
	"testing"

	"eddy/runtime/cluster/engine"
)

var scratchStep = flag.Int("scratch.step", 3<<11, "TestFullScratch fills the disk after each so many bytes")

// An object fails because the disk of the scratch directory is full in the middle of anything, whether the object is
// new, was there before, or deletes all that it has. What it says afterwards, the next node finds as well.
func TestFullScratch(t *testing.T) {
	for room := 0; room < 24<<10; room += *scratchStep {
		for _, begin := range []string{"anew", "there", "deleted"} {
			for _, told := range []bool{false, true} { // whether what was put is handed in before the object fails
				t.Run(fmt.Sprintf("%s, %d bytes, %t", begin, room, told), func(t *testing.T) {
					fullScratch(t, begin, room, told)
				})
			}
		}
	}
}

func fullScratch(t *testing.T, begin string, room int, told bool) {
	w := newWorld(t, engine.NewMemory(3), "first")
	s := w.bring(id)
	want := map[string]string{}
	put := func(k, v string) error {
		if err := s.Put(k, []byte(v)); err != nil {
			return err
		}
		return s.Commit()
	}
	if begin != "anew" {
		if err := put("before", "1"); err != nil {
			t.Fatal(err)
		}
		w.keep(s)
		want["before"] = "1"
	}
	w.faults.FullAfter(room)
	if begin == "deleted" {
		if err := s.DeleteAll(false); err != nil {
			t.Fatal(err)
		}
		delete(want, "before")
	}
	if large := strings.Repeat("x", 9000); put("lost", large) == nil {
		want["lost"] = large
		if told {
			s.Sync(func(error) {}) // nobody waits for it
		} else {
			_ = put("more", large) // the disk may be full now
			want["more"] = large
		}
	}
	s.Close()
	s = w.ns.Store(id)
	w.faults.SetFull(false)
	got := contents(t, s)
	w.keep(s) // what was read is told
	if got["more"] == "" {
		delete(want, "more")
	}
	if !maps.Equal(got, want) {
		t.Fatalf("after the fault there is %.60v, want %.60v", got, want)
	}
	next := func(name string) {
		t.Helper()
		if got := contents(t, w.next(name).bring(id)); !maps.Equal(got, want) {
			t.Fatalf("the %s node finds %.60v, want %.60v", name, got, want)
		}
	}
	next("second")
	if err := put("after", "2"); err != nil {
		t.Fatal(err)
	}
	want["after"] = "2"
	w.keep(s)
	next("third")
}
