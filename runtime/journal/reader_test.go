package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"runtime"
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

// Whatever an entry holds whose checksum is right, it can be shown and captured: another program may have written it.
func FuzzEntry(f *testing.F) {
	var full Entry
	n := 0
	set(reflect.ValueOf(&full).Elem(), &n)
	for _, e := range []*Entry{event(1, "body"), &full, {Kind: Alarm}, {Kind: InstanceEvent}, {Kind: Dead}} {
		b, err := appendFrame(nil, e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[frameHeader:])
	}
	rules, err := ParseRules([]string{"**.a", "header:b"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		e := new(Entry)
		if decoding.Unmarshal(payload, e) != nil {
			return
		}
		if e.Delivery != nil {
			restoreCauses(e.Delivery.Messages)
		}
		item, err := json.Marshal(e.Item())
		if err != nil || !json.Valid(item) {
			t.Errorf("the tail is %s: %v", item, err)
		}
		line, err := e.Line().Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if l := new(Line); json.Unmarshal(line, l) != nil {
			t.Errorf("%s is no line", line)
		}
		var r Redactor
		r.Follow(rules)
		r.Hide("secret")
		r.Redact(e)
		if _, err := appendFrame(nil, e); err != nil {
			t.Errorf("it cannot be written again: %v", err)
		}
	})
}

// Resume goes on behind an entry, wherever in the journal that is, and gives all that there is if it is not there.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	own := filepath.Join(dir, "w")
	const last = 12
	j, _ := open(t, Options{Dir: own, Size: 16 << 20})
	var spans [last + 1][8]byte
	add := func(from, to int) {
		for i := from; i <= to; i++ {
			e := event(i, string(bytes.Repeat([]byte("r"), 1<<20)))
			spans[i] = e.Span
			j.Add(e)
			for j.waiting() > 0 {
				runtime.Gosched() // what does not fit into the buffer would be missed
			}
		}
	}
	add(1, last-1)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j, _ = open(t, Options{Dir: own, Size: 16 << 20})
	add(last, last)
	defer func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}()
	enough := errors.New("enough")
	for after := range last {
		var got []int64
		opened := false
		err := Resume(context.Background(), dir, spans[after], func(found bool) {
			if found != (after > 0) || len(got) > 0 {
				t.Errorf("after %d: found is %v, with %d entries before", after, found, len(got))
			}
		}, func() { opened = true }, func(e *Entry) error {
			got = append(got, e.At/1000)
			if e.At/1000 == last {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) || len(got) != last-after || got[0] != int64(after+1) {
			t.Errorf("after %d: %v, %v, opened %v", after, got, err, opened)
		}
	}
}
