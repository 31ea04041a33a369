package worker

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/journal"
)

// Trace is what a tail consumer is told of one event of a Worker: the platform's TraceItem. Texts are JSON where
// JavaScript will see a value.
type Trace struct {
	// Event is what came, in the platform's words; nil for kinds that cannot describe themselves.
	Event *TracedEvent
	Start time.Time
	// Wall is how long the event took with all its waitUntil work, CPU how long it computed.
	Wall, CPU time.Duration
	// Outcome is "ok", "exception", "exceededCpu", "canceled".
	Outcome string
	// Worker and Entrypoint say who handled it; Entrypoint is "" for the default export.
	Worker, Entrypoint string
	// Object is the id of the Durable Object that handled it, "" for none.
	Object     string
	Logs       []TraceLog
	Exceptions []TraceException
	Channels   []TraceChannel
}

// TraceLog is one call of a console method.
type TraceLog struct {
	Level string
	At    time.Time
	// Message is a JSON array of the arguments.
	Message string
}

// TraceException is an exception that nobody caught.
type TraceException struct {
	Name, Message, Stack string
	At                   time.Time
}

// TraceChannel is a message on a channel of node:diagnostics_channel. Message is JSON.
type TraceChannel struct {
	Channel, Message string
	At               time.Time
}

// published notes a message on a diagnostics channel.
func (iso *Isolate) published(channel string, message goja.Value) {
	text := iso.jsonOf(host.ConsoleLine{Args: []goja.Value{message}})
	text = text[1 : len(text)-1]
	if o := iso.observing(); o != nil && o.begun {
		o.emit(o.here(), `{"type":"diagnosticChannel","channel":`+quoteJSON(channel)+`,"message":`+text+`}`)
	}
	if inv := invocationOf(iso.loopScope()); inv != nil && inv.trace != nil && len(inv.trace.Channels) < maxTraceLogs {
		inv.trace.Channels = append(inv.trace.Channels, TraceChannel{channel, text, iso.Loop.Clock().Now()})
	}
}

// TracedEvent describes an event: Class is the platform's name of the description.
type TracedEvent struct {
	Class string
	// Properties in order, each a JSON text. Those of fetch are Request and Response instead.
	Properties [][2]string
	Request    *TracedRequest
	// Status is that of the response to Request, 0 for none.
	Status int
}

// TracedRequest is the request of a fetch event.
type TracedRequest struct {
	URL, Method string
	Header      http.Header
	CF          string // JSON, "" for undefined
}

// Describer is implemented by events that can describe themselves. Describe is called on the loop, at the end of the
// invocation.
type Describer interface {
	Describe(inv *Invocation) *TracedEvent
}

// maxTraceLogs bounds what one event may keep.
const maxTraceLogs = 10_000

// traced tells whether anybody wants to know what happens in events.
func (iso *Isolate) traced() bool {
	return iso.opts.Trace != nil || iso.opts.Journal != nil || iso.opts.Stream != nil
}

// logger is the function that takes console output.
func (iso *Isolate) logger() func(host.ConsoleLine) {
	if !iso.traced() {
		return iso.opts.Log
	}
	return func(e host.ConsoleLine) {
		iso.observing().logged(e)
		if inv := invocationOf(e.Scope); inv != nil && inv.trace != nil && len(inv.trace.Logs) < maxTraceLogs {
			inv.trace.Logs = append(inv.trace.Logs, TraceLog{string(e.Level), e.Time, iso.jsonOf(e)})
		} else if entry := iso.Recording(); inv == nil && entry != nil && len(entry.Logs) < maxTraceLogs {
			entry.Logs = append(entry.Logs,
				journal.Log{Level: string(e.Level), At: e.Time.UnixMilli(), Message: iso.jsonOf(e)})
		}
		if iso.opts.Log != nil {
			iso.opts.Log(e)
		}
	}
}

// jsonOf returns the arguments of a console call as a JSON array. Functions appear as their text, numbers that JSON
// lacks as texts, errors as their first line, and what cannot be written as {}.
func (iso *Isolate) jsonOf(e host.ConsoleLine) string {
	var stringify goja.Callable
	text := func(v goja.Value) (out string) {
		if s, plain := plainJSON(v); plain {
			return s
		}
		if stringify == nil {
			stringify, _ = goja.AssertFunction(iso.Runtime().Get("JSON").ToObject(iso.Runtime()).Get("stringify"))
		}
		out = "{}"
		_ = iso.Realm.Try(func() {
			if obj, ok := v.(*goja.Object); ok && (obj.ClassName() == "Error" || obj.ClassName() == "Function") {
				v = iso.Runtime().ToValue(obj.String())
			} else if v.ExportType() != nil && v.ExportType().String() == "*big.Int" {
				v = iso.Runtime().ToValue(v.String())
			}
			if goja.IsUndefined(v) {
				out = "null"
			} else if s, err := stringify(goja.Undefined(), v); err == nil && !goja.IsUndefined(s) {
				out = s.String()
			}
		})
		return out
	}
	args := e.Args
	if args == nil {
		args = []goja.Value{iso.Runtime().ToValue(e.Text)}
	}
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = text(a)
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// plainJSON is the JSON of a text that needs no escapes, as most lines of logs are: they cost no call into the script's
// world.
func plainJSON(v goja.Value) (text string, plain bool) {
	s, ok := v.(goja.String)
	if !ok {
		return "", false
	}
	text = s.String()
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return "", false
		}
	}
	return `"` + text + `"`, true
}

// traceException notes an exception that nobody caught, once.
func (inv *Invocation) traceException(v goja.Value) {
	if inv == nil || inv.trace == nil || v == nil || inv.traced != nil && inv.traced.SameAs(v) {
		return
	}
	inv.traced = v
	ex := inv.Isolate.Exception(v)
	stack := ex.below()
	inv.Isolate.observing().failed(ex)
	inv.trace.Exceptions = append(
		inv.trace.Exceptions, TraceException{ex.Name, ex.Message, stack, inv.Isolate.Loop.Clock().Now()})
}

// tails tells whether the event brings what happened in others.
func (inv *Invocation) tails() bool {
	switch inv.Event.(type) {
	case *Tail, *StreamTail:
		return true
	}
	return false
}

// report completes the trace of an invocation that has ended and hands it over. Tail events are not traced themselves.
func (inv *Invocation) report(err error) {
	t := inv.trace
	if t == nil {
		return
	}
	inv.trace = nil
	if inv.tails() {
		return // otherwise two consumers of each other would never rest
	}
	t.Worker, t.Entrypoint, t.Start = inv.Isolate.Name, inv.Entrypoint, inv.Start
	t.Wall, t.CPU = inv.Isolate.Loop.Clock().Now().Sub(inv.Start), inv.Scope.CPU()
	switch {
	case errors.Is(err, ErrCPULimit):
		t.Outcome = "exceededCpu"
	case errors.Is(err, ErrHung):
		t.Outcome = "exception"
		t.Exceptions = append(
			t.Exceptions, TraceException{Name: "Error", Message: err.Error(), At: inv.Isolate.Loop.Clock().Now()})
	case err != nil && Outcome(err) == "exception":
		t.Outcome = "exception"
	case err != nil:
		t.Outcome = "canceled"
	case inv.failed:
		t.Outcome = "exception"
	default:
		t.Outcome = "ok"
	}
	if d, ok := inv.Event.(Describer); ok && inv.Isolate.opts.Trace != nil { // the journal does without
		t.Event = d.Describe(inv)
	}
	if inv.entry != nil {
		inv.record(t)
	}
	if inv.Isolate.opts.Trace != nil {
		inv.Isolate.opts.Trace(t)
	}
}

// Describe implements [Describer].
func (e *fetchEvent) Describe(inv *Invocation) *TracedEvent {
	r := &TracedRequest{URL: e.req.URL.String(), Method: e.req.Method, Header: e.req.Header}
	if e.options.CF != nil {
		_ = inv.Isolate.Realm.Try(func() {
			if v := e.options.CF(inv.Isolate); v != nil && !goja.IsUndefined(v) {
				r.CF = strings.TrimSuffix(
					strings.TrimPrefix(inv.Isolate.jsonOf(host.ConsoleLine{Args: []goja.Value{v}}), "["), "]")
			}
		})
	}
	return &TracedEvent{Class: "FetchEventInfo", Request: r, Status: e.status}
}

// Describe implements [Describer].
func (s *Scheduled) Describe(*Invocation) *TracedEvent {
	return &TracedEvent{
		Class:      "ScheduledEventInfo",
		Properties: [][2]string{{"cron", quoteJSON(s.Cron)}, {"scheduledTime", milliseconds(s.Time)}}}
}
