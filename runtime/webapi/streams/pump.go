package streams

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/dop251/goja"

	"eddy/runtime/clock"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/host"
)

// Sink takes the bytes of a stream. Its methods are called off the loop, one at a time, and may block. After Close or
// Abort no method is called any more. What Write gets is the sink's only until it returns.
type Sink interface {
	Write(p []byte) error
	Close() error
	Abort(err error)
}

// Patient is a Sink, or a reader, that may wait for somebody outside, or for another part of this process: a pending
// call then does not hold the clock.
type Patient interface{ Waiting() bool }

// Informed is a Sink that wants to hear on the loop, in the turn in which it happens, that the stream failed; Abort
// follows off the loop.
type Informed interface{ Failing(failure goja.Value) }

func waits(s Sink) bool { return Waits(s) }

// Waits tells whether a sink or reader is a [Patient] that may wait.
func Waits(x any) bool {
	w, ok := x.(Patient)
	return ok && w.Waiting()
}

// Aborted is the error that Sink.Abort gets when JavaScript ended the stream with a value.
type Aborted struct {
	// Value is the reason; it may be touched on the loop only.
	Value goja.Value
	text  string
}

// Error is the text of the reason.
func (e *Aborted) Error() string { return e.text }

func (b *bridge) aborted(v goja.Value) *Aborted {
	text := "stream failed"
	if ex := b.h.Realm.Try(func() { text = v.String() }); ex != nil {
		text = "stream failed"
	}
	return &Aborted{Value: v, text: text}
}

// Pump drains a ReadableStream into sink, one chunk at a time, and calls done once, on the loop, when the sink is
// closed or aborted: failure is what either side failed with, nil if neither did. It throws when the stream is locked.
func Pump(h *host.Host, stream goja.Value, sink Sink, done func(failure goja.Value)) {
	b := get(h)
	if s := b.take(stream); s != nil {
		b.pumpNative(stream, s, sink, done)
		return
	}
	scope := h.Scope()
	p := &pumping{b: b, scope: scope, sink: sink, done: done}
	p.d = b.startDrain(stream, p.take, p.end)
	// When the scope ends nothing comes back to the loop any more: the sink must still hear of the end.
	p.release = context.AfterFunc(scope.Context(), func() { p.abandon(context.Cause(scope.Context())) })
	p.d.next()
}

// pumpNative copies without JavaScript.
func (b *bridge) pumpNative(stream goja.Value, s *source, sink Sink, done func(goja.Value)) {
	scope := b.h.Scope()
	t := ticket(scope, s.opts.Waiting || waits(sink), nil) // either side may be outside
	r := s.reader()
	c := &copying{}
	c.attend(r)
	go func() {
		defer c.leave()
		if !s.buffer {
			defer context.AfterFunc(scope.Context(), s.closeReader)()
		}
		readErr, writeErr := c.run(sink, r)
		c.attend(sink)
		if s.buffer {
			_ = r.Close()
		} else {
			s.closeReader()
		}
		switch {
		case readErr != nil:
			sink.Abort(readErr)
		case writeErr != nil:
			sink.Abort(writeErr)
		default:
			writeErr = sink.Close()
		}
		t.Return(func() {
			var failure goja.Value
			switch {
			case readErr != nil:
				failure = b.failure(s.opts, readErr)
			case writeErr != nil:
				failure = b.h.Realm.ErrorValue(writeErr)
			}
			b.finish(stream, failure)
			done(failure)
		})
	}()
}

// copying is a copy from a reader to a sink. It attends the one that it calls.
type copying struct{ left func() }

// attend goes over to x, which it calls next.
func (c *copying) attend(x any) {
	leave := clock.Attend(x)
	c.leave()
	c.left = leave
}

// leave ends it.
func (c *copying) leave() {
	if c.left != nil {
		c.left()
	}
}

// run copies until the end and tells which side failed.
func (c *copying) run(sink Sink, r io.Reader) (readErr, writeErr error) {
	if br, ok := r.(*bufferReader); ok {
		c.attend(sink)
		return nil, sink.Write(br.data)
	}
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			c.attend(sink)
			if werr := sink.Write(buf[:n]); werr != nil {
				return nil, werr
			}
			c.attend(r)
		}
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return err, nil
		}
	}
}

// maxKeptChunk is the size in bytes up to which the copy of a chunk is made where that of the one before was. A stream
// may wait for long, and what it has kept is of no use to anybody else.
const maxKeptChunk = 256 << 10

// pumping is a Pump through JavaScript.
type pumping struct {
	b       *bridge
	scope   *eventloop.Scope
	d       *drain
	sink    Sink
	done    func(goja.Value)
	over    bool   // the stream has ended; it belongs to the loop's goroutine
	chunk   []byte // what the sink is given, used again for each chunk; the loop's while no write is under way
	release func() bool

	// mu is held during calls of the sink; closed says that there will be no more.
	mu struct {
		sync.Mutex
		closed bool
	}
}

func (p *pumping) take(chunk goja.Value) bool {
	data, ok := p.b.appendChunk(p.chunk[:0], chunk)
	if !ok {
		p.abort(p.b.h.Realm.TypeError(NotBytes))
		return false
	}
	if p.chunk = data; cap(data) > maxKeptChunk {
		p.chunk = nil
	}
	if len(data) == 0 {
		return true
	}
	p.off(false, func() error { return p.sink.Write(data) }, func(err error) {
		if err != nil {
			p.abort(p.b.h.Realm.ErrorValue(err))
			return
		}
		p.d.next()
	})
	return false
}

// end is called at the end of the stream, when no write is under way.
func (p *pumping) end(failure goja.Value) {
	if p.over {
		return
	}
	p.over = true
	if failure != nil {
		p.abortSink(failure)
		return
	}
	p.off(true, p.sink.Close, func(err error) {
		if err != nil {
			p.done(p.b.h.Realm.ErrorValue(err))
			return
		}
		p.done(nil)
	})
}

// abort ends both sides.
func (p *pumping) abort(failure goja.Value) {
	p.over = true
	p.d.cancel(failure)
	p.abortSink(failure)
}

func (p *pumping) abortSink(failure goja.Value) {
	if s, ok := p.sink.(Informed); ok {
		s.Failing(failure)
	}
	reason := p.b.aborted(failure)
	p.off(true, func() error { p.sink.Abort(reason); return nil }, func(error) { p.done(failure) })
}

// off calls the sink off the loop and then comes back; last says that this is its end.
func (p *pumping) off(last bool, work func() error, back func(error)) {
	t := ticket(p.scope, waits(p.sink), p.sink)
	leave := clock.Attend(p.sink)
	if last {
		p.release()
	}
	go func() {
		defer leave()
		p.mu.Lock()
		var err error
		if p.mu.closed {
			err = context.Canceled
		} else {
			p.mu.closed = last
			err = work()
		}
		p.mu.Unlock()
		t.Return(func() { back(err) })
	}()
}

// abandon ends the sink because the scope is gone. It runs on its own goroutine.
func (p *pumping) abandon(reason error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.mu.closed {
		p.mu.closed = true
		p.sink.Abort(reason)
	}
}
