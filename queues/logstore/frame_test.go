package logstore

import (
	"bytes"
	"errors"
	"testing"
)

func FuzzFrame(f *testing.F) {
	f.Add(appendFrame(nil, frame{kind: kindGroup, seq: 7, synced: 24, payload: []byte("hello")}))
	f.Add(appendFrame(nil, frame{kind: kindSegment}))
	f.Add([]byte{magic0, magic1, frameVersion, kindGroup, 255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, data []byte) {
		fr, n, err := parseFrame(data)
		if err != nil {
			return
		}
		// What parses is exactly what was written.
		if again := appendFrame(nil, fr); !bytes.Equal(again, data[:n]) {
			t.Fatalf("parsed %x, written again %x", data[:n], again)
		}
	})
}

func TestFrameOfAnotherVersion(t *testing.T) {
	p := appendFrame(nil, frame{kind: kindGroup, payload: []byte("x")})
	p[2] = 9
	if _, _, err := parseFrame(p); !errors.Is(err, errSum) {
		t.Fatalf("a flipped version: %v", err)
	}
}
