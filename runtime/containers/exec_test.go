package containers

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

// The engine's stream of two outputs is taken apart frame by frame; one that is cut short is an error.
func TestDemux(t *testing.T) {
	frames := "\x01\x00\x00\x00\x00\x00\x00\x02ab" + "\x02\x00\x00\x00\x00\x00\x00\x01x" +
		"\x01\x00\x00\x00\x00\x00\x00\x01c"
	var stdout, stderr bytes.Buffer
	if err := demux(bytes.NewReader([]byte(frames)), &stdout, &stderr); err != nil {
		t.Fatal(err)
	}
	if stdout.String() != "abc" || stderr.String() != "x" {
		t.Errorf("%q, %q", &stdout, &stderr)
	}
	for _, cut := range []int{3, 9, 15} {
		err := demux(bytes.NewReader([]byte(frames[:cut])), io.Discard, io.Discard)
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut after %d bytes: %v", cut, err)
		}
	}
}

// Whatever an engine sends, no more comes out than came in.
func FuzzDemux(f *testing.F) {
	f.Add([]byte("\x01\x00\x00\x00\x00\x00\x00\x02ab\x02\x00\x00\x00\xff\xff\xff\xffx"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var stdout, stderr bytes.Buffer
		if err := demux(bytes.NewReader(b), &stdout, &stderr); err == nil && len(b) > 0 && len(b) < frameHead {
			t.Error("a piece of a frame is no error")
		}
		if stdout.Len()+stderr.Len() > len(b) {
			t.Errorf("%d and %d bytes of %d", stdout.Len(), stderr.Len(), len(b))
		}
	})
}
