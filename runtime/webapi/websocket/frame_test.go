package websocket

import (
	"bufio"
	"bytes"
	"io"
	"testing"
)

// A head that ends in the middle is an unexpected end, wherever it is cut; none at all is an end.
func TestHeadIsCut(t *testing.T) {
	for _, head := range [][]byte{
		{0x82, 0x85, 1, 2, 3, 4},
		{0x82, 0xfe, 1, 0, 1, 2, 3, 4},
		{0x82, 0xff, 0, 0, 0, 0, 0, 1, 0, 0, 1, 2, 3, 4},
	} {
		for n := range head {
			want := io.ErrUnexpectedEOF
			if n == 0 {
				want = io.EOF
			}
			if _, err := readHeader(bufio.NewReader(bytes.NewReader(head[:n])), false); err != want {
				t.Errorf("%d bytes of %x: %v, want %v", n, head, err, want)
			}
		}
		h, err := readHeader(bufio.NewReader(bytes.NewReader(head)), false)
		if err != nil || h.mask != [4]byte{1, 2, 3, 4} {
			t.Errorf("%x: %+v, %v", head, h, err)
		}
	}
}

// Heads are read without allocating.
func BenchmarkHead(b *testing.B) {
	frame := []byte{0x82, 0x85, 1, 2, 3, 4}
	source := bytes.NewReader(frame)
	r := bufio.NewReader(source)
	b.ReportAllocs()
	for b.Loop() {
		source.Reset(frame)
		r.Reset(source)
		if _, err := readHeader(r, false); err != nil {
			b.Fatal(err)
		}
	}
}
