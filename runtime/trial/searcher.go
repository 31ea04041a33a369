package trial

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"unicode/utf8"

	"eddy/runtime"
	"eddy/runtime/control"
	"eddy/runtime/report"
	"eddy/runtime/testrun"
	"eddy/runtime/worker"
)

// Searcher implements [control.Explorer] with [Search]. Make one with [NewSearcher].
type Searcher struct {
	runtime runtime.Options
	seed    uint64

	verbs sync.Mutex // one of Begin, Judge and End at a time
	mu    sync.Mutex
	now   *exploration // guarded by mu; nil before the first search and after one that was given up
}

// NewSearcher makes a Searcher of the project that a session with these options runs. seed is that of a search that
// names none.
func NewSearcher(o runtime.Options, seed uint64) *Searcher {
	o.Listen, o.LiveReload, o.Watch, o.Persist, o.PersistTo, o.OTLP = false, false, false, false, "", ""
	o.Journal, o.Explorer, o.Exception, o.Activity = runtime.JournalOff, nil, nil, nil
	o.Reporter = report.New(report.Options{Level: report.None})
	return &Searcher{runtime: o, seed: max(seed, 1)}
}

// exploration is one search.
type exploration struct {
	cancel context.CancelFunc
	// trials hands a trial that has begun to whoever has asked for it, verdicts brings the error of its test.
	trials   chan *Trial
	verdicts chan error
	// over is closed when the search has ended; found and err may be read then.
	over  chan struct{}
	found testrun.Finding
	err   error

	mu       sync.Mutex // guards what follows
	trial    *Trial     // nil between two trials
	requests []*Request
	view     control.Exploration
}

// Begin implements [control.Explorer].
func (e *Searcher) Begin(ctx context.Context, s control.Search) (control.Exploration, error) {
	e.verbs.Lock()
	defer e.verbs.Unlock()
	e.give(nil)
	searched, cancel := context.WithCancel(context.WithoutCancel(ctx))
	x := &exploration{cancel: cancel, trials: make(chan *Trial), verdicts: make(chan error),
		over: make(chan struct{})}
	o := Options{Runtime: e.runtime, Seed: cmp.Or(s.Seed, e.seed), Crash: s.Crash}
	if s.Exceptions {
		o.Runtime.Exception = func(string, *worker.Exception) {}
	}
	go func() {
		defer close(x.over)
		x.found, x.err = Search(searched, cmp.Or(s.Orders, 200), o, func(t *Trial) error {
			select {
			case x.trials <- t:
			case <-searched.Done():
				return searched.Err()
			}
			select {
			case verdict := <-x.verdicts:
				return verdict
			case <-searched.Done():
				return searched.Err()
			}
		})
	}()
	e.give(x)
	return e.next(ctx, x)
}

// give puts a search, or none, in the place of the one that there is, and ends that.
func (e *Searcher) give(x *exploration) {
	e.mu.Lock()
	before := e.now
	e.now = x
	e.mu.Unlock()
	if before != nil {
		before.cancel()
		<-before.over
	}
}

// next waits for the next trial or the end of a search. If ctx ends first, the search is given up.
func (e *Searcher) next(ctx context.Context, x *exploration) (control.Exploration, error) {
	select {
	case t := <-x.trials:
		x.mu.Lock()
		defer x.mu.Unlock()
		// Each order of the search has a seed of its own; the plain one before has that of the first.
		x.view.Shrinking = x.view.Trial > 1 && t.Seed() == x.view.Seed
		x.trial, x.requests = t, nil
		x.view.State, x.view.Seed = "running", t.Seed()
		x.view.Trial++
		return x.view, nil
	case <-x.over:
		if x.err != nil {
			e.give(nil)
			return control.Exploration{}, errors.New(strings.TrimSpace(runtime.Explain(x.err, false)))
		}
		x.mu.Lock()
		defer x.mu.Unlock()
		x.view = control.Exploration{State: "passed", Trial: x.view.Trial, Tried: x.found.Tried,
			Distinct: x.found.Distinct}
		if x.found.Err != nil {
			x.view.State, x.view.Seed = "failed", x.found.Seed
			x.view.Error, x.view.Steps = x.found.Err.Error(), x.found.Steps
		}
		return x.view, nil
	case <-ctx.Done():
		e.give(nil)
		return control.Exploration{}, ctx.Err()
	}
}

// running is the search whose trial runs.
func (e *Searcher) running() (*exploration, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.now == nil {
		return nil, control.ErrNoTrial
	}
	return e.now, nil
}

// Exploration implements [control.Explorer].
func (e *Searcher) Exploration() (control.Exploration, error) {
	x, err := e.running()
	if err != nil {
		return control.Exploration{}, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.view, nil
}

// Judge implements [control.Explorer].
func (e *Searcher) Judge(ctx context.Context, v control.Verdict) (control.Exploration, error) {
	e.verbs.Lock()
	defer e.verbs.Unlock()
	x, err := e.running()
	if err != nil {
		return control.Exploration{}, err
	}
	x.mu.Lock()
	t := x.trial
	x.trial = nil
	x.mu.Unlock()
	if t == nil {
		return control.Exploration{}, control.ErrNoTrial
	}
	var verdict error
	if v.Error != "" {
		verdict = errors.New(v.Error)
	}
	x.verdicts <- verdict // the search has handed out t, and waits
	return e.next(ctx, x)
}

// End implements [control.Explorer]. It may be called twice.
func (e *Searcher) End() {
	e.verbs.Lock()
	defer e.verbs.Unlock()
	e.give(nil)
}

// Send implements [control.Explorer].
func (e *Searcher) Send(r control.TrialRequest) (control.Sent, error) {
	x, err := e.running()
	if err != nil {
		return control.Sent{}, err
	}
	body := r.BodyBase64
	if r.Body != "" {
		body = []byte(r.Body)
	}
	req, err := http.NewRequest(cmp.Or(r.Method, http.MethodGet), r.URL, bytes.NewReader(body))
	if err != nil {
		return control.Sent{}, err
	}
	if !strings.HasPrefix(req.URL.Path, "/") {
		return control.Sent{}, fmt.Errorf("url %q: expected a path, or a URL with http:// and a host", r.URL)
	}
	for name, value := range r.Headers {
		req.Header.Set(name, value)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.trial == nil {
		return control.Sent{}, control.ErrNoTrial
	}
	sent, err := x.trial.Send(r.Worker, req)
	if err != nil {
		return control.Sent{}, err
	}
	x.requests = append(x.requests, sent)
	return control.Sent{Request: len(x.requests)}, nil
}

// Response implements [control.Explorer].
func (e *Searcher) Response(number int) (control.TrialResponse, error) {
	x, err := e.running()
	if err != nil {
		return control.TrialResponse{}, err
	}
	r, err := x.take(number)
	if err != nil {
		return control.TrialResponse{}, err
	}
	res, err := r.Response()
	var thrown *worker.Exception
	if errors.As(err, &thrown) {
		return control.TrialResponse{Exception: thrown.Error()}, nil
	}
	if err != nil {
		x.mu.Lock()
		x.requests[number-1] = r // it may be waited for again
		x.mu.Unlock()
		return control.TrialResponse{}, err
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return control.TrialResponse{}, err
	}
	answer := control.TrialResponse{Status: res.StatusCode, Headers: res.Header}
	if utf8.Valid(body) {
		answer.Body = string(body)
	} else {
		answer.BodyBase64 = body
	}
	return answer, nil
}

// take takes a request of the trial out of the list: a response is there once.
func (x *exploration) take(number int) (*Request, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.trial == nil {
		return nil, control.ErrNoTrial
	}
	if number < 1 || number > len(x.requests) || x.requests[number-1] == nil {
		return nil, fmt.Errorf("no response to request %d is left in this trial, which was sent %d", number,
			len(x.requests))
	}
	r := x.requests[number-1]
	x.requests[number-1] = nil
	return r, nil
}

// Session implements [control.Explorer].
func (e *Searcher) Session() (http.Handler, error) {
	x, err := e.running()
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.trial == nil {
		return nil, control.ErrNoTrial
	}
	return x.trial.run.Handler("")
}
