package runtimetest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"eddy/runtime"
	"eddy/runtime/clock"
	"eddy/runtime/report"
	"eddy/runtime/testrun"
	"eddy/runtime/worker"
)

// Options say how a session is started. The zero value takes the configuration in the project's directory.
type Options struct {
	// Runtime are the session's own options. Dir, Clock, Random, Exception and Reporter are runtimetest's.
	Runtime runtime.Options
	// Seed decides random numbers, ids and every order that is free; 0 is 1.
	Seed uint64
	// Exceptions, if set, takes exceptions that nobody caught. Without it they fail the test.
	Exceptions func(worker string, ex *worker.Exception)
	// Crash lets the Workers crash under Explore and Search, at most twice in an order, while the test waits for no
	// response: events end, objects lose what they have in memory, batches that nobody has acknowledged come again.
	// What is stored stays, and so do the variables of modules.
	Crash bool
	// order, for Explore, decides what comes next.
	order *testrun.Order
}

// Session is a running session, see the package documentation.
type Session struct {
	t     testing.TB
	run   *runtime.Session
	clock *clock.Virtual
	seed  uint64
	order *testrun.Order
	// unanswered counts the requests whose responses the test has not got. The test's goroutine owns it; the order
	// looks at it while that waits.
	unanswered int
}

// Start starts the project in dir for the time of the test. A mistake in the project ends the test.
func Start(t testing.TB, dir string, o Options) *Session {
	t.Helper()
	s, err := start(t, dir, o)
	if err != nil {
		t.Fatal(runtime.Explain(err, false))
	}
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func start(t testing.TB, dir string, o Options) (*Session, error) {
	if o.Seed == 0 {
		o.Seed = 1
	}
	order := o.order
	if order == nil {
		order = testrun.NewOrder(o.Seed)
	}
	s := &Session{t: t, clock: clock.NewVirtual(order.Start(), o.Seed), seed: o.Seed, order: o.order}
	s.clock.Pause()
	ro := o.Runtime
	ro.Dir, ro.Clock, ro.Random, ro.Durability = dir, s.clock, order.Random(), runtime.Relaxed
	ro.Reporter = report.New(report.Options{Out: logWriter{t}, Level: report.Log})
	if ro.Environ == nil {
		ro.Environ = os.Environ()
	}
	ro.Exception = o.Exceptions
	if ro.Exception == nil {
		ro.Exception = func(name string, ex *worker.Exception) { t.Errorf("%s: %s", name, ex.Stack) }
	}
	var err error
	if s.run, err = runtime.Start(context.Background(), ro); err != nil {
		return nil, err
	}
	if s.order != nil {
		if o.Crash {
			s.order.Crashes(s.mayCrash, s.crash)
		}
		clock.Away(s.clock) // the test itself: it is never back, but waits now and then
		s.clock.Explore(s.order)
	}
	return s, nil
}

func (s *Session) stop() error {
	if s.order != nil {
		s.clock.Explore(nil)
		clock.Await(s.clock)
	}
	return s.run.Stop(context.Background())
}

// logWriter writes the lines of the session to the test's log.
type logWriter struct{ t testing.TB }

// Write implements io.Writer.
func (w logWriter) Write(p []byte) (int, error) {
	w.t.Log(string(bytes.TrimRight(p, "\n")))
	return len(p), nil
}

// Runtime is the session itself, for what this package does not have.
func (s *Session) Runtime() *runtime.Session { return s.run }

// Seed is what decides every order that is free.
func (s *Session) Seed() uint64 { return s.seed }

// Now is the session's time.
func (s *Session) Now() time.Time { return s.clock.Now() }

// waits runs f, in which the test waits for the session. f calls answered when the session has done what the test waits
// for, while it still stands.
func (s *Session) waits(f func(answered func())) {
	if s.order == nil {
		f(func() {})
		return
	}
	var once sync.Once
	answered := clock.Await(s.clock)
	defer once.Do(answered)
	f(func() { once.Do(answered) })
}

// Advance moves time by d. When it returns, all that fell due on the way is done.
func (s *Session) Advance(d time.Duration) {
	s.t.Helper()
	if err := s.advance(d); err != nil {
		s.t.Fatal(err)
	}
}

// patience is how long the machine may take for what a test waits for.
const patience = time.Minute

func (s *Session) advance(d time.Duration) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	arrived := s.clock.Move(d)
	s.waits(func(func()) { err = arrived(ctx) })
	return err
}

// AdvanceToNext moves time to the next event that is due, and returns by how much; 0 if nothing is due.
func (s *Session) AdvanceToNext() time.Duration {
	s.t.Helper()
	s.Advance(0)
	at, ok := s.clock.Next()
	if !ok {
		return 0
	}
	d := at.Sub(s.clock.Now())
	s.Advance(d)
	return d
}

// horizon is how far ahead an event may be for RunUntilIdle and Drain: retention ends messages after days.
const horizon = 25 * time.Hour

// RunUntilIdle moves time on until nothing is due within a day. An interval that never ends fails the test.
func (s *Session) RunUntilIdle() {
	s.t.Helper()
	for range 100_000 {
		s.Advance(0)
		at, ok := s.clock.Next()
		if !ok || at.Sub(s.clock.Now()) > horizon {
			return
		}
		s.Advance(at.Sub(s.clock.Now()))
	}
	s.t.Fatal("RunUntilIdle: an interval, or an alarm that sets itself again, never ends")
}

// Request is a request in flight.
type Request struct {
	s    *Session
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
	if !r.over && r.s.order != nil {
		r.answered = clock.Await(r.s.clock)
	}
	r.mu.Unlock()
	patient := time.NewTimer(patience)
	defer patient.Stop()
	select {
	case <-r.done:
		return nil
	case <-patient.C:
		return fmt.Errorf("%s has no response after %v; time stands at %s, and goes on when the test moves it",
			r.what, patience, r.s.clock.Now().Format(time.TimeOnly))
	}
}

// Send sends a request to a Worker's script, "" for the first one, without waiting for the response. Assets and
// /cdn-cgi are for [runtime.Session.Handler].
func (s *Session) Send(workerName string, req *http.Request) *Request {
	s.t.Helper()
	w := s.run.Worker(workerName)
	if w == nil {
		s.t.Fatalf("there is no Worker %q; there are %v", workerName, s.run.Workers())
	}
	if req.URL.Host == "" {
		req.URL.Scheme, req.URL.Host = "http", "example.com"
	}
	if req.Host == "" {
		req.Host = req.URL.Host
	}
	r := &Request{s: s, what: req.Method + " " + req.URL.Path, done: make(chan struct{})}
	s.unanswered++
	result := w.FetchAsync(req.Context(), req, worker.FetchOptions{})
	go r.take(result)
	return r
}

// Response waits for the response, and reads its body to the end. The error is the exception that the handler threw.
func (r *Request) Response() (*http.Response, error) {
	err := r.wait()
	if !r.got {
		defer func() { r.got = true; r.s.unanswered-- }()
	}
	a := r.answer
	if err != nil || a.Err != nil {
		return nil, firstError(err, a.Err)
	}
	res := &http.Response{StatusCode: a.Response.Status, Status: fmt.Sprint(a.Response.Status, " ",
		http.StatusText(a.Response.Status)), Header: a.Response.Header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
	var body []byte
	r.s.waits(func(func()) { body, err = io.ReadAll(a.Response.Body) })
	if err := firstError(err, a.Response.Body.Close()); err != nil {
		return nil, fmt.Errorf("%s: the body: %w", r.what, err)
	}
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return res, nil
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// Fetch sends a request to the first Worker and waits for the response. body may be nil. An exception fails the test.
func (s *Session) Fetch(method, url string, body io.Reader) *http.Response {
	s.t.Helper()
	req, err := http.NewRequest(method, url, body)
	if err != nil {
		s.t.Fatal(err)
	}
	res, err := s.Send("", req).Response()
	if err != nil {
		s.t.Fatal(err)
	}
	return res
}
