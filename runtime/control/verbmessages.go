package control

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"eddy/queues"
	"eddy/runtime/restapi"
)

// Wanted selects messages that wait in a queue, and says how many are wanted.
type Wanted struct {
	// State is ready, delayed, in flight or held, "" for any; Contains is in the body, ID the beginning of the id.
	State, Contains, ID string
	// Since and Until bound when they were sent; zero does not.
	Since, Until time.Time
	Limit        int
}

// Found are the oldest messages that match, and how many there are.
type Found struct {
	Matches  int       `json:"matches"`
	Messages []Message `json:"messages"`
}

// maxFound bounds one answer.
const maxFound = 10_000

// verbFind is GET /queues/{queue}/find?state=&contains=&id=&since=&until=&limit=, with times as
// RFC 3339 has them.
func (a *API) verbFind(r *http.Request) (any, error) {
	q, err := a.queue(r)
	if err != nil {
		return nil, err
	}
	limit, err := intParam(r, "limit", 50)
	if err != nil {
		return nil, err
	}
	v := r.URL.Query()
	f := queues.PeekFilter{State: v.Get("state"), Contains: v.Get("contains"), ID: v.Get("id")}
	switch f.State {
	case "", "ready", "delayed", "in flight", "held":
	default:
		return nil, restapi.Refuse(http.StatusBadRequest, restapi.CodeInvalidBody,
			"state %q: expected ready, delayed, in flight or held", f.State)
	}
	for name, at := range map[string]*time.Time{"since": &f.Since, "until": &f.Until} {
		if text := v.Get(name); text != "" {
			if *at, err = time.Parse(time.RFC3339Nano, text); err != nil {
				return nil, restapi.Refuse(http.StatusBadRequest, restapi.CodeInvalidBody,
					"%s %q: expected a time as in 2026-04-01T12:00:00Z", name, text)
			}
		}
	}
	msgs, n, err := a.o.Broker.Find(r.Context(), q.Name, f, min(limit, maxFound))
	if err != nil {
		return nil, err
	}
	return Found{n, a.peekViews(msgs)}, nil
}

// Find shows the oldest messages that match, without any effect.
func (c *Client) Find(ctx context.Context, queue string, f Wanted) (Found, error) {
	q := url.Values{"state": {f.State}, "contains": {f.Contains}, "id": {f.ID}, "limit": {strconv.Itoa(f.Limit)}}
	for name, at := range map[string]time.Time{"since": f.Since, "until": f.Until} {
		if !at.IsZero() {
			q.Set(name, at.Format(time.RFC3339Nano))
		}
	}
	return do[Found](ctx, c, "GET", queuePath(queue, "/find?"+q.Encode()), nil)
}

// Minute is what happened in a queue in one minute, which begins at At.
type Minute struct {
	At       time.Time `json:"at"`
	Sent     int       `json:"sent"`
	Received int       `json:"received"` // deliveries, each attempt counted
	Acked    int       `json:"acked"`
	Retried  int       `json:"retried"`
	// Dead are dead letters, and what was dropped for want of a dead letter queue.
	Dead int `json:"dead"`
}

// verbHistory is GET /queues/{queue}/history: the last sixty minutes, oldest first.
func (a *API) verbHistory(r *http.Request) (any, error) {
	q, err := a.queue(r)
	if err != nil {
		return nil, err
	}
	return a.meter.history(q.Name, a.o.Clock.Now()), nil
}

// History is what happened in a queue in each of the last sixty minutes, oldest first.
func (c *Client) History(ctx context.Context, queue string) ([]Minute, error) {
	return do[[]Minute](ctx, c, "GET", queuePath(queue, "/history"), nil)
}

// Remove deletes messages by the refs that a peek gave. Those that are in flight are left.
func (c *Client) Remove(ctx context.Context, queue string, refs []string) (Count, error) {
	return do[Count](ctx, c, "POST", queuePath(queue, "/remove"), map[string]any{"refs": refs})
}

// history has the last sixty minutes of a queue, oldest first.
func (m *meter) history(queue string, now time.Time) []Minute {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := make([]Minute, 0, 60)
	h := m.hours[queue]
	for at := now.Unix()/60 - 59; at <= now.Unix()/60; at++ {
		one := Minute{At: time.Unix(at*60, 0).UTC()}
		if h != nil {
			if c := h.minutes[((at%60)+60)%60]; c.at == at {
				one.Sent, one.Received, one.Acked, one.Retried, one.Dead = c.sent, c.received, c.acked, c.retried,
					c.dead
			}
		}
		list = append(list, one)
	}
	return list
}
