package objectjs

import (
	"context"
	"errors"
	"sync"

	"eddy/durableobject/storage"
	"eddy/runtime/eventloop"
	"eddy/runtime/rpc"
	"eddy/runtime/worker"
)

// namespace is one class of one Worker. Any goroutine.
type namespace struct {
	objs *Objects
	key  string

	mu       sync.Mutex
	class    Class // Worker and Name never change
	declared bool
	host     *host
	// changing is set while the namespace goes over to another isolate; what comes meanwhile waits.
	changing bool
	waiting  []func(*host)
	// seen is set when alarms of earlier runs have been dealt with.
	seen bool
}

// notFound is CL11: nobody serves the namespace.
func (n *namespace) notFound() *rpc.Failure {
	f := rpc.Fail(`Worker "` + n.class.Worker + `" not found. Make sure it is running locally.`)
	f.Remote = true
	return f
}

// post runs fn on the loop that serves the namespace, in the order of the calls. It reports false when there is none.
func (n *namespace) post(fn func(*host)) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.changing {
		n.waiting = append(n.waiting, fn)
		return true
	}
	h := n.host
	return h != nil && h.iso.Loop.Post(func() { fn(h) })
}

// home is the loop that serves the namespace, nil if there is none.
func (n *namespace) home() *eventloop.Loop {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.host == nil || n.changing {
		return nil
	}
	return n.host.iso.Loop
}

// attach lets iso serve.
func (n *namespace) attach(ctx context.Context, iso *worker.Isolate) error {
	h := newHost(n, iso)
	if err := n.replace(ctx, nil, h); err != nil {
		return err
	}
	return n.rearm(ctx)
}

// detach ends what iso serves, or whoever serves if iso is nil.
func (n *namespace) detach(ctx context.Context, iso *worker.Isolate) error {
	n.mu.Lock()
	serving := n.host != nil && (iso == nil || n.host.iso == iso)
	n.mu.Unlock()
	if !serving {
		return nil
	}
	return n.replace(ctx, iso, nil)
}

// replace exchanges the host. The old one gives up its instances and closes its storage on its own loop.
func (n *namespace) replace(ctx context.Context, only *worker.Isolate, next *host) error {
	n.mu.Lock()
	if n.changing {
		n.mu.Unlock()
		return errors.New("durable objects: " + n.key + " is already going over to another isolate")
	}
	old := n.host
	if old == nil || only != nil && old.iso != only {
		if next != nil {
			n.host = next
		}
		n.mu.Unlock()
		return nil
	}
	n.changing = true
	n.mu.Unlock()

	sockets := map[string]*sleeping{}
	var closeErr error
	err := old.iso.Loop.Do(ctx, func() { sockets, closeErr = old.close() })
	if errors.Is(err, eventloop.ErrStopped) {
		// Its goroutine has ended: nothing else touches what it owned.
		sockets, closeErr = old.close()
		err = nil
	}
	n.mu.Lock()
	n.changing = false
	n.host = next
	waiting := n.waiting
	n.waiting = nil
	for _, fn := range waiting {
		if next == nil || !next.iso.Loop.Post(func() { fn(next) }) {
			fn(nil)
		}
	}
	if next != nil {
		next.inherited = sockets
		if !next.iso.Loop.Post(next.inherit) {
			err = errors.Join(err, eventloop.ErrStopped)
		}
	}
	n.mu.Unlock()
	if next == nil {
		for _, s := range sockets {
			s.lose()
		}
	}
	return errors.Join(err, closeErr)
}

// dir is the folder of the namespace.
func (n *namespace) dir() string { return storage.NamespaceDir(n.objs.opts.Root, n.key) }

func (n *namespace) sql() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.class.SQL
}
