package sqlite

import (
	"path/filepath"
	"testing"
	"time"

	"eddy/queues/workqueue/internal/work"
)

// A call that makes no job eligible wakes nobody: a subscription would go on asking for jobs that are not there.
func TestAClaimWakesNobody(t *testing.T) {
	s, err := openStore(t.Context(), filepath.Join(t.TempDir(), "queue.db"), work.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(t.Context()) })
	w := work.NewWatcher()
	stop, err := s.Watch("a", w)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	woken := func() bool {
		select {
		case <-w.Wakes():
			return true
		default:
			return false
		}
	}
	claim := &work.Exchange{Topic: "a", Token: "00000000-0000-4000-8000-000000000001", Want: 1, Visibility: time.Minute}
	if c, err := s.Exchange(t.Context(), claim); err != nil || len(c.Deliveries) != 0 {
		t.Fatalf("a claim in an empty topic: %v, %v", c, err)
	}
	if woken() {
		t.Error("a claim that found nothing woke who watches")
	}
	if err := s.Enqueue(t.Context(), "a", []work.NewJob{{ID: "1"}}); err != nil {
		t.Fatal(err)
	}
	if !woken() {
		t.Error("a new job woke nobody")
	}
}
