package streams

import (
	"context"
	"errors"
	"io"
	"math"
	"math/big"

	"eddy/runtime/engine/webidl"
	"github.com/dop251/goja"

	"eddy/runtime/clock"
	"eddy/runtime/engine/host"
)

func bigInt(n int64) *big.Int { return big.NewInt(n) }

// installed is the package's state, or nil if nothing has needed it so far. In that case no object can be a stream.
func installed(h *host.Host) *bridge {
	b, _ := h.Value(stateKey{}).(*bridge)
	return b
}

func (b *bridge) is(f goja.Callable, v goja.Value) bool {
	if b == nil {
		return false
	}
	if _, ok := v.(*goja.Object); !ok {
		return false
	}
	return b.call(f, v).ToBoolean()
}

// Is tells whether v is a ReadableStream.
func Is(h *host.Host, v goja.Value) bool {
	b := installed(h)
	return b != nil && b.is(b.isReadable, v)
}

// IsWritable tells whether v is a WritableStream.
func IsWritable(h *host.Host, v goja.Value) bool {
	b := installed(h)
	return b != nil && b.is(b.isWritable, v)
}

// Locked tells whether a ReadableStream has a reader.
func Locked(h *host.Host, stream goja.Value) bool {
	b := get(h)
	return b.call(b.locked, stream).ToBoolean()
}

// Disturbed tells whether a ReadableStream was ever read from or cancelled.
func Disturbed(h *host.Host, stream goja.Value) bool {
	b := get(h)
	return b.call(b.disturbed, stream).ToBoolean()
}

// ExpectedLength is how many bytes a ReadableStream promises to give. It is known for native streams with a length, for
// FixedLengthStream and for sources with an expectedLength.
func ExpectedLength(h *host.Host, stream goja.Value) (int64, bool) {
	b := get(h)
	v := b.call(b.expectedLength, stream)
	n, ok := webidl.Primitive(v).(*big.Int)
	if !ok {
		return 0, false
	}
	if !n.IsInt64() {
		return math.MaxInt64, true
	}
	return n.Int64(), true
}

// Tee splits a ReadableStream; it throws when the stream is locked.
func Tee(h *host.Host, stream goja.Value) (left, right *goja.Object) {
	b := get(h)
	pair := b.call(b.tee, stream).(*goja.Object)
	return pair.Get("0").(*goja.Object), pair.Get("1").(*goja.Object)
}

// Cancel cancels a ReadableStream also when it is locked, and gives back the promise of the cancellation.
func Cancel(h *host.Host, stream, reason goja.Value) goja.Value {
	b := get(h)
	if reason == nil {
		reason = goja.Undefined()
	}
	return b.call(b.cancel, stream, reason)
}

// Detach moves what a ReadableStream holds into a new one and leaves the old one locked and disturbed, as
// new Request(request) does with the body. It throws when the stream is locked.
func Detach(h *host.Host, stream goja.Value) *goja.Object {
	b := get(h)
	return b.call(b.detach, stream).(*goja.Object)
}

// Pipe is pipeTo without options; the result is its promise.
func Pipe(h *host.Host, readable, writable goja.Value) goja.Value {
	b := get(h)
	return b.call(b.pipe, readable, writable)
}

// Native takes the Go reader out of a native stream that nobody has touched, and leaves the stream locked and
// disturbed. The caller must close the reader. A buffer-backed stream's reader also has Bytes() []byte, which nobody
// may change. If this process may still have to make the bytes, the reader is a [Patient].
func Native(h *host.Host, stream goja.Value) (io.ReadCloser, bool) {
	s := get(h).take(stream)
	if s == nil {
		return nil, false
	}
	if r := s.reader(); !s.opts.Waiting || s.buffer {
		return r, true
	}
	return waitingReader{s.r}, true
}

// waitingReader is a native reader. Reading it does not hold the clock.
type waitingReader struct{ io.ReadCloser }

// Waiting implements [Patient].
func (waitingReader) Waiting() bool { return true }

// Attend implements [clock.Attended].
func (w waitingReader) Attend() (leave func()) { return clock.Attend(w.ReadCloser) }

// Canceled implements [Canceler].
func (w waitingReader) Canceled() {
	if c, ok := w.ReadCloser.(Canceler); ok {
		c.Canceled()
	}
}

func (b *bridge) take(stream goja.Value) *source {
	v := b.call(b.takeNative, stream)
	if goja.IsUndefined(v) {
		return nil
	}
	return sourceOf(v)
}

func (b *bridge) finish(stream goja.Value, failure goja.Value) {
	if failure == nil {
		b.call(b.finishNative, stream, b.rt.ToValue(false))
		return
	}
	b.call(b.finishNative, stream, b.rt.ToValue(true), failure)
}

// NotBytes is the error of a consumer that got something else than bytes.
const NotBytes = "This ReadableStream did not return bytes."

var errLimit = errors.New("memory limit exceeded")

// ReadAll reads a ReadableStream to its end and calls done once, on the loop, with the bytes or with the failure.
// limit is the largest size allowed, 0 for none. The bytes belong to the caller, except those of a buffer-backed
// stream, which must not be changed. It throws when the stream is locked.
func ReadAll(h *host.Host, stream goja.Value, limit int64, done func(data []byte, failure goja.Value)) {
	b := get(h)
	s := b.take(stream)
	if s == nil {
		b.readScript(stream, limit, done)
		return
	}
	tooMuch := func() goja.Value { return h.Realm.TypeError("Memory limit exceeded before EOF.") }
	if s.buffer {
		data := s.data
		b.finish(stream, nil)
		if limit > 0 && int64(len(data)) > limit {
			done(nil, tooMuch())
			return
		}
		done(data, nil)
		return
	}
	scope := h.Scope()
	t := ticket(scope, s.opts.Waiting, s.r)
	leave := clock.Attend(s.r)
	scope.Loop().Go(func() {
		defer leave()
		defer context.AfterFunc(scope.Context(), s.closeReader)()
		data, err := readAll(s.r, s.opts.Length, limit)
		s.closeReader()
		t.Return(func() {
			var failure goja.Value
			switch {
			case errors.Is(err, errLimit):
				failure = tooMuch()
			case err != nil:
				failure = b.failure(s.opts, err)
			}
			b.finish(stream, failure)
			done(data, failure)
		})
	})
}

// readAll is io.ReadAll with a limit and, when the length is known, one allocation.
func readAll(r io.Reader, length, limit int64) ([]byte, error) {
	if limit > 0 {
		r = io.LimitReader(r, limit+1)
	}
	size := int64(firstRead)
	if length >= 0 && length < 64<<20 {
		size = length + 1 // room for the read that finds the end
	}
	data := make([]byte, 0, size)
	for {
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if limit > 0 && int64(len(data)) > limit {
			return nil, errLimit
		}
		if errors.Is(err, io.EOF) {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}

// readScript is ReadAll for a stream that JavaScript feeds or has touched.
func (b *bridge) readScript(stream goja.Value, limit int64, done func([]byte, goja.Value)) {
	var data []byte
	over := false
	var d *drain
	stop := func(failure goja.Value) bool {
		over = true
		d.cancel(failure)
		done(nil, failure)
		return false
	}
	d = b.startDrain(stream, func(chunk goja.Value) bool {
		view, ok := b.h.Realm.BufferView(chunk)
		if !ok {
			return stop(b.h.Realm.TypeError(NotBytes))
		}
		data = append(data, view.Bytes()...)
		if limit > 0 && int64(len(data)) > limit {
			return stop(b.h.Realm.TypeError("Memory limit exceeded before EOF."))
		}
		return true
	}, func(failure goja.Value) {
		if over {
			return
		}
		over = true
		if failure != nil {
			data = nil
		}
		done(data, failure)
	})
	d.next()
}

// drain is one consumption of a stream through JavaScript.
type drain struct {
	b                *bridge
	nextFn, cancelFn goja.Callable
}

// startDrain locks the stream. take gets each chunk and answers true for the next at once, or false, and calls next
// when it wants more. end is called once, with nil at the end of the stream. Nothing is read before the first next.
func (b *bridge) startDrain(stream goja.Value, take func(goja.Value) bool, end func(failure goja.Value)) *drain {
	f := func(name string, f func(goja.FunctionCall) goja.Value) goja.Value { return b.h.Realm.Function(name, f) }
	obj := b.call(b.drain, stream,
		f("take", func(c goja.FunctionCall) goja.Value { return b.rt.ToValue(take(c.Argument(0))) }),
		f("done", func(goja.FunctionCall) goja.Value { end(nil); return goja.Undefined() }),
		f("fail", func(c goja.FunctionCall) goja.Value { end(c.Argument(0)); return goja.Undefined() }),
	).(*goja.Object)
	d := &drain{b: b}
	d.nextFn, _ = goja.AssertFunction(obj.Get("next"))
	d.cancelFn, _ = goja.AssertFunction(obj.Get("cancel"))
	return d
}

func (d *drain) next() { d.b.call(d.nextFn) }

func (d *drain) cancel(reason goja.Value) { d.b.call(d.cancelFn, reason) }
