package control

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"eddy/queues"
	"eddy/runtime/restapi"
)

// Queue is a queue as the control API shows it.
type Queue struct {
	ID               string    `json:"id"`
	Name             string    `json:"name"`
	Created          time.Time `json:"created"`
	Modified         time.Time `json:"modified"`
	DeliveryDelaySec int64     `json:"delivery_delay_seconds"`
	Paused           bool      `json:"paused"`
	RetentionSec     int64     `json:"retention_seconds"`
	Producers        []string  `json:"producers"`
	Consumer         *Consumer `json:"consumer"`
	// Backlog counts all that is not acknowledged: ready, delayed, in flight and held.
	Backlog      int64      `json:"backlog"`
	BacklogBytes int64      `json:"backlog_bytes"`
	Oldest       *time.Time `json:"oldest"`
	Ready        int        `json:"ready"`
	Delayed      int        `json:"delayed"`
	InFlight     int        `json:"in_flight"`
	// Held messages are not delivered, because their bodies cannot be read.
	Held        int `json:"held,omitempty"`
	DeadLetters int `json:"dead_letters"`
}

// Consumer is a queue's consumer.
type Consumer struct {
	ID              string `json:"id"`
	Type            string `json:"type"`
	Script          string `json:"script,omitempty"`
	BatchSize       int    `json:"batch_size"`
	BatchTimeoutMS  int64  `json:"batch_timeout_ms"`
	MaxRetries      int    `json:"max_retries"`
	RetryDelaySec   int64  `json:"retry_delay_seconds"`
	DeadLetterQueue string `json:"dead_letter_queue"`
	MaxConcurrency  int    `json:"max_concurrency"` // 0 is automatic
	VisibilityMS    int64  `json:"visibility_timeout_ms"`
	// Declared consumers come from a configuration; the others were made through the API.
	Declared bool `json:"declared"`
	// Attached says whether code is there to take batches.
	Attached    bool `json:"attached"`
	InFlight    int  `json:"batches_in_flight"`
	Concurrency int  `json:"concurrency"`
}

func (a *API) view(q queues.QueueInfo) Queue {
	v := Queue{
		ID: q.ID.String(), Name: q.Name, Created: q.Created, Modified: q.Modified,
		DeliveryDelaySec: int64(q.Settings.DeliveryDelay / time.Second), Paused: q.Settings.DeliveryPaused,
		RetentionSec: int64(q.Settings.Retention / time.Second), Producers: []string{},
		Backlog: q.Metrics.BacklogCount, BacklogBytes: q.Metrics.BacklogBytes,
		Ready: q.Ready, Delayed: q.Delayed, InFlight: q.InFlight, Held: q.Held,
		DeadLetters: q.DeadLetters,
	}
	if t := q.Metrics.OldestMessageTimestamp; !t.IsZero() {
		v.Oldest = &t
	}
	if a.o.Scripts != nil {
		for _, s := range a.o.Scripts() {
			if slices.Contains(s.Producers, q.Name) {
				v.Producers = append(v.Producers, s.Name)
			}
		}
	}
	if c := q.Consumer; c != nil {
		v.Consumer = &Consumer{
			ID: c.ID.String(), Type: c.Config.Type.String(), Script: c.Config.Script, BatchSize: c.Config.MaxBatchSize,
			BatchTimeoutMS: c.Config.MaxBatchTimeout.Milliseconds(), MaxRetries: c.Config.MaxRetries,
			RetryDelaySec: int64(c.Config.RetryDelay / time.Second), DeadLetterQueue: c.Config.DeadLetterQueue,
			MaxConcurrency: c.Config.MaxConcurrency, VisibilityMS: c.Config.VisibilityTimeout.Milliseconds(),
			Declared: c.Declared, Attached: c.Attached, InFlight: c.InFlight, Concurrency: c.Concurrency,
		}
	}
	return v
}

// Message is a message as an operator sees it.
type Message struct {
	ID        string    `json:"id"`
	Ref       string    `json:"ref,omitempty"`
	Timestamp time.Time `json:"timestamp"`
	// Attempts counts deliveries that failed so far in this queue.
	Attempts int `json:"attempts"`
	// State is ready, delayed or in flight; Visible is when a delayed message can be delivered.
	State   string     `json:"state,omitempty"`
	Visible *time.Time `json:"visible,omitempty"`
	// Leased is when the lease of one in flight ends, Lease the id with which the puller that has it settles it.
	Leased *time.Time `json:"leased_until,omitempty"`
	Lease  string     `json:"lease,omitempty"`
	MessageBody
	DeadLetter *DeadLetter `json:"dead_letter,omitempty"`
}

// MessageBody is a serialized body: Text for text and json that is valid UTF-8, else Base64. Shown is how a v8 body
// reads, for people; it is output only.
type MessageBody struct {
	ContentType string  `json:"content_type"`
	Text        *string `json:"body,omitempty"`
	Base64      []byte  `json:"body_base64,omitempty"`
	Shown       string  `json:"shown,omitempty"`
}

func (a *API) bodyView(ct queues.ContentType, b []byte) MessageBody {
	v := MessageBody{ContentType: ct.String()}
	if (ct == queues.ContentText || ct == queues.ContentJSON) && utf8.Valid(b) {
		s := string(b)
		v.Text = &s
	} else {
		v.Base64 = b
	}
	if ct == queues.ContentV8 && a.o.Render != nil && len(b) <= maxShown {
		// What cannot be shown, such as a value that contains itself, is still there as base64.
		v.Shown, _ = a.o.Render(b)
	}
	return v
}

// maxShown bounds the bodies that are shown as values.
const maxShown = 16 << 10

// String is the body on one line: as it is, or its size and the start of its base64 form.
func (b MessageBody) String() string {
	if b.Text != nil {
		return *b.Text
	}
	if b.Shown != "" {
		return b.Shown
	}
	s := base64.StdEncoding.EncodeToString(b.Base64)
	if len(s) > 40 {
		s = s[:40] + "…"
	}
	return fmt.Sprintf("<%s, %d bytes: %s>", b.ContentType, len(b.Base64), s)
}

// outgoing is the body as it goes into a queue.
func (b MessageBody) outgoing() (queues.Outgoing, error) {
	out := queues.Outgoing{Body: b.Base64}
	if b.Text != nil {
		out.Body = []byte(*b.Text)
	}
	switch b.ContentType {
	case "", "json":
		out.ContentType = queues.ContentJSON
		if !json.Valid(out.Body) {
			return out, restapi.Refuse(
				400, restapi.CodeBadMessage,
				"the body is not valid JSON; to send it as text, say so with the content type")
		}
	case "text":
		out.ContentType = queues.ContentText
	case "bytes":
		out.ContentType = queues.ContentBytes
	case "v8":
		out.ContentType = queues.ContentV8
	default:
		return out, restapi.Refuse(
			400, queues.CodeMetadata, "content type %q: expected json, text, bytes or v8", b.ContentType)
	}
	return out, nil
}

// DeadLetter is what is known about a message that failed (Z0-11).
type DeadLetter struct {
	Source       string    `json:"source"`
	Reason       string    `json:"reason"`
	LastError    string    `json:"last_error,omitempty"`
	Stack        string    `json:"stack,omitempty"`
	Attempts     int       `json:"attempts"`
	FirstAttempt time.Time `json:"first_attempted_at"`
	LastAttempt  time.Time `json:"last_attempted_at"`
	Escalated    string    `json:"escalated,omitempty"`
}

func (a *API) peekView(p queues.Peeked) Message {
	v := Message{
		ID: p.ID.String(), Ref: p.Ref, Timestamp: p.Timestamp, Attempts: p.Attempts, State: p.State,
		Lease: p.Lease, MessageBody: a.bodyView(p.ContentType, p.Message.Body),
	}
	if !p.Visible.IsZero() {
		v.Visible = &p.Visible
	}
	if !p.Leased.IsZero() {
		v.Leased = &p.Leased
	}
	if d := p.DeadLetter; d != nil {
		v.DeadLetter = &DeadLetter{
			Source: d.Source, Reason: d.Reason, LastError: d.Error, Stack: d.Stack, Attempts: d.Attempts,
			FirstAttempt: d.FirstAttempt, LastAttempt: d.LastAttempt, Escalated: d.Escalated,
		}
	}
	return v
}

// Note is an entry of the operator's log (Z0-12).
type Note struct {
	At       time.Time `json:"at"`
	Action   string    `json:"action"`
	Queue    string    `json:"queue"`
	Text     string    `json:"text,omitempty"`
	Messages []string  `json:"messages"`
}

// LaneQueue is a do-queue queue.
type LaneQueue struct {
	Name        string `json:"name"`
	Attached    bool   `json:"attached"`
	Lanes       int    `json:"lanes"`
	Blocked     int    `json:"blocked"`
	Messages    int    `json:"messages"`
	Bytes       int64  `json:"bytes"`
	MaxRetries  int    `json:"max_retries"`
	MaxBatch    int    `json:"max_batch_size"`
	BaseDelayMS int64  `json:"retry_base_delay_ms"`
	MaxDelayMS  int64  `json:"retry_max_delay_ms"`
}

// Lane is one FIFO lane.
type Lane struct {
	Queue    string `json:"queue"`
	Key      string `json:"key"`
	Messages int    `json:"messages"`
	// State is ready, delivering, waiting (for a retry), handing off, hand-off waiting, or held: its oldest message
	// cannot be read.
	State        string     `json:"state"`
	Due          *time.Time `json:"due,omitempty"`
	HeadID       string     `json:"head_id,omitempty"`
	HeadAttempts int        `json:"head_attempts"`
	HeadSent     *time.Time `json:"head_sent,omitempty"`
	HeadError    string     `json:"head_error,omitempty"`
}

func laneView(l queues.LaneInfo) Lane {
	v := Lane{Queue: l.Queue, Key: l.Key, Messages: l.Messages, State: l.State, HeadAttempts: l.HeadAttempts,
		HeadError: l.HeadError}
	if l.Messages > 0 {
		v.HeadID, v.HeadSent = l.HeadID.UUID(), &l.HeadSent
	}
	if !l.Due.IsZero() {
		v.Due = &l.Due
	}
	return v
}

// Activity is a live event (tail).
type Activity struct {
	Kind            string            `json:"kind"`
	Time            time.Time         `json:"time"`
	Queue           string            `json:"queue"`
	Lane            string            `json:"lane,omitempty"`
	Count           int               `json:"count"`
	Messages        []ActivityMessage `json:"messages,omitempty"`
	DeadLetterQueue string            `json:"dead_letter_queue,omitempty"`
	Reason          string            `json:"reason,omitempty"`
	Error           string            `json:"error,omitempty"`
	Acked           *int              `json:"acked,omitempty"`
	DurationMS      *int64            `json:"duration_ms,omitempty"`
}

// ActivityMessage is a message in an event.
type ActivityMessage struct {
	ID       string    `json:"id"`
	Attempts int       `json:"attempts"`
	Sent     time.Time `json:"timestamp"`
	Size     int       `json:"bytes"`
}

func activityView(a queues.Activity) Activity {
	v := Activity{
		Kind: string(a.Kind), Time: a.Time, Queue: a.Queue, Lane: a.Lane, Count: a.Count,
		DeadLetterQueue: a.DeadLetterQueue,
		Reason:          a.Reason, Error: a.Error,
	}
	if a.Kind == queues.ActivityBatch {
		ms := a.Duration.Milliseconds()
		v.Acked, v.DurationMS = &a.Acked, &ms
	}
	for _, m := range a.Messages {
		v.Messages = append(v.Messages, ActivityMessage{m.ID.String(), m.Attempts, m.Sent, m.Size})
	}
	return v
}
