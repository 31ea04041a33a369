// Package cause names what an event was caused by, as W3C Trace Context does: a trace, which is all that one first
// event led to, and a span, which is one event of it. A [Cause] is a value without owner or life cycle; it travels with
// requests, messages, alarms and calls, through the async context of an isolate (eventloop.Hops), over links between
// sessions and over HTTP. It is a package of its own because the event loop carries it, and must not know the journal,
// which keeps it.
package cause

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
)

// Header is the request header in which a cause travels.
const Header = "Traceparent"

// Cause is one event of a trace. The zero value is none.
type Cause struct {
	Trace [16]byte
	Span  [8]byte
}

// New begins a trace.
func New() (c Cause) {
	binary.BigEndian.PutUint64(c.Trace[:8], rand.Uint64())
	binary.BigEndian.PutUint64(c.Trace[8:], rand.Uint64()|1) // never zero
	c.newSpan()
	return c
}

// Next is a new event of the same trace, or of a new one if c is none.
func (c Cause) Next() Cause {
	if !c.Valid() {
		return New()
	}
	c.newSpan()
	return c
}

// newSpan takes the span from the runtime's generator, not from the session's: what is recorded must not change what
// scripts see of a seed.
func (c *Cause) newSpan() { binary.BigEndian.PutUint64(c.Span[:], rand.Uint64()|1) }

// Valid tells whether there is a cause.
func (c Cause) Valid() bool { return c.Trace != [16]byte{} && c.Span != [8]byte{} }

// String is the value of the header traceparent, "" for none.
func (c Cause) String() string {
	if !c.Valid() {
		return ""
	}
	b := make([]byte, 0, 55)
	b = append(b, "00-"...)
	b = hex.AppendEncode(b, c.Trace[:])
	b = append(b, '-')
	b = hex.AppendEncode(b, c.Span[:])
	return string(append(b, "-01"...))
}

// Parse reads the value of a header traceparent. Versions to come may have more behind what it reads. It gives none for
// anything else.
func Parse(s string) (c Cause) {
	if len(s) < 55 || s[2] != '-' || s[35] != '-' || s[52] != '-' || s[:2] == "ff" || s[:2] == "00" && len(s) != 55 ||
		len(s) > 55 && s[55] != '-' {
		return Cause{}
	}
	for i := range 55 {
		if ch := s[i]; i != 2 && i != 35 && i != 52 && (ch < '0' || ch > '9') && (ch < 'a' || ch > 'f') {
			return Cause{}
		}
	}
	var p Cause
	_, _ = hex.Decode(p.Trace[:], []byte(s[3:35])) // its digits were looked at
	_, _ = hex.Decode(p.Span[:], []byte(s[36:52]))
	if !p.Valid() {
		return Cause{}
	}
	return p
}
