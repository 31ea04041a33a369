package eddylog

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"eddy/queues"
	"eddy/runtime/running"
)

// remote is the session that has a state directory open. After a restart it may be another one.
type remote struct {
	state string

	mu     sync.Mutex // guards client
	client *running.Caller
}

// session finds the session, if none is known.
func (r *remote) session(ctx context.Context) (*running.Caller, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.client == nil {
		c, _, err := running.Find(ctx, r.state)
		if err != nil {
			return nil, err
		}
		r.client = c
	}
	return r.client, nil
}

// forget lets the next call look for the session anew.
func (r *remote) forget(c *running.Caller) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.client == c {
		r.client = nil
	}
}

func (r *remote) now() time.Time { return time.Now() }

func (r *remote) work(ctx context.Context, w queues.Work) (queues.Worked, error) {
	c, err := r.session(ctx)
	if err != nil {
		return queues.Worked{}, err
	}
	out, err := running.Call[queues.Worked](ctx, c, "POST", "/work", w)
	var refused *running.Refusal
	if err != nil && !errors.As(err, &refused) {
		r.forget(c) // it may have been restarted, at another address
	}
	return out, err
}

// activity is what there is to know of an event of the session's.
type activity struct {
	Kind            string `json:"kind"`
	Queue           string `json:"queue"`
	DeadLetterQueue string `json:"dead_letter_queue"`
}

func (r *remote) observe(changed func(queues ...string)) (stop func(), err error) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for ctx.Err() == nil {
			if c, err := r.session(ctx); err == nil {
				err = c.Events(ctx, "/tail", func() { changed() }, func(data []byte) error {
					var e activity
					if err := json.Unmarshal(data, &e); err != nil {
						return err
					}
					switch queues.ActivityKind(e.Kind) {
					case queues.ActivitySent, queues.ActivityRetried, queues.ActivityDeadLettered,
						queues.ActivityResumed, queues.ActivityOperator:
						changed(e.Queue, e.DeadLetterQueue)
					}
					return nil
				})
				if err != nil {
					r.forget(c)
				}
			}
			// Polling goes on meanwhile, and says what is wrong.
			select {
			case <-time.After(500 * time.Millisecond):
			case <-ctx.Done():
			}
		}
	}()
	return cancel, nil
}
