package eddylog

import (
	"context"
	"time"

	"eddy/queues"
	"eddy/runtime/clock"

	queue "eddy/queues/workqueue"
)

// local is a broker in this process.
type local struct{ broker *queues.Broker }

func (l local) now() time.Time { return l.broker.Now() }

func (l local) work(ctx context.Context, w queues.Work) (queues.Worked, error) {
	return l.broker.Work(ctx, w)
}

func (l local) observe(changed func(queues ...string)) (stop func(), err error) {
	return l.broker.Observe(func(a queues.Activity) {
		switch a.Kind {
		case queues.ActivitySent, queues.ActivityRetried, queues.ActivityDeadLettered, queues.ActivityResumed,
			queues.ActivityOperator:
			changed(a.Queue, a.DeadLetterQueue)
		}
	})
}

// brokerClock adapts the clock of a work queue to a broker. nil stays nil, which means the machine's clock.
func brokerClock(c queue.Clock) clock.Clock {
	if c == nil {
		return nil
	}
	return adapted{c}
}

type adapted struct{ clock queue.Clock }

func (a adapted) Now() time.Time { return a.clock.Now().UTC() }

func (a adapted) AfterFunc(d time.Duration, f func()) clock.Timer {
	t := stoppable{a.clock.NewTimer(d), make(chan struct{})}
	go func() {
		select {
		case <-t.timer.C():
			f()
		case <-t.stopped:
		}
	}()
	return t
}

func (adapted) Hold(reason string) func()              { return clock.Real{}.Hold(reason) }
func (adapted) Participant(n string) clock.Participant { return clock.Real{}.Participant(n) }

type stoppable struct {
	timer   queue.Timer
	stopped chan struct{}
}

func (s stoppable) Stop() bool {
	active := s.timer.Stop()
	if active {
		close(s.stopped)
	}
	return active
}
