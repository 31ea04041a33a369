package sharing

import (
	"sync"

	"eddy/runtime/worker"
)

// maxPendingTraces bounds what waits for a session that takes its traces slowly. What comes on top is lost.
const maxPendingTraces = 1000

// tails are the traces on their way to tail consumers in other sessions, by Worker. One goroutine for each Worker
// sends them in order while there are any.
type tails struct {
	// send sends traces to a Worker and waits until they are taken or lost. Set before the first trace.
	send func(name string, list []*worker.Trace)

	mu      sync.Mutex
	closed  bool                       // guarded by mu
	pending map[string][]*worker.Trace // guarded by mu; a Worker that is in it has its goroutine
	sending sync.WaitGroup
}

// add takes a trace. It does not wait.
func (ts *tails) add(name string, t *worker.Trace) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	list, sending := ts.pending[name]
	if ts.closed || len(list) >= maxPendingTraces {
		return
	}
	if ts.pending == nil {
		ts.pending = map[string][]*worker.Trace{}
	}
	ts.pending[name] = append(list, t)
	if !sending {
		ts.sending.Go(func() { ts.drain(name) })
	}
}

func (ts *tails) drain(name string) {
	for {
		ts.mu.Lock()
		list := ts.pending[name]
		if len(list) == 0 || ts.closed {
			delete(ts.pending, name)
			ts.mu.Unlock()
			return
		}
		ts.pending[name] = []*worker.Trace{}
		ts.mu.Unlock()
		ts.send(name, list)
	}
}

// close refuses more traces. Those that are being sent end with their wires.
func (ts *tails) close() {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.closed = true
}
