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
	fault atomic.Pointer[clientFault]
}

// watchBody puts a clientBody into a request; nil if it has none. It lets the answer begin before the body has ended:
// otherwise net/http would read the body to its end first, and what the script reads after that would fail.
func watchBody(w http.ResponseWriter, in *http.Request) *clientBody {
	if in.Body == nil || in.Body == http.NoBody {
		return nil
	}
	// An error does not matter: HTTP/2 always does that, and a recorder in a test reads nothing ahead.
	_ = http.NewResponseController(w).EnableFullDuplex()
	b := &clientBody{ReadCloser: in.Body}
	in.Body = b
	return b
}

func (b *clientBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		f := &clientFault{err}
		b.fault.CompareAndSwap(nil, f)
		err = f
	}
	return n, err
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
