package redis

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"eddy/queues/workqueue/internal/work"

	queue "eddy/queues/workqueue"
)

// Most jobs are of normal priority and for now. Those need no script: they are pushed to the list "fresh", whole, and
// get their hash when they are claimed. An element is the job's id, the time in microseconds (16 digits), the trace
// context or "-", and the payload, each after a space.

// isFresh reports whether a job may go into the list.
func isFresh(j *work.NewJob) bool {
	return j.Priority == queue.PriorityNormal && j.Delay <= 0 && j.RunAt.IsZero()
}

// push adds jobs to the list, and wakes a subscription: two commands, one round trip. When the second does not happen,
// a poll makes up for it.
func (s *store) push(ctx context.Context, topic string, jobs []work.NewJob) error {
	pipe := s.client.Pipeline()
	stamp, age := s.times.now()
	var asked *goredis.TimeCmd
	if s.clock != nil {
		stamp = s.clock.Now()
	} else if age > maxAge {
		asked = pipe.Time(ctx)
	}
	items := make([]any, len(jobs))
	for i := range jobs {
		items[i] = freshItem(&jobs[i], stamp)
	}
	p := prefix(topic)
	pushed := pipe.RPush(ctx, p+"fresh", items...)
	pipe.ZAdd(ctx, p+"signal", signal)
	_, _ = pipe.Exec(ctx) // each command has its error
	if asked != nil && asked.Err() == nil {
		s.times.set(asked.Val())
	}
	return pushed.Err()
}

// signal is the one member of the key "signal".
var signal = goredis.Z{Member: "1"}

func freshItem(j *work.NewJob, stamp time.Time) []byte {
	trace := j.Trace
	if trace == "" {
		trace = "-"
	}
	b := make([]byte, 0, idLength+1+stampLength+1+len(trace)+1+len(j.Payload))
	b = append(append(b, j.ID...), ' ')
	b = fmt.Appendf(b, "%0*d ", stampLength, max(stamp.UnixMicro(), 0))
	b = append(append(b, trace...), ' ')
	return append(b, j.Payload...)
}

const idLength, stampLength = 36, 16

// parseFresh reads an element of the list.
func parseFresh(topic, item string) (info work.JobInfo, err error) {
	id, rest, _ := strings.Cut(item, " ")
	stamp, rest, _ := strings.Cut(rest, " ")
	_, payload, ok := strings.Cut(rest, " ")
	at, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || !ok {
		return info, fmt.Errorf("an element of %sfresh has another form: %.80q", prefix(topic), item)
	}
	enqueued := time.UnixMicro(at).UTC()
	return work.JobInfo{
		Job:   queue.Job{ID: id, Topic: topic, Payload: []byte(payload), EnqueuedAt: enqueued},
		State: work.Ready, Due: enqueued,
	}, nil
}

// times knows about what the server's clock shows: what it answered last, and how long ago that is by the monotonic
// clock. Setting the clock of this machine does not matter.
type times struct {
	mu     sync.Mutex // guards what follows
	server time.Time
	local  time.Time
}

// set notes what the server answered.
func (t *times) set(server time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.server, t.local = server, time.Now()
}

// now is the server's time, and how old the answer is that it was counted from.
func (t *times) now() (time.Time, time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	age := time.Since(t.local)
	return t.server.Add(age), age
}

// maxAge is after how long Enqueue asks again, together with what it does anyway.
const maxAge = time.Second
