package journal

import (
	"net/http"
	"time"

	"eddy/runtime/cause"
)

// Kind is the kind of an entry.
type Kind string

// The kinds. Those of events have the platform's names of handlers.
const (
	Fetch     Kind = "fetch"
	Queue     Kind = "queue"
	Lane      Kind = "lane" // a batch from a lane of do-queue
	Scheduled Kind = "scheduled"
	RPC       Kind = "rpc"
	Alarm     Kind = "alarm"
	Socket    Kind = "websocket"   // an event of a hibernatable WebSocket
	Dead      Kind = "dead-letter" // a message of a lane whose attempts are used up
	Email     Kind = "email"
	Life      Kind = "workflow" // a life of an instance of a workflow
	// InstanceEvent is an event in the life of a workflow's instance. It has no Worker, and a replay ignores it.
	InstanceEvent Kind = "workflow-event"
	Test          Kind = "test" // a file of tests
	Tail          Kind = "tail"
	// Ignore is no event: a line of a file that says what may differ in a check of idempotency.
	Ignore Kind = "ignore"
)

// Entry is one event that is over. The numbers of fields are on disk: they are only ever added, and a reader leaves out
// what it does not know.
type Entry struct {
	Kind Kind `cbor:"1,keyasint"`
	// At is the time at which the event began, on the session's clock, in microseconds since 1970.
	At int64 `cbor:"2,keyasint"`
	// Wall is how long the event took, waitUntil work included, on the session's clock. CPU is its processor time.
	Wall time.Duration `cbor:"3,keyasint"`
	CPU  time.Duration `cbor:"4,keyasint"`
	// Trace and Span are the event's own; Parent is the span that caused it, zero for none.
	Trace  [16]byte `cbor:"5,keyasint"`
	Span   [8]byte  `cbor:"6,keyasint"`
	Parent [8]byte  `cbor:"7,keyasint,omitempty"`
	// Links are the causes of a batch whose messages have several.
	Links []cause.Cause `cbor:"8,keyasint,omitempty"`
	// Worker and Entrypoint handled it; Entrypoint is "" for the default export. Object is set if it was a Durable
	// Object.
	Worker     string  `cbor:"9,keyasint"`
	Entrypoint string  `cbor:"10,keyasint,omitempty"`
	Object     *Object `cbor:"11,keyasint,omitempty"`
	// Outcome is "ok", "exception", "exceededCpu", "exceededMemory" or "canceled".
	Outcome    string      `cbor:"12,keyasint"`
	Logs       []Log       `cbor:"13,keyasint,omitempty"`
	Exceptions []Exception `cbor:"14,keyasint,omitempty"`

	// One of these, by Kind.
	Request   *Request  `cbor:"15,keyasint,omitempty"`
	Delivery  *Delivery `cbor:"16,keyasint,omitempty"`
	Schedule  *Schedule `cbor:"17,keyasint,omitempty"`
	RPCMethod string    `cbor:"18,keyasint,omitempty"`

	// Sent lists the messages that the event sent, Outgoing its requests to the network.
	Sent     []Sent       `cbor:"19,keyasint,omitempty"`
	Outgoing []Subrequest `cbor:"20,keyasint,omitempty"`
	// AlarmAt is the time for which an alarm was set, in milliseconds since 1970. AlarmRetries counts its failures
	// before.
	AlarmAt      int64 `cbor:"21,keyasint,omitempty"`
	AlarmRetries int   `cbor:"22,keyasint,omitempty"`
	// Cut says that the event did more than an entry has room for. The entry lacks the later part.
	Cut bool `cbor:"23,keyasint,omitempty"`

	// Random holds the first random bytes that the event got. Looks holds what it saw on the clock: the first time in
	// milliseconds since 1970, and each other one as the difference to the one before.
	Random []byte  `cbor:"24,keyasint,omitempty"`
	Looks  []int64 `cbor:"25,keyasint,omitempty"`
	// Accesses are its uses of bindings and of storage, under --journal=full.
	Accesses []Access `cbor:"26,keyasint,omitempty"`
	// RPCArguments are those of an RPC call: a JSON array, which may be cut at its end.
	RPCArguments string `cbor:"27,keyasint,omitempty"`
	// Socket is what came over a hibernatable WebSocket.
	Socket *SocketEvent `cbor:"28,keyasint,omitempty"`
	// Workflow is the instance of which it is a life.
	Workflow *Workflow `cbor:"29,keyasint,omitempty"`
	// Mail is the message of an email event.
	Mail *Mail `cbor:"30,keyasint,omitempty"`
	// Frames are what came over the WebSocket with which the event answered, and which it accepted itself.
	Frames []Frame `cbor:"31,keyasint,omitempty"`
	// Spans are those that its script has opened, in the order in which they ended. One with the event's own id has
	// what the script noted on the event itself.
	Spans []NamedSpan `cbor:"32,keyasint,omitempty"`

	// from gives the chances of an event that runs again; resolved says that it was asked, chances what it gave.
	from     func(*Entry) *Chances
	resolved bool
	chances  *Chances

	noted  int   // bytes of what was sent and used
	looked int64 // the last look at the clock
	did    *did  // what is under way
}

// room is how many bytes an entry keeps of what its event did.
const room = 8 << 20

// AddSent notes a send, if there is room.
func (e *Entry) AddSent(s Sent) {
	for i := range s.Messages {
		e.noted += len(s.Messages[i].Body) + 64
	}
	if e.Cut = e.Cut || e.noted > room; !e.Cut {
		e.Sent = append(e.Sent, s)
	}
}

// Object is a Durable Object: the unique key of its namespace, its id, and its name if it was reached by one.
type Object struct {
	Namespace string `cbor:"1,keyasint"`
	ID        string `cbor:"2,keyasint"`
	Name      string `cbor:"3,keyasint,omitempty"`
}

// Log is one call of a console method. Message is a JSON array of its arguments.
type Log struct {
	Level   string `cbor:"1,keyasint"`
	At      int64  `cbor:"2,keyasint"` // milliseconds since 1970
	Message string `cbor:"3,keyasint"`
}

// Exception is an exception that nobody caught.
type Exception struct {
	Name    string `cbor:"1,keyasint"`
	Message string `cbor:"2,keyasint"`
	Stack   string `cbor:"3,keyasint,omitempty"`
	At      int64  `cbor:"4,keyasint"` // milliseconds since 1970
}

// Request is what a fetch event came with, and its answer.
type Request struct {
	Method string      `cbor:"1,keyasint"`
	URL    string      `cbor:"2,keyasint"`
	Header http.Header `cbor:"3,keyasint,omitempty"`
	CF     string      `cbor:"4,keyasint,omitempty"` // JSON
	Status int         `cbor:"5,keyasint,omitempty"` // 0 for no answer
	// Body is the part of the body that was read. BodyCut says that the entry lacks the end of it.
	Body    []byte `cbor:"6,keyasint,omitempty"`
	BodyCut bool   `cbor:"7,keyasint,omitempty"`
}

// SocketEvent is a message, the end or the failure of a hibernatable WebSocket.
type SocketEvent struct {
	// Type is "message", "close" or "error".
	Type string `cbor:"1,keyasint"`
	// Data is that of a message, which is a text unless Binary; Cut says that there was more than is kept.
	Data   []byte `cbor:"2,keyasint,omitempty"`
	Binary bool   `cbor:"3,keyasint,omitempty"`
	Cut    bool   `cbor:"4,keyasint,omitempty"`
	// Code and Reason are those of a close; Reason is the text of an error, too.
	Code   int      `cbor:"5,keyasint,omitempty"`
	Reason string   `cbor:"6,keyasint,omitempty"`
	Tags   []string `cbor:"7,keyasint,omitempty"`
	// Attachment is what the object had serialized for the socket before the event, in the form of structured clones.
	Attachment []byte `cbor:"8,keyasint,omitempty"`
}

// Frame is what came over a WebSocket at a time, in microseconds since 1970.
type Frame struct {
	At    int64       `cbor:"1,keyasint"`
	Event SocketEvent `cbor:"2,keyasint"`
}

// AddFrame notes what came over the event's WebSocket, if there is room. The entry may be nil.
func (e *Entry) AddFrame(f Frame) {
	if e == nil {
		return
	}
	e.noted += len(f.Event.Data) + len(f.Event.Reason) + 64
	if e.Cut = e.Cut || e.noted > room; !e.Cut {
		e.Frames = append(e.Frames, f)
	}
}

// Mail is a message that came in, and what email() did with it.
type Mail struct {
	From string `cbor:"1,keyasint"`
	To   string `cbor:"2,keyasint"`
	Size int    `cbor:"3,keyasint"` // bytes
	// Text is the message as it came; Cut says that there was more than is kept.
	Text []byte    `cbor:"4,keyasint,omitempty"`
	Cut  bool      `cbor:"5,keyasint,omitempty"`
	Did  []MailAct `cbor:"6,keyasint,omitempty"`
}

// MailAct is one thing that email() did with a message.
type MailAct struct {
	Type string `cbor:"1,keyasint"` // "forward", "reply" or "reject"
	// To is who got it, Reason why it was refused, Text the whole answer, of which Cut says that there was more.
	To     string `cbor:"2,keyasint,omitempty"`
	Reason string `cbor:"3,keyasint,omitempty"`
	Text   []byte `cbor:"4,keyasint,omitempty"`
	Cut    bool   `cbor:"5,keyasint,omitempty"`
}

// SetText notes the text of a message.
func (m *Mail) SetText(raw []byte) {
	m.Size, m.Cut = len(raw), len(raw) > bodyRoom
	m.Text = raw[:min(len(raw), bodyRoom)]
}

// SetText notes the text of an answer.
func (a *MailAct) SetText(raw []byte) {
	a.Text, a.Cut = raw[:min(len(raw), bodyRoom)], len(raw) > bodyRoom
}

// Workflow is an instance of a workflow.
type Workflow struct {
	Name     string `cbor:"1,keyasint"`
	Instance string `cbor:"2,keyasint"`
	// Event is what happened to it, in the words of subscribe(), and Step the step with its count, "" for none. Error
	// is what failed.
	Event string `cbor:"3,keyasint,omitempty"`
	Step  string `cbor:"4,keyasint,omitempty"`
	Error string `cbor:"5,keyasint,omitempty"`
}

// SetMessage notes the data of a message.
func (s *SocketEvent) SetMessage(data []byte, binary bool) {
	s.Binary, s.Cut = binary, len(data) > bodyRoom
	s.Data = data[:min(len(data), bodyRoom)]
}

// Schedule is what a scheduled event came with.
type Schedule struct {
	Cron string `cbor:"1,keyasint"`
	Time int64  `cbor:"2,keyasint"` // milliseconds since 1970
}

// Sent is one send of messages.
type Sent struct {
	Queue    string    `cbor:"1,keyasint"`
	At       int64     `cbor:"2,keyasint"` // microseconds since 1970
	Messages []Message `cbor:"3,keyasint"`
	Error    string    `cbor:"4,keyasint,omitempty"`
}

// Delivery is a batch with what became of it.
type Delivery struct {
	Queue string `cbor:"1,keyasint"`
	// Lane is the key of the lane that it came from, "" for none.
	Lane     string    `cbor:"2,keyasint,omitempty"`
	Messages []Message `cbor:"3,keyasint"`
	// Settings are those of the consumer, nil if they are not known.
	Settings *Settings `cbor:"4,keyasint,omitempty"`
	Backlog  int64     `cbor:"5,keyasint,omitempty"`
	Bytes    int64     `cbor:"6,keyasint,omitempty"`
	// Reason and Error say, in the broker's words, why the delivery failed; of a dead letter, why its last one did, and
	// Stack where.
	Reason string `cbor:"7,keyasint,omitempty"`
	Error  string `cbor:"8,keyasint,omitempty"`
	Stack  string `cbor:"9,keyasint,omitempty"`
}

// Settings are a consumer's, in the units of the configuration.
type Settings struct {
	BatchSize       int    `cbor:"1,keyasint"`
	BatchTimeout    int64  `cbor:"2,keyasint"` // milliseconds
	MaxRetries      int    `cbor:"3,keyasint"`
	RetryDelay      int64  `cbor:"4,keyasint,omitempty"` // seconds
	DeadLetterQueue string `cbor:"5,keyasint,omitempty"`
}

// Message is one message of a delivery or of a send. A send has no id, time and attempts.
type Message struct {
	ID          [16]byte `cbor:"1,keyasint,omitempty"`
	Timestamp   int64    `cbor:"2,keyasint,omitempty"` // milliseconds since 1970
	Attempts    int      `cbor:"3,keyasint,omitempty"`
	ContentType string   `cbor:"4,keyasint"`
	Body        []byte   `cbor:"5,keyasint"`
	// Outcome is "ack", "retry" or "" for none: the delivery was abandoned.
	Outcome string `cbor:"6,keyasint,omitempty"`
	// Delay is the delay of a retry or of a send in seconds; nil if none was given.
	Delay *int32 `cbor:"7,keyasint,omitempty"`
	// Cause is the cause of the event that sent the message.
	Cause string `cbor:"8,keyasint,omitempty"`
}

// The outcomes of a message.
const (
	Ack   = "ack"
	Retry = "retry"
)

// Start is the time at which the event began.
func (e *Entry) Start() time.Time { return time.UnixMicro(e.At).UTC() }

// End is the time at which the event ended.
func (e *Entry) End() time.Time { return e.Start().Add(e.Wall) }

// Failed tells whether the event failed, or whether one of its messages is to be retried.
func (e *Entry) Failed() bool {
	if e.Outcome != "ok" {
		return true
	}
	if e.Delivery != nil {
		for i := range e.Delivery.Messages {
			if e.Delivery.Messages[i].Outcome != Ack {
				return true
			}
		}
	}
	return false
}

// Cause is the entry's own.
func (e *Entry) Cause() cause.Cause { return cause.Cause{Trace: e.Trace, Span: e.Span} }
