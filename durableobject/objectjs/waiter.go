package objectjs

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"eddy/runtime/rpc"
)

// Waiter is an event that has come to an object and that its input gate, or its constructor, has not let in yet.
type Waiter struct {
	// Event says which, as a person would: "GET /room", "hold()", "alarm".
	Event string
	Since time.Time
}

// waiter is one in the object's isolate. What it is called is asked for by whoever looks only.
type waiter struct {
	event fmt.Stringer
	since time.Time
}

// kind is an event of which nothing more is told.
type kind string

func (k kind) String() string { return string(k) }

const (
	socketEvent  kind = "webSocket event"
	connectEvent kind = "connect"
	outsideAct   kind = "act from outside"
	testAct      kind = "act of a test"
)

// call is an RPC event.
type call struct{ op *rpc.Op }

func (c call) String() string {
	path := strings.Join(c.op.Path, ".")
	if c.op.Get {
		return path
	}
	return path + "()"
}

func (e *fetchEvent) String() string { return e.request.Method + " " + e.request.URL }

func (r *alarmRun) String() string { return "alarm" }

// waits notes an event that may have to wait, and gives what runs in its place.
func (i *instance) waits(event fmt.Stringer, fn func()) func() {
	a := &waiter{event, i.h.now()}
	i.waiters = append(i.waiters, a)
	return func() {
		if i.waiters[0] == a { // most leave in the order in which they came
			i.waiters = i.waiters[1:]
		} else {
			i.waiters = slices.DeleteFunc(i.waiters, func(other *waiter) bool { return other == a })
		}
		fn()
	}
}

// whoWaits lists who waits, in the order in which they came.
func (i *instance) whoWaits() []Waiter {
	all := make([]Waiter, len(i.waiters))
	for n, a := range i.waiters {
		all[n] = Waiter{a.event.String(), a.since}
	}
	return all
}
