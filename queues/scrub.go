package queues

import (
	"context"
	"errors"
	"fmt"
	"time"

	"eddy/queues/logstore"
)

// A disk may damage what nobody reads for long: messages that wait for days. While the broker has nothing to do, the
// full segments of the log are read again, a part at a time, and damage is told as soon as it is there to be seen, not
// when the message is due. Only a broker on the machine's clock does it: a virtual one must do the same in each run.
const (
	scrubPause = 10 * time.Second
	scrubPart  = 1 << 20 // bytes
)

// scrub is how far the reading has come. Owned by one goroutine.
type scrub struct {
	turns   uint64 // of the broker, when it was last looked at
	segment uint32
	at      int64
	told    map[uint32]bool
}

// scrubbing runs until the broker ends.
func (b *Broker) scrubbing() {
	s := &scrub{told: map[uint32]bool{}}
	tick := time.NewTicker(scrubPause)
	defer tick.Stop()
	for {
		select {
		case <-b.done:
			return
		case <-tick.C:
		}
		if turns := b.rounds.Load(); turns != s.turns {
			s.turns = turns
			continue // there was something to do
		}
		if err := b.scrubPart(s); err != nil {
			return // the broker has ended
		}
		s.turns = b.rounds.Load() // the question was a turn too
	}
}

// scrubPart reads on in the segment that it has come to, or in the next one; after the last it begins anew.
func (b *Broker) scrubPart(s *scrub) error {
	var full []logstore.Segment
	if err := b.call(context.Background(), func(*turn) error {
		if all := b.log.Segments(); len(all) > 0 {
			full = all[:len(all)-1]
		}
		return nil
	}); err != nil {
		return err
	}
	for _, seg := range full {
		if seg.ID < s.segment || seg.ID == s.segment && s.at >= seg.Bytes || s.told[seg.ID] {
			continue
		}
		if seg.ID != s.segment {
			s.segment, s.at = seg.ID, 0
		}
		next, err := b.log.Verify(seg.ID, s.at, seg.Bytes, scrubPart)
		var damage *logstore.CorruptError
		switch {
		case errors.As(err, &damage) && !b.dropped(seg.ID):
			s.told[seg.ID] = true
			b.warn(fmt.Sprintf("The disk has damaged the queues' log: %v", err))
		case err != nil:
			next = seg.Bytes // it was dropped, or cannot be read now; the next round sees it again
		}
		s.at = next
		return nil
	}
	s.segment, s.at = 0, 0
	return nil
}

// dropped tells whether a segment is gone because nothing in it was needed any more.
func (b *Broker) dropped(id uint32) bool {
	gone := true
	err := b.call(context.Background(), func(*turn) error {
		for _, seg := range b.log.Segments() {
			gone = gone && seg.ID != id
		}
		return nil
	})
	return err != nil || gone
}
