package journal

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"testing"
)

// Follow sees what comes later, over the edges of segments, and when the journal was set aside meanwhile.
func TestFollow(t *testing.T) {
	dir := t.TempDir()
	own := filepath.Join(dir, "w")
	j, _ := open(t, Options{Dir: own, Size: 64 << 10})
	j.Add(event(1, "before"))
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j, _ = open(t, Options{Dir: own, Size: 64 << 10})
	const last = 40
	enough := errors.New("enough")
	want := int64(2)
	err := Follow(context.Background(), dir, nil, func() {
		for i := 2; i <= last; i++ {
			j.Add(event(i, string(bytes.Repeat([]byte("f"), 1000))))
		}
	}, func(line string) { t.Error(line) }, func(e *Entry) error {
		if e.At/1000 != want {
			t.Errorf("got %d, want %d", e.At/1000, want)
		}
		if want++; want > last {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) {
		t.Error(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

// Whatever the bytes are, the reader ends, and finds every whole entry that stands among them.
func FuzzFrames(f *testing.F) {
	var b []byte
	var err error
	for i := range 3 {
		if b, err = appendFrame(b, event(i, "body")); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(b, 0)
	f.Add(b[:len(b)-5:len(b)-5], 7)
	f.Add([]byte{0xED, 0xD7, 'J', 1, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}, 3)
	good, err := appendFrame(nil, event(77, "good"))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte, at int) {
		if at < 0 || at > len(data) {
			at = 0
		}
		all := append(append(append([]byte{}, data[:at]...), good...), data[at:]...)
		found := false
		for j := (&folder{data: all}); len(j.data) > 0; {
			e, used, _, _ := nextFrame(j.data)
			if used == 0 && e == nil {
				if len(j.data) <= frameHeader {
					break
				}
				used = len(magic) // as the reader does at the end of a segment
			}
			j.data = j.data[used:]
			found = found || e != nil && e.At == 77_000
			if e == nil && used == 0 {
				break
			}
		}
		if !found && !bytes.Contains(data[:at], magic) {
			t.Errorf("the entry between %d and %d bytes was not found", at, len(data)-at)
		}
	})
}
