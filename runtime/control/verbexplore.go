package control

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"eddy/runtime/restapi"
	"eddy/runtime/running"
)

// Explorer searches orders of events for a client: it starts trials of the project, one after the other, each under an
// order of its own, and the client judges them. Any goroutine.
type Explorer interface {
	// Begin ends the search before, if there is one, and returns when the first trial runs.
	Begin(ctx context.Context, s Search) (Exploration, error)
	// Exploration is what the search has come to. Judge ends the trial that runs, and returns when the next one does or
	// the search is over. End gives the search up.
	Exploration() (Exploration, error)
	Judge(ctx context.Context, v Verdict) (Exploration, error)
	End()
	// Send sends a request in the trial, whose Response can then be waited for by its number.
	Send(r TrialRequest) (Sent, error)
	Response(number int) (TrialResponse, error)
	// Session serves the trial's session.
	Session() (http.Handler, error)
}

// ErrNoTrial refuses what needs a trial.
var ErrNoTrial = errors.New("no trial runs: begin a search with POST /explore")

// Search says what is searched.
type Search struct {
	// Orders is how many orders are tried; 0 is 200.
	Orders int `json:"orders,omitempty"`
	// Seed is that of the first order, each next one has a seed one higher; 0 is 1.
	Seed uint64 `json:"seed,omitempty"`
	// Crash lets the Workers crash, too.
	Crash bool `json:"crash,omitempty"`
	// Exceptions says that an exception that nobody catches is no failure.
	Exceptions bool `json:"exceptions,omitempty"`
}

// Exploration is what a search has come to.
type Exploration struct {
	// State is running, passed or failed.
	State string `json:"state"`
	// Trial counts the trials from 1: the plain order comes first, then those of the search, then shorter ones.
	Trial int `json:"trial"`
	// Seed is that of the trial that runs, or of the order that fails.
	Seed uint64 `json:"seed,omitempty"`
	// Shrinking says that an order has failed, and that the trial is one of a shorter one.
	Shrinking bool `json:"shrinking,omitempty"`
	// Tried is how many orders were tried when the search was over, Distinct how many different ones.
	Tried    int `json:"tried,omitempty"`
	Distinct int `json:"distinct,omitempty"`
	// Error is that of the trial under the shortest order that fails, and Steps the numbered list of it, a step a line.
	Error string `json:"error,omitempty"`
	Steps string `json:"steps,omitempty"`
}

// Verdict is what a client thinks of a trial. Error is what was wrong, "" for nothing.
type Verdict struct {
	Error string `json:"error,omitempty"`
}

// TrialRequest is a request to a Worker of a trial.
type TrialRequest struct {
	// Worker is a name, "" for the first one; Method "" is GET; URL may be a path alone.
	Worker     string            `json:"worker,omitempty"`
	Method     string            `json:"method,omitempty"`
	URL        string            `json:"url"`
	Headers    map[string]string `json:"headers,omitempty"`
	Body       string            `json:"body,omitempty"`
	BodyBase64 []byte            `json:"body_base64,omitempty"`
}

// Sent is the number of a request of the trial.
type Sent struct {
	Request int `json:"request"`
}

// TrialResponse is the response, or the Exception that the handler threw.
type TrialResponse struct {
	Status     int                 `json:"status,omitempty"`
	Headers    map[string][]string `json:"headers,omitempty"`
	Body       string              `json:"body,omitempty"`
	BodyBase64 []byte              `json:"body_base64,omitempty"`
	Exception  string              `json:"exception,omitempty"`
}

// exploringVerbs are those with which tests in other languages search orders of events.
func (a *API) exploringVerbs() map[string]verb {
	return map[string]verb{
		"POST /explore": a.exploring(func(r *http.Request, e Explorer) (any, error) {
			in, err := input[Search](r)
			if err == nil && in.Orders < 0 {
				err = fmt.Errorf("orders of %d is negative", in.Orders)
			}
			if err != nil {
				return nil, err
			}
			return e.Begin(r.Context(), in)
		}),
		"GET /explore": a.exploring(func(_ *http.Request, e Explorer) (any, error) { return e.Exploration() }),
		"POST /explore/verdict": a.exploring(func(r *http.Request, e Explorer) (any, error) {
			in, err := input[Verdict](r)
			if err != nil {
				return nil, err
			}
			return e.Judge(r.Context(), in)
		}),
		"DELETE /explore": a.exploring(func(_ *http.Request, e Explorer) (any, error) { e.End(); return nil, nil }),
		"POST /explore/requests": a.exploring(func(r *http.Request, e Explorer) (any, error) {
			in, err := input[TrialRequest](r)
			if err != nil {
				return nil, err
			}
			return e.Send(in)
		}),
		"GET /explore/requests/{request}": a.exploring(func(r *http.Request, e Explorer) (any, error) {
			number, err := strconv.Atoi(r.PathValue("request"))
			if err != nil {
				return nil, fmt.Errorf("request %q: expected a number", r.PathValue("request"))
			}
			return e.Response(number)
		}),
	}
}

// exploring is a verb of a session that can explore.
func (a *API) exploring(do func(*http.Request, Explorer) (any, error)) verb {
	return func(r *http.Request) (any, error) {
		if a.o.Explorer == nil {
			return nil, conflict(errors.New("this session does not explore: start one with eddy dev"))
		}
		v, err := do(r, a.o.Explorer)
		return v, conflict(err)
	}
}

// conflict refuses with the text of an error: what a client does wrong, and what is wrong with its project.
func conflict(err error) error {
	var refused *restapi.Error
	if err == nil || errors.As(err, &refused) {
		return err
	}
	return restapi.Refuse(http.StatusConflict, restapi.CodeInvalidBody, "%v", err)
}

// trialSession is where the control API of a trial's session is.
const trialSession = "/explore/session"

// serveTrial hands a request on to the control API of the trial's session.
func (a *API) serveTrial(w http.ResponseWriter, r *http.Request) {
	session, err := http.Handler(nil), ErrNoTrial
	if a.o.Explorer != nil {
		session, err = a.o.Explorer.Session()
	}
	if err != nil {
		a.refuse(w, conflict(err))
		return
	}
	strip := len(running.APIPrefix + trialSession)
	to := r.Clone(r.Context())
	to.URL.Path = running.APIPrefix + to.URL.Path[strip:]
	if to.URL.RawPath != "" {
		to.URL.RawPath = running.APIPrefix + to.URL.RawPath[strip:]
	}
	to.RequestURI = to.URL.RequestURI()
	session.ServeHTTP(w, to)
}
