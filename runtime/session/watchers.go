package session

import (
	"errors"
	"sync"

	"eddy/runtime/bundle"
)

// watchers follow the files of services. There are none without Options.Watch.
type watchers struct {
	mu      sync.Mutex                   // guards what follows
	inputs  map[*service]*bundle.Watcher // of bundles, configurations and secrets
	sources map[*service]*bundle.Watcher // of custom builds
	closed  bool
}

// seen counts what has happened to the inputs of a service, also what is not signalled yet.
func (w *watchers) seen(svc *service) uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	if one := w.inputs[svc]; one != nil {
		return one.Seen()
	}
	return 0
}

// close ends all watchers.
func (w *watchers) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	var errs []error
	for _, all := range []map[*service]*bundle.Watcher{w.inputs, w.sources} {
		for _, one := range all {
			errs = append(errs, one.Close())
		}
	}
	return errors.Join(errs...)
}
