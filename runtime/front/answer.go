package front

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"eddy/runtime/report"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/worker"
)

// answer writes a response to a request with this body.
func (f Front) answer(w http.ResponseWriter, r *http.Request, res *worker.Response, body *clientBody) int {
	h := w.Header()
	for k, v := range res.Header {
		h[k] = v
	}
	if _, ok := h["Content-Type"]; !ok {
		h["Content-Type"] = nil // net/http would guess one
	}
	if !res.Null {
		// What a script says of the length does not count: the body has its own, or none that is known.
		h.Del("Content-Length")
		if res.Length >= 0 && res.Encode == "" {
			h.Set("Content-Length", strconv.FormatInt(res.Length, 10))
		}
	}
	if bodyless(res.Status) {
		h.Del("Content-Length")
	}
	w.WriteHeader(res.Status)
	if r.Method == http.MethodHead || bodyless(res.Status) {
		return res.Status
	}
	if whole, ok := res.Body.(io.WriterTo); ok && res.Encode == "" && res.Length >= 0 && !res.Waits {
		_, err := whole.WriteTo(w)
		return f.answered(r, res, body, err)
	}
	rc := http.NewResponseController(w)
	var out io.Writer = &flusher{w: w, rc: rc, stream: res.Length < 0}
	var err error
	if res.Waits {
		// The first byte may be long in coming, or never come: an EventSource is open when it has the head.
		_ = rc.Flush() // a client that is gone is met by the next write
	}
	if res.Encode != "" {
		enc := fetch.Encoder(out, res.Encode)
		if _, err = io.Copy(enc, res.Body); err == nil {
			err = enc.Close()
		}
	} else {
		_, err = io.Copy(out, res.Body)
	}
	return f.answered(r, res, body, err)
}

// answered ends an answer whose body was written, or could not be.
func (f Front) answered(r *http.Request, res *worker.Response, body *clientBody, err error) int {
	if err != nil {
		// The head is out already: the only honest answer is a connection that breaks off.
		fault := body.faulty()
		switch {
		case r.Context().Err() != nil: // the client is gone
		case fault.causes(err):
			f.tellFault(r, fault)
		default:
			f.o.Report.Line(report.Error, "request", fmt.Sprintf("%s %s: response body: %v", r.Method, r.URL.Path, err),
				report.F("worker", f.o.Worker))
		}
		if overConnection(r) {
			panic(http.ErrAbortHandler)
		}
	}
	return res.Status
}

func bodyless(status int) bool {
	return status < 200 || status == http.StatusNoContent || status == http.StatusNotModified ||
		status == http.StatusResetContent
}

// flusher sends every chunk of a streamed body at once.
type flusher struct {
	w      io.Writer
	rc     *http.ResponseController
	stream bool
}

func (f *flusher) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	if err == nil && f.stream {
		err = f.rc.Flush()
	}
	return n, err
}

// fail answers for a handler that threw (RT15).
func (f Front) fail(w http.ResponseWriter, r *http.Request, err error) int {
	var ex *worker.Exception
	if !errors.As(err, &ex) {
		ex = &worker.Exception{Name: "Error", Message: err.Error(), Stack: "Error: " + err.Error()}
	}
	f.o.Uncaught(ex)
	status := http.StatusInternalServerError
	if errors.Is(err, worker.ErrCPULimit) || errors.Is(err, worker.ErrMemoryLimit) {
		status = http.StatusServiceUnavailable
	}
	writeErrorPage(w, r, status, ex)
	return status
}
