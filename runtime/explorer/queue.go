package explorer

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

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
	// State, Text and Limit are what was asked for.
	State string `json:"state,omitempty"`
	Text  string `json:"text,omitempty"`
	Limit int    `json:"limit"`
	// Messages are the oldest that match; Matches counts all of them.
	Messages []control.Message `json:"messages"`
	Matches  int               `json:"matches"`
	Clock    control.Clock     `json:"clock"`
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
			field{"limit", "how many messages are shown"}),
	}
}

func (x *Server) queue(r *http.Request) (*QueuePage, error) {
	ctx, name, q := r.Context(), r.PathValue("queue"), r.URL.Query()
	p := &QueuePage{State: q.Get("state"), Text: q.Get("text"), Limit: pageOfMessages}
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
	found, err := x.o.Client.Find(ctx, queue.Name, control.Wanted{State: p.State, Contains: p.Text, Limit: p.Limit})
	if err != nil {
		return nil, err
	}
	p.Messages, p.Matches = found.Messages, found.Matches
	return p, nil
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
			fields: []field{{"ref", "of the message, repeatable; all of the queue without"}}, do: x.deliver},
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
		bodies = bodies[:0]
		for line := range strings.Lines(in.get("body")) {
			if line = strings.TrimRight(line, "\r\n"); line != "" {
				bodies = append(bodies, line)
			}
		}
	}
	for _, b := range bodies {
		m, err := bodyFrom(b, in.get("content_type"))
		if err != nil {
			return "", "", err
		}
		s.Messages = append(s.Messages, m)
	}
	n, err := x.o.Client.Send(in.ctx, in.path("queue"), s)
	return "sent " + many(n.Count, "message"), "", err
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
	n, err := x.o.Client.Deliver(in.ctx, in.path("queue"), in.values["ref"])
	return "what is ready goes out now; " + many(n.Count, "message") + " had a delay", "", err
}

func (x *Server) remove(in input) (string, string, error) {
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
