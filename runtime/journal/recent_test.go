package journal

import (
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// Each look gives what is new, once and in order, and passes over what is more than the room.
func TestRecent(t *testing.T) {
	dir := t.TempDir()
	n := NewRecent(dir, 100<<10)
	defer n.Close()
	r := rand.New(rand.NewPCG(3, 4))
	next, written := int64(1), int64(1)
	gaps := 0
	for range 60 {
		many := 1 + r.IntN(5)
		if r.IntN(10) == 0 {
			many = 1000 // some 300 kB
		}
		j, _ := open(t, Options{Dir: filepath.Join(dir, "one"), Size: 16 * 64 << 10})
		for range many {
			j.Add(&Entry{Kind: Fetch, At: written, Worker: "w", Outcome: "ok", RPCArguments: string(make([]byte, 300))})
			written++
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		if grown, err := n.Grown(); !grown || err != nil {
			t.Fatalf("after %d entries: grown is %v, %v", written, grown, err)
		}
		if grown, err := n.Grown(); grown || err != nil {
			t.Fatalf("without more: grown is %v, %v", grown, err)
		}
		first := true
		gap, err := n.Read(func(e *Entry) error {
			if e.At != next && !first {
				t.Fatalf("entry %d after %d", e.At, next-1)
			}
			if first && e.At < next {
				t.Fatalf("entry %d came twice", e.At)
			}
			first, next = false, e.At+1
			return nil
		})
		if err != nil || next != written {
			t.Fatalf("read up to %d of %d: %v", next, written, err)
		}
		if gap {
			gaps++
		}
	}
	if gaps == 0 {
		t.Error("nothing was ever passed over")
	}
	if grown, err := NewRecent(filepath.Join(dir, "none"), 1).Grown(); grown || err != nil {
		t.Errorf("a folder that is not there: %v, %v", grown, err)
	}
}
