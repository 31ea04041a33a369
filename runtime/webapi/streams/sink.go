package streams

import (
	"cmp"

	"github.com/dop251/goja"

	"eddy/runtime/clock"
	"eddy/runtime/engine/host"
)

// WritableOptions configure NewWritable.
type WritableOptions struct {
	// HighWaterMark is how many chunks may be pending before the writer is held back; 0 means 1.
	HighWaterMark int
	// Failure turns an error of the sink into the value that writes reject with. If it is nil they reject with an
	// Error that has the error's text.
	Failure func(err error) goja.Value
	// Refusal is the text of the TypeError for a chunk that is neither bytes nor a string; "" is the platform's text
	// for a stream of its own.
	Refusal string
}

// NewWritable makes a WritableStream that writes into sink. It takes ArrayBuffers, views and strings (as UTF-8);
// anything else is a TypeError.
func NewWritable(h *host.Host, sink Sink, o WritableOptions) *goja.Object {
	b := get(h)
	f := h.Realm.Function
	write := f("write", func(c goja.FunctionCall) goja.Value {
		data, ok := b.chunkBytes(c.Argument(0))
		if !ok {
			h.Realm.ThrowType("%s", cmp.Or(o.Refusal, "This WritableStream only supports writing byte types."))
		}
		if len(data) == 0 {
			return goja.Undefined()
		}
		return b.offLoop(sink, o, func() error { return sink.Write(data) })
	})
	closing := f("close", func(goja.FunctionCall) goja.Value { return b.offLoop(sink, o, sink.Close) })
	abort := f("abort", func(c goja.FunctionCall) goja.Value {
		reason := b.aborted(c.Argument(0))
		return b.offLoop(sink, o, func() error { sink.Abort(reason); return nil })
	})
	return b.call(b.nativeWritable, write, closing, abort, b.rt.ToValue(max(o.HighWaterMark, 1))).(*goja.Object)
}

// offLoop runs a call of the sink and answers with a promise for its end.
func (b *bridge) offLoop(sink Sink, o WritableOptions, work func() error) goja.Value {
	p, resolve, reject := b.h.Realm.NewPromise()
	t := ticket(b.h.Scope(), waits(sink), sink)
	leave := clock.Attend(sink)
	go func() {
		defer leave()
		err := work()
		t.Return(func() {
			if err == nil {
				settle(resolve, goja.Undefined())
				return
			}
			settle(reject, b.failure(ReaderOptions{Failure: o.Failure}, err))
		})
	}()
	return b.rt.ToValue(p)
}

// chunkBytes copies a chunk of bytes or a string.
func (b *bridge) chunkBytes(v goja.Value) ([]byte, bool) {
	if s, ok := v.(goja.String); ok {
		return []byte(s.String()), true
	}
	return b.h.Realm.Bytes(v)
}

// appendChunk appends the bytes of such a chunk to data.
func (b *bridge) appendChunk(data []byte, v goja.Value) ([]byte, bool) {
	if s, ok := v.(goja.String); ok {
		return append(data, s.String()...), true
	}
	view, ok := b.h.Realm.BufferView(v)
	if !ok {
		return nil, false
	}
	return append(data, view.Bytes()...), true
}

// WritableLocked tells whether a WritableStream has a writer.
func WritableLocked(h *host.Host, stream goja.Value) bool {
	b := get(h)
	return b.call(b.writableLocked, stream).ToBoolean()
}

// Writer writes into a WritableStream from Go, past the public classes. Loop goroutine only.
type Writer struct {
	b      *bridge
	writer goja.Value
}

// NewWriter locks a WritableStream. It throws when the stream is locked already.
func NewWriter(h *host.Host, stream goja.Value) *Writer {
	b := get(h)
	return &Writer{b: b, writer: b.call(b.writer, stream)}
}

// Write gives a chunk; the result is the promise of the write. data must not be changed afterwards.
func (w *Writer) Write(data []byte) goja.Value {
	return w.b.call(w.b.writerWrite, w.writer, w.b.h.Realm.Uint8Array(data))
}

// Close ends the stream after what was written; the result is the promise of that.
func (w *Writer) Close() goja.Value { return w.b.call(w.b.writerClose, w.writer) }

// Abort ends the stream at once; the result is the promise of that.
func (w *Writer) Abort(reason goja.Value) goja.Value {
	return w.b.call(w.b.writerAbort, w.writer, reason)
}
