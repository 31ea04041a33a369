package journal

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"net"
	"strings"
	"time"
)

// Filter selects entries. The zero value selects all.
type Filter struct {
	// Worker, Queue and Object name whose entries are taken. Object is the name or the id of a Durable Object, or the
	// key of its namespace.
	Worker, Queue, Object string
	// Status are outcomes in the words of wrangler tail: ok, error, canceled.
	Status []string
	// Methods are those of requests.
	Methods []string
	// Header is a name, or NAME:VALUE, that a request has. IPs are addresses of clients; "self" is this machine.
	Header string
	IPs    []string
	// Sampling is the share of the events that is taken, 0 for all: always the same ones.
	Sampling float64
	// Search is a text in the log lines, in upper or lower case.
	Search string
	// Failed selects events that failed, and batches with messages that are to be retried.
	Failed bool
	// Since selects events that ended at that time or later.
	Since time.Time
}

// Statuses are the words of [Filter.Status].
var Statuses = []string{"ok", "error", "canceled"}

// status is the outcome of an entry as Filter.Status has it.
func (e *Entry) status() string {
	switch e.Outcome {
	case "ok", "canceled":
		return e.Outcome
	}
	return "error"
}

// Match tells whether the filter takes an entry.
func (f *Filter) Match(e *Entry) bool {
	return (f.Worker == "" || f.Worker == e.Worker) &&
		(f.Queue == "" || e.Delivery != nil && e.Delivery.Queue == f.Queue) &&
		(f.Object == "" || e.Object != nil && e.Object.is(f.Object)) &&
		(len(f.Status) == 0 || contains(f.Status, e.status())) &&
		(len(f.Methods) == 0 || e.Request != nil && contains(f.Methods, e.Request.Method)) &&
		(f.Header == "" || e.Request != nil && e.Request.has(f.Header)) &&
		(len(f.IPs) == 0 || e.Request != nil && e.Request.from(f.IPs)) &&
		(f.Sampling == 0 || float64(binary.BigEndian.Uint32(e.Span[:]))/(1<<32) < f.Sampling) &&
		(!f.Failed || e.Failed()) &&
		(f.Since.IsZero() || !e.End().Before(f.Since)) &&
		(f.Search == "" || e.says(f.Search))
}

// has tells whether the request has a header, NAME or NAME:VALUE.
func (r *Request) has(header string) bool {
	name, value, valued := strings.Cut(header, ":")
	for key, values := range r.Header {
		if strings.EqualFold(key, strings.TrimSpace(name)) {
			return !valued || contains(values, strings.TrimSpace(value))
		}
	}
	return false
}

// from tells whether the request came from one of some addresses.
func (r *Request) from(ips []string) bool {
	from := net.ParseIP(r.Header.Get("Cf-Connecting-Ip"))
	for _, text := range ips {
		if text == "self" && from.IsLoopback() || from != nil && from.Equal(net.ParseIP(text)) {
			return true
		}
	}
	return false
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if strings.EqualFold(x, s) {
			return true
		}
	}
	return false
}

func (o *Object) is(name string) bool {
	return o.Name == name || o.ID == name || o.Namespace == name || strings.HasSuffix(o.Namespace, "-"+name)
}

// says tells whether a log line or an exception contains a text.
func (e *Entry) says(text string) bool {
	text = strings.ToLower(text)
	for i := range e.Logs {
		message := e.Logs[i].Message
		if strings.Contains(strings.ToLower(message), text) ||
			strings.Contains(strings.ToLower(LogText(message)), text) {
			return true
		}
	}
	for i := range e.Exceptions {
		if strings.Contains(strings.ToLower(e.Exceptions[i].Message), text) {
			return true
		}
	}
	return false
}

// Names tells whether an id, or the beginning of one, is that of the entry's trace, of its span or of a message that it
// got. id has lower case and no hyphens.
func (e *Entry) Names(id string) bool {
	if strings.HasPrefix(hex.EncodeToString(e.Trace[:]), id) || strings.HasPrefix(hex.EncodeToString(e.Span[:]), id) {
		return true
	}
	if e.Delivery != nil {
		for i := range e.Delivery.Messages {
			if strings.HasPrefix(hex.EncodeToString(e.Delivery.Messages[i].ID[:]), id) {
				return true
			}
		}
	}
	return false
}

// LogText is a log's message, a JSON array of arguments, as one line: strings as they are.
func LogText(message string) string {
	var args []json.RawMessage
	if json.Unmarshal([]byte(message), &args) != nil {
		return message
	}
	parts := make([]string, len(args))
	for i, a := range args {
		var s string
		if parts[i] = string(a); json.Unmarshal(a, &s) == nil {
			parts[i] = s
		}
	}
	return strings.Join(parts, " ")
}
