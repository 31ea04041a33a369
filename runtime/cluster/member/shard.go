package member

import (
	"context"
	"errors"
	"slices"
	"time"

	"eddy/runtime/cluster/engine"
)

// Shard is a shard that this node owns, during one epoch.
type Shard struct {
	m *Member

	// Guarded by the member's lock.
	grant   engine.Grant
	head    int64
	number  int64
	queue   []queued
	flying  bool // a batch is on its way
	gained  bool
	closing bool // it is being handed over: nothing is confirmed, because another node may have it already
	ending  bool // Handing was told
	lost    bool
	err     error
	waiting []func(error) // Confirm
	tries   int           // of the batch on its way
}

// queued is a batch that waits, and who waits for it.
type queued struct {
	batch engine.Batch
	done  func(error)
	taken func(error) // like done, but with the lock
}

// ID is the shard's number.
func (s *Shard) ID() int { return s.grant.Shard }

// Epoch is the epoch of the ownership.
func (s *Shard) Epoch() int64 { return s.grant.Epoch }

// Number gives a number for a value that no other value of the shard has.
func (s *Shard) Number() int64 {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	s.number++
	return s.number
}

// Commit hands in a batch. done(nil) means that it is kept; engine.ErrFenced that it is not, and never will be; ErrLost
// that nobody knows. done is called in the order of the batches, as an event.
func (s *Shard) Commit(b engine.Batch, done func(error)) {
	if err := b.Check(); err != nil {
		s.m.do(func() { s.m.emitLocked(func() { done(err) }) })
		return
	}
	s.m.do(func() {
		if s.lost {
			s.m.emitLocked(func() { done(engine.ErrFenced) })
			return
		}
		s.queue = append(s.queue, queued{batch: b, done: done})
		s.flyLocked()
	})
}

// Keep is Commit for a caller that waits: if no batch is on its way the call is made on the caller's goroutine, which
// saves the way to another one and back. It must not be called from an event.
func (s *Shard) Keep(b engine.Batch) error {
	if err := b.Check(); err != nil {
		return err
	}
	kept := make(chan error, 1)
	var mine []queued
	var n int64
	s.m.do(func() {
		if s.lost {
			kept <- engine.ErrFenced
			return
		}
		s.queue = append(s.queue, queued{batch: b, done: func(err error) { kept <- err }})
		if !s.flying {
			b, mine = s.gatherLocked()
			n = s.head + 1
		}
	})
	if mine != nil {
		ctx, cancel := context.WithTimeout(context.Background(), callTime)
		err := s.m.o.Engine.Commit(ctx, s.grant, n, b)
		cancel()
		s.m.do(func() { s.answeredLocked(b, mine, err) })
	}
	return <-kept
}

// flyLocked is called with mu held and sends what has gathered.
func (s *Shard) flyLocked() {
	if s.flying || s.lost || len(s.queue) == 0 {
		return
	}
	s.sendLocked(s.gatherLocked())
}

// gatherLocked is called with mu held and makes one batch of what waits, which is on its way from here on.
func (s *Shard) gatherLocked() (b engine.Batch, going []queued) {
	n := 0
	for n < len(s.queue) && (n == 0 || b.Size()+s.queue[n].batch.Size() <= engine.MaxBatch) {
		b.Add(s.queue[n].batch)
		n++
	}
	going = s.queue[:n:n]
	s.queue = s.queue[n:]
	s.flying = true
	s.tries = 0
	return b, going
}

// sendLocked is called with mu held.
func (s *Shard) sendLocked(b engine.Batch, going []queued) {
	s.m.calls.commit(s.grant, s.head+1, b, func(err error) {
		s.m.do(func() { s.answeredLocked(b, going, err) })
	})
}

// answeredLocked is called with mu held. An unknown outcome is settled by sending the same batch again, under the same
// number.
func (s *Shard) answeredLocked(b engine.Batch, going []queued, err error) {
	m := s.m
	var restored *engine.RestoredError
	var size *engine.SizeError
	switch {
	case s.lost && err != nil:
		if !errors.Is(err, engine.ErrFenced) {
			err = ErrLost
		}
	case err == nil:
		s.head++
	case errors.As(err, &restored) && s.gained:
		m.restoredLocked(restored)
	case errors.Is(err, engine.ErrFenced), errors.As(err, &restored), errors.As(err, &size):
		// A grant that was only seen may be taken back by a failover, and given again with a lower head.
		m.loseLocked(s, err)
	default:
		s.tries++
		pause := min(time.Duration(s.tries)*20*time.Millisecond, time.Second)
		m.o.Clock.AfterFunc(pause, func() { m.do(func() { s.againLocked(b, going) }) })
		return
	}
	s.landedLocked(going, err)
}

// againLocked is called with mu held.
func (s *Shard) againLocked(b engine.Batch, going []queued) {
	if s.lost {
		s.landedLocked(going, ErrLost)
		return
	}
	s.sendLocked(b, going)
}

// landedLocked is called with mu held.
func (s *Shard) landedLocked(going []queued, err error) {
	s.flying = false
	for _, q := range going {
		if q.taken != nil {
			q.taken(err)
		}
		if q.done != nil {
			s.m.emitLocked(func() { q.done(err) })
		}
	}
	s.flyLocked()
	s.handLocked()
	s.m.leaveLocked()
}

// Confirm calls done(nil) when all that was read of the shard before may be told: at once if the lease holds, else when
// a beat succeeds and the shard is still this node's. If it is lost, done gets the reason. With Options.Confirmed it is
// when a read of the shard's epoch has shown that it was still this node's after Confirm was called; one read is for
// all who wait.
func (s *Shard) Confirm(done func(error)) {
	s.m.do(func() {
		if s.m.o.Confirmed && !s.lost {
			s.m.askers = append(s.m.askers, asker{s, done})
			s.m.askLocked()
			return
		}
		s.waiting = append(s.waiting, done)
		if s.m.validLocked() {
			s.confirmLocked()
		}
		if s.lost {
			s.refuseLocked()
		}
	})
}

// confirmLocked is called with mu held, while the lease holds.
func (s *Shard) confirmLocked() {
	if s.lost || s.closing {
		return
	}
	for _, done := range s.waiting {
		s.m.emitLocked(func() { done(nil) })
	}
	s.waiting = nil
}

// refuseLocked is called with mu held.
func (s *Shard) refuseLocked() {
	err := s.err
	if err == nil {
		err = engine.ErrFenced
	}
	for _, done := range s.waiting {
		s.m.emitLocked(func() { done(err) })
	}
	s.waiting = nil
}

// Read reads from the shard. It waits for the engine: a read that fails before it has shown anything is made again for
// up to 15 seconds, as long as the shard is this node's, so that a restart of the database fails no call.
func (s *Shard) Read(ctx context.Context, from, to engine.Key, fn func(engine.Key, engine.Value) error) error {
	end := s.m.o.Clock.Now().Add(readTime)
	for {
		shown := false
		err := s.m.o.Engine.Read(ctx, s.grant, from, to, func(k engine.Key, v engine.Value) error {
			shown = true
			return fn(k, v)
		})
		var damage *engine.DamageError
		if err == nil || shown || errors.As(err, &damage) || !s.pause(ctx, end) {
			return err
		}
	}
}

const (
	readTime  = 15 * time.Second
	readPause = 100 * time.Millisecond
)

// pause waits before a read is made again, and tells whether it should be.
func (s *Shard) pause(ctx context.Context, end time.Time) bool {
	woken := make(chan struct{})
	timer := s.m.o.Clock.AfterFunc(readPause, func() { close(woken) })
	defer timer.Stop()
	select {
	case <-woken:
	case <-ctx.Done():
		return false
	}
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	return !s.lost && s.m.o.Clock.Now().Before(end)
}

// loseLocked is called with mu held. A batch on its way is told when its call has ended, what waits at once.
func (m *Member) loseLocked(s *Shard, err error) {
	if s.lost {
		return
	}
	s.lost, s.err = true, err
	delete(m.shards, s.grant.Shard)
	if s.gained {
		m.floors[s.grant.Shard] = floor{s.grant.Epoch, s.head}
	}
	m.known[s.grant.Shard] = past{s.grant.Epoch, m.looks}
	s.refuseLocked()
	m.askers = slices.DeleteFunc(m.askers, func(a asker) bool {
		if a.shard == s {
			m.answerLocked(a, nil)
		}
		return a.shard == s
	})
	queue := s.queue
	s.queue = nil
	for _, q := range queue {
		if q.done != nil {
			m.emitLocked(func() { q.done(engine.ErrFenced) })
		}
	}
	if tell := m.o.Events.Lost; tell != nil && s.gained {
		m.emitLocked(func() { tell(s, err) })
	}
}
