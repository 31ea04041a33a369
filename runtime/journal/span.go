package journal

import "time"

// NamedSpan is a part of an event that its script has named: tracing.enterSpan and its like of cloudflare:workers
// (BIND-164).
type NamedSpan struct {
	// ID is its own; Parent is another span of the event, or the event's.
	ID     [8]byte `cbor:"1,keyasint"`
	Parent [8]byte `cbor:"2,keyasint"`
	Name   string  `cbor:"3,keyasint"`
	// At is when it began, in microseconds since 1970, and Took how long it was open, on the session's clock.
	At   int64         `cbor:"4,keyasint"`
	Took time.Duration `cbor:"5,keyasint"`
	// Attributes are in the order in which they were first set.
	Attributes []SpanAttribute `cbor:"6,keyasint,omitempty"`
	// Status is "ok", "error" or "" for unset; Message is that of an error.
	Status     string      `cbor:"7,keyasint,omitempty"`
	Message    string      `cbor:"8,keyasint,omitempty"`
	Exceptions []Exception `cbor:"9,keyasint,omitempty"`
}

// SpanAttribute is one of a span. Value is JSON: a boolean, a number or a text.
type SpanAttribute struct {
	Name  string `cbor:"1,keyasint"`
	Value string `cbor:"2,keyasint"`
}

// Start and End are when a span began and ended.
func (s *NamedSpan) Start() time.Time { return time.UnixMicro(s.At).UTC() }

// End is when the span ended.
func (s *NamedSpan) End() time.Time { return s.Start().Add(s.Took) }

// AddSpan notes a span, if there is room. The entry may be nil.
func (e *Entry) AddSpan(s NamedSpan) {
	if e == nil {
		return
	}
	e.noted += len(s.Name) + len(s.Message) + 64
	for _, a := range s.Attributes {
		e.noted += len(a.Name) + len(a.Value)
	}
	for _, x := range s.Exceptions {
		e.noted += len(x.Message) + len(x.Stack)
	}
	if e.Cut = e.Cut || e.noted > room; !e.Cut {
		e.Spans = append(e.Spans, s)
	}
}
