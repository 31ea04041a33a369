package queues

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"eddy/queues/logstore"
)

// Damage of a full segment is told once, with the file, also when no start and no delivery reads it; a sound one is
// not, and a segment that was dropped is no damage.
func TestScrub(t *testing.T) {
	dir := t.TempDir()
	var said []string // written by this goroutine
	b, _, err := Open(
		Options{
			Dir:          dir,
			SegmentBytes: 1000,
			Durability:   logstore.Relaxed,
			Warn:         func(text string) { said = append(said, text) },
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := b.Declare(t.Context(), Topology{Queues: []string{"q"}}); err != nil {
		t.Fatal(err)
	}
	for range 40 {
		msg := []Outgoing{{Body: make([]byte, 100), ContentType: ContentBytes}}
		if _, err := b.Send(t.Context(), "q", msg, SendOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	s := &scrub{told: map[uint32]bool{}}
	round := func() {
		t.Helper()
		for first := true; first || s.segment != 0; first = false {
			if err := b.scrubPart(s); err != nil {
				t.Fatal(err)
			}
		}
	}
	round()
	if len(said) != 0 {
		t.Fatalf("a sound log: %v", said)
	}
	name := filepath.Join(dir, "00000002.log")
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte{0xff}, 500); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	round()
	round()
	if len(said) != 1 || !strings.Contains(said[0], "00000002.log") {
		t.Errorf("said %v", said)
	}
	if !b.dropped(99) || b.dropped(2) {
		t.Error("dropped segments are told wrongly")
	}
}
