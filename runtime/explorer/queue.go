package explorer

import (
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"eddy/queues"
	"eddy/runtime/control"
)

// QueueList is the model of the list of queues.
type QueueList struct {
	Queues []QueueRow `json:"queues"`
}

// QueuePage is the model of one queue.
type QueuePage struct {
	QueueRow
	// History has what happened in each of the last sixty minutes, oldest first.
	History []control.Minute `json:"history"`
	// State, Text, Since, Until and Limit are what was asked for.
	State string `json:"state,omitempty"`
	Text  string `json:"text,omitempty"`
	Since string `json:"since,omitempty"`
	Until string `json:"until,omitempty"`
	Limit int    `json:"limit"`
	// Leases are those that pullers hold, by their ends.
	Leases []LeaseRow `json:"leases"`
	// Messages are the oldest that match; Matches counts all of them.
	Messages []control.Message `json:"messages"`
	Matches  int               `json:"matches"`
	Clock    control.Clock     `json:"clock"`
}

// LeaseRow is a lease of a puller.
type LeaseRow struct {
	Until    time.Time `json:"until"`
	Messages int       `json:"messages"`
}

// pageOfMessages is how many messages a page shows unless it is asked for more.
const pageOfMessages = 50

func (x *Server) queuePages() []page {
	return []page{
		of("queues", "queues", "All queues with counts and health.", func(r *http.Request) (*QueueList, error) {
			rows, err := x.queueRows(r)
			return &QueueList{rows}, err
		}),
		of("queues/{queue}", "queue", "One queue: settings, health, the last hour, and its messages with their bodies.",
			x.queue, field{"state", "ready, delayed or in flight"}, field{"text", "what the body or the id contains"},
			field{"since", "when they were sent at the earliest: 2026-04-01T12:00, 12:00 of today, or 10m for ten " +
				"minutes ago (UTC)"},
			field{"until", "when they were sent at the latest"}, field{"limit", "how many messages are shown"}),
	}
}

func (x *Server) queue(r *http.Request) (*QueuePage, error) {
	ctx, name, q := r.Context(), r.PathValue("queue"), r.URL.Query()
	p := &QueuePage{State: q.Get("state"), Text: q.Get("text"), Since: q.Get("since"), Until: q.Get("until"),
		Limit: pageOfMessages, Leases: []LeaseRow{}}
	wanted := control.Wanted{State: p.State, Contains: p.Text}
	var err error
	if wanted.Since, err = moment(p.Since, x.now()); err != nil {
		return nil, err
	}
	if wanted.Until, err = moment(p.Until, x.now()); err != nil {
		return nil, err
	}
	if n, err := strconv.Atoi(q.Get("limit")); err == nil && n > 0 {
		p.Limit = n
	}
	queue, err := x.o.Client.Queue(ctx, name)
	if err != nil {
		return nil, err
	}
	rows, err := x.queueRows(r)
	if err != nil {
		return nil, err
	}
	p.QueueRow.Queue = queue
	for _, row := range rows {
		if row.Name == queue.Name {
			p.QueueRow = row
		}
	}
	if p.History, err = x.o.Client.History(ctx, queue.Name); err != nil {
		return nil, err
	}
	if p.Clock, err = x.o.Client.Clock(ctx); err != nil {
		return nil, err
	}
	wanted.Limit = p.Limit
	found, err := x.o.Client.Find(ctx, queue.Name, wanted)
	if err != nil {
		return nil, err
	}
	p.Messages, p.Matches = found.Messages, found.Matches
	if queue.Consumer != nil && queue.Consumer.Script == "" && queue.InFlight > 0 {
		err = x.leases(r, p)
	}
	return p, err
}

// mostLeased is how many leased messages are looked at.
const mostLeased = 1000

// leases lists the leases of a queue that is pulled.
func (x *Server) leases(r *http.Request, p *QueuePage) error {
	found, err := x.o.Client.Find(r.Context(), p.Name, control.Wanted{State: "in flight", Limit: mostLeased})
	for _, m := range found.Messages {
		if m.Leased == nil {
			continue
		}
		i := slices.IndexFunc(p.Leases, func(l LeaseRow) bool { return l.Until.Equal(*m.Leased) })
		if i < 0 {
			i, p.Leases = len(p.Leases), append(p.Leases, LeaseRow{Until: *m.Leased})
		}
		p.Leases[i].Messages++
	}
	slices.SortFunc(p.Leases, func(a, b LeaseRow) int { return a.Until.Compare(b.Until) })
	return err
}

// moment reads a time as a person writes it: a time of the day, a day with or without a time, or how long ago. "" is
// the zero time.
func moment(text string, now time.Time) (time.Time, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil {
		return now.Add(-ago.Abs()), nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999", "2006-01-02 15:04:05.999",
		"2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	for _, layout := range []string{"15:04:05.999", "15:04"} {
		if t, err := time.Parse(layout, text); err == nil {
			return now.UTC().Truncate(24 * time.Hour).Add(t.Sub(t.Truncate(24 * time.Hour))), nil
		}
	}
	return time.Time{}, refused("%q is no time: expected one as in 2026-04-01T12:00, 12:00, or 10m for ten minutes "+
		"ago (UTC)", text)
}

// Hour sums up the history.
func (p *QueuePage) Hour() (sum control.Minute) {
	for _, m := range p.History {
		sum.Sent, sum.Received, sum.Acked = sum.Sent+m.Sent, sum.Received+m.Received, sum.Acked+m.Acked
		sum.Retried, sum.Dead = sum.Retried+m.Retried, sum.Dead+m.Dead
	}
	return sum
}

// Bars are the heights of the sparkline: one for each minute, of at most 30.
func (p *QueuePage) Bars() (bars []Bar) {
	most := 1
	for _, m := range p.History {
		most = max(most, m.Sent, m.Received)
	}
	for i, m := range p.History {
		bars = append(bars, Bar{X: i * 4, Sent: m.Sent * 30 / most, Failed: (m.Retried + m.Dead) * 30 / most,
			Received: m.Received * 30 / most})
	}
	return bars
}

// Bar is one minute of a sparkline.
type Bar struct{ X, Sent, Received, Failed int }

// Top is where a bar of a height begins.
func (Bar) Top(height int) int { return 30 - height }

func (x *Server) queueActs() []act {
	return []act{
		{path: "queues/{queue}/send", about: "Sends messages.", do: x.send, fields: []field{
			{"body", "the body; with lines ticked, one message a line"},
			{"content_type", "json, text, bytes (base64) or v8 (base64)"},
			{"delay", "seconds"}, {"lines", "each line is a message of its own"}}},
		{path: "queues/{queue}/pause", about: "Stops deliveries.", do: x.pause(true)},
		{path: "queues/{queue}/resume", about: "Lets deliveries go on.", do: x.pause(false)},
		{path: "queues/{queue}/purge", about: "Deletes all messages.", do: func(in input) (string, string, error) {
			n, err := x.o.Client.Purge(in.ctx, in.path("queue"))
			return "deleted " + many(n.Count, "message"), "", err
		}},
		{path: "queues/{queue}/deliver", about: "Lets messages that wait for a time or for a whole batch be " +
			"delivered now.",
			fields: []field{{"ref", "of the message, repeatable; all of the queue without"},
				{"chosen", "only those that are named: none without ref"}}, do: x.deliver},
		{path: "queues/{queue}/remove", about: "Removes messages.", fields: []field{{"ref",
			"of the message, repeatable"}},
			do: x.remove},
	}
}

func (x *Server) send(in input) (string, string, error) {
	s := control.Send{}
	var err error
	if s.DelaySec, err = in.number("delay"); err != nil {
		return "", "", err
	}
	bodies := []string{in.get("body")}
	if in.has("lines") {
		if bodies, err = linesOf(in.get("body"), in.get("content_type")); err != nil {
			return "", "", err
		}
	}
	for _, b := range bodies {
		m, err := bodyFrom(b, in.get("content_type"))
		if err != nil {
			return "", "", err
		}
		s.Messages = append(s.Messages, m)
	}
	sent := 0
	for part := range parts(s.Messages) {
		n, err := x.o.Client.Send(in.ctx, in.path("queue"), control.Send{DelaySec: s.DelaySec, Messages: part})
		if err != nil && sent > 0 {
			err = refused("sent %s, then: %v", many(sent, "message"), err)
		}
		if err != nil {
			return "", "", err
		}
		sent += n.Count
	}
	return "sent " + many(sent, "message"), "", nil
}

// linesOf are the lines that hold something. If they are JSON, the first one that is not is refused by its number.
func linesOf(text, contentType string) (lines []string, err error) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		if line = strings.TrimRight(line, "\r\n"); line == "" {
			continue
		}
		if (contentType == "" || contentType == "json") && !json.Valid([]byte(line)) {
			return nil, refused("line %d is not JSON: %s", n, short(line, 60))
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return nil, refused("there is no line to send")
	}
	return lines, nil
}

// parts divides messages into batches that a queue takes: a person pastes more lines than one holds.
func parts(all []control.MessageBody) iter.Seq[[]control.MessageBody] {
	return func(yield func([]control.MessageBody) bool) {
		for len(all) > 0 {
			n, size := 0, 0
			for n < min(len(all), queues.MaxBatchCount) {
				m := &all[n]
				if size += len(m.Base64) + 100; m.Text != nil {
					size += len(*m.Text)
				}
				if n > 0 && size > queues.MaxBatchBytes {
					break
				}
				n++
			}
			if !yield(all[:n]) {
				return
			}
			all = all[n:]
		}
	}
}

func (x *Server) pause(paused bool) func(in input) (string, string, error) {
	return func(in input) (string, string, error) {
		_, err := x.o.Client.Pause(in.ctx, in.path("queue"), paused)
		if paused {
			return "deliveries are paused", "", err
		}
		return "deliveries go on", "", err
	}
}

func (x *Server) deliver(in input) (string, string, error) {
	if in.has("chosen") && len(in.values["ref"]) == 0 {
		return "", "", refused("nothing was ticked: tick messages, or deliver all")
	}
	n, err := x.o.Client.Deliver(in.ctx, in.path("queue"), in.values["ref"])
	return "what is ready goes out now; " + many(n.Count, "message") + " had a delay", "", err
}

func (x *Server) remove(in input) (string, string, error) {
	if len(in.values["ref"]) == 0 {
		return "", "", refused("nothing was ticked: tick messages, or purge the queue")
	}
	n, err := x.o.Client.Remove(in.ctx, in.path("queue"), in.values["ref"])
	return "removed " + many(n.Count, "message"), "", err
}

// Path is the page of the queue.
func (q QueueRow) Path() string { return Base + "queues/" + url.PathEscape(q.Name) }

// DeadPath is the page of its dead letters, "" for none.
func (q QueueRow) DeadPath() string {
	if q.Consumer == nil || q.Consumer.DeadLetterQueue == "" {
		return ""
	}
	return Base + "dead-letters/" + url.PathEscape(q.Consumer.DeadLetterQueue)
}
