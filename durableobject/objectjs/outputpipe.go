package objectjs

import (
	"bytes"
	"io"
	"sync"
)

// outputPipe carries what a process writes. It holds as much as a pipe of the system's, so that a process whose output
// nobody reads can end.
type outputPipe struct {
	mu      sync.Mutex
	changed sync.Cond
	held    bytes.Buffer
	over    bool // the writer is done
	closed  bool // the reader is
}

// outputRoom is how many bytes an outputPipe holds.
const outputRoom = 64 << 10

func newOutputPipe() *outputPipe {
	p := &outputPipe{}
	p.changed.L = &p.mu
	return p
}

// Read implements [io.Reader].
func (p *outputPipe) Read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.held.Len() == 0 && !p.over && !p.closed {
		p.changed.Wait()
	}
	if p.closed || p.held.Len() == 0 {
		return 0, io.EOF
	}
	defer p.changed.Broadcast()
	return p.held.Read(b)
}

// Close ends reading: what comes later is thrown away.
func (p *outputPipe) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.changed.Broadcast()
	return nil
}

// outputEnd is the end at which a process writes.
type outputEnd struct{ *outputPipe }

// Write implements [io.Writer].
func (e outputEnd) Write(b []byte) (n int, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for n < len(b) {
		for e.held.Len() >= outputRoom && !e.closed {
			e.changed.Wait()
		}
		if e.closed {
			return len(b), nil
		}
		piece := b[n:min(len(b), n+outputRoom-e.held.Len())]
		e.held.Write(piece)
		n += len(piece)
		e.changed.Broadcast()
	}
	return n, nil
}

// Close says that nothing follows.
func (e outputEnd) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.over = true
	e.changed.Broadcast()
	return nil
}
