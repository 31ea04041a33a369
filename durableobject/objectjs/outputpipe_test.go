package objectjs

import (
	"bytes"
	"io"
	"testing"
)

// A process whose output nobody reads can end; more than fits waits for a reader; what comes after the reader has gone
// is thrown away.
func TestOutputPipe(t *testing.T) {
	p := newOutputPipe()
	text := bytes.Repeat([]byte("x"), outputRoom)
	if n, err := (outputEnd{p}).Write(text); n != len(text) || err != nil {
		t.Fatal(n, err)
	}
	go func() {
		_, _ = outputEnd{p}.Write([]byte("more"))
		_ = outputEnd{p}.Close()
	}()
	if got, err := io.ReadAll(p); err != nil || string(got) != string(text)+"more" {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	p = newOutputPipe()
	_ = p.Close()
	if n, err := (outputEnd{p}).Write(append(text, text...)); n != 2*len(text) || err != nil {
		t.Error(n, err)
	}
	if n, err := p.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Error(n, err)
	}
}
