package control

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"eddy/runtime/running"
)

// Client speaks the control API, with a session over HTTP or with an [API] in this process. Its methods return a
// [*running.Refusal] when the API refused.
type Client struct{ *running.Caller }

// Dial makes a client for the session at a URL, which may ask for a token; nothing is sent yet.
func Dial(base, token string) (*Client, error) {
	c, err := running.Dial(base, token)
	return &Client{c}, err
}

// Find gives a client of the session that has a state directory open, as [running.Find] finds it.
func Find(ctx context.Context, state string) (*Client, Process, error) {
	c, s, err := running.Find(ctx, state)
	return &Client{c}, s, err
}

// Over makes a client of the session at a URL, as [running.Over] reaches it.
func Over(base, token string, over http.RoundTripper) *Client {
	return &Client{running.Over(base, token, over)}
}

// Local makes a client of an API in this process. Streams do not work over it.
func Local(api http.Handler) *Client { return &Client{running.To(api)} }

func do[T any](ctx context.Context, c *Client, method, path string, in any) (T, error) {
	return running.Call[T](ctx, c.Caller, method, path, in)
}

type nothing struct{}

func queuePath(queue, rest string) string { return "/queues/" + url.PathEscape(queue) + rest }
func dlqPath(queue, rest string) string   { return "/dlq/" + url.PathEscape(queue) + rest }
func lanePath(queue, rest string) string  { return "/lanes/" + url.PathEscape(queue) + rest }

// Session describes the session that answers.
func (c *Client) Session(ctx context.Context) (Process, error) {
	return do[Process](ctx, c, "GET", "/session", nil)
}

// Queues lists all queues by name.
func (c *Client) Queues(ctx context.Context) ([]Queue, error) {
	return do[[]Queue](ctx, c, "GET", "/queues", nil)
}

// Queue returns the queue with a name or id.
func (c *Client) Queue(ctx context.Context, queue string) (Queue, error) {
	return do[Queue](ctx, c, "GET", queuePath(queue, ""), nil)
}

// CreateQueue makes a queue.
func (c *Client) CreateQueue(ctx context.Context, q QueueChange) (Queue, error) {
	return do[Queue](ctx, c, "POST", "/queues", q)
}

// UpdateQueue changes those settings of a queue that q names.
func (c *Client) UpdateQueue(ctx context.Context, queue string, q QueueChange) (Queue, error) {
	return do[Queue](ctx, c, "PATCH", queuePath(queue, ""), q)
}

// DeleteQueue removes a queue with its messages. With force, it also removes a queue that a Worker is bound to.
func (c *Client) DeleteQueue(ctx context.Context, queue string, force bool) (Queue, error) {
	return do[Queue](ctx, c, "DELETE", queuePath(queue, "?force="+flag(force)), nil)
}

// Send adds messages.
func (c *Client) Send(ctx context.Context, queue string, s Send) (Count, error) {
	return do[Count](ctx, c, "POST", queuePath(queue, "/messages"), s)
}

// Peek shows the oldest messages without any effect.
func (c *Client) Peek(ctx context.Context, queue string, limit int) ([]Message, error) {
	return do[[]Message](ctx, c, "GET", queuePath(queue, "/messages?limit="+strconv.Itoa(limit)), nil)
}

// Pause stops deliveries, or starts them again.
func (c *Client) Pause(ctx context.Context, queue string, paused bool) (Queue, error) {
	if paused {
		return do[Queue](ctx, c, "POST", queuePath(queue, "/pause"), nil)
	}
	return do[Queue](ctx, c, "POST", queuePath(queue, "/resume"), nil)
}

// Purge deletes all messages.
func (c *Client) Purge(ctx context.Context, queue string) (Count, error) {
	return do[Count](ctx, c, "POST", queuePath(queue, "/purge"), nil)
}

// ConsumerChange is the input of SetConsumer, in the product's words.
type ConsumerChange struct {
	Type            string           `json:"type"`
	Script          string           `json:"script_name,omitempty"`
	DeadLetterQueue string           `json:"dead_letter_queue,omitempty"`
	Settings        map[string]int64 `json:"settings"`
}

// SetConsumer gives a queue its consumer. With replace, the queue may have one already.
func (c *Client) SetConsumer(ctx context.Context, queue string, in ConsumerChange, replace bool) (Queue, error) {
	return do[Queue](ctx, c, "PUT", queuePath(queue, "/consumer?replace="+flag(replace)), in)
}

// RemoveConsumer takes a queue's consumer away.
func (c *Client) RemoveConsumer(ctx context.Context, queue string) error {
	_, err := do[nothing](ctx, c, "DELETE", queuePath(queue, "/consumer"), nil)
	return err
}

// DeadLetterQueues lists queues that are, or were, some queue's dead letter queue.
func (c *Client) DeadLetterQueues(ctx context.Context) ([]Queue, error) {
	return do[[]Queue](ctx, c, "GET", "/dlq", nil)
}

// DeadLetters shows what failed, oldest first.
func (c *Client) DeadLetters(ctx context.Context, queue string, f DeadLetterFilter) ([]Message, error) {
	return do[[]Message](ctx, c, "POST", dlqPath(queue, "/list"), f)
}

// Act runs "replay", "skip" or "escalate" on dead letters.
func (c *Client) Act(ctx context.Context, queue, action string, in DeadLetterAction) (Count, error) {
	return do[Count](ctx, c, "POST", dlqPath(queue, "/"+action), in)
}

// Edit replaces the body of a waiting message.
func (c *Client) Edit(ctx context.Context, queue string, in Edit) error {
	_, err := do[nothing](ctx, c, "POST", dlqPath(queue, "/edit"), in)
	return err
}

// Notes are the operator's log.
func (c *Client) Notes(ctx context.Context) ([]Note, error) {
	return do[[]Note](ctx, c, "GET", "/notes", nil)
}

// LaneQueues lists do-queue queues.
func (c *Client) LaneQueues(ctx context.Context) ([]LaneQueue, error) {
	return do[[]LaneQueue](ctx, c, "GET", "/lanes", nil)
}

// Lanes lists at most limit lanes of a queue by key, those that come after one key.
func (c *Client) Lanes(ctx context.Context, queue, after string, limit int, blocked bool) ([]Lane, error) {
	q := url.Values{"after": {after}, "limit": {strconv.Itoa(limit)}, "blocked": {flag(blocked)}}
	return do[[]Lane](ctx, c, "GET", lanePath(queue, "?"+q.Encode()), nil)
}

// LaneMessages shows a lane and its oldest messages.
func (c *Client) LaneMessages(ctx context.Context, queue, key string, limit int) (LaneContent, error) {
	q := url.Values{"key": {key}, "limit": {strconv.Itoa(limit)}}
	return do[LaneContent](ctx, c, "GET", lanePath(queue, "/messages?"+q.Encode()), nil)
}

// LaneRemove removes one message.
func (c *Client) LaneRemove(ctx context.Context, queue string, in LaneRemoval) error {
	_, err := do[nothing](ctx, c, "POST", lanePath(queue, "/remove"), in)
	return err
}

// Health returns the table of Z0-15.
func (c *Client) Health(ctx context.Context) (Health, error) {
	return do[Health](ctx, c, "GET", "/health", nil)
}

func objectPath(object, rest string, q url.Values) string {
	return "/objects/" + url.PathEscape(object) + rest + "?" + q.Encode()
}

// Objects lists the objects of a namespace, "" for all.
func (c *Client) Objects(ctx context.Context, namespace string) ([]Object, error) {
	return do[[]Object](ctx, c, "GET", "/objects?"+url.Values{"namespace": {namespace}}.Encode(), nil)
}

// Object returns the object with an id, the start of an id, or a name.
func (c *Client) Object(ctx context.Context, namespace, object string) (ObjectDetail, error) {
	return do[ObjectDetail](ctx, c, "GET", objectPath(object, "", url.Values{"namespace": {namespace}}), nil)
}

// Storage lists an object's keys with their values.
func (c *Client) Storage(ctx context.Context, namespace, object, prefix string, limit int) ([]StoredValue, error) {
	q := url.Values{"namespace": {namespace}, "prefix": {prefix}, "limit": {strconv.Itoa(limit)}}
	return do[[]StoredValue](ctx, c, "GET", objectPath(object, "/storage", q), nil)
}

// SQL runs a query on an object's database.
func (c *Client) SQL(ctx context.Context, namespace, object string, in SQL) (Rows, error) {
	return do[Rows](ctx, c, "POST", objectPath(object, "/sql", url.Values{"namespace": {namespace}}), in)
}

// Evict takes an object out of memory; with force also an object that is at work.
func (c *Client) Evict(ctx context.Context, namespace, object string, force bool) (Eviction, error) {
	return do[Eviction](
		ctx, c, "POST", objectPath(object, "/evict", url.Values{"namespace": {namespace}, "force": {flag(force)}}), nil)
}

// ResumeAlarms lets alarms that were held from an earlier run fire.
func (c *Client) ResumeAlarms(ctx context.Context) error {
	_, err := do[nothing](ctx, c, "POST", "/alarms/resume", nil)
	return err
}

// DeleteObject removes all that an object has stored, and its alarm.
func (c *Client) DeleteObject(ctx context.Context, namespace, object string) (Object, error) {
	return do[Object](ctx, c, "DELETE", objectPath(object, "", url.Values{"namespace": {namespace}}), nil)
}

// Alarms lists scheduled alarms.
func (c *Client) Alarms(ctx context.Context, namespace string) ([]Alarm, error) {
	return do[[]Alarm](ctx, c, "GET", "/alarms?"+url.Values{"namespace": {namespace}}.Encode(), nil)
}

// Clock reads the session's clock.
func (c *Client) Clock(ctx context.Context) (Clock, error) {
	return do[Clock](ctx, c, "GET", "/clock", nil)
}

// Advance moves a virtual clock on, and answers when all that falls due on the way is done.
func (c *Client) Advance(ctx context.Context, d time.Duration) (Clock, error) {
	return do[Clock](ctx, c, "POST", "/clock/advance", map[string]int64{"ms": d.Milliseconds()})
}

// NextEvent moves a virtual clock on to the next event that is due, if there is one, and answers when it is done.
func (c *Client) NextEvent(ctx context.Context) (Clock, error) {
	return do[Clock](ctx, c, "POST", "/clock/next", nil)
}

// UntilIdle moves a virtual clock on until nothing is due within a day. An interval that never ends is an error.
func (c *Client) UntilIdle(ctx context.Context) (Clock, error) {
	return do[Clock](ctx, c, "POST", "/clock/idle", nil)
}

// Tail calls f for everything that happens in the queues named, none meaning all, until ctx ends, f fails or the
// session stops. opened is called once, when nothing can be missed any more.
func (c *Client) Tail(ctx context.Context, queues []string, opened func(), f func(Activity) error) error {
	return c.Events(ctx, "/tail?"+url.Values{"queue": queues}.Encode(), opened, func(data []byte) error {
		var e Activity
		if err := json.Unmarshal(data, &e); err != nil {
			return fmt.Errorf("tail: %w", err)
		}
		return f(e)
	})
}

func flag(b bool) string {
	if b {
		return "1"
	}
	return ""
}
