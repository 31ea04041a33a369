package peer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"eddy/queues"
)

// version is that of the protocol; both ends must have the same.
const version = 1

const (
	// maxPacket bounds a packet: the largest lane message in base64, and room for the rest.
	maxPacket = 4 << 20
	// maxBodies is how many bytes of bodies a delivery puts into one packet, unless one message alone has more.
	maxBodies = 1 << 20
	// maxPartial bounds what a guest collects of one delivery: a hundred of the largest lane messages.
	maxPartial = 256 << 20
)

// kind says what a packet is.
type kind string

// Requests of a guest, each answered with an answer of the same number.
const (
	kindHello       kind = "hello"
	kindWorkers     kind = "workers"
	kindDeclare     kind = "declare"
	kindAttach      kind = "attach"
	kindDetach      kind = "detach"
	kindAttachLanes kind = "attach-lanes"
	kindDetachLanes kind = "detach-lanes"
	kindSend        kind = "send"
	kindLaneSend    kind = "lane-send"
	kindMetrics     kind = "metrics"
	kindQueues      kind = "queues"
	kindLaneQueues  kind = "lane-queues"
	kindFire        kind = "fire"
)

// What else goes over a link.
const (
	kindAnswer   kind = "answer"    // owner: to a request
	kindDeliver  kind = "deliver"   // owner: a batch
	kindLane     kind = "lane"      // owner: a batch from a lane
	kindDead     kind = "dead"      // owner: a message for a lane's dead letter handler
	kindOutcome  kind = "outcome"   // guest: what became of one of the three
	kindCancel   kind = "cancel"    // owner: a delivery's time is up
	kindActivity kind = "activity"  // owner: something happened in a queue that the guest consumes
	kindServe    kind = "serve"     // owner: a Worker of the guest got a queue through the API
	kindLaneSent kind = "lane-sent" // owner: a lane queue without code got a message
	kindSessions kind = "sessions"  // owner: the other sessions, and how to call their Workers
	kindBye      kind = "bye"       // the sender ends in order; an owner's Seq is the last request that it handled
)

// packet is one message on a link. Which fields count depends on the kind; see need.
type packet struct {
	Kind kind `json:"kind"`
	// Seq numbers a guest's requests; an answer has its request's.
	Seq uint64 `json:"seq,omitempty"`
	// ID numbers an owner's deliveries; an outcome or a cancel has its delivery's.
	ID     uint64 `json:"id,omitempty"`
	Queue  string `json:"queue,omitempty"`
	Key    string `json:"key,omitempty"`
	Script string `json:"script,omitempty"`

	Hello    *hello             `json:"hello,omitempty"`
	Session  *Member            `json:"session,omitempty"`
	Topology *queues.Topology   `json:"topology,omitempty"`
	Lanes    *queues.LaneConfig `json:"lanes,omitempty"`
	Messages []message          `json:"messages,omitempty"`
	// More says that the delivery goes on in the next packet of the same ID.
	More     bool                   `json:"more,omitempty"`
	Batch    bool                   `json:"batch,omitempty"`
	Delay    *int32                 `json:"delay,omitempty"`
	Metrics  *queues.Metrics        `json:"metrics,omitempty"`
	Dead     *dead                  `json:"dead,omitempty"`
	Outcome  *outcome               `json:"outcome,omitempty"`
	Error    *failure               `json:"error,omitempty"`
	Info     []queues.QueueInfo     `json:"info,omitempty"`
	LaneInfo []queues.LaneQueueInfo `json:"laneInfo,omitempty"`
	Activity *queues.Activity       `json:"activity,omitempty"`
	Sessions []neighbour            `json:"sessions,omitempty"`
	// Trace is the trace context of a send, Settings are the consumer's of a delivery.
	Trace    string                 `json:"trace,omitempty"`
	Settings *queues.ConsumerConfig `json:"settings,omitempty"`
	// Event is one that the owner's event subscriptions hear of.
	Event json.RawMessage `json:"event,omitempty"`
}

type hello struct {
	Version int    `json:"version"`
	Session Member `json:"session"`
	// Token is what calls of its Workers must know.
	Token string `json:"token"`
}

// message is a message on its way in (body, type, delay) or out (with what the broker added).
type message struct {
	ID       string `json:"id,omitempty"`
	At       int64  `json:"at,omitempty"` // ms since 1970
	Attempts int    `json:"attempts,omitempty"`
	Type     uint8  `json:"type"`
	Body     []byte `json:"body"`
	Delay    *int32 `json:"delay,omitempty"`
	Trace    string `json:"trace,omitempty"`
}

// dead is what a dead letter handler is told beside the message.
type dead struct {
	Failure queues.DeadLetter `json:"failure"`
	Try     int               `json:"try"`
}

// outcome is [queues.Outcome].
type outcome struct {
	AckAll        bool            `json:"ackAll,omitempty"`
	RetryAll      bool            `json:"retryAll,omitempty"`
	RetryAllDelay *int32          `json:"retryAllDelay,omitempty"`
	Acks          []string        `json:"acks,omitempty"`
	Retries       []retry         `json:"retries,omitempty"`
	Failure       *queues.Failure `json:"failure,omitempty"`
	Abandoned     bool            `json:"abandoned,omitempty"`
}

type retry struct {
	ID    string `json:"id"`
	Delay *int32 `json:"delay,omitempty"`
}

// failure is an error: with Code a [queues.Error]. Cause tells those apart that code asks for.
type failure struct {
	Text  string `json:"text"`
	Code  int    `json:"code,omitempty"`
	Old   string `json:"old,omitempty"`
	Cause cause  `json:"cause,omitempty"`
}

type cause string

const (
	causeWallTime  cause = "wall-time"
	causeAbandoned cause = "abandoned"
	causeClosed    cause = "closed"
)

var causes = map[cause]error{causeWallTime: queues.ErrWallTime, causeAbandoned: queues.ErrAbandoned,
	causeClosed: queues.ErrClosed}

// remoteError is an error of the other side: its text, and for those of causes what it wraps.
type remoteError struct {
	text string
	is   error
}

func (e *remoteError) Error() string { return e.text }
func (e *remoteError) Unwrap() error { return e.is }

func failureOf(err error) *failure {
	if err == nil {
		return nil
	}
	f := &failure{Text: shorten(err.Error())}
	var refusal *queues.Error
	if errors.As(err, &refusal) {
		f.Text, f.Code, f.Old = refusal.Cause, refusal.Code, refusal.Old
	}
	for c, is := range causes {
		if errors.Is(err, is) {
			f.Cause = c
		}
	}
	return f
}

func (f *failure) err() error {
	switch {
	case f == nil:
		return nil
	case f.Code != 0:
		return &queues.Error{Code: f.Code, Cause: f.Text, Old: f.Old}
	}
	return &remoteError{text: f.Text, is: causes[f.Cause]}
}

// need says what a packet of a kind must have; a packet without it is refused.
var need = map[kind]func(*packet) bool{
	kindHello:       func(f *packet) bool { return f.Seq != 0 && f.Hello != nil },
	kindWorkers:     func(f *packet) bool { return f.Seq != 0 && f.Session != nil },
	kindDeclare:     func(f *packet) bool { return f.Seq != 0 && f.Topology != nil },
	kindAttach:      func(f *packet) bool { return f.Seq != 0 && f.Queue != "" },
	kindDetach:      func(f *packet) bool { return f.Seq != 0 && f.Queue != "" },
	kindAttachLanes: func(f *packet) bool { return f.Seq != 0 && f.Queue != "" && f.Lanes != nil },
	kindDetachLanes: func(f *packet) bool { return f.Seq != 0 && f.Queue != "" },
	kindSend:        func(f *packet) bool { return f.Seq != 0 && len(f.Messages) > 0 },
	kindLaneSend:    func(f *packet) bool { return f.Seq != 0 && len(f.Messages) == 1 },
	kindMetrics:     func(f *packet) bool { return f.Seq != 0 },
	kindQueues:      func(f *packet) bool { return f.Seq != 0 },
	kindLaneQueues:  func(f *packet) bool { return f.Seq != 0 },
	kindFire:        func(f *packet) bool { return f.Seq != 0 && len(f.Event) > 0 },
	kindAnswer:      func(f *packet) bool { return f.Seq != 0 },
	kindDeliver:     func(f *packet) bool { return f.ID != 0 && f.Metrics != nil },
	kindLane:        func(f *packet) bool { return f.ID != 0 },
	kindDead:        func(f *packet) bool { return f.ID != 0 && f.Dead != nil && len(f.Messages) == 1 },
	kindOutcome:     func(f *packet) bool { return f.ID != 0 && (f.Outcome != nil || f.Error != nil) },
	kindCancel:      func(f *packet) bool { return f.ID != 0 && f.Error != nil },
	kindActivity:    func(f *packet) bool { return f.Activity != nil },
	kindServe:       func(f *packet) bool { return f.Queue != "" && f.Script != "" },
	kindLaneSent:    func(f *packet) bool { return f.Queue != "" },
	kindSessions:    func(*packet) bool { return true },
	kindBye:         func(*packet) bool { return true },
}

// decode reads a packet and checks that it is whole.
func decode(b []byte) (*packet, error) {
	f := &packet{}
	if err := json.Unmarshal(b, f); err != nil {
		return nil, fmt.Errorf("peer: %w", err)
	}
	complete, ok := need[f.Kind]
	if !ok {
		return nil, fmt.Errorf("peer: a packet of unknown kind %q", f.Kind)
	}
	if !complete(f) {
		return nil, fmt.Errorf("peer: an incomplete packet of kind %q", f.Kind)
	}
	for i := range f.Messages {
		if m := &f.Messages[i]; m.Type < uint8(queues.ContentText) || m.Type > uint8(queues.ContentV8) {
			return nil, fmt.Errorf("peer: a message of unknown content type %d", m.Type)
		}
	}
	return f, nil
}

// shorten keeps texts of errors from filling a packet.
func shorten(s string) string {
	const most = 64 << 10
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

func wireDelay(d queues.Delay) *int32 {
	if n, ok := d.Seconds(); ok {
		return &n
	}
	return nil
}

func delayOf(n *int32) queues.Delay {
	if n == nil {
		return queues.Delay{}
	}
	return queues.DelaySeconds(*n)
}

func wireOutgoing(list []queues.Outgoing) []message {
	out := make([]message, len(list))
	for i, m := range list {
		out[i] = message{Type: uint8(m.ContentType), Body: m.Body, Delay: wireDelay(m.Delay)}
	}
	return out
}

func outgoing(list []message) []queues.Outgoing {
	out := make([]queues.Outgoing, len(list))
	for i, m := range list {
		out[i] = queues.Outgoing{Body: m.Body, ContentType: queues.ContentType(m.Type), Delay: delayOf(m.Delay)}
	}
	return out
}

func wireMessage(m *queues.Message) message {
	return message{ID: m.ID.String(), At: m.Timestamp.UnixMilli(), Attempts: m.Attempts, Type: uint8(m.ContentType),
		Body: m.Body, Trace: m.Trace}
}

func delivered(list []message) ([]queues.Message, error) {
	out := make([]queues.Message, len(list))
	for i, m := range list {
		id, err := queues.ParseID(m.ID)
		if err != nil {
			return nil, err
		}
		out[i] = queues.Message{ID: id, Timestamp: time.UnixMilli(m.At).UTC(), Attempts: m.Attempts,
			ContentType: queues.ContentType(m.Type), Body: m.Body, Trace: m.Trace}
	}
	return out, nil
}

func wireOutcome(o queues.Outcome) *outcome {
	w := &outcome{AckAll: o.AckAll, RetryAll: o.RetryAll, RetryAllDelay: wireDelay(o.RetryAllDelay),
		Abandoned: o.Abandoned}
	if f := o.Failure; f != nil {
		w.Failure = &queues.Failure{Reason: f.Reason, Error: shorten(f.Error), Stack: shorten(f.Stack)}
	}
	for _, id := range o.Acks {
		w.Acks = append(w.Acks, id.String())
	}
	for _, r := range o.Retries {
		w.Retries = append(w.Retries, retry{r.ID.String(), wireDelay(r.Delay)})
	}
	return w
}

func (w *outcome) outcome() (queues.Outcome, error) {
	o := queues.Outcome{AckAll: w.AckAll, RetryAll: w.RetryAll, RetryAllDelay: delayOf(w.RetryAllDelay),
		Failure: w.Failure, Abandoned: w.Abandoned}
	for _, s := range w.Acks {
		id, err := queues.ParseID(s)
		if err != nil {
			return o, err
		}
		o.Acks = append(o.Acks, id)
	}
	for _, r := range w.Retries {
		id, err := queues.ParseID(r.ID)
		if err != nil {
			return o, err
		}
		o.Retries = append(o.Retries, queues.Retry{ID: id, Delay: delayOf(r.Delay)})
	}
	return o, nil
}

// Path is where an owner takes links, under its URL.
const Path = "/cdn-cgi/eddy/peer"

// handshakeTime bounds how long the other side may take to introduce itself.
const handshakeTime = 10 * time.Second

// neighbour is a session and how to call its Workers.
type neighbour struct {
	Session Member `json:"session"`
	Token   string `json:"token"`
}
