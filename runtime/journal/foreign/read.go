package foreign

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"eddy/runtime/journal"
)

// Options say what a text leaves open.
type Options struct {
	// Queue is the queue of messages that name none. Without it they are left out.
	Queue string
	// Worker is the Worker whose consumer they are for; "" leaves it open.
	Worker string
	// BatchSize is how many loose messages make a delivery, 1 to 100; 0 is 10, the platform's default.
	BatchSize int
	// Now is the time of messages that have none.
	Now time.Time
}

// Result is the result of reading a text.
type Result struct {
	Lines []*journal.Line
	// Left describes the parts that cannot be used, as errors of type [*LeftOut].
	Left []error
	// Others counts records of events that are no deliveries.
	Others int
}

// LeftOut describes a part of a text that cannot be used.
type LeftOut struct {
	File   string
	Number int // of its line, from 1
	Err    error
}

// Error implements error.
func (e *LeftOut) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Number, e.Err) }

// Unwrap returns the reason.
func (e *LeftOut) Unwrap() error { return e.Err }

// MaxSize bounds a text, in bytes: all of it is held in memory.
const MaxSize = 512 << 20

// defaultBatch is the platform's max_batch_size (C-4).
const defaultBatch = 10

// reader collects the contents of one text.
type reader struct {
	o      Options
	name   string
	number int // of the line at hand
	out    Result
	loose  []message
	// nameless counts messages that are left out because nothing names their queue.
	nameless int
	logged   records
}

// Read makes lines of a text. An error is one of reading; what the text says wrongly is in Result.Left.
func Read(name string, from io.Reader, o Options) (*Result, error) {
	text, err := io.ReadAll(io.LimitReader(from, MaxSize+1))
	if err != nil {
		return nil, err
	}
	if len(text) > MaxSize {
		return nil, fmt.Errorf("%s is larger than %d MB: cut it in pieces", name, MaxSize>>20)
	}
	if o.BatchSize == 0 {
		o.BatchSize = defaultBatch
	}
	r := &reader{o: o, name: name, number: 1}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	switch trimmed := bytes.TrimSpace(text); {
	case len(trimmed) == 0:
		return nil, fmt.Errorf("%s is empty", name)
	case bytes.HasPrefix(text, []byte{0xff, 0xfe}) || bytes.HasPrefix(text, []byte{0xfe, 0xff}):
		return nil, fmt.Errorf("%s is in UTF-16: write it again as UTF-8", name)
	case strings.IndexByte(`{["`, trimmed[0]) >= 0:
		r.values(text)
	default:
		r.table(text)
	}
	r.deliver()
	r.record()
	return &r.out, nil
}

// leave records that the line at hand, or a part of it, cannot be used.
func (r *reader) leave(err error) {
	r.out.Left = append(r.out.Left, &LeftOut{r.name, r.number, err})
}

// values reads JSON values that follow one another: an array, lines, or what a tail prints.
func (r *reader) values(text []byte) {
	counted := 0
	for at := 0; ; {
		for at < len(text) && (text[at] <= ' ' || text[at] == ',') {
			at++
		}
		if at == len(text) {
			return
		}
		r.number += bytes.Count(text[counted:at], []byte("\n"))
		counted = at
		dec := json.NewDecoder(bytes.NewReader(text[at:]))
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			if errors.Is(err, io.ErrUnexpectedEOF) {
				err = errors.New("the value breaks off; it is left out")
			}
			r.leave(fmt.Errorf("not JSON: %w", err))
			if at = next(text, at); at < 0 {
				return
			}
			continue
		}
		at += int(dec.InputOffset())
		r.value(v, true)
	}
}

// next is where the next value begins at the start of a line, -1 if none does.
func next(text []byte, at int) int {
	for {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 || at+n+1 >= len(text) {
			return -1
		}
		if at += n + 1; strings.IndexByte(`{["`, text[at]) >= 0 {
			return at
		}
	}
}

// value takes one value. An outermost array is a list of such values; a list within it is a body.
func (r *reader) value(v json.RawMessage, outermost bool) {
	var list []json.RawMessage
	if outermost && json.Unmarshal(v, &list) == nil {
		for _, v := range list {
			r.value(v, false)
		}
		return
	}
	var o object
	if json.Unmarshal(v, &o) != nil || o == nil {
		r.add(object{"body": v})
		return
	}
	r.object(o, v)
}

// object takes an object by what it is.
func (r *reader) object(o object, text json.RawMessage) {
	var list []json.RawMessage
	switch {
	case o.has("version") && o.has("kind"):
		line, err := journal.ParseLine(text)
		if err != nil {
			r.leave(err)
			return
		}
		r.out.Lines = append(r.out.Lines, line)
	case o.has("success") && (o.has("result") || o.has("errors")):
		r.envelope(o)
	case o.isRecord():
		r.logged.take(r, o)
	case o.list("messages", &list):
		for _, v := range list {
			var m object
			if json.Unmarshal(v, &m) != nil || m == nil || !m.isMessage() {
				r.leave(errors.New("messages: expected objects with a body"))
				return
			}
			if !m.has("queue") && o.has("queue") {
				m["queue"] = o["queue"]
			}
			r.add(m)
		}
	case o.isMessage():
		r.add(o)
	default:
		r.add(object{"body": text})
	}
}

// envelope takes an answer of Cloudflare's API: pulled messages, or a query's records of Workers Logs.
func (r *reader) envelope(o object) {
	var result object
	if o.text("success") == "false" {
		r.leave(fmt.Errorf("the answer is a failure: %s", o["errors"]))
		return
	}
	var list []json.RawMessage
	if json.Unmarshal(o["result"], &result) == nil && result != nil {
		events := result
		if result.has("events") {
			if json.Unmarshal(result["events"], &events) != nil || events == nil {
				events = result
			}
		}
		if events.list("events", &list) || result.list("invocations", &list) {
			for _, v := range list {
				r.value(v, false)
			}
			return
		}
		if result.list("messages", &list) {
			r.object(result, o["result"])
			return
		}
	}
	r.leave(errors.New("the answer has neither messages nor events in its result"))
}

// table reads CSV. Its first line has the names of the columns, body among them. Between them are commas or, as
// spreadsheets of many countries write them, semicolons or tabs.
func (r *reader) table(text []byte) {
	var c *csv.Reader
	var head []string
	for _, between := range ",;\t" {
		c = csv.NewReader(bytes.NewReader(text))
		c.Comma, c.FieldsPerRecord, c.ReuseRecord = between, -1, false
		var err error
		if head, err = c.Read(); err != nil {
			r.leave(fmt.Errorf("not CSV: %w", err))
			return
		}
		for i := range head {
			head[i] = strings.TrimSpace(head[i])
		}
		if slices.Contains(head, "body") {
			break
		}
	}
	if !slices.Contains(head, "body") {
		r.leave(errors.New("neither JSON nor CSV with a column named body: expected answers of the pull API, records " +
			"of wrangler tail --format json or Workers Logs, an array of bodies, or lines with {\"body\": …}"))
		return
	}
	for {
		row, err := c.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		var bad *csv.ParseError
		if errors.As(err, &bad) {
			r.number = bad.StartLine
			r.leave(fmt.Errorf("not CSV: %w", bad.Err))
			continue
		}
		if err != nil {
			r.leave(err)
			return
		}
		r.number, _ = c.FieldPos(0)
		m := object{}
		for i, cell := range row {
			if i < len(head) && (cell != "" || head[i] == "body") {
				m[head[i]] = asJSON(cell, head[i] == "body" && !slices.Contains(head, "content_type"))
			}
		}
		if !m.has("body") {
			r.leave(fmt.Errorf("the line has %d columns, and none is the body", len(row)))
			continue
		}
		if !m.has("content_type") && m["body"][0] == '"' && !json.Valid([]byte(row[slices.Index(head, "body")])) {
			m["content_type"] = json.RawMessage(`"text"`)
		}
		if m.text("content_type") == "json" {
			m["body"] = asJSON(m.text("body"), true)
		}
		r.add(m)
	}
}

// asJSON is a cell as JSON: what it says if it says JSON and is asked to, else a text.
func asJSON(cell string, parse bool) json.RawMessage {
	if parse && json.Valid([]byte(cell)) {
		return json.RawMessage(cell)
	}
	text, _ := json.Marshal(cell) // a text always marshals
	return text
}
