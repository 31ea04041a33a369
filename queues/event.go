package queues

import (
	"encoding/binary"
	"fmt"
)

// LogEvent is a change of the broker's state, as it is written to the log.
//
// A group in the log is: a version byte (1); the time of the group, in milliseconds since 1970, 8 bytes; then events.
// An event is its kind (2 bytes), the length of its fields (4 bytes) and the fields. Integers in the prefix are
// little-endian. A field may be added at the end of an event; nothing else of an event ever changes.
type LogEvent interface {
	kind() uint16
	// code walks the fields in the order in which they are on disk.
	code(c *coder)
	// apply makes the change. It reads neither clock nor randomness. An error means that the log contradicts itself.
	apply(s *State) error
}

// Event kinds. Numbers are only ever added.
var eventKinds = map[uint16]func() LogEvent{
	1:  func() LogEvent { return &QueueCreated{} },
	2:  func() LogEvent { return &QueueUpdated{} },
	3:  func() LogEvent { return &QueueDeleted{} },
	4:  func() LogEvent { return &ConsumerSet{} },
	5:  func() LogEvent { return &ConsumerRemoved{} },
	6:  func() LogEvent { return &Sent{} },
	7:  func() LogEvent { return &Leased{} },
	8:  func() LogEvent { return &Acked{} },
	9:  func() LogEvent { return &Retried{} },
	10: func() LogEvent { return &DeadLettered{} },
	11: func() LogEvent { return &Dropped{} },
	12: func() LogEvent { return &Purged{} },
	13: func() LogEvent { return &Redriven{} },
	14: func() LogEvent { return &Edited{} },
	15: func() LogEvent { return &Moved{} },
	16: func() LogEvent { return &Noted{} },
	17: func() LogEvent { return &Escalated{} },
	18: func() LogEvent { return &LaneSent{} },
	19: func() LogEvent { return &LaneRemoved{} },
	20: func() LogEvent { return &LaneRetried{} },
	21: func() LogEvent { return &LaneHandedOff{} },
	22: func() LogEvent { return &LaneHandOffFailed{} },
	23: func() LogEvent { return &LaneMoved{} },
	24: func() LogEvent { return &ClockSetBack{} },
	25: func() LogEvent { return &Traced{} },
	26: func() LogEvent { return &TracedSend{} },
	27: func() LogEvent { return &Hastened{} },
	28: func() LogEvent { return &LaneHastened{} },
}

const (
	groupVersion = 1
	groupHeader  = 9
	eventHeader  = 6
)

// beginGroup starts a group of that time in the buffer.
func (c *coder) beginGroup(now int64) {
	c.b = append(c.b[:0], groupVersion)
	c.b = binary.LittleEndian.AppendUint64(c.b, uint64(now))
}

// event appends e.
func (c *coder) event(e LogEvent) {
	start := len(c.b)
	c.b = binary.LittleEndian.AppendUint16(c.b, e.kind())
	c.b = append(c.b, 0, 0, 0, 0)
	e.code(c)
	binary.LittleEndian.PutUint32(c.b[start+2:], uint32(len(c.b)-start-eventHeader))
}

// decodeGroup reads a group and calls f for every event. Bodies are slices of p.
func decodeGroup(p []byte, begin func(now int64), f func(LogEvent) error) error {
	if len(p) < groupHeader {
		return fmt.Errorf("%w: group of %d bytes", errFormat, len(p))
	}
	if p[0] != groupVersion {
		return fmt.Errorf("%w: group version %d; this release reads %d", errFormat, p[0], groupVersion)
	}
	begin(int64(binary.LittleEndian.Uint64(p[1:])))
	c := &coder{b: p, pos: groupHeader, reading: true}
	for c.pos < len(p) {
		if len(p)-c.pos < eventHeader {
			return fmt.Errorf("%w: the group ends inside an event", errFormat)
		}
		kind := binary.LittleEndian.Uint16(p[c.pos:])
		n := int64(binary.LittleEndian.Uint32(p[c.pos+2:]))
		c.pos += eventHeader
		if n > int64(len(p)-c.pos) {
			return fmt.Errorf("%w: the group ends inside an event of kind %d", errFormat, kind)
		}
		c.end = c.pos + int(n)
		make, ok := eventKinds[kind]
		if !ok {
			return fmt.Errorf(
				"%w: event of kind %d, which this release does not know; a newer one wrote it",
				errFormat,
				kind,
			)
		}
		e := make()
		e.code(c)
		if c.err == nil && c.pos != c.end {
			c.fail(fmt.Sprintf("%d bytes left over in an event of kind %d", c.end-c.pos, kind))
		}
		if c.err != nil {
			return c.err
		}
		if err := f(e); err != nil {
			return err
		}
	}
	return nil
}
