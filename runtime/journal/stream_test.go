package journal

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

// What is sent is received, however it is cut on the way; what breaks off or is damaged is told.
func TestStream(t *testing.T) {
	var b bytes.Buffer
	for n := range 3 {
		if err := Send(&b, &Entry{Kind: Fetch, Worker: "w", At: int64(n + 1), RPCMethod: string(magic)}); err != nil {
			t.Fatal(err)
		}
	}
	sum := func(r io.Reader) (n int64, err error) {
		err = Receive(r, func(e *Entry) error { n = 10*n + e.At; return nil })
		return n, err
	}
	if n, err := sum(iotest.OneByteReader(bytes.NewReader(b.Bytes()))); n != 123 || err != nil {
		t.Errorf("received %d, %v", n, err)
	}
	if n, err := sum(bytes.NewReader(b.Bytes()[:b.Len()-1])); n != 12 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("of a stream that breaks off: %d, %v", n, err)
	}
	b.Bytes()[b.Len()-1] ^= 1
	if n, err := sum(&b); n != 12 || err == nil {
		t.Errorf("of a damaged stream: %d, %v", n, err)
	}
}

// No stream makes Receive do anything but end.
func FuzzReceive(f *testing.F) {
	var b bytes.Buffer
	if err := Send(&b, &Entry{Kind: Fetch, Worker: "w"}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte("\xED\xD7J\x01\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_ = Receive(bytes.NewReader(data), func(e *Entry) error {
			if e == nil {
				t.Error("no entry")
			}
			return nil
		})
	})
}
