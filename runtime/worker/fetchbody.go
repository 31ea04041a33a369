package worker

import (
	"io"
	"sync"
	"sync/atomic"

	"github.com/dop251/goja"

	"eddy/runtime/clock"
	"eddy/runtime/webapi/streams"
)

// pump makes a Go reader of a stream that only JavaScript can read.
func (e *fetchEvent) pump(inv *Invocation, stream *goja.Object, failed *atomic.Pointer[Exception]) io.ReadCloser {
	r, w := streams.NewConduit(inv.Isolate.Loop.Clock())
	inv.Hold()
	sink := &bodySink{ConduitWriter: w}
	sink.failing = func(failure goja.Value) {
		if !sink.wrote.Load() {
			failed.Store(inv.Isolate.Exception(failure))
		}
	}
	streams.Pump(inv.Isolate.Host, stream, sink, func(failure goja.Value) {
		if failure != nil {
			w.Abort(inv.Isolate.Exception(failure))
		}
		inv.Release()
	})
	return r
}

// bodySink is the script's end of a body. It knows whether anything was written.
type bodySink struct {
	*streams.ConduitWriter
	wrote atomic.Bool // Write was called
	// failing is [streams.Informed]'s.
	failing func(failure goja.Value)
}

// Failing implements [streams.Informed].
func (s *bodySink) Failing(failure goja.Value) { s.failing(failure) }

// Write implements [streams.Sink].
func (s *bodySink) Write(p []byte) error {
	s.wrote.Store(true)
	return s.ConduitWriter.Write(p)
}

// heldBody calls back when the reader is done with a native body, so that the invocation that owns it may end.
type heldBody struct {
	io.ReadCloser
	once   sync.Once
	closed func()
}

// Attend implements [clock.Attended].
func (b *heldBody) Attend() (leave func()) { return clock.Attend(b.ReadCloser) }

func (b *heldBody) Close() error {
	err := b.ReadCloser.Close()
	b.once.Do(b.closed)
	return err
}

// bytesBody is a body that is in memory; WriteTo spares a copy.
type bytesBody struct{ data []byte }

func (b *bytesBody) Read(p []byte) (int, error) {
	if len(b.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p, b.data)
	b.data = b.data[n:]
	return n, nil
}

func (b *bytesBody) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(b.data)
	b.data = b.data[n:]
	return int64(n), err
}

func (b *bytesBody) Close() error { return nil }
