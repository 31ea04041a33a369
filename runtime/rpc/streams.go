package rpc

import (
	"context"
	"io"
	"sync"
	"sync/atomic"

	"github.com/dop251/goja"

	"eddy/runtime/clock"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/structured"
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
		k.h.Realm.ThrowType(errReadHeld)
	}
	length, known := streams.ExpectedLength(k.h, obj)
	if !known {
		length = -1
	}
	h := &readable{length: length}
	if r, ok := streams.Native(k.h, obj); ok {
		h.r = r
	} else {
		r, w := streams.NewConduit(k.h.Loop.Clock())
		scope := k.h.Scope()
		var free func()
		if s.hold != nil {
			free = s.hold()
		}
		streams.Pump(k.h, obj, pumpSink{w}, func(failure goja.Value) {
			if failure != nil {
				w.Abort(Fail(errReadLost))
			}
			if free != nil {
				free()
			}
		})
		h.r = &pumped{ConduitReader: r, cancel: func() {
			k.h.Loop.Post(func() {
				if !scope.Closed() {
					scope.EnterNow(func() { streams.Cancel(k.h, obj, k.Value(Fail(errCanceled))) })
				}
			})
		}}
	}
	e.WriteUint32(s.add(h))
}

// pumped is the receiver's end of a pipe that a script fills. The script is told when nobody wants any more.
type pumped struct {
	*streams.ConduitReader
	cancel func()
	ended  atomic.Bool
}

// Read implements io.Reader.
func (p *pumped) Read(b []byte) (int, error) {
	n, err := p.ConduitReader.Read(b)
	if err != nil {
		p.ended.Store(true)
	}
	return n, err
}

// WriteTo implements io.WriterTo.
func (p *pumped) WriteTo(w io.Writer) (int64, error) {
	n, err := p.ConduitReader.WriteTo(w)
	if err == nil {
		p.ended.Store(true)
	}
	return n, err
}

// Close implements io.Closer.
func (p *pumped) Close() error {
	if !p.ended.Swap(true) {
		p.cancel()
	}
	return p.ConduitReader.Close()
}

func (k *Kit) readReadable(d *structured.Decoder, r *receiving) *goja.Object {
	g := goodOf(k.taken(d, r))
	if g.Reader == nil {
		d.Refuse("Deserialization failed: a stream is missing.")
	}
	return streams.FromReader(k.h, g.Reader, streams.ReaderOptions{
		Length: g.Length, Waiting: streams.Waits(g.Reader), Failure: k.readFailure})
}

// Texts of RPC11.
const (
	errReadLost  = "ReadableStream received over RPC disconnected prematurely."
	errWriteLost = "WritableStream received over RPC was disconnected because the remote execution context has ended."
	errCanceled  = "The receiver of the ReadableStream canceled it."
	errReadHeld  = "The ReadableStream has been locked to a reader."
	errWriteHeld = "This WritableStream is currently locked to a writer."
	errWriteType = "This TransformStream is being used as a byte stream, but received an object of " +
		"non-ArrayBuffer/ArrayBufferView type on its writable side."
)

// readFailure is the failure of a read, whatever the failure of the other side was (RPC11).
func (k *Kit) readFailure(error) goja.Value { return k.Value(Fail(errReadLost)) }

// writeFailure is the failure of a write: the error of the other side, which counts as one of this side.
func (k *Kit) writeFailure(err error) goja.Value {
	return k.Value(FailureOf(err).With(func(f *RemoteError) { f.Remote = false }))
}

// pumpSink is the sender's end of such a pipe.
type pumpSink struct{ *streams.ConduitWriter }

// Abort implements streams.Sink. The reader learns only that the stream ended early (RPC11).
func (s pumpSink) Abort(error) { s.ConduitWriter.Abort(Fail(errReadLost)) }

// writable is a WritableStream on its way: what the receiver writes comes back to the sender's loop.
type writable struct {
	kit    *Kit
	scope  *eventloop.Scope
	writer *streams.Writer
	free   func()
	end    sync.Once // by Close or Abort
	turn   *clock.Handover
}

func (k *Kit) writeWritable(e *structured.Encoder, obj *goja.Object, s *sending) {
	if streams.WritableLocked(k.h, obj) {
		k.h.Realm.ThrowType(errWriteHeld)
	}
	h := &writable{kit: k, scope: k.h.Scope(), writer: streams.NewWriter(k.h, obj),
		turn: clock.NewHandover(k.h.Loop.Clock(), "a write into another Worker's stream")}
	shut := h.scope.Open() // the receiver may write at any time
	h.free = shut
	if s.hold != nil {
		release := s.hold()
		h.free = func() { shut(); release() }
	}
	e.WriteUint32(s.add(h))
}

func (k *Kit) readWritable(d *structured.Decoder, r *receiving) *goja.Object {
	sink := goodOf(k.taken(d, r)).Sink
	if sink == nil {
		d.Refuse("Deserialization failed: a stream is missing.")
	}
	// A receiver that ends without closing the stream has abandoned it.
	context.AfterFunc(k.h.Scope().Context(), func() { sink.Abort(nil) })
	return streams.NewWritable(k.h, sink, streams.WritableOptions{Failure: k.writeFailure, Refusal: errWriteType})
}

// drop implements handle.
func (h *writable) drop() { go h.Abort(nil) }

// on runs f on the sender's loop and waits for the promise that f returns.
func (h *writable) on(f func() goja.Value) error {
	answer := make(chan error, 1)
	done := func(err error) {
		h.turn.Resume()
		answer <- err
	}
	k := h.kit
	var mu sync.Mutex
	over := false // nobody waits any more; guarded by mu
	defer func() {
		mu.Lock()
		defer mu.Unlock()
		over = true
		h.turn.Resume()
	}()
	ok := k.h.Loop.Post(func() {
		// The wait begins in the turn of the loop, which holds the clock.
		mu.Lock()
		if !over {
			h.turn.Wait()
		}
		mu.Unlock()
		if h.scope.Closed() {
			done(Disconnected())
			return
		}
		h.scope.EnterNow(func() {
			if ex := k.h.Realm.Try(func() {
				k.h.Realm.Then(f(), func(goja.Value) { done(nil) }, func(v goja.Value) { done(k.Thrown(v)) })
			}); ex != nil {
				done(k.Thrown(ex))
			}
		})
	})
	if !ok {
		return Disconnected()
	}
	select {
	case err := <-answer:
		return err
	case <-h.scope.Context().Done():
	case <-k.h.Loop.Stopped():
	}
	return Disconnected()
}

// finish ends the stream by f, if it has not ended yet.
func (h *writable) finish(f func() goja.Value) (err error) {
	h.end.Do(func() {
		err = h.on(f)
		h.kit.h.Loop.Post(h.free)
	})
	return err
}

// Write implements streams.Sink.
func (h *writable) Write(p []byte) error {
	data := append([]byte(nil), p...)
	return h.on(func() goja.Value { return h.writer.Write(data) })
}

// Close implements streams.Sink.
func (h *writable) Close() error {
	return h.finish(func() goja.Value { return h.writer.Close() })
}

// Abort implements streams.Sink. The sender does not hear why (RPC11).
func (h *writable) Abort(error) {
	// Nobody is left to tell of a failure.
	_ = h.finish(func() goja.Value { return h.writer.Abort(h.kit.Value(Fail(errWriteLost))) })
}

// Waiting implements streams.Patient.
func (h *writable) Waiting() bool { return true }

// Attend implements [clock.Attended].
func (h *writable) Attend() (leave func()) { return h.turn.Attend() }
