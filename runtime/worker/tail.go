package worker

import (
	"encoding/json"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/journal"
)

// Tail is the event that a Worker's tail() handler gets: traces of other Workers.
type Tail struct {
	Traces []*Trace
	// Ended, if set, is called once when the handler is done.
	Ended func()
}

// NoTailHandler is the failure of a Worker without tail().
const NoTailHandler = "Handler does not export a tail() function."

// Kind implements [Event].
func (t *Tail) Kind() string { return "tail" }

// Run implements [Event].
func (t *Tail) Run(inv *Invocation) goja.Value {
	iso := inv.Isolate
	items := make([]any, len(t.Traces))
	for i, trace := range t.Traces {
		items[i] = iso.traceItem(trace)
	}
	list := iso.Runtime().NewArray(items...)
	if h, ok := inv.Handler("tail"); ok {
		return h.Call(inv, list)
	}
	if !inv.DispatchLegacy("tail", map[string]goja.Value{"events": list, "traces": list}) {
		iso.Realm.ThrowError("Error", NoTailHandler)
	}
	return nil
}

// Settle implements [Event].
func (t *Tail) Settle(inv *Invocation, _, failure goja.Value) {
	if failure != nil {
		inv.Isolate.Uncaught(failure)
	}
}

// Done implements [Event].
func (t *Tail) Done(*Invocation, error) {
	if t.Ended != nil {
		t.Ended()
	}
}

func invocationOf(s *eventloop.Scope) *Invocation {
	if s == nil {
		return nil
	}
	inv, _ := s.Owner.(*Invocation)
	return inv
}

func quoteJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""` // a string always marshals
	}
	return string(b)
}

func milliseconds(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }

// traceItem makes the TraceItem of a trace, with the properties in the platform's order.
func (iso *Isolate) traceItem(t *Trace) goja.Value {
	var event goja.Value = goja.Null()
	if t.Event != nil {
		event = iso.tracedEvent(t.Event)
	}
	logs := make([]any, len(t.Logs))
	for i, l := range t.Logs {
		logs[i] = iso.traceObject(
			"TraceLog", [][2]string{
				{"message", l.Message}, {"level", quoteJSON(l.Level)}, {"timestamp", milliseconds(l.At)}})
	}
	exceptions := make([]any, len(t.Exceptions))
	for i, x := range t.Exceptions {
		exceptions[i] = iso.traceObject(
			"TraceException",
			[][2]string{{"stack", quoteJSON(x.Stack)}, {"name", quoteJSON(x.Name)}, {"message", quoteJSON(x.Message)},
				{"timestamp", milliseconds(x.At)}})
	}
	entrypoint := ""
	if t.Entrypoint != "" {
		entrypoint = quoteJSON(t.Entrypoint)
	}
	model, object := `"stateless"`, ""
	if t.Object != "" {
		model, object = `"durableObject"`, quoteJSON(t.Object)
	}
	obj := iso.traceObject("TraceItem", [][2]string{
		{"wallTime", strconv.FormatInt(t.Wall.Milliseconds(), 10)},
		{"cpuTime", strconv.FormatInt(t.CPU.Milliseconds(), 10)}, {"truncated", "false"},
		{"executionModel", model}, {"outcome", quoteJSON(t.Outcome)}, {"durableObjectId", object}, {"preview", ""},
		{"tailAttributes", ""}, {"scriptTags", ""},
		{"dispatchNamespace", ""}, {"scriptVersion", ""}, {"entrypoint", entrypoint},
		{"scriptName", quoteJSON(t.Worker)}, {"diagnosticsChannelEvents", channelsJSON(t.Channels)},
	})
	rt := iso.Runtime()
	setOwn(obj, "exceptions", rt.NewArray(exceptions...))
	setOwn(obj, "logs", rt.NewArray(logs...))
	setOwn(obj, "eventTimestamp", rt.ToValue(t.Start.UnixMilli()))
	setOwn(obj, "event", event)
	return obj
}

func (iso *Isolate) tracedEvent(e *TracedEvent) goja.Value {
	obj := iso.traceObject(e.Class, e.Properties)
	if e.Request != nil {
		setOwn(obj, "request", iso.tracedRequest(e.Request, true))
		response := goja.Undefined()
		if e.Status != 0 {
			response = iso.traceObject("Response", [][2]string{{"status", strconv.Itoa(e.Status)}})
		}
		setOwn(obj, "response", response)
	}
	return obj
}

// channelsJSON are messages on diagnostics channels, in the platform's order.
func channelsJSON(list []TraceChannel) string {
	parts := make([]string, len(list))
	for i, c := range list {
		parts[i] = `{"message":` + c.Message + `,"channel":` + quoteJSON(c.Channel) + `,"timestamp":` +
			milliseconds(c.At) + `}`
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// tracedRequest is a request as tail consumers see it. What looks like a secret is hidden, unless getUnredacted is
// called.
func (iso *Isolate) tracedRequest(r *TracedRequest, redacted bool) *goja.Object {
	type key struct{}
	class, ok := iso.Value(key{}).(*webidl.Interface)
	if !ok {
		class = iso.Realm.Define(webidl.Spec{Name: "Request", Members: []webidl.Member{
			webidl.Method("getUnredacted",
				func(r *TracedRequest, _ *webidl.Call) goja.Value { return iso.tracedRequest(r, false) }),
		}})
		iso.SetValue(key{}, class)
	}
	rt := iso.Runtime()
	obj := class.Wrap(r)
	url := r.URL
	if redacted {
		url = redactURL(url)
	}
	setOwn(obj, "url", rt.ToValue(url))
	setOwn(obj, "method", rt.ToValue(r.Method))
	names := make([]string, 0, len(r.Header))
	for name := range r.Header {
		names = append(names, name)
	}
	sort.Strings(names)
	headers := rt.NewObject()
	for _, name := range names {
		lower, value := strings.ToLower(name), strings.Join(r.Header[name], ", ")
		if redacted && journal.SecretHeader(lower) {
			value = "REDACTED"
		}
		setOwn(headers, lower, rt.ToValue(value))
	}
	setOwn(obj, "headers", headers)
	setOwn(obj, "cf", iso.parse(r.CF))
	return obj
}

// traceObject makes an object of one of the platform's classes for traces, which are not globals. A property's text is
// JSON, "" for undefined.
func (iso *Isolate) traceObject(class string, properties [][2]string) *goja.Object {
	type key string
	c, ok := iso.Value(key(class)).(*webidl.Interface)
	if !ok {
		c = iso.Realm.Define(webidl.Spec{Name: class})
		iso.SetValue(key(class), c)
	}
	obj := c.Wrap(&struct{ _ int }{})
	for _, p := range properties {
		setOwn(obj, p[0], iso.parse(p[1]))
	}
	return obj
}

func (iso *Isolate) parse(text string) goja.Value {
	if text == "" {
		return goja.Undefined()
	}
	parse, _ := goja.AssertFunction(iso.Runtime().Get("JSON").ToObject(iso.Runtime()).Get("parse"))
	v, err := parse(goja.Undefined(), iso.Runtime().ToValue(text))
	if err != nil {
		panic(iso.Realm.ErrorValue(err))
	}
	return v
}

func setOwn(obj *goja.Object, name string, v goja.Value) {
	_ = obj.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
}
