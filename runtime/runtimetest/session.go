package runtimetest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"eddy/runtime"
	"eddy/runtime/report"
	"eddy/runtime/trial"
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
}

// below are the options of the trial.
func (o Options) below(t testing.TB, dir string) trial.Options {
	ro := o.Runtime
	ro.Dir, ro.Exception = dir, o.Exceptions
	ro.Reporter = report.New(report.Options{Out: logWriter{t}, Level: report.Log})
	if ro.Environ == nil {
		ro.Environ = os.Environ()
	}
	return trial.Options{Runtime: ro, Seed: max(o.Seed, 1), Crash: o.Crash}
}

// Session is a running session, see the package documentation.
type Session struct {
	t     testing.TB
	trial *trial.Trial
	seed  uint64
}

// Start starts the project in dir for the time of the test. A mistake in the project ends the test.
func Start(t testing.TB, dir string, o Options) *Session {
	t.Helper()
	below := o.below(t, dir)
	if below.Runtime.Exception == nil {
		below.Runtime.Exception = func(name string, ex *worker.Exception) { t.Errorf("%s: %s", name, ex.Stack) }
	}
	run, err := trial.Start(context.Background(), below, nil)
	if err != nil {
		t.Fatal(runtime.Explain(err, false))
	}
	t.Cleanup(func() {
		if err := run.Stop(); err != nil {
			t.Error(err)
		}
	})
	return &Session{t, run, below.Seed}
}

// logWriter writes the lines of the session to the test's log.
type logWriter struct{ t testing.TB }

// Write implements io.Writer.
func (w logWriter) Write(p []byte) (int, error) {
	w.t.Log(string(bytes.TrimRight(p, "\n")))
	return len(p), nil
}

// Runtime is the session itself, for what this package does not have.
func (s *Session) Runtime() *runtime.Session { return s.trial.Runtime() }

// Seed is what decides every order that is free.
func (s *Session) Seed() uint64 { return s.seed }

// Now is the session's time.
func (s *Session) Now() time.Time { return s.trial.Clock().Now() }

// Advance moves time by d. When it returns, all that fell due on the way is done.
func (s *Session) Advance(d time.Duration) {
	s.t.Helper()
	if err := s.trial.Advance(d); err != nil {
		s.t.Fatal(err)
	}
}

// AdvanceToNext moves time to the next event that is due, and returns by how much; 0 if nothing is due.
func (s *Session) AdvanceToNext() time.Duration {
	s.t.Helper()
	s.Advance(0)
	at, ok := s.trial.Clock().Next()
	if !ok {
		return 0
	}
	d := at.Sub(s.trial.Clock().Now())
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
		at, ok := s.trial.Clock().Next()
		if !ok || at.Sub(s.trial.Clock().Now()) > horizon {
			return
		}
		s.Advance(at.Sub(s.trial.Clock().Now()))
	}
	s.t.Fatal("RunUntilIdle: an interval, or an alarm that sets itself again, never ends")
}

// Request is a request in flight.
type Request = trial.Request

// Send sends a request to a Worker's script, "" for the first one, without waiting for the response. Assets and
// /cdn-cgi are for [runtime.Session.Handler].
func (s *Session) Send(workerName string, req *http.Request) *Request {
	s.t.Helper()
	r, err := s.trial.Send(workerName, req)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
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
