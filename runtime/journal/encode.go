package journal

import (
	"encoding/binary"

	"eddy/runtime/cause"
)

// The encoder writes, field by field, what the library would write by the tags of [Entry]: recording is on the way of
// every delivery, and takes a fifth of the time so. What few events have is left to the library. Fields that have
// nothing are left out. TestEveryFieldIsKept fails if a field is forgotten here.

// CBOR's types.
const (
	unsigned = 0 << 5
	negative = 1 << 5
	bytesOf  = 2 << 5
	textOf   = 3 << 5
	arrayOf  = 4 << 5
	mapOf    = 5 << 5
	truth    = 7<<5 | 21
)

// sameCause stands for the cause of the message before.
const sameCause = "="

// pairs is a map that is being written: where the count of its pairs stands.
type pairs int

type encoder struct{ b []byte }

func (w *encoder) head(kind byte, n uint64) {
	switch {
	case n < 24:
		w.b = append(w.b, kind|byte(n))
	case n < 1<<8:
		w.b = append(w.b, kind|24, byte(n))
	case n < 1<<16:
		w.b = binary.BigEndian.AppendUint16(append(w.b, kind|25), uint16(n))
	case n < 1<<32:
		w.b = binary.BigEndian.AppendUint32(append(w.b, kind|26), uint32(n))
	default:
		w.b = binary.BigEndian.AppendUint64(append(w.b, kind|27), n)
	}
}

func (w *encoder) number(n int64) {
	if n < 0 {
		w.head(negative, uint64(^n))
	} else {
		w.head(unsigned, uint64(n))
	}
}

func (w *encoder) text(s string) {
	w.head(textOf, uint64(len(s)))
	w.b = append(w.b, s...)
}

func (w *encoder) bytes(b []byte) {
	w.head(bytesOf, uint64(len(b)))
	w.b = append(w.b, b...)
}

// open begins a map of fewer than 256 pairs.
func (w *encoder) open() pairs {
	w.b = append(w.b, mapOf|24, 0)
	return pairs(len(w.b) - 1)
}

// field begins a field; its value follows.
func (w *encoder) field(m pairs, key byte) {
	w.b[m]++
	w.head(unsigned, uint64(key))
}

func (w *encoder) numberField(m pairs, key byte, n int64) {
	if n != 0 {
		w.field(m, key)
		w.number(n)
	}
}

func (w *encoder) textField(m pairs, key byte, s string) {
	if s != "" {
		w.field(m, key)
		w.text(s)
	}
}

func (w *encoder) bytesField(m pairs, key byte, b []byte) {
	if len(b) > 0 {
		w.field(m, key)
		w.bytes(b)
	}
}

func (w *encoder) boolField(m pairs, key byte, yes bool) {
	if yes {
		w.field(m, key)
		w.b = append(w.b, truth)
	}
}

// rareField leaves a value to the library.
func (w *encoder) rareField(m pairs, key byte, has bool, v any) error {
	if !has {
		return nil
	}
	b, err := encoding.Marshal(v)
	if err != nil {
		return err
	}
	w.field(m, key)
	w.b = append(w.b, b...)
	return nil
}

func (w *encoder) entry(e *Entry) error {
	m := w.open()
	w.textField(m, 1, string(e.Kind))
	w.numberField(m, 2, e.At)
	w.numberField(m, 3, int64(e.Wall))
	w.numberField(m, 4, int64(e.CPU))
	w.field(m, 5)
	w.bytes(e.Trace[:])
	w.field(m, 6)
	w.bytes(e.Span[:])
	if e.Parent != [8]byte{} {
		w.field(m, 7)
		w.bytes(e.Parent[:])
	}
	w.textField(m, 9, e.Worker)
	w.textField(m, 10, e.Entrypoint)
	w.textField(m, 12, e.Outcome)
	if len(e.Logs) > 0 {
		w.field(m, 13)
		w.head(arrayOf, uint64(len(e.Logs)))
		for i := range e.Logs {
			w.log(&e.Logs[i])
		}
	}
	if e.Request != nil {
		w.field(m, 15)
		w.request(e.Request)
	}
	if e.Delivery != nil {
		w.field(m, 16)
		w.delivery(e.Delivery)
	}
	w.textField(m, 18, e.RPCMethod)
	if len(e.Sent) > 0 {
		w.field(m, 19)
		w.head(arrayOf, uint64(len(e.Sent)))
		for i := range e.Sent {
			w.sent(&e.Sent[i])
		}
	}
	w.numberField(m, 21, e.AlarmAt)
	w.numberField(m, 22, int64(e.AlarmRetries))
	w.boolField(m, 23, e.Cut)
	w.bytesField(m, 24, e.Random)
	if len(e.Looks) > 0 {
		w.field(m, 25)
		w.head(arrayOf, uint64(len(e.Looks)))
		for _, n := range e.Looks {
			w.number(n)
		}
	}
	w.textField(m, 27, e.RPCArguments)
	for _, rare := range [...]struct {
		key byte
		has bool
		v   any
	}{
		{8, len(e.Links) > 0, e.Links}, {11, e.Object != nil, e.Object}, {14, len(e.Exceptions) > 0, e.Exceptions},
		{17, e.Schedule != nil, e.Schedule}, {20, len(e.Outgoing) > 0, e.Outgoing},
		{26, len(e.Accesses) > 0, e.Accesses}, {28, e.Socket != nil, e.Socket}, {29, e.Workflow != nil, e.Workflow},
		{30, e.Mail != nil, e.Mail}, {31, len(e.Frames) > 0, e.Frames},
		{32, len(e.Spans) > 0, e.Spans},
	} {
		if err := w.rareField(m, rare.key, rare.has, rare.v); err != nil {
			return err
		}
	}
	return nil
}

func (w *encoder) log(l *Log) {
	m := w.open()
	w.textField(m, 1, l.Level)
	w.numberField(m, 2, l.At)
	w.textField(m, 3, l.Message)
}

func (w *encoder) request(r *Request) {
	m := w.open()
	w.textField(m, 1, r.Method)
	w.textField(m, 2, r.URL)
	if len(r.Header) > 0 {
		w.field(m, 3)
		w.head(mapOf, uint64(len(r.Header)))
		for name, values := range r.Header {
			w.text(name)
			w.head(arrayOf, uint64(len(values)))
			for _, v := range values {
				w.text(v)
			}
		}
	}
	w.textField(m, 4, r.CF)
	w.numberField(m, 5, int64(r.Status))
	w.bytesField(m, 6, r.Body)
	w.boolField(m, 7, r.BodyCut)
}

func (w *encoder) delivery(d *Delivery) {
	m := w.open()
	w.textField(m, 1, d.Queue)
	w.textField(m, 2, d.Lane)
	w.field(m, 3)
	w.messages(d.Messages)
	if s := d.Settings; s != nil {
		w.field(m, 4)
		in := w.open()
		w.numberField(in, 1, int64(s.BatchSize))
		w.numberField(in, 2, s.BatchTimeout)
		w.numberField(in, 3, int64(s.MaxRetries))
		w.numberField(in, 4, s.RetryDelay)
		w.textField(in, 5, s.DeadLetterQueue)
	}
	w.numberField(m, 5, d.Backlog)
	w.numberField(m, 6, d.Bytes)
	w.textField(m, 7, d.Reason)
	w.textField(m, 8, d.Error)
	w.textField(m, 9, d.Stack)
}

func (w *encoder) sent(s *Sent) {
	m := w.open()
	w.textField(m, 1, s.Queue)
	w.numberField(m, 2, s.At)
	w.field(m, 3)
	w.messages(s.Messages)
	w.textField(m, 4, s.Error)
}

// messages writes messages. The cause of a message that several of a batch have is there once.
func (w *encoder) messages(list []Message) {
	w.head(arrayOf, uint64(len(list)))
	before := ""
	for i := range list {
		msg := &list[i]
		m := w.open()
		if msg.ID != [16]byte{} {
			w.field(m, 1)
			w.bytes(msg.ID[:])
		}
		w.numberField(m, 2, msg.Timestamp)
		w.numberField(m, 3, int64(msg.Attempts))
		w.textField(m, 4, msg.ContentType)
		w.bytesField(m, 5, msg.Body)
		w.textField(m, 6, msg.Outcome)
		if msg.Delay != nil {
			w.field(m, 7)
			w.number(int64(*msg.Delay))
		}
		if msg.Cause != "" {
			w.cause(m, msg.Cause, before)
			before = msg.Cause
		}
	}
}

// cause writes the cause of a message: the bytes of its ids, or that it is that of the message before.
func (w *encoder) cause(m pairs, text, before string) {
	if text == before {
		w.textField(m, 8, sameCause)
		return
	}
	if c := cause.Parse(text); c.Valid() && c.String() == text {
		w.field(m, 8)
		w.head(bytesOf, uint64(len(c.Trace)+len(c.Span)))
		w.b = append(append(w.b, c.Trace[:]...), c.Span[:]...)
		return
	}
	w.textField(m, 8, text)
}

// restoreCauses gives messages back the causes that [encoder.cause] has shortened.
func restoreCauses(list []Message) {
	before := ""
	for i := range list {
		m := &list[i]
		switch {
		case m.Cause == sameCause:
			m.Cause = before
		case len(m.Cause) == len(cause.Cause{}.Trace)+len(cause.Cause{}.Span):
			var c cause.Cause
			n := copy(c.Trace[:], m.Cause)
			copy(c.Span[:], m.Cause[n:])
			m.Cause = c.String()
		}
		if m.Cause != "" {
			before = m.Cause
		}
	}
}
