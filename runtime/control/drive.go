package control

import (
	"context"
	"errors"
	"net/http"
	"time"

	"eddy/runtime/clock"
	"eddy/runtime/restapi"
)

// Driver is what a test in another language does with a running session, beside what the other verbs do. Any goroutine.
type Driver interface {
	// FailNext lets the next deliveries of a queue fail with a text, before the handler is called.
	FailNext(ctx context.Context, queue string, count int, text string) error
	// AlarmTimes are the times of all alarms that are set.
	AlarmTimes() []time.Time
	// EvictIdle takes objects that are at rest out of memory.
	EvictIdle(ctx context.Context) error
	// Crash ends what a killed process would lose, and starts the Workers anew.
	Crash(ctx context.Context) error
	// Reset empties queues, objects and stores. It is an [ErrKept] in a session that keeps its state.
	Reset(ctx context.Context) error
}

// ErrKept refuses to empty a session whose state outlives it.
var ErrKept = errors.New("the session keeps its state, which is not for a test to empty; start one that does not: " +
	"eddy dev --ephemeral")

// drivingVerbs are those with which tests in other languages drive a session.
func (a *API) drivingVerbs() map[string]verb {
	return map[string]verb{
		"POST /clock/next": a.moving(func(r *http.Request, m clock.Mover) error { return m.ToNext(r.Context()) }),
		"POST /clock/idle": a.moving(func(r *http.Request, m clock.Mover) error { return m.UntilIdle(r.Context()) }),
		"POST /drain": a.moving(func(r *http.Request, m clock.Mover) error {
			return a.o.Broker.UntilEmpty(r.Context(), m, "")
		}),
		"POST /queues/{queue}/drain": a.moving(func(r *http.Request, m clock.Mover) error {
			q, err := a.queue(r)
			if err != nil {
				return err
			}
			return a.o.Broker.UntilEmpty(r.Context(), m, q.Name)
		}),
		"POST /queues/{queue}/fail":        a.driving(a.verbFailNext),
		"GET /queues/{queue}/dead-letters": a.verbOwnDeadLetters,
		"POST /alarms/run": a.driving(func(r *http.Request, d Driver) (any, error) {
			return a.moving(func(r *http.Request, m clock.Mover) error {
				return m.ToLast(r.Context(), d.AlarmTimes())
			})(r)
		}),
		"POST /evict": a.driving(func(r *http.Request, d Driver) (any, error) { return nil, d.EvictIdle(r.Context()) }),
		"POST /crash": a.driving(func(r *http.Request, d Driver) (any, error) {
			defer clock.Await(a.o.Clock)() // in a trial, which stands still otherwise
			return nil, d.Crash(r.Context())
		}),
		"POST /reset": a.driving(func(r *http.Request, d Driver) (any, error) {
			defer clock.Await(a.o.Clock)()
			return nil, d.Reset(r.Context())
		}),
	}
}

// driving is a verb of a running session.
func (a *API) driving(do func(*http.Request, Driver) (any, error)) verb {
	return func(r *http.Request) (any, error) {
		if a.o.Driver == nil {
			return nil, restapi.Refuse(http.StatusConflict, restapi.CodeInvalidBody,
				"no session runs on this state: start one with eddy dev")
		}
		v, err := do(r, a.o.Driver)
		if errors.Is(err, ErrKept) {
			err = restapi.Refuse(http.StatusConflict, restapi.CodeInvalidBody, "%v", err)
		}
		return v, err
	}
}

// moving is a verb that moves virtual time and answers with the clock, and by how much time has gone on. What time
// waits for in vain is the caller's to know.
func (a *API) moving(move func(*http.Request, clock.Mover) error) verb {
	return func(r *http.Request) (any, error) {
		v, err := a.virtual()
		if err != nil {
			return nil, err
		}
		began := v.Now()
		defer clock.Await(v)() // in a trial, which stands still otherwise
		if err := v.Advance(r.Context(), 0); err != nil {
			return nil, err
		}
		if err := move(r, clock.Mover{Clock: v}); err != nil {
			var refused *restapi.Error
			if errors.As(err, &refused) {
				return nil, err
			}
			return nil, restapi.Refuse(http.StatusConflict, restapi.CodeInvalidBody, "%v", err)
		}
		return a.clock(v.Now().Sub(began)), nil
	}
}

// FailNext is the input of letting deliveries fail.
type FailNext struct {
	// Count is how many deliveries fail, Error the text of what they throw.
	Count int    `json:"count"`
	Error string `json:"error,omitempty"`
}

func (a *API) verbFailNext(r *http.Request, d Driver) (any, error) {
	q, err := a.queue(r)
	if err != nil {
		return nil, err
	}
	in, err := input[FailNext](r)
	if err != nil {
		return nil, err
	}
	if in.Count < 0 {
		return nil, restapi.Refuse(http.StatusBadRequest, restapi.CodeInvalidBody, "count of %d is negative", in.Count)
	}
	if in.Error == "" {
		in.Error = "a test lets this delivery fail"
	}
	return Count{in.Count}, d.FailNext(r.Context(), q.Name, in.Count, in.Error)
}

// verbOwnDeadLetters are the messages in a queue's dead letter queue that came from it.
func (a *API) verbOwnDeadLetters(r *http.Request) (any, error) {
	q, err := a.queue(r)
	if err != nil {
		return nil, err
	}
	limit, err := intParam(r, "limit", 10_000)
	if err != nil {
		return nil, err
	}
	if q.Consumer == nil || q.Consumer.Config.DeadLetterQueue == "" {
		return nil, restapi.Refuse(http.StatusConflict, restapi.CodeInvalidBody, "queue %q has no dead letter queue",
			q.Name)
	}
	all, err := a.o.Broker.Peek(r.Context(), q.Consumer.Config.DeadLetterQueue, limit)
	own := []Message{}
	for _, m := range all {
		if m.DeadLetter != nil && m.DeadLetter.Source == q.Name {
			own = append(own, a.peekView(m))
		}
	}
	return own, err
}
