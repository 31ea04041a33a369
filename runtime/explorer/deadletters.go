package explorer

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"eddy/runtime/control"
)

// DeadLetterQueues is the model of the list.
type DeadLetterQueues struct {
	Queues []QueueRow `json:"queues"`
}

// DeadLetterPage is the model of a dead letter queue.
type DeadLetterPage struct {
	Queue QueueRow `json:"queue"`
	// Error and Source are what was asked for.
	Error  string `json:"error,omitempty"`
	Source string `json:"source,omitempty"`
	// Groups are the errors of all that is there, the most frequent first.
	Groups []ErrorGroup `json:"groups"`
	// Matches counts the messages that match; Messages are the oldest of them.
	Matches  int               `json:"matches"`
	Messages []control.Message `json:"messages"`
	// Notes are what people did here, newest first.
	Notes  []control.Note `json:"notes"`
	Queues []string       `json:"-"` // where a replay may go
}

// ErrorGroup are dead letters with one error from one queue.
type ErrorGroup struct {
	Error  string `json:"error"`
	Source string `json:"source"`
	Count  int    `json:"count"`
}

// most bounds how many dead letters are looked at for the groups, and how many notes are shown.
const (
	mostDeadLetters = 10_000
	mostNotes       = 20
)

func (x *Server) deadLetterPages() []page {
	return []page{
		of("dead-letters", "deadletterqueues", "Queues that are or were some queue's dead letter queue.",
			func(r *http.Request) (*DeadLetterQueues, error) {
				all, err := x.o.Client.DeadLetterQueues(r.Context())
				l := &DeadLetterQueues{Queues: []QueueRow{}}
				for _, q := range all {
					l.Queues = append(l.Queues, QueueRow{Queue: q})
				}
				return l, err
			}),
		of("dead-letters/{queue}", "deadletters", "Dead letters, grouped by error.", x.deadLetters,
			field{"error", "what the last error contains"}, field{"source", "the queue in which they failed"}),
		of("dead-letters/{queue}/{id}", "deadletter", "One dead letter, to edit; with ?body= what the edit changes.",
			x.deadLetter, field{"body", "the new body"}, field{"content_type", "its type"},
			field{"draft", "in the place of both: an edit that a form has sent"}),
	}
}

func (x *Server) deadLetters(r *http.Request) (*DeadLetterPage, error) {
	ctx, v := r.Context(), r.URL.Query()
	p := &DeadLetterPage{Error: v.Get("error"), Source: v.Get("source"), Groups: []ErrorGroup{},
		Messages: []control.Message{}, Notes: []control.Note{}}
	q, err := x.o.Client.Queue(ctx, r.PathValue("queue"))
	if err != nil {
		return nil, err
	}
	p.Queue = QueueRow{Queue: q}
	all, err := x.o.Client.DeadLetters(ctx, q.Name, control.DeadLetterFilter{Limit: mostDeadLetters})
	if err != nil {
		return nil, err
	}
	p.group(all)
	for _, m := range all {
		if m.DeadLetter == nil || p.Source != "" && m.DeadLetter.Source != p.Source ||
			!strings.Contains(m.DeadLetter.LastError, p.Error) {
			continue
		}
		if p.Matches++; len(p.Messages) < pageOfMessages {
			p.Messages = append(p.Messages, m)
		}
	}
	notes, err := x.o.Client.Notes(ctx)
	if err != nil {
		return nil, err
	}
	for _, n := range slices.Backward(notes) {
		if n.Queue == q.Name && len(p.Notes) < mostNotes {
			p.Notes = append(p.Notes, n)
		}
	}
	queues, err := x.o.Client.Queues(ctx)
	for _, one := range queues {
		if one.Name != q.Name {
			p.Queues = append(p.Queues, one.Name)
		}
	}
	return p, err
}

func (p *DeadLetterPage) group(all []control.Message) {
	at := map[ErrorGroup]int{}
	for _, m := range all {
		if m.DeadLetter == nil {
			continue
		}
		first, _, _ := strings.Cut(m.DeadLetter.LastError, "\n")
		key := ErrorGroup{Error: first, Source: m.DeadLetter.Source}
		if _, ok := at[key]; !ok {
			at[key] = len(p.Groups)
			p.Groups = append(p.Groups, key)
		}
		p.Groups[at[key]].Count++
	}
	slices.SortStableFunc(p.Groups, func(a, b ErrorGroup) int { return b.Count - a.Count })
}

// DeadLetterEdit is the model of one dead letter.
type DeadLetterEdit struct {
	Queue   string          `json:"queue"`
	Message control.Message `json:"message"`
	// Body is what the editor holds, Type its content type.
	Body string `json:"body"`
	Type string `json:"content_type"`
	// Diff has the lines that an edit changes, none before it was looked at.
	Diff []DiffLine `json:"diff,omitempty"`
	// Same says that the edit changes nothing.
	Same bool `json:"same,omitempty"`
}

// draft is an edit that a form sends to be compared: it may be larger than an address can be.
type draft struct{ body, contentType string }

// DiffLine is a line of a diff; Sign is "+", "-" or " ".
type DiffLine struct {
	Sign string `json:"sign"`
	Text string `json:"text"`
}

func (x *Server) deadLetter(r *http.Request) (*DeadLetterEdit, error) {
	queue, id, v := r.PathValue("queue"), r.PathValue("id"), r.URL.Query()
	list, err := x.o.Client.DeadLetters(r.Context(), queue, control.DeadLetterFilter{IDs: []string{id}, Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, missing("no dead letter %s waits in %s: it was replayed, skipped or removed", id, queue)
	}
	e := &DeadLetterEdit{Queue: queue, Message: list[0], Body: editable(list[0].MessageBody),
		Type: list[0].ContentType}
	edit, ok := x.drafts.get(v.Get("draft"))
	if v.Has("body") {
		edit, ok = draft{strings.ReplaceAll(v.Get("body"), "\r\n", "\n"), v.Get("content_type")}, true
	} else if v.Has("draft") && !ok {
		return nil, missing("this edit is forgotten: the latest %d that were compared are kept", mostKept)
	}
	if ok {
		before := e.Body
		e.Body, e.Type = edit.body, edit.contentType
		if _, err := bodyFrom(e.Body, e.Type); err != nil {
			return nil, err
		}
		e.Diff = diff(before, e.Body)
		e.Same = len(e.Diff) == 0
	}
	return e, nil
}

// diff compares two bodies line by line, JSON in its indented form.
func diff(before, after string) (lines []DiffLine) {
	unified := udiff.Unified("before", "after", pretty(before)+"\n", pretty(after)+"\n")
	for i, line := range strings.Split(strings.TrimSuffix(unified, "\n"), "\n") {
		if i < 2 || strings.HasPrefix(line, "@@") || line == "" {
			continue
		}
		lines = append(lines, DiffLine{line[:1], line[1:]})
	}
	return lines
}

func (x *Server) deadLetterActs() []act {
	chosen := []field{{"ids", "of the messages, repeatable"}, {"all", "act on all that match error and source"},
		{"error", "what the last error contains"}, {"source", "the queue in which they failed"},
		{"note", "what to remember of it"}}
	return []act{
		{path: "dead-letters/{queue}/replay", about: "Sends dead letters again, to the queue that they came from or " +
			"elsewhere.",
			fields: append(slices.Clone(chosen), field{"to", "another queue"}), do: x.deadLetterAct("replay",
				"replayed")},
		{path: "dead-letters/{queue}/skip", about: "Removes dead letters.", fields: chosen,
			do: x.deadLetterAct("skip", "skipped")},
		{path: "dead-letters/{queue}/escalate", about: "Marks dead letters for a person.", fields: chosen,
			do: x.deadLetterAct("escalate", "escalated")},
		{path: "dead-letters/{queue}/edit", about: "Replaces the body of a dead letter.", fields: []field{
			{"id", "of the message"}, {"body", "the new body"}, {"content_type", "json, text, bytes or v8"},
			{"note", "what to remember of it"}, {"replay", "send it again afterwards"},
			{"compare", "edit nothing: a form is led to the page that shows what would change"}},
			do: x.editDeadLetter},
	}
}

func (x *Server) deadLetterAct(action, done string) func(in input) (string, string, error) {
	return func(in input) (string, string, error) {
		a := control.DeadLetterAction{To: in.get("to"), Note: in.get("note")}
		switch {
		case in.has("all"):
			a.Error, a.Source = in.get("error"), in.get("source")
		case len(in.values["ids"]) == 0:
			return "", "", refused("nothing was ticked: tick messages, or take all that match")
		default:
			a.IDs = in.values["ids"]
		}
		n, err := x.o.Client.Act(in.ctx, in.path("queue"), action, a)
		return done + " " + many(n.Count, "message"), "", err
	}
}

func (x *Server) editDeadLetter(in input) (string, string, error) {
	queue := in.path("queue")
	body, err := bodyFrom(strings.ReplaceAll(in.get("body"), "\r\n", "\n"), in.get("content_type"))
	if err != nil {
		return "", "", err
	}
	list := Base + "dead-letters/" + url.PathEscape(queue)
	if in.has("compare") {
		key := x.drafts.keep(draft{strings.ReplaceAll(in.get("body"), "\r\n", "\n"), in.get("content_type")})
		return "", list + "/" + url.PathEscape(in.get("id")) + "?" + string(query("draft", key)), nil
	}
	edit := control.Edit{ID: in.get("id"), Note: in.get("note"), MessageBody: body}
	if err := x.o.Client.Edit(in.ctx, queue, edit); err != nil {
		return "", "", err
	}
	if !in.has("replay") {
		return "edited " + edit.ID, list, nil
	}
	_, err = x.o.Client.Act(in.ctx, queue, "replay", control.DeadLetterAction{
		DeadLetterFilter: control.DeadLetterFilter{IDs: []string{edit.ID}}, Note: in.get("note")})
	return "edited and replayed " + edit.ID, messagePath(edit.ID), err
}
