package control

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"eddy/queues"
	"eddy/runtime/running"
)

// tailBacklog is how many events a slow reader may be behind before it is told that it missed some.
const tailBacklog = 10_000

// tailer hands events from the broker's goroutine to one reader, without ever making the broker wait.
type tailer struct {
	queues []string // empty means all
	wake   chan struct{}
	mu     sync.Mutex
	events []queues.Activity // guarded by mu
	missed int               // guarded by mu
}

func (t *tailer) observe(a queues.Activity) {
	if len(t.queues) > 0 && !slices.Contains(t.queues, a.Queue) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.events) >= tailBacklog {
		t.missed++
		return
	}
	t.events = append(t.events, a)
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

func (t *tailer) take() ([]queues.Activity, int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	events, missed := t.events, t.missed
	t.events, t.missed = nil, 0
	return events, missed
}

// tail streams what happens from now on as server-sent events: the event's name is its kind, its data an [Activity].
// ?queue= chooses queues and may be repeated. The comment ": open" says that the stream has begun.
func (a *API) tail(w http.ResponseWriter, r *http.Request) {
	t := &tailer{queues: r.URL.Query()["queue"], wake: make(chan struct{}, 1)}
	cancel, err := a.o.Broker.Observe(t.observe)
	if err != nil {
		ae := a.rest.Refused(err)
		a.rest.Answer(w, ae.Status, running.ErrorBody{Error: running.FailureDetail{Code: ae.Code, Message: ae.Message}})
		return
	}
	defer cancel()
	rc := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	fmt.Fprint(w, ": open\n\n")
	for {
		if err := rc.Flush(); err != nil {
			return
		}
		select {
		case <-t.wake:
		case <-r.Context().Done():
			return
		case <-a.done.Done():
			return
		}
		events, missed := t.take()
		for _, e := range events {
			b, err := json.Marshal(activityView(e))
			if err != nil {
				a.failed(err)
				return
			}
			if _, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e.Kind, b); err != nil {
				return
			}
		}
		if missed > 0 {
			fmt.Fprintf(w, "event: missed\ndata: {\"kind\":\"missed\",\"count\":%d}\n\n", missed)
		}
	}
}
