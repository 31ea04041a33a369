package wire

import (
	"io"
	"runtime"
	"sync"

	"eddy/runtime/rpc"
)

// maxPiece bounds what one frame has of a stream.
const maxPiece = 64 << 10

// source is a stream that was given away. The other side asks for each piece, so that nothing is read ahead: the script
// that fills the stream sees the same demand as if its reader were here.
type source struct {
	w    *Wire
	id   uint64
	from io.ReadCloser
	busy bool // guarded by the mu of w
}

// pulled answers a pull, or takes a cancel.
func (w *Wire) pulled(f *frame) error {
	w.mu.Lock()
	s := w.readable[f.id]
	switch {
	case s == nil: // it has ended, and the other side did not know yet
		w.mu.Unlock()
		return nil
	case f.kind == kindCancel:
		delete(w.readable, f.id)
		w.mu.Unlock()
		s.cancel()
		return nil
	case s.busy || f.number == 0:
		w.mu.Unlock()
		return errFrame
	}
	s.busy = true
	w.mu.Unlock()
	go s.read(int(min(f.number, maxPiece)))
	return nil
}

// read sends the next piece.
func (s *source) read(size int) {
	b := make([]byte, size)
	n, err := 0, error(nil)
	for n == 0 && err == nil {
		n, err = s.from.Read(b)
	}
	s.w.mu.Lock()
	s.busy = false
	if err != nil && n == 0 {
		delete(s.w.readable, s.id)
	}
	s.w.mu.Unlock()
	switch {
	case n > 0:
		s.w.out.put(&frame{kind: kindData, id: s.id, data: b[:n]}) // an error comes again with the next read
		return
	case err == io.EOF:
		s.w.out.put(&frame{kind: kindEnd, id: s.id})
	default:
		s.w.out.put(&frame{kind: kindFail, id: s.id, text: err.Error()})
	}
	_ = s.from.Close() // it has ended
}

func (s *source) cancel() { go s.from.Close() }

// reader is the receiver's end of a source. If nobody closes it, the collector of garbage does.
type reader struct {
	stream *inflow
}

// inflow is what the wire knows of a reader.
type inflow struct {
	w      *Wire
	id     uint64
	pieces chan *frame // capacity 1: there is one pull at a time

	mu    sync.Mutex // guards the rest
	over  error      // of every read from now on
	ended chan struct{}
}

func newReader(w *Wire, id uint64) *reader {
	s := &inflow{w: w, id: id, pieces: make(chan *frame, 1), ended: make(chan struct{})}
	r := &reader{s}
	runtime.AddCleanup(r, (*inflow).leave, s)
	return r
}

// Waiting implements streams.Patient: the other session may take its time.
func (r *reader) Waiting() bool { return true }

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	s := r.stream
	if err := s.failed(); err != nil || len(p) == 0 {
		return 0, err
	}
	s.w.out.put(&frame{kind: kindPull, id: s.id, number: uint64(min(len(p), maxPiece))})
	var f *frame
	select {
	case f = <-s.pieces:
	case <-s.ended:
		return 0, s.failed()
	}
	switch {
	case f.kind == kindData && len(f.data) > 0 && len(f.data) <= len(p):
		return copy(p, f.data), nil
	case f.kind == kindEnd:
		s.end(io.EOF)
	case f.kind == kindFail:
		s.end(rpc.Fail(f.text))
	default:
		s.leave()
		s.end(errFrame)
	}
	return 0, s.failed()
}

// Close implements io.Closer.
func (r *reader) Close() error {
	r.stream.leave()
	return nil
}

// leave tells the other side that nobody reads any more, unless the stream has ended.
func (s *inflow) leave() {
	s.w.mu.Lock()
	known := s.w.reading[s.id] == s
	s.w.mu.Unlock()
	if known {
		s.w.out.put(&frame{kind: kindCancel, id: s.id})
	}
	s.end(io.ErrClosedPipe)
}

// fail ends the stream because the wire has ended.
func (s *inflow) fail(err error) { s.end(err) }

// end counts once.
func (s *inflow) end(err error) {
	s.w.mu.Lock()
	delete(s.w.reading, s.id)
	s.w.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over == nil {
		s.over = err
		close(s.ended)
	}
}

func (s *inflow) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over
}

// received takes what answers a pull.
func (w *Wire) received(f *frame) {
	w.mu.Lock()
	s := w.reading[f.id]
	w.mu.Unlock()
	if s == nil {
		return // it was closed meanwhile
	}
	select {
	case s.pieces <- f:
	default: // nobody has asked: the next read finds two pieces where there can be one
		s.end(errFrame)
	}
}

// sink is the writer's end of a WritableStream that was given to this side. Its methods wait for the answer.
type sink struct {
	w    *Wire
	id   uint64
	done chan *rpc.RemoteError
}

// Write implements streams.Sink.
func (s *sink) Write(p []byte) error {
	for len(p) > maxPiece {
		if err := s.ask(kindWrite, p[:maxPiece]); err != nil {
			return err
		}
		p = p[maxPiece:]
	}
	return s.ask(kindWrite, p)
}

// Close implements streams.Sink.
func (s *sink) Close() error {
	err := s.ask(kindFinish, nil)
	s.w.mu.Lock()
	delete(s.w.writing, s.id)
	s.w.mu.Unlock()
	return err
}

// Abort implements streams.Sink. The other side does not hear why (RPC11).
func (s *sink) Abort(error) {
	s.w.mu.Lock()
	known := s.w.writing[s.id] == s
	delete(s.w.writing, s.id)
	s.w.mu.Unlock()
	if known {
		s.w.out.put(&frame{kind: kindAbort, id: s.id})
		s.fail(rpc.Disconnected())
	}
}

// Waiting implements streams.Patient.
func (s *sink) Waiting() bool { return true }

func (s *sink) ask(k kind, p []byte) error {
	s.w.mu.Lock()
	known := s.w.writing[s.id] == s
	s.w.mu.Unlock()
	if !known {
		return rpc.Disconnected()
	}
	s.w.out.put(&frame{kind: k, id: s.id, data: append([]byte(nil), p...)})
	if f := <-s.done; f != nil {
		return f
	}
	return nil
}

// fail ends a wait. There is one at most.
func (s *sink) fail(f *rpc.RemoteError) {
	select {
	case s.done <- f:
	default:
	}
}

// acknowledged ends the wait of a write.
func (w *Wire) acknowledged(f *frame) {
	w.mu.Lock()
	s := w.writing[f.id]
	w.mu.Unlock()
	if s != nil {
		s.fail(f.failure.remote())
	}
}

// wrote does what the writer of an exported sink asks for.
func (w *Wire) wrote(f *frame) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.writable[f.id]
	switch {
	case d == nil:
		return nil // the writer has aborted, and wrote before
	case f.kind == kindAbort:
		delete(w.writable, f.id)
		d.end()
		return nil
	case d.busy:
		return errFrame
	}
	d.busy = true
	go d.serve(f)
	return nil
}
