package streams

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"github.com/dop251/goja"

	"eddy/runtime/clock"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/host"
)

// ReaderOptions describe a native source.
type ReaderOptions struct {
	// Length is how many bytes will come, negative if that is not known.
	Length int64
	// Waiting says that the bytes come from somebody who may take time (a peer, another Worker of this process). A
	// pending read then does not hold the clock.
	Waiting bool
	// Failure turns an error of the reader into the value that reads reject with. If it is nil they reject with an
	// Error that has the error's text.
	Failure func(err error) goja.Value
}

// source is the Go side of a native stream: either bytes or a reader. Loop goroutine only, but for r.
type source struct {
	opts ReaderOptions
	// data is what a buffer-backed source has left to give; shared says that others read the same bytes, so JavaScript
	// must get a copy.
	data   []byte
	buffer bool
	shared bool
	// One goroutine at a time reads r: a pull, or whoever took the source.
	r      io.ReadCloser
	closer *sync.Once
	done   bool
}

func newSource(r io.ReadCloser, o ReaderOptions) *source {
	return &source{r: r, opts: o, closer: &sync.Once{}}
}

// handle keeps goja from looking into the source.
type handle struct{ s *source }

func sourceOf(v goja.Value) *source { return v.Export().(*handle).s }

func (s *source) ended() bool { return s.done || s.buffer && len(s.data) == 0 }

// close closes the reader. A Read that waits ends with an error that nobody hears of. Closing may block, so it has its
// own goroutine.
func (s *source) close(c clock.Clock) {
	s.done = true
	s.data = nil
	if s.r != nil {
		if r, ok := s.r.(Canceler); ok {
			r.Canceled()
		}
		release := func() {}
		if _, ok := s.r.(clock.Attended); ok {
			release = c.Hold("the end of a stream") // it does not block, and may end a wait
		}
		go func() {
			defer release()
			s.closeReader()
		}()
	}
}

// closeReader closes the reader once. Any goroutine.
func (s *source) closeReader() {
	s.closer.Do(func() { _ = s.r.Close() })
}

// reader gives the bytes out as an io.ReadCloser.
func (s *source) reader() io.ReadCloser {
	if s.buffer {
		return &bufferReader{Reader: bytes.NewReader(s.data), data: s.data}
	}
	return s.r
}

// bufferReader is the reader of a buffer-backed stream.
type bufferReader struct {
	*bytes.Reader
	data []byte
}

// Close implements io.Closer.
func (*bufferReader) Close() error { return nil }

// Bytes returns all bytes, also those that were read already, for consumers that want them without a copy.
func (b *bufferReader) Bytes() []byte { return b.data }

// Canceler is implemented by readers that must hear of a cancellation before the script goes on. Close comes later,
// and off the loop.
type Canceler interface {
	// Canceled is called on the loop, once at most.
	Canceled()
}

// FromReader makes a byte ReadableStream over r. Reading happens off the loop, one read at a time, when somebody reads
// the stream; r is closed at the end, on failure, on cancel and when the scope that reads ends.
func FromReader(h *host.Host, r io.ReadCloser, o ReaderOptions) *goja.Object {
	b := get(h)
	return b.wrapSource(newSource(r, o), o.Length, o.Length == 0)
}

// FromBytes makes a byte ReadableStream of data, which must not be changed afterwards.
func FromBytes(h *host.Host, data []byte) *goja.Object {
	b := get(h)
	s := newSource(nil, ReaderOptions{Length: int64(len(data))})
	s.data, s.buffer, s.shared = data, true, true
	return b.wrapSource(s, int64(len(data)), len(data) == 0)
}

// FromIterable is ReadableStream.from: a stream of what an iterable or async iterable gives. It throws when it is
// neither.
func FromIterable(h *host.Host, iterable goja.Value) *goja.Object {
	b := get(h)
	return b.call(b.from, iterable).(*goja.Object)
}

func (b *bridge) wrapSource(s *source, length int64, empty bool) *goja.Object {
	return b.call(b.nativeReadable, b.rt.ToValue(&handle{s}), b.length(length), b.rt.ToValue(empty)).(*goja.Object)
}

// length is the expectedLength of a stream: a BigInt or undefined.
func (b *bridge) length(n int64) goja.Value {
	if n < 0 {
		return goja.Undefined()
	}
	return b.rt.ToValue(bigInt(n))
}

const (
	firstRead = 16 << 10
	largeRead = 64 << 10
)

// pull gives the next chunk of a source to the script: a Uint8Array, null at the end, or a promise for one.
func (b *bridge) pull(c goja.FunctionCall) goja.Value {
	s := sourceOf(c.Argument(0))
	if s.ended() {
		return goja.Null()
	}
	if s.buffer {
		data := s.data
		s.data = nil
		if s.shared {
			data = append([]byte(nil), data...)
		}
		return b.h.Realm.Uint8Array(data)
	}
	return b.readAsync(s)
}

func (b *bridge) readAsync(s *source) goja.Value {
	scope := b.h.Scope()
	p, resolve, reject := b.h.Realm.NewPromise()
	t := ticket(scope, s.opts.Waiting, s.r)
	leave := clock.Attend(s.r)
	scope.Loop().Go(func() {
		defer leave()
		stop := context.AfterFunc(scope.Context(), s.closeReader)
		buf, err := readChunk(s.r)
		stop()
		if err != nil {
			s.closeReader()
		}
		t.Return(func() {
			switch {
			case len(buf) > 0:
				s.done = s.done || errors.Is(err, io.EOF)
				settle(resolve, b.h.Realm.Uint8Array(buf))
			case errors.Is(err, io.EOF) || s.done:
				s.done = true
				settle(resolve, goja.Null())
			default:
				s.done = true
				settle(reject, b.failure(s.opts, err))
			}
		})
	})
	return b.rt.ToValue(p)
}

// readChunk reads what is there, up to 64 KiB. An error other than io.EOF after some bytes is found again by the next
// read.
func readChunk(r io.Reader) ([]byte, error) {
	buf := make([]byte, firstRead)
	n := 0
	for {
		m, err := r.Read(buf[n:])
		n += m
		switch {
		case n > 0 && err != nil && !errors.Is(err, io.EOF):
			return buf[:n], nil
		case err != nil:
			return buf[:n], err
		case n == len(buf) && n < largeRead:
			// A full buffer promises more: go on in a larger one.
			buf = append(buf, make([]byte, largeRead-n)...)
		case n > 0:
			return buf[:n], nil
		}
	}
}

func (b *bridge) failure(o ReaderOptions, err error) goja.Value {
	if o.Failure != nil {
		return o.Failure(err)
	}
	return b.h.Realm.ErrorValue(err)
}

// ticket takes the ticket for one piece of work off the loop, at one end of what on is.
func ticket(s *eventloop.Scope, waiting bool, on any) *eventloop.Ticket {
	if !waiting {
		return s.Ticket()
	}
	if _, ok := on.(clock.Attended); ok {
		return s.Within()
	}
	return s.Waiting()
}

// settle panics with what no script may catch (an interrupt): it must end the turn.
func settle(f func(any) error, v goja.Value) {
	if err := f(v); err != nil {
		panic(err)
	}
}

// teeSource doubles a buffer-backed stream that nobody has touched. It returns null for other streams.
func (b *bridge) teeSource(c goja.FunctionCall) goja.Value {
	record := c.Argument(0)
	if !b.call(b.nativeUntouched, record).ToBoolean() {
		return goja.Null()
	}
	s := sourceOf(record.(*goja.Object).Get("native"))
	if !s.buffer {
		return goja.Null()
	}
	s.shared = true
	twin := *s
	return b.call(b.teeNative, record, b.rt.ToValue(&handle{s}), b.rt.ToValue(&handle{&twin}),
		b.length(int64(len(s.data))))
}
