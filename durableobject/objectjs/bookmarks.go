package objectjs

import (
	"context"
	"time"

	"github.com/dop251/goja"

	"eddy/durableobject"
	"eddy/durableobject/storage"
	"eddy/durableobject/storage/history"
	"eddy/runtime/engine/webidl"
)

// bookmarkMembers are the methods of point-in-time recovery (SQL18). As in production, objects without SQLite have
// none.
func (k *kit) bookmarkMembers() []webidl.Member {
	return []webidl.Member{
		webidl.Async("getCurrentBookmark", func(a *area, c *webidl.Call) goja.Value {
			s := a.recoverable("getCurrentBookmark")
			if a.i.h.ns.objs.opts.noHistory() {
				b, err := s.CurrentBookmark() // it counts its calls without a history, and so writes
				a.fail(err)
				a.i.wrote()
				return c.Value(b)
			}
			return a.i.afterCommit(s.CurrentBookmark)
		}),
		webidl.Async("getBookmarkForTime", func(a *area, c *webidl.Call) goja.Value {
			at := time.UnixMilli(int64(a.i.date(c)))
			s := a.recoverable("getBookmarkForTime")
			return a.i.afterCommit(func() (string, error) { return s.BookmarkForTime(at) })
		}),
		webidl.Async("onNextSessionRestoreBookmark", func(a *area, c *webidl.Call) goja.Value {
			bookmark := c.String(0)
			s := a.recoverable("onNextSessionRestoreBookmark")
			return a.i.afterCommit(func() (string, error) { return s.RestoreOnNextSession(bookmark) })
		}),
	}
}

// recoverable is the store of an object whose earlier states are kept.
func (a *area) recoverable(op string) *storage.Store {
	s := a.check(op)
	if !a.i.h.ns.sql() {
		a.fail(storage.ErrNoPointInTimeRecovery)
	}
	return s
}

// afterCommit calls ask when the turn is over, so that the answer covers all that the turn writes, before the call and
// after it. The promise resolves with the answer when those writes are durable. Other events are let in meanwhile
// (GT3).
func (i *instance) afterCommit(ask func() (string, error)) goja.Value {
	return i.afterCommitAs(ask, func(answer string) goja.Value { return i.h.iso.Runtime().ToValue(answer) })
}

// afterCommitAs is afterCommit with another value made of the answer.
func (i *instance) afterCommitAs(ask func() (string, error), value func(string) goja.Value) goja.Value {
	realm := i.h.iso.Realm
	p, resolve, reject := i.h.iso.Runtime().NewPromise()
	t := i.scope.Ticket()
	i.h.iso.Loop.AtTurnEnd(func() {
		i.finishTurn()
		if i.gone {
			t.Return(func() {})
			return
		}
		answer, failed := ask()
		i.scope.Output(func(err error) {
			if err == nil {
				err = failed
			}
			t.Return(func() {
				settle := func() error { return resolve(value(answer)) }
				if err != nil {
					ex := realm.Try(func() { i.fail(err) })
					settle = func() error { return reject(ex) }
				}
				if err := settle(); err != nil {
					panic(err)
				}
			})
		})
	})
	return i.h.iso.Runtime().ToValue(p)
}

// beginSession restores what the last session asked for (SQL18), the alarm with it.
func (h *home) beginSession(s *storage.Store, o *durableobject.Object) error {
	restored, err := s.BeginSession()
	if err != nil || !restored || h.parent != nil {
		return err
	}
	at, err := s.Alarm()
	if err != nil {
		return err
	}
	key := durableobject.AlarmKey{Namespace: h.ns.key, ID: o.ID}
	if at.IsZero() {
		h.ns.objs.alarms.Delete(key)
	} else {
		h.ns.objs.alarms.Set(key, at)
	}
	return nil
}

// Moments lists states to which an object can go back, newest first, at most limit.
func (o *Objects) Moments(ctx context.Context, key, idOrName string, limit int) (list []history.Moment, err error) {
	err = o.store(ctx, key, idOrName, func(h *home, s *storage.Store) error {
		return h.bounded(func() (err error) { list, err = s.Moments(limit); return err })
	})
	return list, err
}

// Restore makes an object what it was at a bookmark, its alarm included. An object that is in memory is reset: what it
// has in progress fails, and its next event finds what it was. undo is the bookmark that leads back.
func (o *Objects) Restore(ctx context.Context, key, idOrName, bookmark string) (undo string, err error) {
	err = o.store(ctx, key, idOrName, func(h *home, s *storage.Store) error {
		if undo, err = s.RestoreOnNextSession(bookmark); err != nil {
			return err
		}
		if inst := h.inMemory(s.ID()); inst != nil {
			inst.reset(resetFrom("The Durable Object was restored to an earlier state."))
			return nil
		}
		err := h.beginSession(s, &durableobject.Object{ID: mustID(s.ID())})
		s.Release()
		return err
	})
	return undo, err
}
