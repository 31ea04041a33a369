package objectjs

import (
	"context"
	"errors"

	"eddy/durableobject"
	"eddy/runtime/rpc"
)

// Rest drops every object of the session and closes its files, so that a test's storage can be kept or put back. What
// is stored and its alarms come back with Wake. A namespace that nobody has used since the last Wake has nothing to
// drop and no changed file: it is left alone, and used tells whether there was another one. Not on a loop goroutine.
func (o *Objects) Rest(ctx context.Context) (used bool, err error) {
	err = o.everywhere(ctx, func(h *home) error {
		if h.store == nil || !h.touched {
			return nil
		}
		h.resting, used = true, true
		for _, obj := range h.live.Objects() {
			if inst, ok := obj.Actor.(*instance); ok && !inst.gone {
				inst.discard(rpc.Fail("The isolated storage of a test has ended."))
			}
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
	return used, err
}

// Wake arms the alarms of what is stored.
func (o *Objects) Wake(ctx context.Context) error {
	return o.everywhere(ctx, func(h *home) error {
		if !h.resting {
			return nil
		}
		err := h.rearm()
		h.resting, h.touched = false, false
		return err
	})
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
