package front

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	"eddy/runtime/report"
)

// clientBody is the body of a request as the client sends it. It notes what the client did wrong, such as malformed
// chunks or a length that is too long. Scripts see a lost connection then, and the answer says that the client is at
// fault.
type clientBody struct {
	io.ReadCloser
	rest  atomic.Int64 // bytes that have not been read; unknownRest if nobody knows
	fault atomic.Pointer[clientFault]
	// duplex is set on a connection of HTTP/1.1 whose answer may begin before the body has ended.
	duplex bool
	// invited is set if the client sends the body only when it is asked to.
	invited bool
}

const (
	// unknownRest stands for the rest of a body that has no declared length.
	unknownRest = -1
	// maxLeft is how many bytes that no script reads are taken from a connection in order to use it again. It is the
	// platform's largest body.
	maxLeft = 100 << 20
)

// watchBody puts a clientBody into in, which is r as a Worker sees it; nil if it has none. It lets the answer begin
// before the body has ended: otherwise net/http would read the body to its end first, and what the script reads after
// that would fail.
func watchBody(w http.ResponseWriter, r, in *http.Request) *clientBody {
	if in.Body == nil || in.Body == http.NoBody {
		return nil
	}
	// An error does not matter: HTTP/2 always does that, and a recorder in a test reads nothing ahead.
	err := http.NewResponseController(w).EnableFullDuplex()
	b := &clientBody{
		ReadCloser: in.Body, duplex: err == nil && r.ProtoMajor == 1, invited: in.Header.Get("Expect") != "",
	}
	b.rest.Store(max(in.ContentLength, unknownRest))
	in.Body = b
	return b
}

func (b *clientBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case err == io.EOF:
		b.rest.Store(0)
	case b.rest.Load() > 0:
		b.rest.Add(-int64(n))
	}
	if err != nil && err != io.EOF {
		f := &clientFault{err}
		b.fault.CompareAndSwap(nil, f)
		err = f
	}
	return n, err
}

// tellEnd says in the head of an answer that the connection ends with it, if the rest of the body is too long to be
// read, or would be sent only if it were asked for. Since the answer may begin before the body ends, net/http does not
// say so itself, and a client would send its next request into a closed connection.
func (b *clientBody) tellEnd(h http.Header) {
	if b == nil || !b.duplex {
		return
	}
	if rest := b.rest.Load(); rest > maxLeft || rest != 0 && b.invited {
		h.Set("Connection", "close")
	}
}

// leave reads what the script left of the body when the answer is written, so that the connection can be used again.
// net/http would read a little of it after the handler, but with an answer that may begin early it then goes on reading
// beside its own wait for the next request, and breaks the connection.
func (b *clientBody) leave(w http.ResponseWriter) {
	if b == nil || !b.duplex || b.rest.Load() == 0 || w.Header().Get("Connection") == "close" {
		return
	}
	if http.NewResponseController(w).Flush() != nil {
		return // the client is gone
	}
	// A fault of the client's ends the connection too; net/http meets it again.
	if n, _ := io.CopyN(io.Discard, b, maxLeft); n == maxLeft {
		panic(http.ErrAbortHandler)
	}
}

// faulty returns what the client did wrong, nil if nothing.
func (b *clientBody) faulty() *clientFault {
	if b == nil {
		return nil
	}
	return b.fault.Load()
}

// clientFault says what is wrong with a body.
type clientFault struct{ err error }

func (f *clientFault) Error() string {
	return "the client's request body cannot be read: " + f.err.Error()
}

// Is makes it a connection that ended too early, which is what scripts see of it.
func (f *clientFault) Is(target error) bool { return target == io.ErrUnexpectedEOF }

func (f *clientFault) Unwrap() error { return f.err }

// lostConnection is what a script sees of a clientFault, and throws if it does not catch it.
const lostConnection = "Network connection lost."

// causes tells whether an error is what a client's fault became, with a script in between or without.
func (f *clientFault) causes(err error) bool {
	return f != nil && (errors.Is(err, f) || strings.Contains(err.Error(), lostConnection))
}

// badRequest answers for a handler that could not go on because of the client.
func (f Front) badRequest(w http.ResponseWriter, r *http.Request, fault *clientFault) int {
	f.tellFault(r, fault)
	http.Error(w, fmt.Sprintf("Bad Request: %v", fault), http.StatusBadRequest)
	return http.StatusBadRequest
}

func (f Front) tellFault(r *http.Request, fault *clientFault) {
	f.o.Report.Line(report.Warn, "request", fmt.Sprintf("%s %s: %v", r.Method, r.URL.Path, fault),
		report.F("worker", f.o.Worker))
}
