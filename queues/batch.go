package queues

// batching decides when the ready messages of a queue make a batch. It is not part of the state: after a restart
// every wait begins anew.
//
// The rule (D-1, D-2, D-3): a batch begins to form when a message is ready and a delivery is free to take it. It is
// delivered when it is full, or max_batch_timeout after it began to form. What remains after a full batch was taken
// begins a new batch with a wait of its own. With one delivery at a time that is what wrangler dev does; production
// does not say.
type batching struct {
	since int64 // ms: when the forming batch began to form; 0 if none
	hurry int   // how many of the oldest messages need not wait for a whole batch
}

// take says how many messages to deliver now, and if none, when to look again (0: when something changes).
func (b *batching) take(now int64, ready int, free bool, c ConsumerConfig) (n int, again int64) {
	if ready == 0 {
		b.since, b.hurry = 0, 0
		return 0, 0
	}
	if !free {
		return 0, 0
	}
	if b.since == 0 {
		b.since = now
	}
	due := b.since + c.MaxBatchTimeout.Milliseconds()
	if ready < c.MaxBatchSize && now < due && b.hurry == 0 {
		return 0, due
	}
	b.since = 0
	n = min(ready, c.MaxBatchSize)
	b.hurry = max(0, b.hurry-n)
	return n, 0
}

// scaling chooses how many deliveries of a queue may be in flight (D-13). It changes only when a delivery ends: up
// by half while more full batches wait than are being delivered, down by one when they do not, and down by half
// when most of the last deliveries failed with an exception. retry() and retryAll() are not failures.
type scaling struct {
	now     int
	recent  [8]bool // whether each of the last deliveries failed
	next    int
	seen    int
	failing int
}

func (s *scaling) limit(c ConsumerConfig) int { return min(max(1, s.now), c.concurrency()) }

// ended takes note of a delivery.
func (s *scaling) ended(failed bool, ready int, c ConsumerConfig) {
	if s.recent[s.next] {
		s.failing--
	}
	s.recent[s.next] = failed
	if failed {
		s.failing++
	}
	s.next = (s.next + 1) % len(s.recent)
	s.seen = min(s.seen+1, len(s.recent))
	now := s.limit(c)
	switch {
	case s.failing*2 > s.seen:
		now /= 2
	case ready > now*c.MaxBatchSize:
		now += max(1, now/2)
	case ready < (now-1)*c.MaxBatchSize:
		now--
	}
	s.now = min(max(1, now), c.concurrency())
}
