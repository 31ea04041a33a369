package objectjs

import (
	"context"
	"errors"

	"eddy/durableobject"
)

// Rest drops every object of the session and closes its files, so that a test's storage can be kept or put back. What
// is stored and its alarms come back with Wake. Not on a loop goroutine.
func (o *Objects) Rest(ctx context.Context) error {
	return o.everywhere(ctx, func(h *home) error {
		h.abortAll("The isolated storage of a test has ended.")
		if h.store == nil {
			return nil
		}
		alarms, err := h.store.Alarms()
		for _, a := range alarms {
			if id, wrong := durableobject.ParseID(h.ns.key, a.ID); wrong == nil {
				h.ns.objs.alarms.Delete(durableobject.AlarmKey{Namespace: h.ns.key, ID: id})
			}
		}
		err = errors.Join(err, h.store.Close())
		h.store = nil
		return err
	})
}

// Wake arms the alarms of what is stored.
func (o *Objects) Wake(ctx context.Context) error {
	return o.everywhere(ctx, func(h *home) error { return h.rearm() })
}

// everywhere runs f for every namespace that an isolate serves.
func (o *Objects) everywhere(ctx context.Context, f func(*home) error) error {
	o.mu.Lock()
	var keys []string
	for key := range o.mu.namespaces {
		keys = append(keys, key)
	}
	o.mu.Unlock()
	var errs []error
	for _, key := range keys {
		if err := o.on(ctx, key, f); !errors.Is(err, ErrNotServed) && !errors.Is(err, ErrNoNamespace) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
