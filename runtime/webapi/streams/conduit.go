package streams

import (
	"io"
	"sync"

	"eddy/runtime/clock"
)

// conduit is what the two ends share. Like io.Pipe it has no room of its own: a write ends when its bytes are taken.
type conduit struct {
	writing sync.Mutex // serves one Write after the other

	mu             sync.Mutex
	data           []byte // what is left of the present Write; guarded by mu, as is all below
	lent           bool   // the reader writes data on; the present Write must not end before that does
	reader, writer *end
}

// end is one end of a conduit.
type end struct {
	*clock.Handover
	wake   chan struct{} // nil while it does not wait
	closed error         // what the other end gets, nil while this end is open
}

// NewConduit returns the ends of a pipe that hands over the hold of the clock: an end that is attended holds it but for
// the time in which it waits for the other one, and who ends the wait hands it the hold first.
func NewConduit(c clock.Clock) (*ConduitReader, *ConduitWriter) {
	p := &conduit{
		reader: &end{Handover: clock.NewHandover(c, "a reader of a stream")},
		writer: &end{Handover: clock.NewHandover(c, "a writer of a stream")},
	}
	return &ConduitReader{p}, &ConduitWriter{p}
}

// wait is called with mu held, and waits without it until the other end calls stir.
func (p *conduit) wait(e *end) {
	e.wake = make(chan struct{})
	wake := e.wake
	e.Wait()
	p.mu.Unlock()
	<-wake
	p.mu.Lock()
}

// stir is called with mu held after a change that e may wait for.
func (e *end) stir() {
	if e.wake != nil {
		e.Resume()
		close(e.wake)
		e.wake = nil
	}
}

// shut closes e with what the other end gets from now on; only the first call counts.
func (p *conduit) shut(e *end, why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.closed == nil {
		e.closed = why
	}
	p.reader.stir()
	p.writer.stir()
}

// ConduitReader is the end that reads. One goroutine at a time reads; Close may be called from any.
type ConduitReader struct{ p *conduit }

// Read implements io.Reader. After the end of the writer it gives the writer's error, io.EOF if there was none.
func (r *ConduitReader) Read(b []byte) (int, error) {
	p := r.p
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		switch {
		case p.reader.closed != nil:
			return 0, io.ErrClosedPipe
		case len(p.data) > 0:
			n := copy(b, p.data)
			if p.data = p.data[n:]; len(p.data) == 0 {
				p.writer.stir()
			}
			return n, nil
		case p.writer.closed != nil:
			return 0, p.writer.closed
		}
		p.wait(p.reader)
	}
}

// WriteTo implements io.WriterTo: dst gets each Write of the other end in one piece and without a copy. It ends at the
// end of the writer, with its error if there was one.
func (r *ConduitReader) WriteTo(dst io.Writer) (written int64, err error) {
	p := r.p
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		switch {
		case p.reader.closed != nil:
			return written, io.ErrClosedPipe
		case len(p.data) > 0:
			n, err := p.lend(dst)
			written += int64(n)
			if err != nil {
				return written, err
			}
			continue
		case p.writer.closed == io.EOF:
			return written, nil
		case p.writer.closed != nil:
			return written, p.writer.closed
		}
		p.wait(p.reader)
	}
}

// lend is called with mu held, and writes data without it.
func (p *conduit) lend(dst io.Writer) (n int, err error) {
	data := p.data
	p.lent = true
	defer func() {
		p.mu.Lock()
		p.data, p.lent = data[n:], false
		p.writer.stir()
	}()
	p.mu.Unlock()
	n, err = dst.Write(data)
	if err == nil && n < len(data) {
		err = io.ErrShortWrite
	}
	return n, err
}

// Close implements io.Closer. Writes fail with io.ErrClosedPipe from now on.
func (r *ConduitReader) Close() error {
	r.p.shut(r.p.reader, io.ErrClosedPipe)
	return nil
}

// Attend implements [clock.Attended].
func (r *ConduitReader) Attend() (leave func()) { return r.p.reader.Attend() }

// Waiting implements [Patient].
func (r *ConduitReader) Waiting() bool { return true }

// ConduitWriter is the end that writes. It is a [Sink].
type ConduitWriter struct{ p *conduit }

// Write implements [Sink]. It returns when the reader has taken all of b, or one of the ends is closed; but not while
// WriteTo of the reader writes b on.
func (w *ConduitWriter) Write(b []byte) error {
	p := w.p
	p.writing.Lock()
	defer p.writing.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.data = b
	defer func() { p.data = nil }()
	for len(p.data) > 0 || p.lent {
		switch {
		case p.lent:
		case p.writer.closed != nil:
			return io.ErrClosedPipe
		case p.reader.closed != nil:
			return p.reader.closed
		}
		p.reader.stir()
		p.wait(p.writer)
	}
	return nil
}

// Close implements [Sink]. The reader finds the end.
func (w *ConduitWriter) Close() error {
	w.p.shut(w.p.writer, io.EOF)
	return nil
}

// Abort implements [Sink]. Reads fail with err.
func (w *ConduitWriter) Abort(err error) { w.p.shut(w.p.writer, err) }

// Attend implements [clock.Attended].
func (w *ConduitWriter) Attend() (leave func()) { return w.p.writer.Attend() }

// Waiting implements [Patient].
func (w *ConduitWriter) Waiting() bool { return true }
