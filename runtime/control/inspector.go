package control

import (
	"bytes"
	"context"
	"encoding/json"
	"time"
)

// Object is a Durable Object.
type Object struct {
	Namespace string `json:"namespace"`
	ID        string `json:"id"`
	// Name is what it was called by, if that was written down.
	Name  string     `json:"name,omitempty"`
	Bytes int64      `json:"bytes"`
	Alarm *time.Time `json:"alarm,omitempty"`
	// State is where a running session's object is in its life; "" in a stopped one's files.
	State string `json:"state,omitempty"`
	// Sockets counts hibernatable WebSockets that are open.
	Sockets int `json:"sockets,omitempty"`
	// Node is the name of the node of a cluster that has it. If that does not answer a list does not say in which state
	// it is.
	Node string `json:"node,omitempty"`
}

// ObjectDetail is an object with what it holds.
type ObjectDetail struct {
	Object
	File   string        `json:"file"`
	Keys   int64         `json:"keys"`
	Tables []ObjectTable `json:"tables"`
	// Waiting counts events that wait at the object's input gate, Held answers that wait until what was written before
	// is confirmed.
	Waiting int `json:"waiting,omitempty"`
	Held    int `json:"held,omitempty"`
	// Waiters are the events that have come and wait to be let in, in order.
	Waiters []WaitingEvent `json:"waiters,omitempty"`
}

// WaitingEvent is an event that waits at an object's input gate or for its constructor.
type WaitingEvent struct {
	// Event is a method, a request, or the kind of event.
	Event string    `json:"event"`
	Since time.Time `json:"since"`
}

// ObjectTable is a table of the object's own.
type ObjectTable struct {
	Name string `json:"name"`
	Rows int64  `json:"rows"`
	SQL  string `json:"sql"`
}

// StoredValue is one key of an object's key-value storage.
type StoredValue struct {
	Key   string `json:"key"`
	Bytes int    `json:"bytes"`
	// Value is the value as JavaScript would show it; Base64 its serialized form if it cannot be shown.
	Value  string `json:"value,omitempty"`
	Base64 string `json:"base64,omitempty"`
}

// SQL is the input of a query. It reads, unless Write is set.
type SQL struct {
	SQL   string `json:"sql"`
	Write bool   `json:"write,omitempty"`
	// Limit is the most rows that are wanted, 0 for all.
	Limit int `json:"limit,omitempty"`
}

// Rows is the result of a query. Values are null, numbers, strings, or {"base64": …} for blobs.
type Rows struct {
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"`
	// Truncated says that there were more rows than asked for.
	Truncated bool `json:"truncated,omitempty"`
}

// UnmarshalJSON implements json.Unmarshaler. Numbers become json.Number: a row may have integers that no float has.
func (r *Rows) UnmarshalJSON(text []byte) error {
	type plain Rows
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode((*plain)(r))
}

// Alarm is a scheduled alarm.
type Alarm struct {
	Namespace string    `json:"namespace"`
	ID        string    `json:"id"`
	Name      string    `json:"name,omitempty"`
	At        time.Time `json:"at"`
}

// Eviction tells whether an object was in memory.
type Eviction struct {
	Object
	Evicted bool `json:"evicted"`
}

// ObjectInspector is where the objects of some namespaces are seen and changed: a running session, whose live objects
// answer through their own connections and gates, or the files of a state directory. Objects given to it come from its
// List. Any goroutine.
type ObjectInspector interface {
	// Namespaces are the unique keys it answers for.
	Namespaces(ctx context.Context) ([]string, error)
	// List lists the objects of a namespace by id.
	List(ctx context.Context, namespace string) ([]Object, error)
	Show(ctx context.Context, x Object) (ObjectDetail, error)
	// Values reads the keys with a prefix, in order, at most limit.
	Values(ctx context.Context, x Object, prefix string, limit int) ([]StoredValue, error)
	Query(ctx context.Context, x Object, q SQL) (Rows, error)
	// Evict takes an object out of memory, one that is at work only if force is set. It reports false when it is not
	// there.
	Evict(ctx context.Context, x Object, force bool) (bool, error)
	// Delete removes all that an object has stored, and its alarm.
	Delete(ctx context.Context, x Object) error
	// ResumeAlarms lets alarms that were held from an earlier run fire.
	ResumeAlarms(ctx context.Context) error
}

// ObjectFinder is an [ObjectInspector] that need not list all objects to know of some.
type ObjectFinder interface {
	// Find finds one object by its whole id. ok is false if there is none.
	Find(ctx context.Context, namespace, id string) (x Object, ok bool, err error)
	// Alarms lists the objects that have an alarm, with it.
	Alarms(ctx context.Context, namespace string) ([]Object, error)
}
