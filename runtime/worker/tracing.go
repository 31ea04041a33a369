package worker

import (
	"encoding/hex"
	"slices"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/cause"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/journal"
)

// span is the state of a Span of tracing (BIND-164). Loop goroutine only.
type span struct {
	of *observation // nil: nobody watches, and nothing is kept
	// trace is that of its ids; idle says that it was made outside of events, and has none.
	trace  [16]byte
	idle   bool
	note   journal.NamedSpan
	object *goja.Object
	ended  bool
	// root says that it stands for the event itself, which opens and closes without it.
	root bool
}

// spanKey is that of the async variable with the active Span.
type spanKey struct{}

// activeSpan is the span that the current async context has entered, nil for none.
func (iso *Isolate) activeSpan() *span {
	v := iso.Loop.Variable(spanKey{})
	if v == nil {
		return nil
	}
	s, _ := webidl.StateOf[*span](iso.Realm, v)
	return s
}

// tracingClasses are made when a script first touches tracing.
type tracingClasses struct{ tracing, span *webidl.Interface }

type tracingKey struct{}

func (iso *Isolate) tracingClasses() *tracingClasses {
	if c, ok := iso.Value(tracingKey{}).(*tracingClasses); ok {
		return c
	}
	c := &tracingClasses{span: iso.Realm.Define(webidl.Spec{Name: "Span", Members: spanMembers()})}
	c.tracing = iso.Realm.Define(webidl.Spec{Name: "Tracing", Members: []webidl.Member{
		webidl.Method("enterSpan", func(_ *Isolate, c *webidl.Call) goja.Value { return iso.enterSpan(c, true) }),
		webidl.Method("startActiveSpan",
			func(_ *Isolate, c *webidl.Call) goja.Value { return iso.enterSpan(c, false) }),
		webidl.Method("startSpan",
			func(_ *Isolate, c *webidl.Call) goja.Value { return iso.newSpan(c.String(0)).object }),
		webidl.Method("getActiveSpan", func(_ *Isolate, c *webidl.Call) goja.Value {
			if s := iso.activeSpan(); s != nil {
				return s.object
			}
			return iso.rootSpan()
		}),
		webidl.Method("withActiveSpan", func(_ *Isolate, c *webidl.Call) goja.Value {
			s, ok := webidl.StateOf[*span](iso.Realm, c.Arg(0))
			if !ok {
				c.ThrowNotOfType(0, "Span")
			}
			return iso.within(s, functionOf(c), c.Args[2:])
		}),
	}})
	_ = c.tracing.Prototype.DefineDataProperty("Span", c.span.Constructor, goja.FLAG_TRUE, goja.FLAG_TRUE,
		goja.FLAG_TRUE)
	iso.SetValue(tracingKey{}, c)
	return c
}

// tracingObject makes an object like the export tracing of cloudflare:workers.
func (iso *Isolate) tracingObject() *goja.Object { return iso.tracingClasses().tracing.Wrap(iso) }

// ctxTracing is ctx.tracing, one object for all.
func (iso *Isolate) ctxTracing() *goja.Object {
	if iso.tracing == nil {
		iso.tracing = iso.tracingObject()
	}
	return iso.tracing
}

// newSpan opens a span below the active one.
func (iso *Isolate) newSpan(name string) *span {
	s := &span{of: iso.spanning()}
	s.object = iso.tracingClasses().span.Wrap(s)
	if s.idle = iso.Loop.Scope() == nil; s.idle {
		return s
	}
	own := cause.New()
	s.trace, s.note.ID = own.Trace, own.Span
	if above := iso.activeSpan(); above != nil && above.trace != [16]byte{} {
		s.trace = above.trace
	}
	if o := s.of; o != nil {
		s.trace = o.entry.Trace
		s.note = journal.NamedSpan{ID: own.Span, Parent: o.here(), Name: name, At: o.iso.Loop.Clock().Now().UnixMicro()}
		o.spans = append(o.spans, s)
		o.emit(s.note.Parent, `{"type":"spanOpen","name":`+quoteJSON(name)+`,"spanId":"`+
			hex.EncodeToString(s.note.ID[:])+`"}`)
	}
	return s
}

// rootSpan is the Span of the event itself, undefined outside of events.
func (iso *Isolate) rootSpan() goja.Value {
	if iso.Loop.Scope() == nil {
		return goja.Undefined()
	}
	o := iso.spanning()
	if o == nil {
		return iso.tracingClasses().span.Wrap(&span{root: true})
	}
	if o.root == nil {
		o.root = &span{of: o, root: true, trace: o.entry.Trace,
			note: journal.NamedSpan{ID: o.entry.Span, Parent: o.entry.Span}}
		o.root.object = iso.tracingClasses().span.Wrap(o.root)
	}
	return o.root.object
}

// within calls fn while s is active.
func (iso *Isolate) within(s *span, fn goja.Callable, args []goja.Value) (v goja.Value) {
	var err error
	iso.Loop.WithVariable(spanKey{}, s.object, func() { v, err = fn(goja.Undefined(), args...) })
	if err != nil {
		panic(err)
	}
	return v
}

// enterSpan is enterSpan, which ends the span with the callback, and startActiveSpan, which leaves that to the script.
func (iso *Isolate) enterSpan(c *webidl.Call, ends bool) goja.Value {
	name, fn := c.String(0), functionOf(c)
	s := iso.newSpan(name)
	args := append([]goja.Value{s.object}, c.Args[2:]...)
	if !ends {
		return iso.within(s, fn, args)
	}
	async := false
	defer func() {
		if !async {
			s.end()
		}
	}()
	v := iso.within(s, fn, args)
	if iso.Realm.PromiseOf(v) == nil {
		return v
	}
	p := v.(*goja.Object)
	then, _ := goja.AssertFunction(p.Get("then"))
	// The caller gets what comes after the end, so that a rejection stays one that it may handle.
	after, err := then(p, iso.Realm.Function("", func(fc goja.FunctionCall) goja.Value {
		s.end()
		return fc.Argument(0)
	}), iso.Realm.Function("", func(fc goja.FunctionCall) goja.Value {
		s.end()
		panic(fc.Argument(0))
	}))
	if err != nil {
		panic(err)
	}
	async = true
	return after
}

// functionOf is the second argument.
func functionOf(c *webidl.Call) goja.Callable {
	fn, ok := goja.AssertFunction(c.Arg(1))
	if !ok {
		c.ThrowNotOfType(1, "Function")
	}
	return fn
}

// end closes the span, once.
func (s *span) end() {
	if s == nil || s.ended {
		return
	}
	s.ended = true
	o := s.of
	if o == nil {
		return
	}
	if i := slices.Index(o.spans, s); i >= 0 {
		o.spans = slices.Delete(o.spans, i, i+1)
	}
	s.note.Took = time.Duration(o.iso.Loop.Clock().Now().UnixMicro()-s.note.At) * time.Microsecond
	if s.root {
		s.note.At, s.note.Took = 0, 0
	}
	o.entry.AddSpan(s.note)
	if len(s.note.Attributes) > 0 {
		body := `{"type":"attributes","info":[`
		for i, a := range s.note.Attributes {
			if i > 0 {
				body += ","
			}
			body += `{"name":` + quoteJSON(a.Name) + `,"value":` + a.Value + `}`
		}
		o.emit(s.note.ID, body+`]}`)
	}
	if !s.root {
		o.emit(s.note.ID, `{"type":"spanClose","outcome":"ok"}`)
	}
}

// set keeps an attribute, in the place of one of its name. undefined keeps nothing.
func (s *span) set(name string, v goja.Value) {
	if s.of == nil || s.ended || v == nil || goja.IsUndefined(v) {
		return
	}
	a := journal.SpanAttribute{Name: name, Value: attributeJSON(s.of.iso, v)}
	for i := range s.note.Attributes {
		if s.note.Attributes[i].Name == name {
			s.note.Attributes[i] = a
			return
		}
	}
	s.note.Attributes = append(s.note.Attributes, a)
}

// attributeJSON is a boolean or number as it is, anything else as its text.
func attributeJSON(iso *Isolate, v goja.Value) string {
	switch webidl.Primitive(v).(type) {
	case bool, int64, float64:
		if text, ok := iso.stringify(v); ok {
			return text
		}
	}
	return quoteJSON(webidl.ToString(v))
}

// stringify is JSON.stringify of a primitive value; ok is false for what JSON lacks.
func (iso *Isolate) stringify(v goja.Value) (text string, ok bool) {
	f, _ := goja.AssertFunction(iso.Runtime().Get("JSON").ToObject(iso.Runtime()).Get("stringify"))
	s, err := f(goja.Undefined(), v)
	if err != nil {
		panic(err)
	}
	return s.String(), s.String() != "null"
}

// errSpanStatus is the platform's text.
const errSpanStatus = "Span status code must be 'unset', 'ok', or 'error'."

func spanMembers() []webidl.Member {
	return []webidl.Member{
		webidl.Getter("isTraced", func(s *span, c *webidl.Call) goja.Value { return c.Value(!s.idle) }),
		webidl.Method("spanContext", func(s *span, c *webidl.Call) goja.Value {
			o := c.Runtime().NewObject()
			setOwn(o, "traceId", c.Value(hex.EncodeToString(s.trace[:])))
			setOwn(o, "spanId", c.Value(hex.EncodeToString(s.note.ID[:])))
			setOwn(o, "traceFlags", c.Value(0))
			return o
		}),
		webidl.Method("setAttribute", func(s *span, c *webidl.Call) goja.Value {
			s.set(c.String(0), c.Arg(1))
			return c.This
		}),
		webidl.Method("setAttributes", func(s *span, c *webidl.Call) goja.Value {
			o, ok := c.Arg(0).(*goja.Object)
			if !ok {
				c.ThrowNotOfType(0, "object")
			}
			for _, name := range o.Keys() {
				s.set(name, o.Get(name))
			}
			return c.This
		}),
		webidl.Method("recordException", func(s *span, c *webidl.Call) goja.Value {
			s.recordException(c.Require(0, "Value"))
			return nil
		}),
		webidl.Method("updateName", func(s *span, c *webidl.Call) goja.Value {
			if name := c.String(0); s.of != nil && !s.ended {
				s.note.Name = name
				s.of.emit(s.note.ID, `{"type":"spanUpdate","info":{"type":"name","name":`+quoteJSON(name)+`}}`)
			}
			return c.This
		}),
		webidl.Method("setStatus", func(s *span, c *webidl.Call) goja.Value {
			o, ok := c.Arg(0).(*goja.Object)
			if !ok {
				c.ThrowNotOfType(0, "TracingSpanStatus")
			}
			s.setStatus(c, o)
			return c.This
		}),
		webidl.Method("end", func(s *span, _ *webidl.Call) goja.Value {
			if !s.root {
				s.end()
			}
			return nil
		}),
	}
}

func (s *span) setStatus(c *webidl.Call, o *goja.Object) {
	text := func(name string) string {
		if v := webidl.Option(o, name); v != nil && !goja.IsUndefined(v) {
			return webidl.ToString(v)
		}
		return ""
	}
	code, message := text("code"), text("message")
	switch code {
	case "unset", "ok", "error":
	default:
		c.ThrowType("%s", errSpanStatus)
	}
	if s.of == nil || s.ended {
		return
	}
	s.note.Status, s.note.Message = code, ""
	if code == "unset" {
		s.note.Status = ""
	}
	body := `{"code":"` + code + `"`
	if code == "error" && message != "" {
		s.note.Message = message
		body += `,"message":` + quoteJSON(message)
	}
	s.of.emit(s.note.ID, `{"type":"spanUpdate","info":{"type":"status","status":`+body+`}}}`)
}

// recordException notes an exception that the script has caught: an error, an object like one, or a text.
func (s *span) recordException(v goja.Value) {
	if s.of == nil || s.ended || len(s.note.Exceptions) >= maxTraceLogs {
		return
	}
	x := journal.Exception{Name: "Error", At: s.of.iso.Loop.Clock().Now().UnixMilli()}
	code := ""
	if o, ok := v.(*goja.Object); ok {
		for _, p := range []struct {
			name string
			to   *string
		}{{"name", &x.Name}, {"message", &x.Message}, {"stack", &x.Stack}} {
			if v := o.Get(p.name); v != nil && !goja.IsUndefined(v) {
				*p.to = webidl.ToString(v)
			}
		}
		if v := o.Get("code"); v != nil && !goja.IsUndefined(v) {
			code = attributeJSON(s.of.iso, v)
		}
	} else {
		x.Message = webidl.ToString(v)
	}
	s.note.Exceptions = append(s.note.Exceptions, x)
	s.of.emit(s.note.ID, exceptionJSON(code, x.Name, x.Message, x.Stack))
}
