package objectjs

import (
	"context"
	"errors"
	"fmt"

	"eddy/durableobject"
	"eddy/durableobject/storage"
	"eddy/runtime/rpc"
)

// This file has the requests of the control API to objects. A look is answered at once, on the object's own connection;
// a change waits at the object's gate like any event.

// Query asks an object's database. A query that only reads is answered at once, also while the object is at work. A
// query that writes enters through the gate of an object that is in memory, and is answered when it is durable. It does
// not wake a cold object.
func (o *Objects) Query(ctx context.Context, key, idOrName string, q storage.Query) (storage.Result, error) {
	type answer struct {
		res storage.Result
		err error
	}
	done := make(chan answer, 2)
	if err := o.store(ctx, key, idOrName, func(h *home, s *storage.Store) error {
		var res storage.Result
		ask := func() (err error) { res, err = s.Query(q); return err }
		if !q.Write {
			err := h.bounded(ask)
			done <- answer{res, err}
			return nil
		}
		h.change(s, ask, func(err error) { done <- answer{res, err} })
		return nil
	}); err != nil {
		return storage.Result{}, err
	}
	select {
	case a := <-done:
		return a.res, a.err
	case <-ctx.Done():
		return storage.Result{}, fmt.Errorf("the object has not let the query in: %w", ctx.Err())
	}
}

// change carries out do, which changes what an object has stored: through the gate of an object that is in memory, else
// on its file. done is called once, with nil when the change is durable.
func (h *home) change(s *storage.Store, do func() error, done func(error)) {
	inst := h.inMemory(s.ID())
	if inst == nil {
		err := h.bounded(do)
		if err == nil {
			err = s.Commit()
		}
		if err != nil {
			if s.Broken() != nil {
				s.Close() // the next use starts from what is on the disk
			}
			done(err)
			return
		}
		s.Sync(done)
		s.Release()
		return
	}
	inst.begin()
	inst.enter(outsideAct, func() {
		if err := do(); err != nil {
			done(err)
			if s.Broken() != nil && !inst.scope.Over() {
				inst.reset(storageFailure(err))
			}
			inst.end()
			return
		}
		inst.wrote()
		inst.object.Output.Output(func(err error) {
			done(err)
			inst.end()
		})
	})
}

// ErrNoAlarm is the error of firing or dropping an alarm that is not set.
var ErrNoAlarm = errors.New("no alarm is set")

// FireAlarm runs an object's alarm now, as though its time had come. It returns when the handler was sent for.
func (o *Objects) FireAlarm(key, idOrName string) error {
	if !o.alarms.Hasten(durableobject.AlarmKey{Namespace: key, ID: mustID(o.ID(key, idOrName))}) {
		return fmt.Errorf("%w, or its handler runs already", ErrNoAlarm)
	}
	return nil
}

// DropAlarm deletes an object's alarm, and returns when that is durable. It does not wake a cold object.
func (o *Objects) DropAlarm(ctx context.Context, key, idOrName string) error {
	done := make(chan error, 1)
	err := o.store(ctx, key, idOrName, func(h *home, s *storage.Store) error {
		h.change(s, func() error {
			if at, err := s.Alarm(); err != nil || at.IsZero() {
				return errors.Join(err, ErrNoAlarm)
			}
			if inst := h.inMemory(s.ID()); inst != nil {
				inst.alarmChanged()
			} else {
				defer o.alarms.Delete(durableobject.AlarmKey{Namespace: key, ID: mustID(s.ID())})
			}
			return s.DeleteAlarm()
		}, func(err error) { done <- err })
		return nil
	})
	if err != nil {
		return err
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("the object has not let the change in: %w", ctx.Err())
	}
}

// inMemory is the instance of an object, nil if there is none.
func (h *home) inMemory(id string) *instance {
	l := h.live.Live(mustID(id))
	if l == nil {
		return nil
	}
	if inst, ok := l.Actor.(*instance); ok && !inst.gone {
		return inst
	}
	return nil
}

// ResumeAlarms lets alarms that were held fire.
func (o *Objects) ResumeAlarms() { o.alarms.Resume() }

// Evict takes an object out of memory now, as idle time would: hibernatable sockets stay. An object that is at work is
// refused with [ErrBusy]. With force it is reset instead: what it has in progress fails, and its sockets are lost.
// evicted is false when the object is not in memory.
func (o *Objects) Evict(ctx context.Context, key, idOrName string, force bool) (evicted bool, err error) {
	id := o.ID(key, idOrName)
	err = o.on(ctx, key, func(h *home) error {
		inst := h.inMemory(id)
		if inst == nil {
			return nil
		}
		evicted = h.live.Evict(inst.object, h.now())
		switch {
		case evicted:
			h.arm()
		case force:
			inst.reset(resetFrom("The Durable Object was evicted from memory by request."))
			evicted = true
		default:
			return fmt.Errorf("%w: %s of %s is %s", ErrBusy, idOrName, key, inst.object.State())
		}
		return nil
	})
	return evicted, err
}

func resetFrom(text string) *rpc.RemoteError {
	return rpc.Fail(text).With(func(f *rpc.RemoteError) { f.Reset = true })
}

// Delete resets an object if it is in memory, and deletes everything it stored, its alarm and its facets included.
func (o *Objects) Delete(ctx context.Context, key, idOrName string) error {
	id := o.ID(key, idOrName)
	return o.on(ctx, key, func(h *home) error {
		if inst := h.inMemory(id); inst != nil {
			inst.reset(resetFrom("The Durable Object was deleted."))
		} else if s := h.sockets[id]; s != nil {
			delete(h.sockets, id)
			s.lose()
		}
		ns, err := h.storage()
		if err != nil {
			return err
		}
		s := ns.Store(id)
		if err := s.DeleteAll(false); err != nil {
			return err
		}
		o.alarms.Delete(durableobject.AlarmKey{Namespace: key, ID: mustID(id)})
		return errors.Join(s.Commit(), ns.RemoveFacets(id))
	})
}
