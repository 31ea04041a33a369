package wire

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"sync"

	"eddy/runtime/rpc"
)

// Entry names an entrypoint of a Worker, "" the default one. Props is ctx.props, encoded; nil is {}.
type Entry struct {
	Worker, Entrypoint string
	Props              []byte
}

// Options are the arguments of [New].
type Options struct {
	// Name says to people who speaks.
	Name string
	// Entry is what calls of an entrypoint go to, Open what calls of an object go to that the other side has named.
	// What is wrong with a name fails the calls, through the Client. Neither waits; one goroutine calls both.
	Entry func(Entry) rpc.Client
	Open  func(name []byte) rpc.Client
	// Fetch serves a request. It does not wait.
	Fetch func(Asked)
}

// Wire is one end of a connection between two sessions. Make one with [New].
type Wire struct {
	o   Options
	out outbox

	mu   sync.Mutex // guards the rest
	last uint64     // number given
	// ended is why the wire is over, nil before.
	ended *rpc.RemoteError
	conn  io.Closer

	// What this side has asked: calls without a result, reads without an answer, writes without an answer.
	calls   map[uint64]*rpc.Op
	reading map[uint64]*inflow
	writing map[uint64]*sink
	waiting map[uint64]*rpc.AbortTrigger
	asked   map[uint64]asked
	// sockets live on both sides.
	sockets sockets
	// What the other side may ask for.
	answers  map[uint64]*rpc.Answer
	exports  map[uint64]rpc.Client
	opened   map[uint64]rpc.Client
	serving  map[uint64]context.CancelFunc
	readable map[uint64]*source
	writable map[uint64]*drain
}

// New makes one that takes calls, and sends them once [Wire.Run] has a connection.
func New(o Options) *Wire {
	w := &Wire{
		o: o, calls: map[uint64]*rpc.Op{}, reading: map[uint64]*inflow{}, writing: map[uint64]*sink{},
		waiting: map[uint64]*rpc.AbortTrigger{}, answers: map[uint64]*rpc.Answer{}, exports: map[uint64]rpc.Client{},
		opened: map[uint64]rpc.Client{}, readable: map[uint64]*source{}, writable: map[uint64]*drain{},
		asked: map[uint64]asked{}, serving: map[uint64]context.CancelFunc{},
		sockets: sockets{true: {}, false: {}},
	}
	w.out.init()
	return w
}

// Run greets the other side and serves the connection until it breaks, which is the error, or the wire is ended. It
// closes the connection and ends the wire. It is called once.
func (w *Wire) Run(conn io.ReadWriteCloser) error {
	w.mu.Lock()
	w.conn = conn
	over := w.ended != nil
	w.mu.Unlock()
	greeted, written := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(written)
		if err := w.out.write(conn, &frame{kind: kindHello, number: Version, text: w.o.Name}, greeted); err != nil {
			_ = conn.Close() // the side that reads reports why
		}
	}()
	var err error
	if !over {
		err = w.read(bufio.NewReader(conn), greeted)
	}
	w.End(err)
	_ = conn.Close() // End has, unless the wire was over before it had this connection
	<-written
	return err
}

// read greets and handles frames; it returns when the connection breaks.
func (w *Wire) read(r *bufio.Reader, greeted chan struct{}) error {
	f, err := readFrame(r)
	switch {
	case err != nil:
		return err
	case f.kind != kindHello:
		return errFrame
	case f.number != Version:
		return &VersionError{Name: f.text, Theirs: f.number}
	}
	close(greeted)
	for {
		if f, err = readFrame(r); err != nil {
			return err
		}
		if err = w.handle(f); err != nil {
			return err
		}
	}
}

// VersionError says that the other side speaks another version of the protocol.
type VersionError struct {
	// Name is the other side, Theirs its version.
	Name   string
	Theirs uint64
}

// Error says what to do.
func (e *VersionError) Error() string {
	return fmt.Sprintf("%s speaks version %d of the protocol between sessions; this one speaks version %d: use the "+
		"same version of eddy for both", e.Name, e.Theirs, Version)
}

// End ends the wire: all that is under way fails, all that was given is released. cause nil, or a broken connection, is
// a lost connection to scripts (RPC17); a [VersionError] has its own text. A second call does nothing.
func (w *Wire) End(cause error) {
	failure := rpc.Disconnected()
	if e, ok := cause.(*VersionError); ok {
		failure = rpc.Fail(e.Error())
	}
	w.mu.Lock()
	if w.ended != nil {
		w.mu.Unlock()
		return
	}
	w.ended = failure
	conn := w.conn
	calls, reading, writing := w.calls, w.reading, w.writing
	exports, opened, readable, writable := w.exports, w.opened, w.readable, w.writable
	w.calls, w.reading, w.writing, w.waiting, w.answers = nil, nil, nil, nil, nil
	w.exports, w.opened, w.readable, w.writable = nil, nil, nil, nil
	asked, serving, open := w.asked, w.serving, w.sockets
	w.asked, w.serving, w.sockets = nil, nil, nil
	w.mu.Unlock()
	w.out.close()
	if conn != nil {
		_ = conn.Close() // it may be broken already
	}
	for _, op := range calls {
		op.Fail(failure)
	}
	for _, c := range exports {
		c.Release()
	}
	for _, c := range opened {
		c.Release()
	}
	for _, r := range reading {
		r.fail(failure)
	}
	for _, s := range writing {
		s.fail(failure)
	}
	for _, s := range readable {
		s.cancel()
	}
	for _, d := range writable {
		d.end()
	}
	for _, out := range asked {
		out <- answer{failure: failure}
	}
	for _, cancel := range serving {
		cancel()
	}
	for _, list := range open {
		for _, s := range list {
			s.end.Lose(nil)
			s.over()
		}
	}
}

// Ended tells whether the wire is over, and why. Any goroutine.
func (w *Wire) Ended() (failure *rpc.RemoteError, over bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended, w.ended != nil
}

// Held counts what the wire keeps for either side: 0 when nothing is under way and nothing was kept.
func (w *Wire) Held() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.calls) + len(w.reading) + len(w.writing) + len(w.waiting) + len(w.answers) + len(w.exports) +
		len(w.opened) + len(w.readable) + len(w.writable) + len(w.asked) + len(w.serving) + len(w.sockets[true]) +
		len(w.sockets[false])
}

// number gives the next one; call it with mu held.
func (w *Wire) number() uint64 {
	w.last++
	return w.last
}

// handle does what a frame asks for. An error ends the wire.
func (w *Wire) handle(f *frame) error {
	switch f.kind {
	case kindCall:
		return w.arrived(f)
	case kindResult:
		return w.answered(f)
	case kindForget:
		w.mu.Lock()
		delete(w.answers, f.id)
		w.mu.Unlock()
	case kindRelease:
		return w.released(f.id)
	case kindOpen:
		return w.open(f)
	case kindClose:
		return w.shut(f.id)
	case kindPull, kindCancel:
		return w.pulled(f)
	case kindData, kindEnd, kindFail:
		w.received(f)
	case kindWrite, kindFinish, kindAbort:
		return w.wrote(f)
	case kindWritten:
		w.acknowledged(f)
	case kindSignal, kindIdle:
		w.signaled(f)
	case kindFetch:
		return w.requested(f)
	case kindFetched:
		return w.responded(f)
	case kindGiveUp:
		w.gaveUp(f.id)
	case kindMessage:
		w.told(f)
	default:
		return errFrame
	}
	return nil
}
