package main

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	queue "eddy/queues/workqueue"
)

// errNone says that a system cannot do what is measured: its cell stays empty.
var errNone = errors.New("there is no such call")

// system is what is measured.
type system interface {
	// reset makes the queue empty.
	reset(ctx context.Context) error
	// enqueue enqueues n jobs one by one on each of some goroutines.
	enqueue(ctx context.Context, goroutines, n int, payload []byte) (time.Duration, error)
	batch(ctx context.Context, payloads [][]byte) error
	// work starts workers and returns what stops them.
	work(ctx context.Context, workers int, handle func()) (stop func(), err error)
}

type contestant struct {
	name string
	system
}

// measurement takes figures of a system; each goes into a column.
type measurement struct {
	name string
	take func(ctx context.Context, s system, put func(column string, v float64)) error
}

var measurements = []measurement{
	{"enqueue", func(ctx context.Context, s system, put func(string, float64)) error {
		return enqueue(ctx, s, 1, *jobs/3, "enqueue/s", put)
	}},
	{"enqueue by 16", func(ctx context.Context, s system, put func(string, float64)) error {
		return enqueue(ctx, s, 16, *jobs/16, "by 16", put)
	}},
	{"batch", func(ctx context.Context, s system, put func(string, float64)) error {
		began := time.Now()
		for at := 0; at < *jobs; at += batchSize {
			if err := s.batch(ctx, slices.Repeat([][]byte{payload}, batchSize)); err != nil {
				return ignoreNone(err)
			}
		}
		put("batched/s", rate(*jobs, began))
		return nil
	}},
	{"1 worker", func(ctx context.Context, s system, put func(string, float64)) error {
		return drain(ctx, s, 1, *jobs/3, "1 worker/s", put)
	}},
	{"16 workers", func(ctx context.Context, s system, put func(string, float64)) error {
		return drain(ctx, s, 16, *jobs, "16 workers/s", put)
	}},
	{"latency", latency},
}

// batchSize is how many jobs go into one call.
const batchSize = 1000

var payload = make([]byte, 100)

func rate(n int, began time.Time) float64 { return float64(n) / time.Since(began).Seconds() }

func ignoreNone(err error) error {
	if errors.Is(err, errNone) {
		return nil
	}
	return err
}

func enqueue(ctx context.Context, s system, goroutines, n int, column string, put func(string, float64)) error {
	took, err := s.enqueue(ctx, goroutines, n, payload)
	if err != nil {
		return ignoreNone(err)
	}
	put(column, float64(goroutines*n)/took.Seconds())
	return nil
}

// drain measures how long workers take for n jobs that wait.
func drain(ctx context.Context, s system, workers, n int, column string, put func(string, float64)) error {
	err := s.batch(ctx, slices.Repeat([][]byte{payload}, n))
	if errors.Is(err, errNone) {
		_, err = s.enqueue(ctx, 16, (n+15)/16, payload)
	}
	if err != nil {
		return ignoreNone(err)
	}
	var done atomic.Int64
	all := make(chan struct{})
	began := time.Now()
	stop, err := s.work(ctx, workers, func() {
		if done.Add(1) == int64(n) {
			close(all)
		}
	})
	if err != nil {
		return ignoreNone(err)
	}
	<-all
	put(column, rate(n, began))
	stop()
	return nil
}

// latency measures the time from the call of Enqueue to the handler, with idle workers.
func latency(ctx context.Context, s system, put func(string, float64)) error {
	handled := make(chan time.Time, 1)
	stop, err := s.work(ctx, 4, func() { handled <- time.Now() })
	if err != nil {
		return ignoreNone(err)
	}
	var all []float64
	for start := time.Now(); len(all) < 200 && time.Since(start) < 5*time.Second; {
		began := time.Now()
		if _, err := s.enqueue(ctx, 1, 1, payload); err != nil {
			return err
		}
		all = append(all, (<-handled).Sub(began).Seconds()*1000)
	}
	stop()
	slices.Sort(all)
	put("p50 ms", all[len(all)/2])
	put("p99 ms", all[len(all)*99/100])
	return nil
}

// loop calls f n times on each of some goroutines.
func loop(goroutines, n int, f func() error) (time.Duration, error) {
	var wait sync.WaitGroup
	errs := make([]error, goroutines)
	began := time.Now()
	for g := range goroutines {
		wait.Go(func() {
			for range n {
				if errs[g] = f(); errs[g] != nil {
					return
				}
			}
		})
	}
	wait.Wait()
	return time.Since(began), errors.Join(errs...)
}

// ours is the work queue.
type ours struct {
	queue.Service
	clear func(context.Context) error
}

func (o *ours) reset(ctx context.Context) error { return o.clear(ctx) }

func (o *ours) enqueue(ctx context.Context, goroutines, n int, payload []byte) (time.Duration, error) {
	return loop(goroutines, n, func() error { return o.Enqueue(ctx, "figures", payload) })
}

func (o *ours) batch(ctx context.Context, payloads [][]byte) error {
	return o.Service.(interface {
		EnqueueBatch(context.Context, string, [][]byte, ...queue.EnqueueOption) error
	}).EnqueueBatch(ctx, "figures", payloads)
}

func (o *ours) work(ctx context.Context, workers int, handle func()) (func(), error) {
	c, err := o.Subscribe(ctx, "figures", func(context.Context, *queue.Job) error { handle(); return nil },
		queue.WithConcurrency(workers))
	if err != nil {
		return nil, err
	}
	return func() { _ = c.Close() }, nil
}
