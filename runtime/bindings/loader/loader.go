package loader

import (
	"container/list"
	"runtime"
	"sync"

	"eddy/runtime/bindings/service"
	"eddy/runtime/rpc"
	"eddy/runtime/worker"
)

// maxKept is how many Workers with an id one binding keeps; the one whose get() is longest ago ends first.
const maxKept = 100

// Starter makes Workers of code.
type Starter interface {
	// Start bundles and starts a Worker; entries are its entrypoints. Never called on a loop.
	Start(c *Code) (w *worker.Worker, entries []string, failure *rpc.RemoteError)
	// Retire ends a Worker that nobody can call any more. What it has in flight may go on for a moment. Any goroutine.
	Retire(w *worker.Worker)
}

// workers are the running Workers of one binding in one isolate. Any goroutine.
type workers struct {
	starter Starter

	mu      sync.Mutex // guards all below
	closed  bool
	running map[*worker.Worker]bool
}

// start makes a Worker in the background. It ends when nothing refers to late any more.
func (ws *workers) start(c *Code, late *service.Late, done func()) {
	go func() {
		defer done()
		w, entries, failure := ws.starter.Start(c)
		if failure != nil {
			late.Failed(failure)
			return
		}
		ws.mu.Lock()
		closed := ws.closed
		if !closed {
			ws.running[w] = true
		}
		ws.mu.Unlock()
		if closed {
			ws.starter.Retire(w)
			late.Failed(rpc.Disconnected())
			return
		}
		runtime.AddCleanup(late, ws.end, w)
		late.Started(w.Isolate, entries)
	}()
}

// end retires a Worker, once.
func (ws *workers) end(w *worker.Worker) {
	ws.mu.Lock()
	had := ws.running[w]
	delete(ws.running, w)
	ws.mu.Unlock()
	if had {
		ws.starter.Retire(w)
	}
}

// close ends all Workers and refuses new ones.
func (ws *workers) close() {
	ws.mu.Lock()
	all := ws.running
	ws.closed, ws.running = true, nil
	ws.mu.Unlock()
	for w := range all {
		ws.starter.Retire(w)
	}
}

// kept are the Workers that have an id. Loop goroutine only.
type kept struct {
	byID  map[string]*list.Element
	order list.List // of *named; the newest use is in front
}

type named struct {
	id   string
	late *service.Late
}

// get is the Worker with an id, nil if there is none.
func (k *kept) get(id string) *service.Late {
	e := k.byID[id]
	if e == nil {
		return nil
	}
	late := e.Value.(*named).late
	if late.Gone() { // it had used up its memory
		k.order.Remove(e)
		delete(k.byID, id)
		return nil
	}
	k.order.MoveToFront(e)
	return late
}

// put keeps a Worker, and forgets the one that was not asked for longest if there are too many.
func (k *kept) put(id string, late *service.Late) {
	if k.byID == nil {
		k.byID = map[string]*list.Element{}
	}
	k.byID[id] = k.order.PushFront(&named{id, late})
	if k.order.Len() > maxKept {
		oldest := k.order.Back()
		delete(k.byID, k.order.Remove(oldest).(*named).id)
	}
}
