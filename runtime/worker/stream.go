package worker

import (
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/cause"
	"eddy/runtime/engine/host"
	"eddy/runtime/journal"
)

// StreamHead is what all events of one stream have in common: an invocation of a Worker or an event of an object, as
// streaming tail Workers hear of it while it goes on (BIND-140, BIND-141).
type StreamHead struct {
	Worker            string
	Trace, Invocation [16]byte
}

// StreamEvent is one event of a stream. Span is that of its context, zero for none; Body is the platform's event as
// JSON.
type StreamEvent struct {
	Span     [8]byte
	At       time.Time
	Sequence int
	Body     string
	// Last says that nothing follows.
	Last bool
}

// observation is one event while it goes on, for spans and for streaming tail Workers. Loop goroutine only.
type observation struct {
	iso   *Isolate
	entry *journal.Entry
	// sink takes the events of the stream, nil if nobody listens.
	sink func(StreamEvent)
	next int // the sequence number of the next event
	// begun says that the first event of the stream is out.
	begun bool
	// returned says that the handler's return is out.
	returned bool
	// spans are open, oldest first. root stands for the event itself, made when a script first asks for it.
	spans []*span
	root  *span
}

// observing is the observation of the event that the current async context belongs to, nil if it has no spans and
// nobody hears its stream, or if it is over.
func (iso *Isolate) observing() *observation {
	if iso.observed == nil {
		return nil
	}
	return iso.observed[iso.Loop.Hops().Cause.Span]
}

// spanning is observing for an event that is to have spans, nil only if nothing is recorded.
func (iso *Isolate) spanning() *observation {
	if o := iso.observing(); o != nil {
		return o
	}
	e := iso.Recording()
	if e == nil {
		return nil
	}
	return iso.observe(e)
}

// observe begins to watch an event.
func (iso *Isolate) observe(e *journal.Entry) *observation {
	o := &observation{iso: iso, entry: e}
	if iso.opts.Stream != nil {
		o.sink = iso.opts.Stream(StreamHead{Worker: iso.Name, Trace: e.Trace, Invocation: cause.New().Trace})
	}
	if iso.observed == nil {
		iso.observed = map[[8]byte]*observation{}
	}
	iso.observed[e.Span] = o
	return o
}

// Onset tells streaming tail Workers what began. info is the platform's description as JSON; nil is none. Loop
// goroutine only.
func (iso *Isolate) Onset(e *journal.Entry, info func() string) {
	if e == nil || iso.opts.Stream == nil {
		return
	}
	o := iso.observed[e.Span]
	if o == nil || o.sink == nil || o.begun {
		return
	}
	o.begun = true
	model, object := "stateless", ""
	if e.Object != nil {
		model, object = "durableObject", `,"durableObjectId":`+quoteJSON(e.Object.ID)
	}
	entrypoint := ""
	if e.Entrypoint != "" {
		entrypoint = `,"entrypoint":` + quoteJSON(e.Entrypoint)
	}
	o.put(e.Parent, `{"type":"onset","executionModel":"`+model+`","spanId":"`+hex.EncodeToString(e.Span[:])+
		`","scriptName":`+quoteJSON(iso.Name)+entrypoint+object+`,"scriptTags":[],"info":`+info()+`}`, false)
	if e.Kind == journal.RPC {
		o.emit(e.Span, `{"type":"attributes","info":[{"name":"jsrpc.method","value":`+quoteJSON(e.RPCMethod)+`}]}`)
	}
}

// put gives an event to the stream.
func (o *observation) put(span [8]byte, body string, last bool) {
	o.sink(StreamEvent{Span: span, At: o.iso.Loop.Clock().Now(), Sequence: o.next, Body: body, Last: last})
	o.next++
}

// emit is put for what follows the onset. Nothing that comes before it is told.
func (o *observation) emit(span [8]byte, body string) {
	if o != nil && o.begun {
		o.put(span, body, false)
	}
}

// here is the span that is current.
func (o *observation) here() [8]byte {
	if s := o.iso.activeSpan(); s != nil && s.of == o {
		return s.note.ID
	}
	return o.entry.Span
}

// logged tells of a call of console.
func (o *observation) logged(e host.ConsoleLine) {
	if o == nil || !o.begun {
		return
	}
	body := `{"type":"log","level":` + quoteJSON(string(e.Level)) + `,"message":` + o.iso.jsonOf(e)
	infos, errs := make([]string, len(e.Args)), 0
	for i, a := range e.Args {
		infos[i] = "null"
		if obj, ok := a.(*goja.Object); ok && obj.ClassName() == "Error" {
			ex := o.iso.Exception(obj)
			infos[i] = `{"name":` + quoteJSON(ex.Name) + `,"message":` + quoteJSON(ex.Message) + `,"stack":` +
				quoteJSON(ex.below()) + `}`
			errs++
		}
	}
	if errs > 0 {
		body += `,"errorInfo":[` + strings.Join(infos, ",") + `]`
	}
	o.emit(o.here(), body+`}`)
}

// failed tells of an exception that nobody caught.
func (o *observation) failed(ex *Exception) {
	if o != nil && o.begun {
		o.emit(o.here(), exceptionJSON("", ex.Name, ex.Message, ex.below()))
	}
}

func exceptionJSON(code, name, message, stack string) string {
	if code != "" {
		code = `,"code":` + code
	}
	if stack != "" {
		stack = `,"stack":` + quoteJSON(stack)
	}
	return `{"type":"exception"` + code + `,"name":` + quoteJSON(name) + `,"message":` + quoteJSON(message) + stack +
		`}`
}

// below is the stack without its first line.
func (e *Exception) below() string {
	_, rest, _ := strings.Cut(e.Stack, "\n")
	return rest
}

// returned tells streaming tail Workers that the handler has its result; info is JSON, "" for none. It counts once.
func (iso *Isolate) returned(e *journal.Entry, info string) {
	if e == nil {
		return
	}
	if o := iso.observed[e.Span]; o != nil && o.begun && !o.returned {
		o.returned = true
		if info != "" {
			info = `,"info":` + info
		}
		o.emit(e.Span, `{"type":"return"`+info+`}`)
	}
}

// unobserve ends the observation of an event: spans that are open end with it.
func (iso *Isolate) unobserve(e *journal.Entry) {
	o := iso.observed[e.Span]
	if o == nil {
		return
	}
	for len(o.spans) > 0 {
		o.spans[len(o.spans)-1].end()
	}
	o.root.end()
	delete(iso.observed, e.Span)
	if !o.begun {
		return
	}
	if e.Outcome == "ok" && !o.returned {
		o.emit(e.Span, `{"type":"return"}`)
	}
	o.put(e.Span, `{"type":"outcome","outcome":`+quoteJSON(e.Outcome)+`,"cpuTime":`+
		strconv.FormatInt(e.CPU.Milliseconds(), 10)+`,"wallTime":`+
		strconv.FormatInt(e.Wall.Milliseconds(), 10)+`}`, true)
}

// Onsetter is implemented by events that describe themselves to streaming tail Workers. The JSON is the platform's
// info.
type Onsetter interface{ Onset(inv *Invocation) string }

// onset tells streaming tail Workers of the invocation.
func (inv *Invocation) onset() {
	inv.Isolate.Onset(inv.entry, func() string {
		if d, ok := inv.Event.(Onsetter); ok {
			return d.Onset(inv)
		}
		return `{"type":"custom"}`
	})
}

// Onset implements [Onsetter].
func (e *fetchEvent) Onset(inv *Invocation) string {
	cf := ""
	if e.options.CF != nil {
		_ = inv.Isolate.Realm.Try(func() {
			if v := e.options.CF(inv.Isolate); v != nil && !goja.IsUndefined(v) {
				text := inv.Isolate.jsonOf(host.ConsoleLine{Args: []goja.Value{v}})
				cf = text[1 : len(text)-1]
			}
		})
	}
	return FetchInfo(e.req.Method, e.req.URL.String(), cf, e.req.Header)
}

// Onset implements [Onsetter].
func (s *Scheduled) Onset(*Invocation) string {
	return `{"type":"scheduled","scheduledTime":` + milliseconds(s.Time) + `,"cron":` + quoteJSON(s.Cron) + `}`
}

// FetchInfo describes a request to streaming tail Workers. cf is JSON, "" for none.
func FetchInfo(method, url, cf string, header map[string][]string) string {
	if cf != "" {
		cf = `,"cfJson":` + cf
	}
	list := make([]string, 0, len(header))
	for _, name := range slices.Sorted(maps.Keys(header)) {
		list = append(list, `{"name":`+quoteJSON(strings.ToLower(name))+`,"value":`+
			quoteJSON(strings.Join(header[name], ", "))+`}`)
	}
	return `{"type":"fetch","method":` + quoteJSON(method) + `,"url":` + quoteJSON(url) + cf + `,"headers":[` +
		strings.Join(list, ",") + `]}`
}
