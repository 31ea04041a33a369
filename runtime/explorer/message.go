package explorer

import (
	"cmp"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"eddy/runtime/cause"
	"eddy/runtime/control"
	"eddy/runtime/journal"
)

// MessagePage is the life of one message.
type MessagePage struct {
	ID string `json:"id"`
	// Places are where the message waits now, none if it is over.
	Places []MessagePlace `json:"places"`
	// Sent is the event that sent it, nil if that is not recorded; Since is when it was sent.
	Sent  *EventRow `json:"sent,omitempty"`
	Since time.Time `json:"since"`
	// Attempts are its deliveries, oldest first.
	Attempts []Attempt `json:"attempts"`
	// Notes are what people did with it: replayed, edited, skipped.
	Notes []control.Note `json:"notes"`
	// Span draws the life on one line. Life has attempts and notes in the order in which they happened.
	Span *LifeLine  `json:"-"`
	Life []LifeItem `json:"-"`

	frame func(worker, stack string) *CodeFrame
}

// FrameOf is the place of an attempt's first error in the user's own code, nil if it has none.
func (m *MessagePage) FrameOf(a Attempt) *CodeFrame {
	if len(a.Errors) == 0 {
		return nil
	}
	return m.frame(a.Worker, a.Errors[0].Stack)
}

// DeadQueue is the dead letter queue in which the message waits, "" if it does not.
func (m *MessagePage) DeadQueue() string {
	for _, p := range m.Places {
		if p.Message.DeadLetter != nil {
			return p.Queue
		}
	}
	return ""
}

// Trace is the trace to which the message belongs, "" if no event of it is recorded.
func (m *MessagePage) Trace() string {
	if m.Sent != nil {
		return m.Sent.Trace
	}
	for _, a := range m.Attempts {
		return a.Trace
	}
	return ""
}

// LifeItem is an attempt, what a person did, or a queue in which the message became a dead letter, at a time.
type LifeItem struct {
	At      time.Time
	Attempt *Attempt
	Note    *control.Note
	Dead    string
}

// MessagePlace is a queue in which the message is.
type MessagePlace struct {
	Queue   string          `json:"queue"`
	Message control.Message `json:"message"`
}

// Attempt is one delivery of the message.
type Attempt struct {
	EventRow
	Queue string `json:"queue"`
	// Number is the count of attempts; Became is ack, retry, or "" for abandoned, Delay that of a retry in seconds.
	Number int    `json:"attempt"`
	Became string `json:"became"`
	Delay  *int32 `json:"delay_seconds,omitempty"`
	// Gap is how long the message waited before it.
	Gap time.Duration `json:"gap_ns"`
	// Reason and Error say why the delivery failed.
	Reason string `json:"reason,omitempty"`
	Error  string `json:"error,omitempty"`
	Body   string `json:"body"`
	Type   string `json:"content_type"`
	// Effects are what the event caused: messages and events.
	Effects []EventRow `json:"effects"`
	Sends   []SendRow  `json:"sends"`
}

// SendRow is a send of an event.
type SendRow struct {
	Queue    string `json:"queue"`
	Messages int    `json:"messages"`
	Error    string `json:"error,omitempty"`
	// IDs are those of the messages.
	IDs []string `json:"ids,omitempty"`
}

// shownOfSend is how many messages of one send are named.
const shownOfSend = 100

// sendRows lists what an event sent.
func sendRows(e *journal.Entry) []SendRow {
	rows := []SendRow{}
	for _, s := range e.Sent {
		row := SendRow{Queue: s.Queue, Messages: len(s.Messages), Error: s.Error}
		for i := range s.Messages[:min(len(s.Messages), shownOfSend)] {
			if id := s.Messages[i].ID; id != [16]byte{} {
				row.IDs = append(row.IDs, hex.EncodeToString(id[:]))
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// LifeLine is a drawing of a life: from the send to the last thing that happened, to scale.
type LifeLine struct {
	Marks []LifeMark
	Total time.Duration
}

// LifeMark is an attempt in the drawing, of 1000 units across.
type LifeMark struct {
	X, Width int
	Became   string
	Number   int
}

func (x *Server) messagePages() []page {
	return []page{of("find", "message", "Leads to the message, event or trace that an id names.",
		func(r *http.Request) (*MessagePage, error) {
			return nil, elsewhere(messagePath(strings.TrimSpace(r.URL.Query().Get("id"))))
		}, field{"id", "or the beginning of one"}), of("messages/{id}", "message",
		"The life of a message, by its id or the beginning of it: who sent it, each "+
			"attempt, and what became of it.", x.message)}
}

func (x *Server) message(r *http.Request) (*MessagePage, error) {
	asked := strings.ToLower(strings.ReplaceAll(r.PathValue("id"), "-", ""))
	if len(asked) < 4 || strings.Trim(asked, "0123456789abcdef") != "" {
		return nil, refused("an id of a message is hexadecimal; its first four digits or more are enough")
	}
	m := &MessagePage{Places: []MessagePlace{}, Attempts: []Attempt{}, Notes: []control.Note{},
		frame: x.frame}
	ids := map[string]bool{}
	if err := x.places(r, asked, m, ids); err != nil {
		return nil, err
	}
	entries, err := x.deliveries(r, asked, ids)
	if err != nil {
		return nil, err
	}
	switch {
	case len(ids) > 1:
		return nil, &failure{status: http.StatusConflict, text: "several messages have an id that begins with " + asked,
			details: short5(ids)}
	case len(ids) == 0:
		return x.otherID(r, asked)
	}
	for id := range ids {
		m.ID = id
	}
	if m.ID != asked {
		return nil, elsewhere(Base + "messages/" + m.ID)
	}
	m.attempts(entries)
	m.find(entries)
	notes, err := x.o.Client.Notes(r.Context())
	if err != nil {
		return nil, err
	}
	for _, n := range notes {
		if slices.Contains(n.Messages, m.ID) {
			m.Notes = append(m.Notes, n)
		}
	}
	m.Span = m.line(x.now())
	for i := range m.Attempts {
		m.Life = append(m.Life, LifeItem{At: m.Attempts[i].At, Attempt: &m.Attempts[i]})
	}
	for i := range m.Notes {
		m.Life = append(m.Life, LifeItem{At: m.Notes[i].At, Note: &m.Notes[i]})
	}
	slices.SortStableFunc(m.Life, func(a, b LifeItem) int { return a.At.Compare(b.At) })
	m.deaths()
	return m, nil
}

// deaths puts into the life where the message became a dead letter: after the attempt that was its last one in a queue.
// No event tells of it; that the message was in the other queue afterwards does.
func (m *MessagePage) deaths() {
	life, queue := []LifeItem{}, ""
	var last time.Time // the end of the last attempt that was no success, zero if the last thing was another one
	die := func(in string) {
		if !last.IsZero() && in != queue {
			life = append(life, LifeItem{At: last, Dead: in})
		}
		queue, last = in, time.Time{}
	}
	for _, item := range m.Life {
		switch {
		case item.Attempt != nil:
			if queue != "" {
				die(item.Attempt.Queue)
			}
			queue, last = item.Attempt.Queue, time.Time{}
			if item.Attempt.Became != "ack" {
				last = item.At.Add(item.Attempt.Took)
			}
		case item.Note != nil:
			die(item.Note.Queue)
			if item.Note.Action == "redrive" {
				queue = "" // where it goes on is no dead letter queue
			}
		}
		life = append(life, item)
	}
	if dead := m.DeadQueue(); dead != "" {
		die(dead)
	}
	m.Life = life
}

// places looks where the message waits.
func (x *Server) places(r *http.Request, id string, m *MessagePage, ids map[string]bool) error {
	all, err := x.o.Client.Queues(r.Context())
	if err != nil {
		return err
	}
	for _, q := range all {
		if q.Backlog == 0 {
			continue
		}
		found, err := x.o.Client.Find(r.Context(), q.Name, control.Wanted{ID: id, Limit: 2})
		if err != nil {
			return err
		}
		for _, msg := range found.Messages {
			ids[msg.ID] = true
			m.Places = append(m.Places, MessagePlace{q.Name, msg})
			m.Since = msg.Timestamp
		}
	}
	return nil
}

// deliveries returns the events of the journal, noting the messages whose id begins with one in those that bring it.
// The latest events are enough if they reach back to when the message was sent.
func (x *Server) deliveries(r *http.Request, id string, ids map[string]bool) ([]*journal.Entry, error) {
	look := func(e *journal.Entry) (oldest int64) {
		if e.Delivery == nil {
			return 0
		}
		for i := range e.Delivery.Messages {
			if is := hex.EncodeToString(e.Delivery.Messages[i].ID[:]); strings.HasPrefix(is, id) {
				ids[is] = true
				oldest = e.Delivery.Messages[i].Timestamp
			}
		}
		return oldest
	}
	latest, err := x.window.latest(r.Context())
	if err != nil {
		return nil, err
	}
	var sent int64
	for _, e := range latest {
		if at := look(e); at != 0 {
			sent = at
		}
	}
	if len(latest) < windowEntries || sent != 0 && len(ids) == 1 && latest[0].At < sent*1000 {
		return latest, nil
	}
	var all []*journal.Entry
	err = x.window.read(r.Context(), func(e *journal.Entry) error {
		look(e)
		all = append(all, e)
		return nil
	})
	return all, err
}

// attempts lists the deliveries of the message.
func (m *MessagePage) attempts(entries []*journal.Entry) {
	for _, e := range entries {
		if e.Delivery == nil {
			continue
		}
		for i := range e.Delivery.Messages {
			msg := &e.Delivery.Messages[i]
			if hex.EncodeToString(msg.ID[:]) != m.ID {
				continue
			}
			a := Attempt{EventRow: eventRow(e), Queue: e.Delivery.Queue, Number: msg.Attempts, Became: msg.Outcome,
				Delay: msg.Delay, Reason: e.Delivery.Reason, Error: e.Delivery.Error, Type: msg.ContentType,
				Body: body(bodyOf(msg)), Effects: []EventRow{}, Sends: sendRows(e)}
			m.Attempts = append(m.Attempts, a)
			m.Since = time.UnixMilli(msg.Timestamp).UTC()
		}
	}
	slices.SortStableFunc(m.Attempts, func(a, b Attempt) int { return a.At.Compare(b.At) })
	last := m.Since
	for i := range m.Attempts {
		m.Attempts[i].Gap = max(0, m.Attempts[i].At.Sub(last))
		last = m.Attempts[i].At.Add(m.Attempts[i].Took)
	}
}

// find looks for the event that sent the message and for those that its deliveries caused.
func (m *MessagePage) find(entries []*journal.Entry) {
	var from cause.Cause
	mine := map[string]int{}
	for i, a := range m.Attempts {
		mine[a.Span] = i
	}
	for _, e := range entries {
		if e.Delivery == nil {
			continue
		}
		for i := range e.Delivery.Messages {
			if msg := &e.Delivery.Messages[i]; hex.EncodeToString(msg.ID[:]) == m.ID && msg.Cause != "" {
				from = cause.Parse(msg.Cause)
			}
		}
	}
	for _, e := range entries {
		if from.Valid() && e.Span == from.Span && m.Sent == nil {
			row := eventRow(e)
			m.Sent = &row
		}
		above := []string{hex.EncodeToString(e.Parent[:])}
		for _, l := range e.Links {
			above = append(above, hex.EncodeToString(l.Span[:]))
		}
		for _, span := range above {
			// A retry has the same cause as the first attempt; what an attempt caused has the attempt for a parent.
			if i, ok := mine[span]; ok && hex.EncodeToString(e.Span[:]) != m.Attempts[i].Span {
				m.Attempts[i].Effects = append(m.Attempts[i].Effects, eventRow(e))
				break
			}
		}
	}
}

// line draws the life: attempts and the gaps between them, to scale.
func (m *MessagePage) line(now time.Time) *LifeLine {
	if m.Since.IsZero() {
		return nil
	}
	end := m.Since
	for _, a := range m.Attempts {
		if t := a.At.Add(a.Took); t.After(end) {
			end = t
		}
	}
	for _, p := range m.Places {
		if v := p.Message.Visible; v != nil && v.After(end) {
			end = *v
		}
	}
	l := &LifeLine{Total: end.Sub(m.Since)}
	scale := max(l.Total, time.Millisecond)
	for _, a := range m.Attempts {
		from := a.At.Sub(m.Since)
		l.Marks = append(l.Marks, LifeMark{X: int(1000 * from / scale), Width: max(4, int(1000*a.Took/scale)),
			Became: cmp.Or(a.Became, "abandoned"), Number: a.Number})
	}
	return l
}

// otherID sends somebody who looks for an id that no message has to the trace that has it.
func (x *Server) otherID(r *http.Request, id string) (*MessagePage, error) {
	roots, _, err := x.window.tree(r.Context(), id)
	if err != nil {
		return nil, err
	}
	if len(roots) > 0 {
		return nil, elsewhere(Base + "traces/" + id)
	}
	return nil, missing("no message, event or trace with the id %s waits in a queue or is recorded", id)
}

// short5 lists at most five ids.
func short5(ids map[string]bool) (list []string) {
	for id := range ids {
		if list = append(list, id); len(list) == 5 {
			break
		}
	}
	slices.Sort(list)
	return list
}

// bodyOf is the body of a recorded message in the control API's form.
func bodyOf(m *journal.Message) control.MessageBody {
	b := control.MessageBody{ContentType: m.ContentType}
	if m.ContentType == "json" || m.ContentType == "text" {
		text := string(m.Body)
		b.Text = &text
	} else {
		b.Base64 = m.Body
	}
	return b
}

// messagePath is the page of a message.
func messagePath(id string) string { return Base + "messages/" + url.PathEscape(id) }
