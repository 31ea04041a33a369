package foreign

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"eddy/runtime/journal"
)

// message is a message that no record of a delivery names.
type message struct {
	queue string
	at    time.Time
	timed bool // at is the message's own
	file  journal.FileMessage
}

const messageTime = "2006-01-02T15:04:05.000Z07:00"

// add takes a message, or leaves it out.
func (r *reader) add(o object) {
	m, err := r.message(o)
	if err != nil {
		r.leave(err)
		return
	}
	if m.queue == "" {
		if r.nameless++; r.nameless == 1 {
			r.leave(errNameless)
		}
		return
	}
	r.loose = append(r.loose, m)
}

// errNameless is told once for all messages of a text.
var errNameless = errors.New("the message does not name its queue, as others after it may not: say it with --queue")

// message reads a message in any of its forms.
func (r *reader) message(o object) (m message, err error) {
	m.queue = o.text("queue")
	m.file.Attempts = max(o.number("attempts", 1), 1)
	dead := o.child("dead_letter")
	if dead != nil {
		m.queue = dead.first("source", "queue")
		m.file.Attempts = max(dead.number("attempts", 1), 1)
	} else if o.has("state") { // as eddy queues peek --json counts: those that have failed
		m.file.Attempts = max(o.number("attempts", 0), 0) + 1
	}
	if m.queue == "" {
		m.queue = r.o.Queue
	}
	if m.file.ContentType = o.first("content_type", "contentType"); m.file.ContentType == "" {
		m.file.ContentType = o.child("metadata").text("CF-Content-Type")
	}
	pulled := o.child("metadata").has("CF-Content-Type")
	shown := dead != nil || o.has("state")
	body, err := o.body(&m.file.ContentType, pulled, shown)
	if err != nil {
		return m, err
	}
	m.file.Body = journal.BodyOf(body)
	at := o.first("timestamp", "timestamp_ms")
	if m.at, m.timed = moment(at); !m.timed {
		if at != "" {
			return m, fmt.Errorf("timestamp %q: expected a time as 2026-11-23T12:00:00Z, or milliseconds", at)
		}
		m.at = r.o.Now.UTC()
	}
	m.file.Timestamp = m.at.Format(messageTime)
	m.file.ID = identity(o.text("id"), body, len(r.loose))
	return m, nil
}

// body is the bytes of a message's body. Pulled bodies are base64 but for text, and clients have met plain JSON (H-10);
// shown ones are the text of what was sent.
func (o object) body(contentType *string, pulled, shown bool) ([]byte, error) {
	raw := o["body"]
	var text string
	isText := json.Unmarshal(raw, &text) == nil && len(raw) > 0 && raw[0] == '"'
	if o.has("body_base64") {
		text, isText, raw = o.text("body_base64"), true, nil
		if *contentType == "" {
			*contentType = "bytes"
		}
	}
	if *contentType == "" {
		*contentType = "json"
	}
	decoded, notBase64 := base64.StdEncoding.DecodeString(text)
	switch *contentType {
	case "json":
		switch {
		case (pulled || raw == nil) && isText && notBase64 == nil && json.Valid(decoded):
			return decoded, nil
		case (pulled || shown) && isText && json.Valid([]byte(text)):
			return []byte(text), nil
		case pulled && isText && notBase64 != nil && raw != nil:
			return bytes.Clone(raw), nil // a text that was sent as JSON, as the documentation shows it
		case pulled && isText, raw == nil:
			return nil, errors.New("the body is neither JSON nor JSON in base64, though its content type is json")
		}
		var compact bytes.Buffer
		err := json.Compact(&compact, raw)
		return compact.Bytes(), err
	case "text":
		switch {
		case raw == nil:
			return decoded, notBase64
		case !isText:
			return raw, nil
		}
		return []byte(text), nil
	case "bytes", "v8":
		if !isText || notBase64 != nil {
			return nil, fmt.Errorf("the body is not in base64, though its content type is %s", *contentType)
		}
		return decoded, nil
	}
	return nil, fmt.Errorf("content type %q: expected text, bytes, json or v8", *contentType)
}

// identity is a message's id if it has one of the platform's form, a UUID without its dashes, else one that depends on
// what it is.
func identity(id string, body []byte, place int) string {
	plain := strings.ToLower(strings.ReplaceAll(id, "-", ""))
	if b, err := hex.DecodeString(plain); err == nil && len(b) == 16 {
		return plain
	}
	if id == "" {
		id = "place " + strconv.Itoa(place)
	}
	sum := sha256.Sum256(append([]byte(id+"\x00"), body...))
	return hex.EncodeToString(sum[:16])
}

// deliver makes deliveries of the messages that came alone: those of a queue that follow one another, in batches.
func (r *reader) deliver() {
	for i := 0; i < len(r.loose); {
		line := r.line(r.loose[i].queue)
		at := r.loose[i].at
		for ; i < len(r.loose) && r.loose[i].queue == line.Queue && len(line.Messages) < r.o.BatchSize; i++ {
			line.Messages = append(line.Messages, r.loose[i].file)
			if r.loose[i].at.After(at) {
				at = r.loose[i].at
			}
		}
		line.At = at.Format(journal.FileTime)
		r.out.Lines = append(r.out.Lines, line)
	}
}

func (r *reader) line(queue string) *journal.Line {
	return &journal.Line{Version: journal.FileVersion, Kind: journal.Queue, Worker: r.o.Worker, Queue: queue}
}
