package queues

import "context"

// Dump is the state as text, without deliveries in flight.
func (b *Broker) Dump() (text string, err error) {
	err = b.call(context.Background(), func(t *turn) error {
		text = t.state.dump(false)
		return nil
	})
	return text, err
}

// Snapshot writes one now.
func (b *Broker) Snapshot() error {
	return b.call(context.Background(), func(*turn) error { return b.snapshot() })
}

// Post runs f in a turn.
func (b *Broker) Post(f func()) error { return b.post(func(*turn) { f() }) }

// Closing tells whether Close was called.
func (b *Broker) Closing() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.mu.closed
}

// LeaveSyncs lets the sync of acks wait as on the machine's clock and disk.
func (b *Broker) LeaveSyncs() error {
	return b.call(context.Background(), func(*turn) error {
		b.settling.allowed = true
		return nil
	})
}
