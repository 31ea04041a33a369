package wire

import (
	"bufio"
	"io"
	"sync"
)

// outbox is what goes out: frames wait in it without a bound, as messages between two isolates of one process do. What
// may be large waits for the other side before it comes here: streams are asked for piece by piece.
type outbox struct {
	mu     sync.Mutex // guards the rest
	some   *sync.Cond
	frames []*frame
	closed bool
	over   chan struct{} // closed with closed
}

func (o *outbox) init() { o.some, o.over = sync.NewCond(&o.mu), make(chan struct{}) }

// put adds a frame; after close it is dropped. It never blocks.
func (o *outbox) put(f *frame) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.frames = append(o.frames, f)
		o.some.Signal()
	}
}

func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	o.closed, o.frames = true, nil
	close(o.over)
	o.some.Signal()
}

// take waits for frames; none means that the outbox is closed.
func (o *outbox) take() []*frame {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.frames) == 0 && !o.closed {
		o.some.Wait()
	}
	list := o.frames
	o.frames = nil
	return list
}

// write is the goroutine that owns the connection's writing side. It writes hello, and the rest once the other side has
// greeted; it ends with close.
func (o *outbox) write(conn io.Writer, hello *frame, greeted <-chan struct{}) error {
	to := bufio.NewWriter(conn)
	if err := writeFrame(to, hello); err != nil {
		return err
	}
	if err := to.Flush(); err != nil {
		return err
	}
	first := o.take()
	if first == nil {
		return nil
	}
	select {
	case <-greeted:
	case <-o.over:
		return nil
	}
	for list := first; list != nil; list = o.take() {
		for _, f := range list {
			if err := writeFrame(to, f); err != nil {
				return err
			}
		}
		if err := to.Flush(); err != nil {
			return err
		}
	}
	return nil
}
