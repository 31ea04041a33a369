package queues

import (
	"fmt"
	"time"

	"eddy/queues/logstore"
	"eddy/runtime/clock"
)

// When the acks of a push delivery reach the disk.
//
// Nobody waits for them: the Worker's handler has ended, and its messages are gone from memory. So a turn that does
// nothing else writes its group and leaves the sync to the next turn that needs one, which is the next send where
// messages come in as fast as they go. After settleWithin there is one in any case. Until then nobody hears of the
// acks: neither observers nor anyone who asks the broker for anything, whose turn syncs first. What is written survives
// the end of the process; a cut of the power before the sync brings the messages back, as one before the write does.
const settleWithin = 5 * time.Millisecond

// settling is what has been written and not yet synced. Owned by the broker's goroutine.
type settling struct {
	allowed bool       // the log is on this machine's disk, and the clock is the machine's
	open    bool       // there is a group that has not been synced
	news    []Activity // of it and of what came after
	timed   bool       // a timer will ask for the sync
}

func (o *Options) mayLeaveSync() bool {
	_, machine := o.FS.(logstore.MachineFS)
	_, real := o.Clock.(clock.Real)
	return (o.FS == nil || machine) && (o.Clock == nil || real) && o.Durability == logstore.Strict
}

// leaves tells whether the sync of a turn's group can wait.
func (b *Broker) leaves(t *turn) bool {
	return b.settling.allowed && t.acks == b.events && len(t.after) == 0 && !t.syncs && !b.stopped &&
		len(b.draining) == 0
}

// settleNow syncs what has been written for a turn that has written nothing, if it has anything to say to anybody.
func (b *Broker) settleNow(t *turn) error {
	if !b.settling.open || b.leaves(t) {
		return nil
	}
	if err := b.log.Sync(); err != nil {
		return fmt.Errorf("the queues' log could not be synced; nothing can be sent or acknowledged until the server "+
			"is restarted: %w", err)
	}
	b.settling.open = false
	return nil
}

// leaveSync is called when a group has been written without a sync.
func (b *Broker) leaveSync() {
	b.settling.open = true
	if b.settling.timed {
		return
	}
	b.settling.timed = true
	b.clock.AfterFunc(settleWithin, func() {
		_ = b.ask(func(t *turn) { // a closed broker refuses it: closing has synced everything
			b.settling.timed, t.syncs = false, true
		})
	})
}

// heard tells observers of a turn, and of those before it whose sync was left to it. While one is left still, they hear
// of nothing, so that they hear of everything in its order.
func (b *Broker) heard(news []Activity) {
	s := &b.settling
	if s.open {
		s.news = append(s.news, news...)
		return
	}
	if len(s.news) > 0 {
		before := s.news
		s.news = nil
		b.tell(before)
	}
	b.tell(news)
}
