package journal

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Redactor takes out of entries what may not be recorded: values that are secret, and headers that carry such values.
// The zero value knows no secrets. Any goroutine.
type Redactor struct {
	mu      sync.Mutex // held while secrets are added
	rules   atomic.Pointer[Rules]
	secrets atomic.Pointer[secrets]
}

// shortest is the length of a value that is looked for: a shorter one would be found everywhere.
const shortest = 4

// Follow sets the user's rules.
func (r *Redactor) Follow(rules *Rules) { r.rules.Store(rules) }

// Hide adds values that are secret.
func (r *Redactor) Hide(values ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.secrets.Load()
	for _, v := range values {
		if len(v) >= shortest {
			all = all.with(v)
		}
	}
	r.secrets.Store(all)
}

// Redact changes an entry. What it changes is copied before: others have the same bytes.
func (r *Redactor) Redact(e *Entry) {
	rules := r.rules.Load()
	for _, h := range headersOf(e) {
		*h = hideHeaders(*h, rules)
	}
	if m := e.Mail; m != nil {
		m.Text = rules.mail(m.Text)
		for i := range m.Did {
			m.Did[i].Text = rules.mail(m.Did[i].Text)
		}
	}
	if rules != nil && len(rules.paths) > 0 {
		e.own()
		e.eachText(func(s *string) { *s = rules.text(*s) }, func(b *[]byte) { *b = rules.body(*b) })
	}
	known := r.secrets.Load()
	if known == nil {
		return
	}
	e.own()
	e.eachText(func(s *string) {
		if !mayHave(known, *s) {
			return
		}
		for _, secret := range known.forms {
			if strings.Contains(*s, secret) {
				*s = strings.ReplaceAll(*s, secret, stars(secret))
			}
		}
	}, func(b *[]byte) {
		if !mayHave(known, *b) {
			return
		}
		for _, secret := range known.forms {
			if bytes.Contains(*b, []byte(secret)) {
				// As long as before, so that lengths inside of serialized values stay true.
				*b = bytes.ReplaceAll(*b, []byte(secret), []byte(stars(secret)))
			}
		}
	})
}

func stars(secret string) string { return strings.Repeat("*", len(secret)) }

func headersOf(e *Entry) (list []*http.Header) {
	if e.Request != nil {
		list = append(list, &e.Request.Header)
	}
	for i := range e.Outgoing {
		list = append(list, &e.Outgoing[i].Header, &e.Outgoing[i].AnswerHeader)
	}
	return list
}

// hideHeaders is a header without the values that tail consumers do not see either.
func hideHeaders(h http.Header, rules *Rules) http.Header {
	var out http.Header
	for name := range h {
		if !secretName(name) && (rules == nil || len(rules.headers) == 0 || !rules.headers[strings.ToLower(name)]) {
			continue
		}
		if out == nil {
			out = h.Clone()
		}
		out[name] = []string{"REDACTED"}
	}
	if out == nil {
		return h
	}
	return out
}

// secretName is SecretHeader for a name in any case. It is asked for every header of every event, so that it knows the
// usual ones by heart.
func secretName(name string) bool { return !usual[name] && SecretHeader(strings.ToLower(name)) }

// usual are headers of most requests and answers, none of which carries a secret.
var usual = map[string]bool{"Accept": true, "Accept-Encoding": true, "Accept-Language": true, "Cache-Control": true,
	"Cf-Connecting-Ip": true, "Cf-Ipcountry": true, "Cf-Ray": true, "Cf-Visitor": true, "Connection": true,
	"Content-Encoding": true, "Content-Length": true, "Content-Type": true, "Date": true, "Host": true,
	"Origin": true, "Referer": true, "Server": true, "Traceparent": true, "Transfer-Encoding": true,
	"User-Agent": true, "Vary": true, "X-Forwarded-Proto": true, "X-Real-Ip": true}

// SecretHeader tells whether a header's value is hidden from those who look at events, by the platform's rules. name is
// in lower case.
func SecretHeader(name string) bool {
	if name == "cookie" || name == "set-cookie" {
		return true
	}
	for _, word := range []string{"auth", "jwt", "key", "secret", "token"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// own copies the entry's slices of messages, which others use, too.
func (e *Entry) own() {
	if e.Delivery != nil {
		d := *e.Delivery
		d.Messages = slices.Clone(d.Messages)
		e.Delivery = &d
	}
	for i := range e.Sent {
		e.Sent[i].Messages = slices.Clone(e.Sent[i].Messages)
	}
}

// eachText calls text and body with whatever of an entry a script or somebody outside can have written.
func (e *Entry) eachText(text func(*string), body func(*[]byte)) {
	texts := func(list ...*string) {
		for _, s := range list {
			if *s != "" {
				text(s)
			}
		}
	}
	header := func(h *http.Header) {
		var out http.Header
		for name, values := range *h {
			changed, list := name, values
			text(&changed)
			for i, v := range values {
				if text(&v); v != values[i] {
					if &list[0] == &values[0] {
						list = slices.Clone(values)
					}
					list[i] = v
				}
			}
			if changed != name || len(list) > 0 && &list[0] != &values[0] {
				if out == nil {
					out = h.Clone()
				}
				delete(out, name)
				out[changed] = list
			}
		}
		if out != nil {
			*h = out
		}
	}
	messages := func(list []Message) {
		for i := range list {
			m := &list[i]
			body(&m.Body)
			texts(&m.ContentType, &m.Outcome, &m.Cause)
		}
	}
	kind := string(e.Kind)
	texts(&kind, &e.Worker, &e.Entrypoint, &e.Outcome, &e.RPCMethod, &e.RPCArguments)
	e.Kind = Kind(kind)
	body(&e.Random)
	for i := range e.Logs {
		texts(&e.Logs[i].Level, &e.Logs[i].Message)
	}
	for i := range e.Exceptions {
		x := &e.Exceptions[i]
		texts(&x.Name, &x.Message, &x.Stack)
	}
	if r := e.Request; r != nil {
		texts(&r.Method, &r.URL, &r.CF)
		header(&r.Header)
		body(&r.Body)
	}
	if d := e.Delivery; d != nil {
		texts(&d.Queue, &d.Lane, &d.Reason, &d.Error, &d.Stack)
		if d.Settings != nil {
			texts(&d.Settings.DeadLetterQueue)
		}
		messages(d.Messages)
	}
	if e.Schedule != nil {
		texts(&e.Schedule.Cron)
	}
	for i := range e.Sent {
		texts(&e.Sent[i].Queue, &e.Sent[i].Error)
		messages(e.Sent[i].Messages)
	}
	for i := range e.Outgoing {
		o := &e.Outgoing[i]
		texts(&o.Method, &o.URL, &o.Error)
		header(&o.Header)
		header(&o.AnswerHeader)
		body(&o.Body)
		body(&o.Answer)
	}
	if o := e.Object; o != nil {
		texts(&o.Namespace, &o.ID, &o.Name)
	}
	if m := e.Mail; m != nil {
		texts(&m.From, &m.To)
		body(&m.Text)
		for i := range m.Did {
			act := &m.Did[i]
			texts(&act.Type, &act.To, &act.Reason)
			body(&act.Text)
		}
	}
	if w := e.Workflow; w != nil {
		texts(&w.Name, &w.Instance, &w.Event, &w.Step, &w.Error)
	}
	for i := range e.Accesses {
		a := &e.Accesses[i]
		texts(&a.Store, &a.Binding, &a.Op, &a.Key, &a.Options, &a.Error)
		body(&a.Value)
	}
	socket := func(s *SocketEvent) {
		texts(&s.Type, &s.Reason)
		body(&s.Data)
		body(&s.Attachment)
		for i := range s.Tags {
			texts(&s.Tags[i])
		}
	}
	if e.Socket != nil {
		socket(e.Socket)
	}
	for i := range e.Frames {
		socket(&e.Frames[i].Event)
	}
	for i := range e.Spans {
		s := &e.Spans[i]
		texts(&s.Name, &s.Status, &s.Message)
		for j := range s.Attributes {
			texts(&s.Attributes[j].Name, &s.Attributes[j].Value)
		}
		for j := range s.Exceptions {
			texts(&s.Exceptions[j].Name, &s.Exceptions[j].Message, &s.Exceptions[j].Stack)
		}
	}
}
