package queues

import (
	"encoding/hex"
	"fmt"
	"time"

	"eddy/queues/logstore"
)

// ID names a message or a queue: 16 random bytes, shown as 32 lowercase hex digits (C-5).
type ID [16]byte

func (id ID) String() string { return hex.EncodeToString(id[:]) }

// UUID is the id in the 8-4-4-4-12 form that lane messages show (DQ-7).
func (id ID) UUID() string {
	h := hex.EncodeToString(id[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// ParseID reads what String gives.
func ParseID(s string) (ID, error) {
	var id ID
	if len(s) != 32 {
		return id, fmt.Errorf("id %q: want 32 hex digits", s)
	}
	if _, err := hex.Decode(id[:], []byte(s)); err != nil {
		return id, fmt.Errorf("id %q: %w", s, err)
	}
	return id, nil
}

// ContentType says how a body was serialized (P-13). The broker keeps it and looks no further.
type ContentType uint8

// The content types; the numbers are on disk.
const (
	ContentText  ContentType = 1
	ContentBytes ContentType = 2
	ContentJSON  ContentType = 3
	ContentV8    ContentType = 4
)

var contentNames = [...]string{"", "text", "bytes", "json", "v8"}

func (c ContentType) String() string {
	if int(c) < len(contentNames) {
		return contentNames[c]
	}
	return fmt.Sprintf("content type %d", uint8(c))
}

// Delay is a number of seconds that may be absent; the zero value is absent. An explicit 0 is not: it cancels a
// delay set at a higher level (P-31, D-6).
type Delay struct {
	seconds int32
	set     bool
}

// DelaySeconds is a delay of n seconds.
func DelaySeconds(n int32) Delay { return Delay{seconds: n, set: true} }

// Seconds is the delay, and whether there is one.
func (d Delay) Seconds() (int32, bool) { return d.seconds, d.set }

func (d Delay) or(other Delay) Delay {
	if d.set {
		return d
	}
	return other
}

// millis is the delay in milliseconds; absent and negative ones are 0 (C-29: retry delays are not validated).
func (d Delay) millis() int64 { return max(0, int64(d.seconds)) * 1000 }

// Outgoing is a message on its way into a queue.
type Outgoing struct {
	// Body is the serialized body. It is not kept after the send is answered.
	Body        []byte
	ContentType ContentType
	// Delay overrides that of the send and of the queue (P-31).
	Delay Delay
}

// Metrics describe a queue's backlog: every message that is not acknowledged, delayed and in-flight ones included
// (P-5, production's meaning).
type Metrics struct {
	BacklogCount int64
	// BacklogBytes is the sum of the serialized bodies.
	BacklogBytes int64
	// OldestMessageTimestamp is that of the message that arrived first; zero when the queue is empty (P-4).
	OldestMessageTimestamp time.Time
}

// Message is a message as it is delivered.
type Message struct {
	ID ID
	// Timestamp is when the message was sent, before any delay (C-5).
	Timestamp time.Time
	// Attempts counts deliveries, this one included: 1 at first.
	Attempts    int
	ContentType ContentType
	Body        []byte
	// Trace is the trace context of who sent it, in W3C form; "" if none was kept.
	Trace string
}

// Batch is one delivery to a push consumer. It is never empty (D-1).
type Batch struct {
	Queue    string
	Messages []Message
	// Metrics are the backlog without this batch (C-6).
	Metrics Metrics
	// Settings are the consumer's as they were when the batch was formed.
	Settings ConsumerConfig
}

// Where a message is; see the package documentation.
const (
	atReady   = 1
	atDelayed = 2
	atLease   = 3
	atNone    = 4 // on its way from one place to another, or out
)

// message is the index entry of one waiting message: everything but the body, which stays in the log. A million of
// them must fit in memory, so the fields are packed: it is 112 bytes (TestEntrySize).
type message struct {
	id   ID
	num  uint64 // names the message within its queue, ascending by arrival
	sent int64  // ms since 1970
	// key is what orders the message where it is: for a delayed one the time it becomes visible, for a ready one its
	// position; for a leased one the number of the lease.
	key   int64
	hist  *history // nil until something happened to the message
	link  [2]link  // by arrival, in ready order
	ref   logstore.Ref
	size  uint32
	crc   uint32 // CRC-32C of the body
	index int32  // in the delay heap
	back  int32  // in the heap of returned messages: 1 for the first, 0 out of it
	fails uint16 // failed deliveries so far in this queue
	ctype ContentType
	at    uint8
}

type link struct{ prev, next *message }

// history is what is kept for the few messages to which something has happened.
type history struct {
	first   int64 // ms, start of the first failed delivery in this queue; 0 if none
	arrived int64 // ms, when the message came into this queue, if not by a send; else 0
	dead    *DeadLetter
	trace   string // trace context of who sent it, in W3C form; see Traced
	// shared says that the messages of a send have it in common: it has a trace and nothing else, and stays as it is.
	shared bool
}

// history is what a message has to change, its own.
func (m *message) history() *history {
	if m.hist == nil {
		m.hist = &history{}
	} else if m.hist.shared {
		m.hist = &history{trace: m.hist.trace}
	}
	return m.hist
}

// setTrace gives the message the trace of a history that is shared.
func (m *message) setTrace(all *history) {
	if m.hist == nil {
		m.hist = all
	} else {
		m.history().trace = all.trace
	}
}

// arrived is when the message came into its queue: retention counts from there (D-10, D-16).
func (m *message) arrived() int64 {
	if m.hist != nil && m.hist.arrived != 0 {
		return m.hist.arrived
	}
	return m.sent
}

// DeadLetter is what is kept beside a message that was moved to a dead letter queue (Z0-11). A consumer never sees
// it (D-9).
type DeadLetter struct {
	// Source is the queue in which the message failed.
	Source string
	// Reason is the outcome of the last delivery, e.g. "exception", "retry" or "visibility timeout".
	Reason string
	// Error and Stack are those of the last failed delivery; empty if the consumer asked for the retry itself.
	Error, Stack string
	// Attempts counts the deliveries in the source queue.
	Attempts int
	// FirstAttempt and LastAttempt are when the first and the last delivery began.
	FirstAttempt, LastAttempt time.Time
	// Escalated is the note of the operator who handed the case on, empty if nobody did (Z0-12).
	Escalated string
}

func millis(t time.Time) int64 { return t.UnixMilli() }

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
