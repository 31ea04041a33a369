package compression

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"testing"
)

// deflated is data compressed by the standard library at a level.
func deflated(t testing.TB, data []byte, level int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// inflateIn feeds packed in pieces of the given size.
func inflateIn(packed []byte, piece int) (out []byte, rest int, done bool, err error) {
	var f inflater
	for len(packed) > 0 && !f.done() {
		n := min(piece, len(packed))
		o, r, err := f.feed(packed[:n])
		if err != nil {
			return out, 0, false, err
		}
		out = append(out, o...)
		packed = packed[n:]
		rest = len(r)
	}
	return out, rest + len(packed), f.done(), nil
}

func samples() map[string][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 70000)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	text := bytes.Repeat([]byte("the lease of a message runs out; "), 4000)
	mixed := append(append([]byte{}, text[:50000]...), noise[:20000]...)
	return map[string][]byte{
		"empty": nil, "one": {7}, "run": bytes.Repeat([]byte{0}, 100000), "text": text, "noise": noise, "mixed": mixed}
}

// RFC 1951: every block type, at every cut of the input.
func TestInflateInPieces(t *testing.T) {
	for name, data := range samples() {
		for _, level := range []int{flate.NoCompression, flate.HuffmanOnly, 1, 6, 9} {
			packed := deflated(t, data, level)
			for _, piece := range []int{1, 2, 7, 1000, len(packed)} {
				out, rest, done, err := inflateIn(packed, piece)
				if err != nil || !done || rest != 0 || !bytes.Equal(out, data) {
					t.Errorf("%s level %d in pieces of %d: %d of %d bytes, rest %d, done %v, %v", name, level, piece,
						len(out), len(data), rest, done, err)
				}
			}
		}
	}
}

func TestInflateGivesBackWhatFollows(t *testing.T) {
	packed := append(deflated(t, []byte("hello"), 6), "rest"...)
	var f inflater
	out, rest, err := f.feed(packed)
	if err != nil || string(out) != "hello" || string(rest) != "rest" {
		t.Fatalf("%q %q %v", out, rest, err)
	}
}

func TestInflateRefuses(t *testing.T) {
	for name, in := range map[string][]byte{
		"reserved block type":              {0x07},
		"stored length and its complement": {0x01, 5, 0, 5, 0},
		"distance before the start":        {0x4b, 0x04, 0x11, 0x00},
	} {
		if _, _, done, err := inflateIn(in, 1); err == nil && done {
			t.Errorf("%s: accepted", name)
		}
	}
}

// Whatever the standard library decodes decodes here to the same bytes, in any pieces; and nothing panics.
func FuzzInflate(f *testing.F) {
	for _, data := range samples() {
		f.Add(deflated(f, data[:min(len(data), 3000)], 6), uint8(3))
	}
	f.Add([]byte{0x07}, uint8(1))
	f.Fuzz(func(t *testing.T, packed []byte, piece uint8) {
		want, wantErr := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), 1<<20))
		if len(want) == 1<<20 {
			return
		}
		out, _, done, err := inflateIn(packed, int(piece)+1)
		if wantErr == nil && (err != nil || !done || !bytes.Equal(out, want)) {
			t.Fatalf("library: %d bytes; here: %d bytes, done %v, %v", len(want), len(out), done, err)
		}
		if wantErr != nil && err == nil && done {
			t.Fatalf("library refuses (%v), here %d bytes", wantErr, len(out))
		}
	})
}

func BenchmarkInflate(b *testing.B) {
	packed := deflated(b, samples()["mixed"], 6)
	b.SetBytes(int64(len(samples()["mixed"])))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, done, err := inflateIn(packed, len(packed)); err != nil || !done {
			b.Fatal(err)
		}
	}
}

// The whole container: what the library's gzip reader takes, and nothing after it, is taken here; and nothing panics.
func FuzzGunzip(f *testing.F) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Name, w.Comment, w.Extra = "name", "comment", []byte("extra")
	if _, err := w.Write([]byte("body")); err != nil {
		f.Fatal(err)
	}
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes(), uint8(1))
	f.Fuzz(func(t *testing.T, packed []byte, piece uint8) {
		if len(packed) > 3 && packed[3]&0xe0 != 0 {
			return // reserved flags: an error in RFC 1952, unnoticed by the library
		}
		in := bytes.NewReader(packed)
		var want []byte
		r, wantErr := gzip.NewReader(in)
		if wantErr == nil {
			r.Multistream(false)
			if want, wantErr = io.ReadAll(io.LimitReader(r, 1<<20)); len(want) == 1<<20 {
				return
			}
		}
		d := decompressor{container: containers["gzip"]()}
		var got []byte
		trailing := false
		for rest := packed; len(rest) > 0; {
			n := min(int(piece)+1, len(rest))
			out, more, err := d.feed(rest[:n])
			if err != nil {
				if wantErr == nil {
					t.Fatalf("the library takes %x, here: %v", packed, err)
				}
				return
			}
			got = append(got, out...)
			trailing = trailing || more
			rest = rest[n:]
		}
		if wantErr == nil && (!bytes.Equal(got, want) || d.phase != finished || trailing != (in.Len() > 0)) {
			t.Fatalf("%x: library %q, here %q, phase %d, trailing %v", packed, want, got, d.phase, trailing)
		}
	})
}
