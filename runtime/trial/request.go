package trial

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"eddy/runtime/clock"
	"eddy/runtime/worker"
)

// Request is a request in flight.
type Request struct {
	t    *Trial
	what string
	done chan struct{} // closed when there is an answer
	// answer may be read when done is closed.
	answer worker.FetchResult
	// got says that the test has the response. The test's goroutine owns it.
	got bool

	mu sync.Mutex
	// answered is called with the answer, if the test waits for it; over says that there is one. Guarded by mu.
	answered func()
	over     bool
}

// Send sends a request to a Worker's script, "" for the first one, without waiting for the response. Assets and
// /cdn-cgi are for [runtime.Session.Handler]. The error names a Worker that there is not.
func (t *Trial) Send(workerName string, req *http.Request) (*Request, error) {
	w := t.run.Worker(workerName)
	if w == nil {
		return nil, fmt.Errorf("there is no Worker %q; there are %v", workerName, t.run.Workers())
	}
	if req.URL.Host == "" {
		req.URL.Scheme, req.URL.Host = "http", "example.com"
	}
	req.Host = cmp.Or(req.Host, req.URL.Host)
	r := &Request{t: t, what: req.Method + " " + req.URL.Path, done: make(chan struct{})}
	t.unanswered.Add(1)
	result := w.FetchAsync(req.Context(), req, worker.FetchOptions{})
	go r.take(result)
	return r, nil
}

// take waits for the answer.
func (r *Request) take(from <-chan worker.FetchResult) {
	r.answer = <-from
	r.mu.Lock()
	r.over = true
	if r.answered != nil {
		r.answered()
	}
	r.mu.Unlock()
	close(r.done)
	r.answer.Taken()
}

// wait waits until there is an answer.
func (r *Request) wait() error {
	r.mu.Lock()
	if !r.over && r.t.order != nil {
		r.answered = clock.Await(r.t.clock)
	}
	r.mu.Unlock()
	patient := time.NewTimer(Patience)
	defer patient.Stop()
	select {
	case <-r.done:
		return nil
	case <-patient.C:
		return fmt.Errorf("%s has no response after %v; time stands at %s, and goes on when the test moves it",
			r.what, Patience, r.t.clock.Now().Format(time.TimeOnly))
	}
}

// Response waits for the response, and reads its body to the end. The error is the exception that the handler threw.
func (r *Request) Response() (*http.Response, error) {
	err := r.wait()
	if !r.got {
		defer func() { r.got = true; r.t.unanswered.Add(-1) }()
	}
	a := r.answer
	if err != nil || a.Err != nil {
		return nil, cmp.Or(err, a.Err)
	}
	res := &http.Response{StatusCode: a.Response.Status, Status: fmt.Sprint(a.Response.Status, " ",
		http.StatusText(a.Response.Status)), Header: a.Response.Header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
	var body []byte
	r.t.Wait(func(func()) { body, err = io.ReadAll(a.Response.Body) })
	if err := cmp.Or(err, a.Response.Body.Close()); err != nil {
		return nil, fmt.Errorf("%s: the body: %w", r.what, err)
	}
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return res, nil
}
