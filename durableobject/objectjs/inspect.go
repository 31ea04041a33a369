package objectjs

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"sort"
	"time"

	"eddy/durableobject"
	"eddy/durableobject/storage"
	"eddy/runtime/rpc"
)

// Errors of inspection.
var (
	ErrNoNamespace = errors.New("no such Durable Object namespace")
	ErrNotServed   = errors.New("the Worker of this Durable Object namespace is not running")
	ErrNoObject    = errors.New("no such Durable Object")
)

// NamespaceInfo describes a namespace.
type NamespaceInfo struct {
	Key, Worker, Class string
	SQL                bool
	// Served says that a Worker answers for it now.
	Served bool
	// Live counts the objects in memory, hibernating ones included.
	Live int
}

// ObjectInfo describes one object.
type ObjectInfo struct {
	ID, Name string
	// State is the name of a [durableobject.State].
	State   string
	Bytes   int64 // of its file, without the log
	Sockets int   // hibernatable sockets that are open
	// Alarm is when it wakes, zero for never.
	Alarm time.Time
}

// SQLResult is what a query gave: values are nil, float64, string or []byte.
type SQLResult struct {
	Columns []string
	Rows    [][]any
}

// Namespaces lists all namespaces by key.
func (o *Objects) Namespaces(ctx context.Context) []NamespaceInfo {
	o.mu.Lock()
	list := make([]*namespace, 0, len(o.mu.namespaces))
	for _, n := range o.mu.namespaces {
		list = append(list, n)
	}
	o.mu.Unlock()
	sort.Slice(list, func(i, j int) bool { return list[i].key < list[j].key })
	out := make([]NamespaceInfo, len(list))
	for i, n := range list {
		out[i] = NamespaceInfo{Key: n.key, Worker: n.class.Worker, Class: n.class.Name, SQL: n.sql()}
		err := o.on(ctx, n.key, func(h *host) error {
			out[i].Live = len(h.live.Objects())
			return nil
		})
		out[i].Served = err == nil
	}
	return out
}

// on runs f on the loop that serves a namespace and waits for it.
func (o *Objects) on(ctx context.Context, key string, f func(h *host) error) error {
	o.mu.Lock()
	n := o.mu.namespaces[key]
	o.mu.Unlock()
	if n == nil {
		return fmt.Errorf("%w: %s", ErrNoNamespace, key)
	}
	done := make(chan error, 1)
	if !n.post(func(h *host) {
		if h == nil || h.closed {
			done <- ErrNotServed
			return
		}
		done <- f(h)
	}) {
		return fmt.Errorf("%w: %s", ErrNotServed, key)
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// List lists the objects of a namespace: those with a file and those in memory.
func (o *Objects) List(ctx context.Context, key string) (list []ObjectInfo, err error) {
	err = o.on(ctx, key, func(h *host) error {
		ns, err := h.storage()
		if err != nil {
			return err
		}
		files, err := ns.Objects()
		if err != nil {
			return err
		}
		alarms, err := ns.Alarms()
		if err != nil {
			return err
		}
		byID := map[string]*ObjectInfo{}
		at := func(id string) *ObjectInfo {
			if byID[id] == nil {
				byID[id] = &ObjectInfo{ID: id, State: durableobject.Cold.String()}
			}
			return byID[id]
		}
		for _, f := range files {
			info := at(f.ID)
			info.Name, info.Bytes = f.Name, f.Bytes
		}
		for _, a := range alarms {
			at(a.ID).Alarm = a.Time
		}
		for _, l := range h.live.Objects() {
			info := at(l.ID.String())
			info.State = l.State().String()
			if l.HasName {
				info.Name = l.Name
			}
		}
		for id, s := range h.sockets {
			at(id).Sockets = len(s.list)
		}
		for _, info := range byID {
			list = append(list, *info)
		}
		sort.Slice(list, func(i, j int) bool { return list[i].ID < list[j].ID })
		return nil
	})
	return list, err
}

// Show describes one object, by id or by name.
func (o *Objects) Show(ctx context.Context, key, idOrName string) (ObjectInfo, error) {
	id := o.ID(key, idOrName)
	list, err := o.List(ctx, key)
	if err != nil {
		return ObjectInfo{}, err
	}
	for _, info := range list {
		if info.ID == id {
			return info, nil
		}
	}
	return ObjectInfo{}, fmt.Errorf("%w: %s of %s", ErrNoObject, idOrName, key)
}

// ID is the id that a person means: 64 hex digits that fit the namespace, or a name.
func (o *Objects) ID(key, idOrName string) string {
	if id, err := durableobject.ParseID(key, idOrName); err == nil {
		return id.String()
	}
	return durableobject.IDFromName(key, idOrName).String()
}

// store runs f with the store of an object that exists.
func (o *Objects) store(ctx context.Context, key, idOrName string, f func(h *host, s *storage.Store) error) error {
	id := o.ID(key, idOrName)
	return o.on(ctx, key, func(h *host) error {
		ns, err := h.storage()
		if err != nil {
			return err
		}
		s := ns.Store(id)
		if !s.Exists() {
			return fmt.Errorf("%w: %s of %s has stored nothing", ErrNoObject, idOrName, key)
		}
		return f(h, s)
	})
}

// Storage reads a range of an object's keys; values are structured clones as bytes.
func (o *Objects) Storage(ctx context.Context, key, idOrName string, list storage.ListOptions) (entries []storage.Entry, err error) {
	err = o.store(ctx, key, idOrName, func(_ *host, s *storage.Store) error {
		var err error
		entries, err = s.List(list)
		return err
	})
	return entries, err
}

// SQL runs a query on an object's database. Unless write is set, what it changes is rolled back.
func (o *Objects) SQL(ctx context.Context, key, idOrName, query string, write bool, bindings ...any) (res SQLResult, err error) {
	err = o.store(ctx, key, idOrName, func(h *host, s *storage.Store) error {
		txn, err := s.Savepoint()
		if err != nil {
			return err
		}
		res, err = runSQL(s, query, bindings)
		if err != nil || !write {
			err = errors.Join(err, txn.Rollback())
		} else {
			err = txn.Commit()
		}
		if live := h.live.Live(mustID(s.ID())); live != nil {
			if inst, ok := live.Actor.(*instance); ok && !inst.gone {
				inst.wrote() // committed with the object's own turn
				return err
			}
		}
		return errors.Join(err, s.Commit())
	})
	return res, err
}

func runSQL(s *storage.Store, query string, bindings []any) (SQLResult, error) {
	c, err := s.Exec(query, bindings...)
	if err != nil {
		return SQLResult{}, err
	}
	defer c.Close()
	res := SQLResult{Columns: c.Columns()}
	for {
		row, ok, err := c.Next()
		if err != nil || !ok {
			return res, err
		}
		res.Rows = append(res.Rows, append([]any(nil), row...))
	}
}

// mustID reads an id that the storage gave.
func mustID(s string) (id durableobject.ID) {
	b, err := hex.DecodeString(s)
	if err == nil {
		copy(id[:], b)
	}
	return id
}

// Alarms lists the alarms of a namespace, earliest first.
func (o *Objects) Alarms(ctx context.Context, key string) (list []storage.Alarm, err error) {
	err = o.on(ctx, key, func(h *host) error {
		ns, err := h.storage()
		if err != nil {
			return err
		}
		list, err = ns.Alarms()
		return err
	})
	return list, err
}

// ResumeAlarms lets alarms that were held fire.
func (o *Objects) ResumeAlarms() { o.alarms.Resume() }

// Evict drops an idle object from memory now; sockets stay. It reports false when the object is busy or not in memory.
func (o *Objects) Evict(ctx context.Context, key, idOrName string) (evicted bool, err error) {
	id := o.ID(key, idOrName)
	err = o.on(ctx, key, func(h *host) error {
		for _, l := range h.live.Objects() {
			if l.ID.String() == id {
				evicted = h.live.Evict(l, h.now())
			}
		}
		return nil
	})
	return evicted, err
}

// Delete resets an object if it is in memory, and deletes everything it stored, its alarm included.
func (o *Objects) Delete(ctx context.Context, key, idOrName string) error {
	id := o.ID(key, idOrName)
	return o.on(ctx, key, func(h *host) error {
		for _, l := range h.live.Objects() {
			if inst, ok := l.Actor.(*instance); ok && l.ID.String() == id {
				inst.reset(rpc.Fail("The Durable Object was deleted.").With(func(f *rpc.Failure) { f.Reset = true }))
			}
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
		return s.Commit()
	})
}
