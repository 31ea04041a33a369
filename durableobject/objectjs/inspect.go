package objectjs

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"eddy/durableobject"
	"eddy/durableobject/storage"
	"eddy/runtime/clock"
)

// Errors of inspection.
var (
	ErrNoNamespace = errors.New("no such Durable Object namespace")
	ErrNotServed   = errors.New("the Worker of this Durable Object namespace is not running")
	ErrNoObject    = errors.New("no such Durable Object")
	ErrBusy        = errors.New("the Durable Object is at work")
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

// Detail is what an object holds.
type Detail struct {
	ObjectInfo
	// File is the path of its database.
	File   string
	Keys   int64
	Tables []storage.Table
	// Waiting counts events that wait at the input gate, Held answers that wait at the output gate until what was
	// written before is confirmed. Both are 0 for an object that is not in memory.
	Waiting, Held int
	// Waiters are the events among those that wait, in order; continuations of events inside wait too.
	Waiters []Waiter
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
		err := o.on(ctx, n.key, func(h *home) error {
			out[i].Live = len(h.live.Objects())
			return nil
		})
		out[i].Served = err == nil
	}
	return out
}

// on runs f on the loop that serves a namespace and waits for it. When ctx ends before f has begun, f never runs: its
// results are the caller's.
func (o *Objects) on(ctx context.Context, key string, f func(h *home) error) error {
	o.mu.Lock()
	n := o.mu.namespaces[key]
	o.mu.Unlock()
	if n == nil {
		return fmt.Errorf("%w: %s", ErrNoNamespace, key)
	}
	done := make(chan error, 1)
	var decided atomic.Bool // that f runs, or that it does not
	answered := sync.OnceFunc(clock.Await(o.clock))
	defer answered()
	if !n.post(func(h *home) {
		answered()
		switch {
		case !decided.CompareAndSwap(false, true):
		case h == nil || h.closed:
			done <- ErrNotServed
		default:
			done <- f(h)
		}
	}) {
		return fmt.Errorf("%w: %s", ErrNotServed, key)
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		if decided.CompareAndSwap(false, true) {
			return ctx.Err()
		}
		return <-done
	}
}

// List lists the objects of a namespace: those with a file and those in memory.
func (o *Objects) List(ctx context.Context, key string) ([]ObjectInfo, error) {
	return o.listed(ctx, key, "")
}

// Info describes one object as [Objects.List] does, without looking at the others. ok is false if there is none.
func (o *Objects) Info(ctx context.Context, key, id string) (info ObjectInfo, ok bool, err error) {
	list, err := o.listed(ctx, key, id)
	if err != nil || len(list) == 0 {
		return info, false, err
	}
	return list[0], true, nil
}

// listed lists all objects of a namespace, or only the one with an id.
func (o *Objects) listed(ctx context.Context, key, only string) (list []ObjectInfo, err error) {
	var dir string
	err = o.on(ctx, key, func(h *home) error {
		list, err = h.list(only)
		dir = h.ns.dir()
		return err
	})
	if err != nil {
		return nil, err
	}
	// Names that wrangler dev gave are only in the objects' own files. The loop must not spend its time opening many
	// files.
	for i, info := range list {
		if info.Name == "" && info.Bytes > 0 {
			if list[i].Name, err = storage.RecordedName(storage.ObjectFile(dir, info.ID)); err != nil {
				return nil, fmt.Errorf("name of object %s: %w", info.ID, err)
			}
		}
	}
	return list, nil
}

// stored has the files and alarms of all objects, or only of the one with an id.
func (h *home) stored(only string) (files []storage.ObjectInfo, alarms []storage.Alarm, err error) {
	ns, err := h.storage()
	if err != nil {
		return nil, nil, err
	}
	if only == "" {
		if files, err = ns.Objects(); err == nil {
			alarms, err = ns.Alarms()
		}
		return files, alarms, err
	}
	one, ok, err := ns.Object(only)
	if ok {
		files = append(files, one)
	}
	if err == nil {
		alarms, err = ns.AlarmsOf(only)
	}
	return files, alarms, err
}

func (h *home) list(only string) (list []ObjectInfo, err error) {
	files, alarms, err := h.stored(only)
	if err != nil {
		return nil, err
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
		info := at(a.ID)
		info.Alarm = a.Time
		if info.Name == "" {
			info.Name = a.Name
		}
	}
	for _, l := range h.live.Objects() {
		if only != "" && l.ID.String() != only {
			continue
		}
		info := at(l.ID.String())
		info.State = l.State().String()
		if l.HasName {
			info.Name = l.Name
		}
	}
	for id, s := range h.sockets {
		if only != "" && id != only {
			continue
		}
		at(id).Sockets = len(s.list)
	}
	for _, info := range byID {
		list = append(list, *info)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].ID < list[j].ID })
	return list, nil
}

// Show describes one object, by id or by name.
func (o *Objects) Show(ctx context.Context, key, idOrName string) (Detail, error) {
	id := o.ID(key, idOrName)
	info, ok, err := o.Info(ctx, key, id)
	if err != nil {
		return Detail{}, err
	}
	if !ok {
		return Detail{}, fmt.Errorf("%w: %s of %s", ErrNoObject, idOrName, key)
	}
	d := Detail{ObjectInfo: info}
	err = o.on(ctx, key, func(h *home) error {
		ns, err := h.storage()
		if err != nil {
			return err
		}
		s := ns.Store(id)
		d.File = s.Path()
		if inst := h.inMemory(id); inst != nil {
			d.Waiting, d.Held = inst.object.Input.Waiting(), inst.object.Output.Waiting()
			d.Waiters = inst.whoWaits()
		}
		if d.Keys, err = s.Keys(); err != nil {
			return err
		}
		d.Tables, err = s.Tables()
		return err
	})
	return d, err
}

// ID returns the id that a person means: 64 hex digits that fit the namespace, or a name.
func (o *Objects) ID(key, idOrName string) string {
	if id, err := durableobject.ParseID(key, idOrName); err == nil {
		return id.String()
	}
	return durableobject.IDFromName(key, idOrName).String()
}

// store runs f with the store of an object that exists.
func (o *Objects) store(ctx context.Context, key, idOrName string, f func(h *home, s *storage.Store) error) error {
	id := o.ID(key, idOrName)
	return o.on(ctx, key, func(h *home) error {
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
func (o *Objects) Storage(ctx context.Context, key, idOrName string, list storage.ListOptions) (entries []storage.Pair,
	err error) {
	err = o.store(ctx, key, idOrName, func(_ *home, s *storage.Store) error {
		var err error
		entries, err = s.List(list)
		return err
	})
	return entries, err
}

// mustID reads an id that the storage gave.
func mustID(s string) (id durableobject.ID) {
	b, err := hex.DecodeString(s)
	if err == nil {
		copy(id[:], b)
	}
	return id
}

// Present waits until an object of a cluster is on this node with its file. It fails if the object is elsewhere, or its
// Worker does not run.
func (o *Objects) Present(ctx context.Context, key, id string) error {
	o.mu.Lock()
	n := o.mu.namespaces[key]
	o.mu.Unlock()
	parsed, err := durableobject.ParseID(key, id)
	if n == nil || err != nil {
		return fmt.Errorf("%w: %s %s", ErrNoObject, key, id)
	}
	done := make(chan error, 1)
	if !n.bring(parsed, func(h *home) {
		if h == nil || h.closed {
			done <- ErrNotServed
			return
		}
		done <- nil
	}) {
		return ErrNotServed
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Alarms lists the alarms of a namespace, earliest first.
func (o *Objects) Alarms(ctx context.Context, key string) (list []storage.Alarm, err error) {
	err = o.on(ctx, key, func(h *home) error {
		ns, err := h.storage()
		if err != nil {
			return err
		}
		list, err = ns.Alarms()
		return err
	})
	return list, err
}
