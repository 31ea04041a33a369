package control

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"eddy/runtime/clock"
	"eddy/runtime/restapi"
)

// ErrNotVirtual refuses to move a clock that is the machine's.
var ErrNotVirtual = errors.New("the session's clock is the machine's; only a virtual one can be moved")

// Clock is the session's time.
type Clock struct {
	Now     time.Time `json:"now"`
	Virtual bool      `json:"virtual"`
	// Held says that this API holds the clock: it moves by advance only.
	Held bool `json:"held"`
	// MovedMS is by how much the verb that answers has moved it.
	MovedMS int64 `json:"moved_ms,omitempty"`
	// Next is when the next event is due that somebody may wait for, nil if there is none or the clock is the
	// machine's.
	Next *time.Time `json:"next,omitempty"`
}

func (a *API) verbClock(*http.Request) (any, error) { return a.clock(0), nil }

// clock is the time after it has moved.
func (a *API) clock(moved time.Duration) Clock {
	v, virtual := a.o.Clock.(*clock.Virtual)
	a.held.mu.Lock()
	defer a.held.mu.Unlock()
	c := Clock{Now: a.o.Clock.Now(), Virtual: virtual, Held: a.held.resume != nil, MovedMS: moved.Milliseconds()}
	if virtual {
		if at, ok := v.Next(); ok {
			c.Next = &at
		}
	}
	return c
}

func (a *API) virtual() (*clock.Virtual, error) {
	v, ok := a.o.Clock.(*clock.Virtual)
	if !ok {
		return nil, restapi.Refuse(http.StatusConflict, restapi.CodeInvalidBody, "%v", ErrNotVirtual)
	}
	return v, nil
}

// verbAdvance answers when the time is reached and all that fell due on the way is done.
func (a *API) verbAdvance(r *http.Request) (any, error) {
	v, err := a.virtual()
	if err != nil {
		return nil, err
	}
	in, err := input[struct {
		MS int64 `json:"ms"`
	}](r)
	if err != nil {
		return nil, err
	}
	if in.MS < 0 {
		return nil, restapi.Refuse(
			http.StatusBadRequest, restapi.CodeInvalidBody, "ms of %d is negative: time does not run backwards", in.MS)
	}
	began := v.Now()
	defer clock.Await(v)() // in a trial, which stands still otherwise
	if err := v.Advance(r.Context(), time.Duration(in.MS)*time.Millisecond); err != nil {
		return nil, fmt.Errorf("advance: %w", err)
	}
	return a.clock(v.Now().Sub(began)), nil
}

func (a *API) verbHold(hold bool) verb {
	return func(r *http.Request) (any, error) {
		v, err := a.virtual()
		if err != nil {
			return nil, err
		}
		a.held.mu.Lock()
		switch {
		case hold && a.held.resume == nil:
			a.held.resume = v.Pause()
		case !hold && a.held.resume != nil:
			a.held.resume()
			a.held.resume = nil
		}
		a.held.mu.Unlock()
		return a.verbClock(r)
	}
}
