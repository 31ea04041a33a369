package rpc

import (
	"errors"
	"io"
	"sync"

	"github.com/dop251/goja"

	"eddy/runtime/eventloop"
	"eddy/runtime/structured"
	"eddy/runtime/webapi/streams"
)

// readable is a ReadableStream on its way (RPC11).
type readable struct {
	r      io.ReadCloser
	length int64
}

func (h *readable) drop() { go h.r.Close() }

// writeReadable moves the stream's contents to the receiver: as a Go reader if it is one, else through a pipe that
// the sender's scope fills.
func (k *Kit) writeReadable(e *structured.Encoder, obj *goja.Object, s *sending) {
	if streams.Locked(k.h, obj) {
		k.h.Realm.ThrowType("The ReadableStream has been locked to a reader.")
	}
	length, known := streams.ExpectedLength(k.h, obj)
	if !known {
		length = -1
	}
	h := &readable{length: length}
	if r, ok := streams.Native(k.h, obj); ok {
		h.r = r
	} else {
		r, w := io.Pipe()
		var free func()
		if s.hold != nil {
			free = s.hold()
		}
		streams.Pump(k.h, obj, pipeSink{w}, func(failure goja.Value) {
			if failure != nil {
				// An object stream, or one that failed: the receiver only learns that it ended early (RPC11).
				_ = w.CloseWithError(k.Thrown(failure))
			}
			if free != nil {
				free()
			}
		})
		h.r = r
	}
	e.WriteUint32(s.add(h))
}

func (k *Kit) readReadable(d *structured.Decoder, r *receiving) *goja.Object {
	h, ok := k.taken(d, r).(*readable)
	if !ok {
		d.Refuse("Deserialization failed: a stream is missing.")
	}
	return streams.FromReader(k.h, h.r, streams.ReaderOptions{Length: h.length, Waiting: true, Failure: k.streamFailure})
}

// streamFailure is what reading or writing fails with when the other side failed.
func (k *Kit) streamFailure(err error) goja.Value {
	var f *Failure
	if errors.As(err, &f) {
		if f.Message == streams.NotBytes {
			return k.Value(Disconnected())
		}
		return k.Value(f)
	}
	return k.Value(Disconnected())
}

// pipeSink writes into a pipe whose reader may take its time.
type pipeSink struct{ w *io.PipeWriter }

// Write implements streams.Sink.
func (s pipeSink) Write(p []byte) error { _, err := s.w.Write(p); return err }

// Close implements streams.Sink.
func (s pipeSink) Close() error { return s.w.Close() }

// Abort implements streams.Sink.
func (s pipeSink) Abort(err error) {
	if err == nil {
		err = Disconnected()
	}
	var f *Failure
	if !errors.As(err, &f) {
		err = Fail(err.Error())
	}
	_ = s.w.CloseWithError(err)
}

// Waiting implements streams.Waiter.
func (s pipeSink) Waiting() bool { return true }

// writable is a WritableStream on its way: what the receiver writes comes back to the sender's loop.
type writable struct {
	kit    *Kit
	scope  *eventloop.Scope
	writer *streams.Writer
	free   func()
	once   sync.Once
}

func (k *Kit) writeWritable(e *structured.Encoder, obj *goja.Object, s *sending) {
	if streams.WritableLocked(k.h, obj) {
		k.h.Realm.ThrowType("The WritableStream has been locked to a writer.")
	}
	h := &writable{kit: k, scope: k.h.Scope(), writer: streams.NewWriter(k.h, obj)}
	if s.hold != nil {
		h.free = s.hold()
	}
	e.WriteUint32(s.add(h))
}

func (k *Kit) readWritable(d *structured.Decoder, r *receiving) *goja.Object {
	h, ok := k.taken(d, r).(*writable)
	if !ok {
		d.Refuse("Deserialization failed: a stream is missing.")
	}
	return streams.NewWritable(k.h, h, streams.WritableOptions{Failure: k.streamFailure})
}

func (h *writable) drop() { go h.Abort(Disconnected()) }

// on runs f on the sender's loop and waits for the promise it gives.
func (h *writable) on(f func() goja.Value) error {
	done := make(chan error, 1)
	k := h.kit
	ok := k.h.Loop.Post(func() {
		if h.scope.Closed() {
			done <- Disconnected()
			return
		}
		h.scope.EnterNow(func() {
			if ex := k.h.Realm.Try(func() {
				k.h.Realm.Then(f(), func(goja.Value) { done <- nil }, func(v goja.Value) { done <- k.Thrown(v) })
			}); ex != nil {
				done <- k.Thrown(ex)
			}
		})
	})
	if !ok {
		return Disconnected()
	}
	select {
	case err := <-done:
		return err
	case <-h.scope.Context().Done():
	case <-k.h.Loop.Stopped():
	}
	return Disconnected()
}

func (h *writable) ended() {
	h.once.Do(func() {
		if h.free != nil {
			h.kit.h.Loop.Post(h.free)
		}
	})
}

// Write implements streams.Sink.
func (h *writable) Write(p []byte) error {
	data := append([]byte(nil), p...)
	return h.on(func() goja.Value { return h.writer.Write(data) })
}

// Close implements streams.Sink.
func (h *writable) Close() error {
	defer h.ended()
	return h.on(func() goja.Value { return h.writer.Close() })
}

// Abort implements streams.Sink.
func (h *writable) Abort(err error) {
	defer h.ended()
	f := FailureOf(err)
	_ = h.on(func() goja.Value { return h.writer.Abort(h.kit.Value(f)) }) // nobody is left to tell
}

// Waiting implements streams.Waiter.
func (h *writable) Waiting() bool { return true }
