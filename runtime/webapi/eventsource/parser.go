package eventsource

import (
	"bytes"
	"strconv"
	"strings"

	"eddy/runtime/webapi/encoding"
)

// serverEvent is one event of an event stream.
type serverEvent struct {
	// typ is "message" when the stream gave none.
	typ, data, id string
}

// eventParser reads an event stream (https://html.spec.whatwg.org/#event-stream-interpretation) as it arrives.
type eventParser struct {
	// lastID is the last event id; it outlives a connection.
	lastID string
	// retry is called with a reconnection time in milliseconds.
	retry func(ms int)

	line    []byte
	started bool
	// afterCR says that the line before has ended in CR, so that a LF belongs to that end.
	afterCR bool
	typ     string
	data    []string
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// feed takes the next bytes and gives back the events that they complete.
func (p *eventParser) feed(b []byte) []serverEvent {
	var out []serverEvent
	if !p.started {
		p.line = append(p.line, b...)
		if len(p.line) < len(byteOrderMark) && bytes.HasPrefix(byteOrderMark, p.line) {
			return nil
		}
		p.started = true
		b = bytes.TrimPrefix(p.line, byteOrderMark)
		p.line = nil
	}
	for len(b) > 0 {
		if p.afterCR {
			p.afterCR = false
			if b[0] == '\n' {
				b = b[1:]
				continue
			}
		}
		i := bytes.IndexAny(b, "\r\n")
		if i < 0 {
			p.line = append(p.line, b...)
			break
		}
		p.afterCR = b[i] == '\r'
		line := encoding.DecodeUTF8(append(p.line, b[:i]...))
		p.line, b = nil, b[i+1:]
		if e, ok := p.field(line); ok {
			out = append(out, e)
		}
	}
	return out
}

// field handles one line; an empty one completes an event, if there is data for it.
func (p *eventParser) field(line string) (e serverEvent, complete bool) {
	if line == "" {
		e = serverEvent{typ: p.typ, data: strings.Join(p.data, "\n"), id: p.lastID}
		p.typ, p.data = "", nil
		if e.typ == "" {
			e.typ = "message"
		}
		return e, e.data != ""
	}
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch name {
	case "data":
		p.data = append(p.data, value)
	case "event":
		p.typ = value
	case "id":
		if !strings.Contains(value, "\x00") {
			p.lastID = value
		}
	case "retry":
		if ms, err := strconv.ParseUint(value, 10, 32); err == nil && p.retry != nil {
			p.retry(int(ms))
		}
	}
	return serverEvent{}, false
}
