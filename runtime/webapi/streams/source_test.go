package streams_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dop251/goja"

	"eddy/runtime/webapi/streams"
)

// stuck is a reader whose Read blocks until it is closed.
type stuck struct{ reading, closed chan struct{} }

func newStuck() *stuck { return &stuck{make(chan struct{}), make(chan struct{})} }

func (s *stuck) Read([]byte) (int, error) {
	close(s.reading)
	<-s.closed
	return 0, errors.New("closed")
}

func (s *stuck) Close() error { close(s.closed); return nil }

func TestCancelClosesTheReader(t *testing.T) {
	r := runner(t)
	s := newStuck()
	give(r, "s", func() any { return streams.FromReader(r.Host, s, streams.ReaderOptions{Length: -1}) })
	r.Expect(`const r = s.getReader(); const read = r.read(); await r.cancel(); return (await read).done`, "true")
	<-s.closed
}

func TestReaderIsClosedWithItsScope(t *testing.T) {
	r := runner(t)
	s := newStuck()
	r.On(func() {
		stream := streams.FromReader(r.Host, s, streams.ReaderOptions{Length: -1, Waiting: true})
		streams.ReadAll(r.Host, stream, 0, func([]byte, goja.Value) { t.Error("came back to a closed scope") })
		if r.Scope.Pending() != 1 {
			t.Errorf("%d pending", r.Scope.Pending())
		}
	})
	<-s.reading
	r.On(func() { r.Scope.Close(nil) })
	<-s.closed
}

func TestBytesBeforeAFailureAreDelivered(t *testing.T) {
	r := runner(t)
	give(r, "s", func() any {
		cut := io.MultiReader(strings.NewReader("ab"), iotest.ErrReader(errors.New("line cut")))
		return streams.FromReader(r.Host, io.NopCloser(cut), streams.ReaderOptions{Length: -1})
	})
	r.Expect(`const r = s.getReader(); const { value } = await r.read(); `+
		`return [value, await r.read().catch(String), await r.closed.catch(String)].join(' ')`,
		"97,98 Error: line cut Error: line cut")
}

func TestReadsAreNoLargerThanTheirBuffer(t *testing.T) {
	r := runner(t)
	data := make([]byte, 200<<10)
	give(r, "s", func() any {
		return streams.FromReader(
			r.Host, io.NopCloser(bytes.NewReader(data)), streams.ReaderOptions{Length: int64(len(data))})
	})
	r.Expect(collect+`const sizes = (await collect(s)).map((v) => v.length); `+
		`return [Math.max(...sizes), sizes.reduce((a, b) => a + b)].join()`, "65536,204800")
}

// Every stream of a buffer gets bytes of its own: the buffer belongs to the platform.
func TestBufferIsNotHandedOut(t *testing.T) {
	r := runner(t)
	data := []byte("data")
	give(r, "s", func() any { return streams.FromBytes(r.Host, data) })
	r.Expect(`const { value } = await s.getReader().read(); value.fill(0); return value.length`, "4")
	if string(data) != "data" {
		t.Errorf("the buffer is now %q", data)
	}
}

func TestEmptySourcesAreClosed(t *testing.T) {
	r := runner(t)
	give(r, "s", func() any { return streams.FromBytes(r.Host, nil) })
	r.Expect(`const r = s.getReader(); await r.closed; return (await r.read()).done`, "true")
}
