package foreign

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"eddy/runtime/journal"
)

// record is what Cloudflare tells of one delivery, from one object or, in Workers Logs, from several.
type record struct {
	number   int // the line it began at
	queue    string
	size     int // of the batch, 0 if it is not told
	at       string
	line     *journal.Line
	messages []message
	seen     map[string]bool // ids of messages
}

// records are those of one text, in their order.
type records struct {
	list   []*record
	byID   map[string]*record // by the id of the request, in Workers Logs
	others map[string]bool    // requests that are no deliveries
}

// isRecord tells whether an object tells of an event: an item of a tail, a record of Logpush, one of Workers Logs.
func (o object) isRecord() bool {
	return o.has("$workers") || o.has("event") && (o.has("eventTimestamp") || o.has("outcome")) ||
		o.has("Event") && (o.has("EventType") || o.has("Outcome"))
}

// take adds what an object tells.
func (l *records) take(r *reader, o object) {
	if w := o.child("$workers"); w != nil {
		l.logRecord(r, o, w)
		return
	}
	event := o.child("event")
	if event == nil {
		event = o.child("Event")
	}
	queue := event.first("queue", "Queue", "QueueName")
	if queue == "" {
		r.out.Others++
		return
	}
	rec := l.begin(r, queue, event)
	rec.at = o.first("eventTimestamp", "EventTimestampMs")
	rec.became(o.first("outcome", "Outcome"), o.first("scriptName", "ScriptName"))
	for _, key := range []string{"exceptions", "Exceptions"} {
		var list []json.RawMessage
		o.list(key, &list)
		for _, v := range list {
			var x object
			_ = json.Unmarshal(v, &x) // what is no object is an exception without a text
			rec.line.Exceptions = append(rec.line.Exceptions, journal.FileException{Name: x.first("name", "Name"),
				Message: x.first("message", "Message"), Stack: x.first("stack", "Stack")})
		}
	}
	for _, key := range []string{"logs", "Logs"} {
		var list []json.RawMessage
		o.list(key, &list)
		for _, v := range list {
			var log object
			_ = json.Unmarshal(v, &log) // what is no object is an empty log line
			said := log["message"]
			if said == nil {
				said = log["Message"]
			}
			rec.say(r, log.first("level", "Level"), said)
		}
	}
}

// logRecord adds a record of Workers Logs: an invocation, or one of its log lines.
func (l *records) logRecord(r *reader, o, w object) {
	id := w.first("requestId")
	event := w.child("event")
	queue := event.first("queue", "queueName")
	rec := l.byID[id]
	if rec == nil {
		if queue == "" {
			if l.others == nil {
				l.others = map[string]bool{}
			}
			if !l.others[id] || id == "" {
				r.out.Others++
			}
			l.others[id] = true
			return
		}
		rec = l.begin(r, queue, event)
		if id != "" {
			if l.byID == nil {
				l.byID = map[string]*record{}
			}
			l.byID[id] = rec
		}
		rec.at = o.text("timestamp")
	} else if at, known := moment(o.text("timestamp")); known {
		if before, _ := moment(rec.at); at.Before(before) { // they come in any order
			rec.at = o.text("timestamp")
		}
	}
	rec.became(w.text("outcome"), w.text("scriptName"))
	meta := o.child("$metadata")
	if meta.text("type") == "cf-worker-event" {
		return
	}
	said := o["source"]
	if len(said) == 0 {
		said = meta["message"]
	}
	rec.say(r, meta.text("level"), said)
}

func (l *records) begin(r *reader, queue string, event object) *record {
	rec := &record{number: r.number, queue: queue, size: event.number("batchSize", event.number("BatchSize", 0)),
		line: r.line(queue), seen: map[string]bool{}}
	l.list = append(l.list, rec)
	return rec
}

// became notes what is told of the outcome; a later record may know more.
func (rec *record) became(outcome, worker string) {
	if outcome != "" {
		rec.line.Outcome = outcome
	}
	if rec.line.Worker == "" {
		rec.line.Worker = worker
	}
}

// say adds a log line, and the messages that it shows.
func (rec *record) say(r *reader, level string, said json.RawMessage) {
	if len(said) == 0 {
		return
	}
	if level == "" {
		level = "log"
	}
	rec.find(r, said, 0)
	if said[0] != '[' {
		said = append(append([]byte("["), said...), ']')
	}
	rec.line.Logs = append(rec.line.Logs, journal.FileLog{Level: level, Message: said})
}

// maxDepth is how deep in a logged value messages are looked for: each level is read again.
const maxDepth = 16

// find takes messages out of a logged value: objects with id and body, also in texts of JSON.
func (rec *record) find(r *reader, v json.RawMessage, depth int) {
	if depth++; depth > maxDepth {
		return
	}
	var list []json.RawMessage
	if json.Unmarshal(v, &list) == nil {
		for _, v := range list {
			rec.find(r, v, depth)
		}
		return
	}
	var text string
	if json.Unmarshal(v, &text) == nil {
		if t := strings.TrimSpace(text); len(t) < len(v) && (strings.HasPrefix(t, "{") || strings.HasPrefix(t, "[")) &&
			json.Valid([]byte(t)) {
			rec.find(r, json.RawMessage(t), depth)
		}
		return
	}
	var o object
	if json.Unmarshal(v, &o) != nil {
		return
	}
	if id := o.text("id"); id == "" || !o.has("body") {
		for _, key := range slices.Sorted(maps.Keys(o)) {
			rec.find(r, o[key], depth)
		}
		return
	} else if rec.seen[id] {
		return
	} else {
		rec.seen[id] = true
	}
	m, err := r.message(object{"id": o["id"], "body": o["body"], "attempts": o["attempts"],
		"timestamp": o["timestamp"], "content_type": o["contentType"]})
	if err != nil {
		r.leave(fmt.Errorf("a message that was logged: %w", err))
		return
	}
	rec.messages = append(rec.messages, m)
}

// record makes lines of the records whose messages are known.
func (r *reader) record() {
	for _, rec := range r.logged.list {
		r.number = rec.number
		at, known := moment(rec.at)
		switch {
		case !known:
			r.leave(fmt.Errorf("the time of a delivery, %q: expected milliseconds since 1970", rec.at))
			continue
		case len(rec.messages) == 0:
			r.leave(fmt.Errorf("the delivery from %s names none of its messages, and no log line of it shows one: "+
				"Cloudflare records their number only\n  take them from a queue with eddy capture pull, or log "+
				"{id, body} of each message in the consumer", rec.queue))
			continue
		case len(rec.messages) < rec.size:
			r.leave(fmt.Errorf("%d of the %d messages of the delivery from %s were logged; the others are left out",
				len(rec.messages), rec.size, rec.queue))
		}
		rec.line.At = at.Format(journal.FileTime)
		for _, m := range rec.messages {
			if !m.timed {
				m.file.Timestamp = at.Format(messageTime)
			}
			rec.line.Messages = append(rec.line.Messages, m.file)
		}
		r.out.Lines = append(r.out.Lines, rec.line)
	}
}
