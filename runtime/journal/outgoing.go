package journal

import (
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"eddy/runtime/cause"
)

// Subrequest is a request of a Worker to the network with its answer.
type Subrequest struct {
	Method string      `cbor:"1,keyasint"`
	URL    string      `cbor:"2,keyasint"`
	Header http.Header `cbor:"3,keyasint,omitempty"`
	Body   []byte      `cbor:"4,keyasint,omitempty"`
	// BodyCut says that there was more than is kept.
	BodyCut      bool        `cbor:"5,keyasint,omitempty"`
	Status       int         `cbor:"6,keyasint,omitempty"`
	AnswerHeader http.Header `cbor:"7,keyasint,omitempty"`
	// Answer is the answer's body as it came, under its content coding; AnswerCut says that there was more than is
	// kept, or that the event was over before all of it was read.
	Answer    []byte `cbor:"8,keyasint,omitempty"`
	AnswerCut bool   `cbor:"9,keyasint,omitempty"`
	// Error is why there was no answer; without one and without a Status the event was over before.
	Error string `cbor:"10,keyasint,omitempty"`
	At    int64  `cbor:"11,keyasint"` // microseconds since 1970
	// Took is the time until the head of the answer came.
	Took time.Duration `cbor:"12,keyasint,omitempty"`
	Span [8]byte       `cbor:"13,keyasint,omitempty"`
}

// bodyRoom is how many bytes of one body are kept.
const bodyRoom = 256 << 10

// Asked is a request that is under way. A nil Asked records nothing.
type Asked struct {
	left *atomic.Int64 // what the entry has room for

	mu   sync.Mutex // guards what is below: bodies are read on goroutines of the network
	o    Subrequest
	read bool // the answer was read to its end
	over bool // the entry is with the journal
}

// Ask notes a request; what comes of it is told to what Ask returns, until the entry is over. o's header and body must
// not change afterwards. A nil entry notes nothing. The goroutine of the event.
func (e *Entry) Ask(o Subrequest) *Asked {
	if e == nil || e.Cut {
		return nil
	}
	if e.did == nil {
		e.did = &did{}
		e.did.left.Store(room)
	}
	if e.did.left.Add(-256) < 0 {
		e.Cut = true
		return nil
	}
	o.Span = cause.Cause{Trace: e.Trace}.Next().Span
	body := o.Body
	o.Body = nil
	a := &Asked{left: &e.did.left, o: o}
	a.keep(&a.o.Body, &a.o.BodyCut, body)
	e.did.asked = append(e.did.asked, a)
	return a
}

// did collects what an event does until it ends.
type did struct {
	left  atomic.Int64 // bytes for which there is room
	asked []*Asked
}

// settle moves the requests into the entry. Nothing is recorded after that.
func (e *Entry) settle() {
	if e.did == nil {
		return
	}
	for _, a := range e.did.asked {
		a.mu.Lock()
		a.over = true
		a.o.AnswerCut = a.o.AnswerCut || a.o.Status != 0 && !a.read
		e.Outgoing = append(e.Outgoing, a.o)
		a.mu.Unlock()
	}
	e.did = nil
}

// keep appends bytes to a body as far as there is room. The caller holds the mutex, or is the only one that knows a.
func (a *Asked) keep(into *[]byte, cut *bool, b []byte) {
	if *cut || len(b) == 0 {
		return
	}
	if len(*into)+len(b) > bodyRoom {
		b, *cut = b[:bodyRoom-len(*into)], true
	}
	if a.left.Add(-int64(len(b))) < 0 {
		*cut = true
		return
	}
	*into = append(*into, b...)
}

// Cause is the cause of whatever the request leads to. It is empty for a nil Asked.
func (a *Asked) Cause(trace [16]byte) cause.Cause {
	if a == nil {
		return cause.Cause{}
	}
	return cause.Cause{Trace: trace, Span: a.o.Span}
}

// Body returns r, and records what is read of it as the request's body.
func (a *Asked) Body(r io.ReadCloser) io.ReadCloser {
	if a == nil || r == nil {
		return r
	}
	return &noted{ReadCloser: r, a: a}
}

// Answered notes the head of the answer. Nothing changes the header afterwards. at is on the session's clock.
func (a *Asked) Answered(status int, header http.Header, at time.Time) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.over {
		a.o.Status, a.o.AnswerHeader, a.o.Took = status, header, max(0, at.Sub(time.UnixMicro(a.o.At)))
	}
}

// Answer notes what is read of the answer's body, of which length bytes are to come, -1 if that is not known; nil is
// none.
func (a *Asked) Answer(r io.ReadCloser, length int64) io.ReadCloser {
	if a == nil {
		return r
	}
	if r == nil || r == http.NoBody {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.read = true
		return r
	}
	return &noted{ReadCloser: r, a: a, answer: true, left: length}
}

// Failed records that no answer will come.
func (a *Asked) Failed(reason string, at time.Time) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.over && a.o.Status == 0 && a.o.Error == "" {
		a.o.Error, a.o.Took = reason, max(0, at.Sub(time.UnixMicro(a.o.At)))
	}
}

// BodyNotes records what is read of a body.
type BodyNotes struct {
	mu   sync.Mutex // guards what is below: bodies are read on any goroutine
	data []byte
	cut  bool
}

// Reader is r, of which b notes what is read.
func (b *BodyNotes) Reader(r io.ReadCloser) io.ReadCloser { return &notedBody{r, b} }

// Bytes are what was read by now, and whether there was more than is kept. nil has none.
func (b *BodyNotes) Bytes() (data []byte, cut bool) {
	if b == nil {
		return nil, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.data[:len(b.data):len(b.data)], b.cut
}

type notedBody struct {
	io.ReadCloser
	b *BodyNotes
}

// Attend implements [clock.Attended].
func (n *notedBody) Attend() (leave func()) { return attend(n.ReadCloser) }

// attend is clock.Attend.
func attend(r io.Reader) (leave func()) {
	if a, ok := r.(interface{ Attend() (leave func()) }); ok {
		return a.Attend()
	}
	return func() {}
}

// Read implements io.Reader.
func (n *notedBody) Read(p []byte) (int, error) {
	read, err := n.ReadCloser.Read(p)
	n.b.mu.Lock()
	defer n.b.mu.Unlock()
	keep := min(read, bodyRoom-len(n.b.data))
	n.b.cut = n.b.cut || keep < read
	n.b.data = append(n.b.data, p[:keep]...)
	return read, err
}

// noted is a body that notes what is read of it.
type noted struct {
	io.ReadCloser
	a      *Asked
	answer bool
	left   int64 // of the answer, below 0 if that is not known
}

// Attend implements [clock.Attended].
func (n *noted) Attend() (leave func()) { return attend(n.ReadCloser) }

// Read implements io.Reader.
func (n *noted) Read(p []byte) (int, error) {
	read, err := n.ReadCloser.Read(p)
	a := n.a
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.over:
	case n.answer:
		a.keep(&a.o.Answer, &a.o.AnswerCut, p[:read])
		n.left -= int64(read)
		a.read = a.read || err == io.EOF || n.left == 0
	default:
		a.keep(&a.o.Body, &a.o.BodyCut, p[:read])
	}
	return read, err
}
