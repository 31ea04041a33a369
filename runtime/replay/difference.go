package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"eddy/runtime/journal"
)

// Difference is one respect in which a replay differs from the file.
type Difference struct {
	// Message is the id of the message that differs. It is empty if the event itself does.
	Message string `json:"message,omitempty"`
	// Path tells what differs, in the syntax of JavaScript: sent[0].messages[1].body.total.
	Path string `json:"path"`
	// Want is the value of the file and Got that of the replay, as JSON; an empty text stands for none.
	Want string `json:"want,omitempty"`
	Got  string `json:"got,omitempty"`
}

// comparison compares events with lines of a file.
type comparison struct {
	p *player
	// children holds the lines of the file that an event has caused, by the event's span.
	children map[string][]*Recorded
	logs     bool
	// full says that written values are compared, too.
	full bool
}

// compare notes the differences of an event that has ended, and those of its children.
func (c *comparison) compare(e *Replayed) {
	want, got := e.Line, e.Got
	if known(want) {
		e.Differences = c.lines(want, got)
	}
	wanted := slices.Clone(c.children[want.Span])
	if want.Span == "" || len(wanted) == 0 || !known(want) {
		return
	}
	for _, line := range c.p.entries[c.p.spans[got]] {
		child := &Replayed{Rerun: &Rerun{Recorded: &Recorded{Line: line}}, Got: line}
		at := slices.IndexFunc(wanted, func(r *Recorded) bool { return sameCall(r.Line, line) })
		if at < 0 {
			child.Failed = "it is not in the file"
		} else {
			child.Rerun.Recorded = wanted[at]
			wanted = slices.Delete(wanted, at, at+1)
			c.compare(child)
		}
		e.Children = append(e.Children, child)
	}
	for _, r := range wanted {
		e.Children = append(e.Children, &Replayed{Rerun: &Rerun{Recorded: r}, Failed: "it did not happen"})
	}
}

// known tells whether a line has the event's result. A delivery that was cut off has none.
func known(l *journal.Line) bool {
	if l.Outcome == "canceled" && l.Delivers() {
		return slices.ContainsFunc(l.Messages, func(m journal.FileMessage) bool { return m.Outcome != "" })
	}
	return l.Outcome != ""
}

// sameCall tells whether two lines record the same call.
func sameCall(a, b *journal.Line) bool {
	same := a.Kind == b.Kind && a.Worker == b.Worker && a.Exported == b.Exported && a.RPCMethod == b.RPCMethod
	if same && a.Object != nil {
		same = b.Object != nil && a.Object.Namespace == b.Object.Namespace &&
			(a.Object.ID == b.Object.ID || a.Object.Name != "" && a.Object.Name == b.Object.Name)
	}
	if same && a.Socket != nil {
		same = b.Socket != nil && a.Socket.Type == b.Socket.Type
	}
	if same && a.Request != nil {
		same = b.Request != nil && a.Request.Method == b.Request.Method && a.Request.URL == b.Request.URL
	}
	return same
}

// lines compares two lines of one event.
func (c *comparison) lines(want, got *journal.Line) (list []Difference) {
	part := false
	if want.Delivers() {
		part = len(want.Messages) != len(got.Messages)
		list = c.messages(want, got)
	}
	add := func(path string, a, b any) {
		list = append(list, values("", path, a, b)...)
	}
	if part {
		return list
	}
	add("outcome", want.Outcome, got.Outcome)
	add("error", orNil(want.Error), orNil(got.Error))
	if want.Error == "" || got.Error == "" {
		add("exceptions", exceptions(want), exceptions(got))
	}
	if want.Kind == journal.Email && want.Mail != nil && got.Mail != nil {
		add("mail", mailActs(want), mailActs(got))
	}
	if want.Request != nil && got.Request != nil {
		add("request.status", want.Request.Status, got.Request.Status)
	}
	if !want.Cut && !got.Cut {
		add("sent", sent(want), sent(got))
		add("outgoing", outgoing(want), outgoing(got))
		if c.full {
			add("writes", writes(want), writes(got))
		}
	}
	if c.logs {
		add("logs", logs(want), logs(got))
	}
	return list
}

func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// messages compares the outcomes of messages.
func (c *comparison) messages(want, got *journal.Line) (list []Difference) {
	came := map[string]*journal.FileMessage{}
	for i := range got.Messages {
		came[got.Messages[i].ID] = &got.Messages[i]
	}
	for i := range want.Messages {
		w := &want.Messages[i]
		g := came[w.ID]
		if g == nil || w.Outcome == "" {
			continue
		}
		list = append(list, values(w.ID, "outcome", w.Outcome, orNil(g.Outcome))...)
		list = append(list, values(w.ID, "delaySeconds", delay(w), delay(g))...)
	}
	return list
}

func delay(m *journal.FileMessage) any {
	if m.Delay == nil {
		return nil
	}
	return *m.Delay
}

func exceptions(l *journal.Line) any {
	list := []any{}
	for _, x := range l.Exceptions {
		list = append(list, x.Name+": "+x.Message)
	}
	return list
}

func logs(l *journal.Line) any {
	list := []any{}
	for _, log := range l.Logs {
		list = append(list, map[string]any{"level": log.Level, "message": log.Message})
	}
	return list
}

func outgoing(l *journal.Line) any {
	list := []any{}
	for i := range l.Outgoing {
		o := &l.Outgoing[i]
		m := map[string]any{"method": o.Method, "url": o.URL}
		if o.Body != nil && !o.BodyCut {
			m["body"] = body(o.Body)
		}
		list = append(list, m)
	}
	return list
}

func writes(l *journal.Line) any {
	list := []any{}
	for i := range l.Accesses {
		a := &l.Accesses[i]
		if !a.Write {
			continue
		}
		m := map[string]any{"store": a.Store, "op": a.Op, "key": a.Key, "options": a.Options, "error": a.Error}
		if a.Binding != "" {
			m["binding"] = a.Binding
		}
		if a.Value != nil && !a.Cut {
			m["value"] = body(a.Value)
		}
		list = append(list, m)
	}
	return list
}

func sent(l *journal.Line) any {
	list := []any{}
	for _, s := range l.Sent {
		messages := []any{}
		for i := range s.Messages {
			m := &s.Messages[i]
			messages = append(messages, map[string]any{"contentType": m.ContentType, "delaySeconds": delay(m),
				"body": body(&m.Body)})
		}
		list = append(list, map[string]any{"queue": s.Queue, "messages": messages})
	}
	return list
}

func body(b *journal.FileBody) any {
	switch {
	case b.JSON != nil:
		return b.JSON
	case b.Text != nil:
		return *b.Text
	case b.Base64 != nil:
		return "base64:" + *b.Base64
	}
	return nil
}

// values compares two JSON values, objects and arrays member by member.
func values(message, path string, want, got any) []Difference {
	a, b := encode(want), encode(got)
	if bytes.Equal(a, b) {
		return nil
	}
	return walk(message, path, decode(a), decode(b))
}

// encode is a value as JSON. What it is made of marshals.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func decode(text []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		panic(err)
	}
	return v
}

// nothing stands for a value that one side does not have.
type nothing struct{}

func walk(message, path string, want, got any) (list []Difference) {
	switch a := want.(type) {
	case map[string]any:
		b, ok := got.(map[string]any)
		if !ok {
			break
		}
		names := map[string]bool{}
		for _, m := range []map[string]any{a, b} {
			for name := range m {
				names[name] = true
			}
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			list = append(list, walk(message, member(path, name), field(a, name), field(b, name))...)
		}
		return list
	case []any:
		b, ok := got.([]any)
		if !ok {
			break
		}
		for i := range max(len(a), len(b)) {
			list = append(list, walk(message, fmt.Sprintf("%s[%d]", path, i), item(a, i), item(b, i))...)
		}
		return list
	}
	x, y := shown(want), shown(got)
	if x == y {
		return nil
	}
	return []Difference{{Message: message, Path: path, Want: x, Got: y}}
}

func field(m map[string]any, name string) any {
	if v, ok := m[name]; ok {
		return v
	}
	return nothing{}
}

func item(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nothing{}
}

// shown is a value as JSON; nothing and null are "".
func shown(v any) string {
	switch v.(type) {
	case nothing, nil:
		return ""
	}
	return string(encode(v))
}

// member is the path of a property.
func member(path, name string) string {
	for i, r := range name {
		if r != '_' && r != '$' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return path + "[" + strconv.Quote(name) + "]"
		}
	}
	if name == "" {
		return path + `[""]`
	}
	return path + "." + name
}
