package worker

import (
	"strconv"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/cause"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/journal"
)

// Recorder is implemented by events that have more to tell the journal than a [Trace] has.
type Recorder interface {
	// Causes are those of the event, if they did not come with [DispatchOptions].
	Causes() []cause.Cause
	// Record adds to an entry. It is called on the loop, at the end of the invocation.
	Record(e *journal.Entry)
}

// beginEntry begins the entry of an invocation, if there is a journal, and makes the event the cause of what it will
// do.
func (inv *Invocation) beginEntry(hops *eventloop.Hops) {
	if inv.tails() || inv.Isolate.opts.Journal == nil && inv.Isolate.opts.Stream == nil {
		return
	}
	var causes []cause.Cause
	if r, ok := inv.Event.(Recorder); ok {
		causes = r.Causes()
	}
	inv.entry = inv.Isolate.BeginEntry(journal.Kind(inv.Event.Kind()), hops, causes...)
	inv.entry.Entrypoint = inv.Entrypoint
}

// Journal is where events are recorded, nil for nowhere.
func (iso *Isolate) Journal() *journal.Journal { return iso.opts.Journal }

// BeginEntry begins the entry of an event, nil if neither a journal nor a tail Worker wants to know of it. The event's
// causes are those given and that of the hops with which it came, which become those of what it does. Loop goroutine
// only.
func (iso *Isolate) BeginEntry(kind journal.Kind, hops *eventloop.Hops, causes ...cause.Cause) *journal.Entry {
	if !iso.traced() {
		return nil
	}
	if hops.Cause.Valid() {
		causes = append(causes, hops.Cause)
	}
	e := newEntry(kind, causes)
	e.Worker = iso.Name
	iso.opts.Journal.Begin(e)
	hops.Cause = e.Cause()
	if iso.entries == nil {
		iso.entries = map[[8]byte]*journal.Entry{}
	}
	iso.entries[e.Span] = e
	if iso.opts.Stream != nil {
		iso.observe(e)
	}
	return e
}

// EndEntry gives an entry to the journal; nil is none. Loop goroutine only.
func (iso *Isolate) EndEntry(e *journal.Entry) {
	if e == nil {
		return
	}
	delete(iso.entries, e.Span)
	iso.unobserve(e)
	if e.Object != nil && iso.opts.Trace != nil { // those of invocations come by report
		iso.opts.Trace(traceOf(e))
	}
	iso.opts.Journal.Add(e)
}

// Recording is the entry of the event that the current async context belongs to; nil if nothing is recorded, or the
// event is over. Loop goroutine only.
func (iso *Isolate) Recording() *journal.Entry {
	if iso.entries == nil {
		return nil
	}
	return iso.entries[iso.Loop.Hops().Cause.Span]
}

// RecordingAll is Recording if uses of bindings and of storage are recorded too, else nil. Loop goroutine only.
func (iso *Isolate) RecordingAll() *journal.Entry {
	if !iso.opts.Journal.Full() {
		return nil
	}
	return iso.Recording()
}

// Access begins to note a use of a binding; nil if nobody wants to know. What is returned is complete when done is
// called, on the loop.
func (iso *Isolate) Access(a journal.Access) (noted *journal.Access, done func(err error)) {
	e := iso.RecordingAll()
	if e == nil {
		return nil, func(error) {}
	}
	a.At = iso.Loop.Clock().Now().UnixMicro()
	return &a, func(err error) {
		if err != nil {
			a.Error = err.Error()
		}
		e.AddAccess(a)
	}
}

// newEntry begins an entry that has causes. It belongs to the trace that all of them have in common; with several
// traces it begins one of its own and links them.
func newEntry(kind journal.Kind, causes []cause.Cause) *journal.Entry {
	var from cause.Cause
	one := true
	for i, c := range causes {
		if i == 0 {
			from = c
		}
		one = one && c.Trace == from.Trace
	}
	if !one {
		from = cause.Cause{}
	}
	own := from.Next()
	e := &journal.Entry{Kind: kind, Trace: own.Trace, Span: own.Span, Parent: from.Span}
	for _, c := range causes {
		if c != from {
			e.Links = append(e.Links, c)
		}
	}
	return e
}

// record completes the entry with what the trace has and gives it to the journal.
func (inv *Invocation) record(t *Trace) {
	e := inv.entry
	inv.entry = nil
	t.fill(e)
	if r, ok := inv.Event.(Recorder); ok {
		r.Record(e)
	}
	inv.Isolate.EndEntry(e)
}

// fill copies what a trace tells into an entry.
func (t *Trace) fill(e *journal.Entry) {
	e.At, e.Wall, e.CPU = t.Start.UnixMicro(), t.Wall, t.CPU
	e.Worker, e.Entrypoint, e.Outcome = t.Worker, t.Entrypoint, t.Outcome
	for _, l := range t.Logs {
		e.Logs = append(e.Logs, journal.Log{Level: l.Level, At: l.At.UnixMilli(), Message: l.Message})
	}
	for _, x := range t.Exceptions {
		e.Exceptions = append(e.Exceptions,
			journal.Exception{Name: x.Name, Message: x.Message, Stack: x.Stack, At: x.At.UnixMilli()})
	}
	if t.Event != nil && t.Event.Request != nil { // tail consumers were told
		r := t.Event.Request
		e.Request = &journal.Request{Method: r.Method, URL: r.URL, Header: r.Header, CF: r.CF, Status: t.Event.Status}
	}
}

// traceOf is what tail consumers are told of an event of an object.
func traceOf(e *journal.Entry) *Trace {
	t := &Trace{Start: e.Start(), Wall: e.Wall, CPU: e.CPU, Outcome: e.Outcome, Worker: e.Worker,
		Entrypoint: e.Entrypoint, Object: e.Object.ID}
	for _, l := range e.Logs {
		t.Logs = append(t.Logs, TraceLog{Level: l.Level, At: time.UnixMilli(l.At), Message: l.Message})
	}
	for _, x := range e.Exceptions {
		t.Exceptions = append(t.Exceptions,
			TraceException{Name: x.Name, Message: x.Message, Stack: x.Stack, At: time.UnixMilli(x.At)})
	}
	switch {
	case e.Request != nil:
		r := e.Request
		t.Event = &TracedEvent{Class: "FetchEventInfo", Status: r.Status,
			Request: &TracedRequest{URL: r.URL, Method: r.Method, Header: r.Header, CF: r.CF}}
	case e.Kind == journal.RPC:
		t.Event = &TracedEvent{Class: "JsRpcEventInfo", Properties: [][2]string{{"rpcMethod", quoteJSON(e.RPCMethod)}}}
	case e.Kind == journal.Alarm:
		at := time.UnixMilli(e.AlarmAt).UTC().Format("2006-01-02T15:04:05.000Z")
		t.Event = &TracedEvent{Class: "AlarmEventInfo", Properties: [][2]string{{"scheduledTime", quoteJSON(at)}}}
	case e.Socket != nil:
		t.Event = &TracedEvent{Class: "HibernatableWebSocketEventInfo",
			Properties: [][2]string{{"getWebSocketEvent", socketJSON(e.Socket)}}}
	}
	return t
}

// socketJSON describes what came over a hibernatable WebSocket to tail consumers.
func socketJSON(s *journal.SocketEvent) string {
	text := `{"webSocketEventType":` + quoteJSON(s.Type)
	if s.Type == "close" {
		text += `,"code":` + strconv.Itoa(s.Code) + `,"wasClean":` + strconv.FormatBool(s.Code != 1006)
	}
	return text + "}"
}

// recordException notes an exception that nobody caught in an event of an object.
func (iso *Isolate) recordException(e *journal.Entry, v goja.Value) {
	if len(e.Exceptions) >= maxTraceLogs {
		return
	}
	ex := iso.Exception(v)
	stack := ex.below()
	iso.observing().failed(ex)
	e.Exceptions = append(e.Exceptions, journal.Exception{Name: ex.Name, Message: ex.Message, Stack: stack,
		At: iso.Loop.Clock().Now().UnixMilli()})
}

// Causes implements [Recorder].
func (s *Scheduled) Causes() []cause.Cause { return nil }

// Record implements [Recorder].
func (s *Scheduled) Record(e *journal.Entry) {
	e.Schedule = &journal.Schedule{Cron: s.Cron, Time: s.Time.UnixMilli()}
}

// Causes implements [Recorder]: a request brings its cause in a header.
func (e *fetchEvent) Causes() []cause.Cause {
	if e.options.FromWorker {
		return nil // its caller's is in the options
	}
	if list := e.req.Header[cause.Header]; len(list) > 0 {
		if c := cause.Parse(list[0]); c.Valid() {
			return []cause.Cause{c}
		}
	}
	return nil
}

// Record implements [Recorder]. request.cf is the same for all requests and made on demand: it is there only if tail
// consumers were told of it.
func (e *fetchEvent) Record(into *journal.Entry) {
	if into.Request == nil {
		if e.url == "" { // it has not run
			e.url = e.req.URL.String()
		}
		into.Request = &journal.Request{Method: e.req.Method, URL: e.url, Header: e.req.Header,
			Status: e.status}
	}
	into.Request.Body, into.Request.BodyCut = e.body.Bytes()
}
