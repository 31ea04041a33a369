package explorer

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"eddy/runtime/journal"
)

// EventRow is an event on one line.
type EventRow struct {
	At     time.Time     `json:"at"`
	Took   time.Duration `json:"took_ns"`
	CPU    time.Duration `json:"cpu_ns"`
	Worker string        `json:"worker"`
	Kind   string        `json:"kind"`
	Title  string        `json:"title"`
	Result string        `json:"result"`
	Failed bool          `json:"failed"`
	Trace  string        `json:"trace"`
	Span   string        `json:"span"`
	// Logs and Errors are its console lines and the exceptions that nobody caught.
	Logs   []LogLine   `json:"logs,omitempty"`
	Errors []ErrorLine `json:"errors,omitempty"`
	// Messages are the ids of those that it brought.
	Messages []string `json:"messages,omitempty"`
	Queue    string   `json:"queue,omitempty"`
	Object   string   `json:"object,omitempty"`
	attempt  int
}

// LogLine is a call of console.
type LogLine struct {
	Level string `json:"level"`
	Text  string `json:"text"`
}

// ErrorLine is an exception with its stack.
type ErrorLine struct {
	Name    string `json:"name"`
	Message string `json:"message"`
	Stack   string `json:"stack,omitempty"`
}

// Path is the page of the event: its trace, with the event marked.
func (e EventRow) Path() string { return Base + "traces/" + e.Trace + "#" + e.Span }

func eventRow(e *journal.Entry) EventRow {
	row := EventRow{At: e.Start(), Took: e.Wall, CPU: e.CPU, Worker: e.Worker, Kind: string(e.Kind), Title: e.Title(),
		Result: e.Result(), Failed: failed(e), Trace: hex.EncodeToString(e.Trace[:]),
		Span: hex.EncodeToString(e.Span[:])}
	for _, l := range e.Logs {
		row.Logs = append(row.Logs, LogLine{l.Level, journal.LogText(l.Message)})
	}
	for _, ex := range e.Exceptions {
		row.Errors = append(row.Errors, ErrorLine{ex.Name, ex.Message, ex.Stack})
	}
	if d := e.Delivery; d != nil {
		row.Queue, row.attempt = d.Queue, d.MostAttempts()
		for i := range d.Messages {
			row.Messages = append(row.Messages, hex.EncodeToString(d.Messages[i].ID[:]))
		}
	}
	if e.Object != nil {
		row.Object = e.Object.Title()
	}
	return row
}

// failed tells whether an event is shown as one that failed. A life of a workflow that was put to sleep did not.
func failed(e *journal.Entry) bool {
	return e.Failed() && (e.Kind != journal.Life || e.Outcome != "canceled")
}

// EventList is the model of the events.
type EventList struct {
	Query  string     `json:"query"`
	Events []EventRow `json:"events"`
	// Matches counts those among the latest events that the query selects.
	Matches int `json:"matches"`
	Looked  int `json:"looked"`
	// Missing says of which nodes of a cluster there is nothing.
	Missing []string `json:"missing,omitempty"`
}

// pageOfEvents is how many events a page shows.
const pageOfEvents = 100

func (x *Server) eventPages() []page {
	return []page{
		of("events", "events", "The latest events of all Workers, newest first.", x.events,
			field{"q", "words that all must match: queue:NAME, worker:NAME, object:NAME, kind:KIND, error, ok, " +
				"attempt:>1, " +
				"dur:>100 (milliseconds), or a text"}),
		of("traces/{id}", "trace", "What one first event led to, over Workers and processes, by the id of a trace, "+
			"an event "+
			"or a message.", x.trace),
	}
}

func (x *Server) events(r *http.Request) (*EventList, error) {
	l := &EventList{Query: r.URL.Query().Get("q"), Events: []EventRow{}}
	match, err := parseQuery(l.Query)
	if err != nil {
		return nil, err
	}
	latest, err := x.window.latest(r.Context())
	if err != nil {
		return nil, err
	}
	l.Looked, l.Missing = len(latest), x.window.missing()
	all := strings.TrimSpace(l.Query) == ""
	for i := len(latest) - 1; i >= 0; i-- {
		if all && len(l.Events) == pageOfEvents {
			l.Matches = len(latest) // what nobody sees is not made into rows
			break
		}
		row := eventRow(latest[i])
		if !match(&row) {
			continue
		}
		if l.Matches++; len(l.Events) < pageOfEvents {
			l.Events = append(l.Events, row)
		}
	}
	return l, nil
}

// parseQuery reads the filter bar. All of its words must match.
func parseQuery(q string) (match func(*EventRow) bool, err error) {
	var all []func(*EventRow) bool
	for word := range strings.FieldsSeq(q) {
		one, err := parseWord(word)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return func(e *EventRow) bool {
		for _, f := range all {
			if !f(e) {
				return false
			}
		}
		return true
	}, nil
}

func parseWord(word string) (func(*EventRow) bool, error) {
	key, value, keyed := strings.Cut(word, ":")
	switch {
	case word == "error":
		return func(e *EventRow) bool { return e.Failed }, nil
	case word == "ok":
		return func(e *EventRow) bool { return !e.Failed }, nil
	case !keyed:
		return containing(word), nil
	}
	switch key {
	case "queue":
		return func(e *EventRow) bool { return e.Queue == value }, nil
	case "worker":
		return func(e *EventRow) bool { return e.Worker == value }, nil
	case "kind":
		return func(e *EventRow) bool { return e.Kind == value }, nil
	case "object":
		return func(e *EventRow) bool { return e.Object != "" && strings.Contains(e.Object, value) }, nil
	case "message":
		return func(e *EventRow) bool {
			return slices.ContainsFunc(e.Messages, func(id string) bool { return strings.HasPrefix(id, value) })
		}, nil
	case "attempt":
		than, err := compare(word, value)
		return func(e *EventRow) bool { return e.Queue != "" && than(float64(e.attempt)) }, err
	case "dur":
		than, err := compare(word, value)
		return func(e *EventRow) bool { return than(float64(e.Took) / float64(time.Millisecond)) }, err
	}
	return containing(word), nil
}

// containing matches events that say a text, in upper or lower case.
func containing(text string) func(*EventRow) bool {
	text = strings.ToLower(text)
	has := func(s string) bool { return strings.Contains(strings.ToLower(s), text) }
	return func(e *EventRow) bool {
		return has(e.Title) || has(e.Worker) || has(e.Trace) ||
			slices.ContainsFunc(e.Logs, func(l LogLine) bool { return has(l.Text) }) ||
			slices.ContainsFunc(e.Errors, func(x ErrorLine) bool { return has(x.Name + ": " + x.Message) })
	}
}

// compare reads a number with an optional >, <, >= or <= before it.
func compare(word, text string) (func(float64) bool, error) {
	number := strings.TrimLeft(text, "<>=")
	n, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return nil, refused("%s: expected a number, as in dur:>100", word)
	}
	switch sign := text[:len(text)-len(number)]; sign {
	case "", "=":
		return func(v float64) bool { return v == n }, nil
	case ">":
		return func(v float64) bool { return v > n }, nil
	case "<":
		return func(v float64) bool { return v < n }, nil
	case ">=":
		return func(v float64) bool { return v >= n }, nil
	case "<=":
		return func(v float64) bool { return v <= n }, nil
	default:
		return nil, refused("%s: %q is none of > < >= <=", word, sign)
	}
}

// TracePage is the model of a trace.
type TracePage struct {
	ID   string        `json:"id"`
	At   time.Time     `json:"at"`
	Took time.Duration `json:"took_ns"`
	// Rows are its events in the order of their starts, each below what caused it.
	Rows []TraceRow `json:"events"`
	// Missing says of which nodes of a cluster there is nothing.
	Missing []string `json:"missing,omitempty"`
}

// TraceRow is an event of a trace. X and Width are its bar, of 1000 units across.
type TraceRow struct {
	EventRow
	Depth int         `json:"depth"`
	X     int         `json:"-"`
	Width int         `json:"-"`
	Sends []SendRow   `json:"sends,omitempty"`
	Calls []CallRow   `json:"requests,omitempty"`
	Uses  []AccessRow `json:"accesses,omitempty"`
	Frame *CodeFrame  `json:"frame,omitempty"`
	// Spans are those that the script has opened.
	Spans []SpanRow `json:"spans,omitempty"`
}

// CallRow is a request to the network.
type CallRow struct {
	Method string        `json:"method"`
	URL    string        `json:"url"`
	Status int           `json:"status,omitempty"`
	Error  string        `json:"error,omitempty"`
	Took   time.Duration `json:"took_ns"`
}

// AccessRow is a use of a binding or of storage, recorded with --journal=full.
type AccessRow struct {
	Store string `json:"store"`
	Op    string `json:"op"`
	Key   string `json:"key"`
	Error string `json:"error,omitempty"`
}

func (x *Server) trace(r *http.Request) (*TracePage, error) {
	id := r.PathValue("id")
	if len(id) < 4 || strings.Trim(strings.ToLower(id), "0123456789abcdef-") != "" {
		return nil, refused("an id is hexadecimal; its first four digits or more are enough")
	}
	roots, traces, err := x.window.tree(r.Context(), id)
	switch {
	case err != nil:
		return nil, err
	case traces > 1:
		return nil, refused("%d traces have an id that begins with %s; give more of it", traces, id)
	case len(roots) == 0:
		return nil, missing("no event, trace or message %s is recorded", id)
	}
	t := &TracePage{Missing: x.window.missing(), ID: hex.EncodeToString(roots[0].Trace[:]), At: roots[0].Start()}
	end := t.At
	var walk func(list []*journal.TreeNode, f func(*journal.TreeNode, int), depth int)
	walk = func(list []*journal.TreeNode, f func(*journal.TreeNode, int), depth int) {
		for _, n := range list {
			f(n, depth)
			walk(n.Children, f, depth+1)
		}
	}
	walk(roots, func(n *journal.TreeNode, _ int) {
		if n.End().After(end) {
			end = n.End()
		}
	}, 0)
	t.Took = end.Sub(t.At)
	walk(roots, func(n *journal.TreeNode, depth int) { t.Rows = append(t.Rows, x.traceRow(n.Entry, depth, t)) }, 0)
	return t, nil
}

func (x *Server) traceRow(e *journal.Entry, depth int, t *TracePage) TraceRow {
	scale := max(t.Took, time.Millisecond)
	row := TraceRow{EventRow: eventRow(e), Depth: depth, X: int(1000 * e.Start().Sub(t.At) / scale),
		Width: max(4, int(1000*e.Wall/scale))}
	row.Sends = sendRows(e)
	for _, o := range e.Outgoing {
		row.Calls = append(row.Calls, CallRow{o.Method, o.URL, o.Status, o.Error, o.Took})
	}
	for _, a := range e.Accesses {
		row.Uses = append(row.Uses, AccessRow{strings.TrimSpace(a.Store + " " + a.Binding), a.Op, a.Key, a.Error})
	}
	for i := range e.Spans {
		if s := &e.Spans[i]; s.ID != e.Span {
			row.Spans = append(row.Spans, spanRow(s, t))
		}
	}
	slices.SortStableFunc(row.Spans, func(a, b SpanRow) int { return cmp.Compare(a.X, b.X) })
	if len(row.Errors) > 0 {
		row.Frame = x.frame(e.Worker, row.Errors[0].Stack)
	}
	return row
}

// SpanRow is a span that a script has opened, in the waterfall below its event.
type SpanRow struct {
	Name       string        `json:"name"`
	Took       time.Duration `json:"took_ns"`
	Attributes []LogLine     `json:"attributes,omitempty"`
	Errors     []ErrorLine   `json:"errors,omitempty"`
	Failed     bool          `json:"failed"`
	Result     string        `json:"result"`
	X          int           `json:"x"`
	Width      int           `json:"width"`
}

func spanRow(s *journal.NamedSpan, t *TracePage) SpanRow {
	scale := max(t.Took, time.Millisecond)
	row := SpanRow{Name: s.Name, Took: s.Took, Failed: s.Status == "error", Result: s.Status,
		X: int(1000 * s.Start().Sub(t.At) / scale), Width: max(4, int(1000*s.Took/scale))}
	if s.Message != "" {
		row.Result += ": " + s.Message
	}
	for _, a := range s.Attributes {
		row.Attributes = append(row.Attributes, LogLine{a.Name, a.Value})
	}
	for _, x := range s.Exceptions {
		row.Errors = append(row.Errors, ErrorLine{x.Name, x.Message, x.Stack})
	}
	return row
}

// Below is how far to the right the titles of the row's spans stand.
func (t TraceRow) Below() string { return fmt.Sprintf("depth-%d", min(t.Depth+1, 12)) }

// Indent is how far to the right the row's title stands, in steps.
func (t TraceRow) Indent() string { return fmt.Sprintf("depth-%d", min(t.Depth, 12)) }
