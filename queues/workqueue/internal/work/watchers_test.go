package work

import "testing"

// woken takes the wake that w was given, and reports whether there was one.
func woken(w *Watcher) bool {
	select {
	case <-w.Wakes():
		return true
	default:
		return false
	}
}

func TestWatchers(t *testing.T) {
	var all Watchers
	all.Wake("a")
	all.WakeAll()
	if all.Any() {
		t.Error("somebody watches at the start")
	}
	a1, a2, b := NewWatcher(), NewWatcher(), NewWatcher()
	stopA1, stopA2, stopB := all.Add("a", a1), all.Add("a", a2), all.Add("b", b)
	expect := func(step string, wantA1, wantA2, wantB bool) {
		t.Helper()
		if g1, g2, g3 := woken(a1), woken(a2), woken(b); g1 != wantA1 || g2 != wantA2 || g3 != wantB {
			t.Errorf("%s: woke %v %v %v, want %v %v %v", step, g1, g2, g3, wantA1, wantA2, wantB)
		}
	}
	all.Wake()
	expect("no topic", false, false, false)
	all.Wake("a")
	expect("a", true, true, false)
	all.Wake("a", "a", "c", "b")
	expect("a, a, c, b", true, true, true)
	all.WakeAll()
	expect("all", true, true, true)
	stopA1()
	stopA1()
	all.Wake("a")
	expect("a without its first", false, true, false)
	stopB()
	all.WakeAll()
	expect("all that are left", false, true, false)
	if !all.Any() {
		t.Error("the second of a is forgotten")
	}
	stopA2()
	if all.Any() || len(all.byTopic) != 0 {
		t.Errorf("topics are left behind: %v", all.byTopic)
	}
}
