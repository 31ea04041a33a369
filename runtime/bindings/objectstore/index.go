package objectstore

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"eddy/durableobject"
	"eddy/runtime/cluster/objects"
	"eddy/runtime/sqlite"
	"eddy/runtime/statedir"
)

// ErrClosed: the session has ended.
var ErrClosed = errors.New("the store is closed")

// IndexPath is where miniflare keeps the SQLite file of a store in a state directory: that of a Durable Object of its
// own class with the store's id as its name (DEV4).
func IndexPath(state statedir.Dir, kind, class, id string) string {
	uniqueKey := "miniflare-" + class
	return state.Index(kind, uniqueKey, durableobject.IDFromName(uniqueKey, id).String())
}

// Behind sorts after every key that begins with prefix, and before the next key that does not: no UTF-8 has its last
// byte. So a listing is a range of the index, which ends where the prefix ends.
func Behind(prefix string) string { return prefix + "\xff" }

// IndexOptions configure an [Index].
type IndexOptions struct {
	// Path is the SQLite file. It is opened, and made, by the first transaction.
	Path string
	// Schema makes the tables that are not there.
	Schema string
	// What names the store in errors: "KV namespace".
	What string
	// Relaxed leaves it to the operating system when a commit reaches the disk.
	Relaxed bool
	// Values are those that the index names.
	Values Values
	// Named finds a row if the index names the value ?1. It is needed with Home.
	Named string
	// Home is where a cluster keeps index and values, nil outside of one.
	Home *Home
}

// Index is the SQLite file of a store. Any goroutine.
type Index struct {
	o IndexOptions
	// closing ends the statement that runs.
	closing atomic.Bool
	// uses counts calls: nobody writes to the file or to the values without one.
	uses atomic.Int64
	// residence is nil outside of a cluster.
	residence *Residence

	mu    sync.Mutex // guards all below, and the connection
	db    *sqlite.DB
	cache *sqlite.Cache
}

// NewIndex makes an index; nothing is opened yet.
func NewIndex(o IndexOptions) *Index {
	x := &Index{o: o}
	if o.Home != nil {
		x.residence = NewResidence(o.Home, o.Path)
	}
	return x
}

// Execute runs one of eddy's own statements and calls row, if it is not nil, for each row.
type Execute func(sql string, params []any, row func(*sqlite.Stmt)) error

// Names is Query for statements whose rows have one text.
func (q Execute) Names(sql string, params ...any) (names []string, err error) {
	err = q(sql, params, func(st *sqlite.Stmt) { names = append(names, st.Text(0)) })
	return names, err
}

// Read calls f with the connection to itself.
func (x *Index) Read(f func(Execute) error) error {
	return x.call(func() (change, error) { return change{}, f(x.query) })
}

// Write is Read in a transaction: all that f does, or nothing.
func (x *Index) Write(f func(Execute) error) error {
	return x.call(func() (change, error) { return change{}, x.transaction(f) })
}

// change is what a call did to values, in a cluster.
type change struct {
	made      []*objects.Draft
	forgotten []string
}

// call runs f with the connection to itself. In a cluster it waits until what f has read and written may be told.
func (x *Index) call(f func() (change, error)) error {
	wait, err := x.within(f)
	if wait != nil {
		if unkept := wait(); unkept != nil {
			return unkept
		}
	}
	return err
}

func (x *Index) within(f func() (change, error)) (wait func() error, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.open(); err != nil {
		return nil, err
	}
	c, err := f()
	if x.residence == nil || x.db == nil {
		return nil, err
	}
	return x.residence.Settle(x.db, c.made, c.forgotten), err
}

// transaction is called with mu held and the file open.
func (x *Index) transaction(f func(Execute) error) error {
	if err := x.db.Exec("BEGIN IMMEDIATE"); err != nil {
		return x.wrap(err)
	}
	err := f(x.query)
	if err == nil {
		err = x.wrap(x.db.Exec("COMMIT"))
	}
	if err == nil {
		err = x.inPlace()
	}
	if err != nil && x.db != nil && x.db.InTransaction() {
		err = errors.Join(err, x.wrap(x.db.Exec("ROLLBACK")))
	}
	return err
}

// inPlace fails if the file was removed or replaced since it was opened; the next call opens what is there.
func (x *Index) inPlace() error {
	err := x.db.Moved()
	if err == nil {
		return nil
	}
	db := x.db
	x.db = nil
	if x.residence != nil {
		return errors.Join(x.wrap(err), x.residence.Forsake(db))
	}
	return errors.Join(x.wrap(err), db.Close())
}

// Close ends the running call, which fails with [ErrClosed] like those to come. Calling it again does nothing.
func (x *Index) Close() error {
	x.closing.Store(true)
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.db == nil {
		return nil
	}
	return x.restLocked()
}

func (x *Index) wrap(err error) error {
	switch {
	case err == nil:
		return nil
	case sqlite.Interrupted(err):
		return ErrClosed
	}
	return fmt.Errorf("%s %s: %w", x.o.What, x.o.Path, err)
}

func (x *Index) open() error {
	x.uses.Add(1)
	if x.closing.Load() {
		return ErrClosed
	}
	if x.residence != nil && x.residence.Lost() {
		if err := x.restLocked(); err != nil {
			return err
		}
	}
	if x.db != nil {
		return nil
	}
	open := sqlite.Open
	if x.residence != nil {
		open = func(_ string, o sqlite.Options) (*sqlite.DB, error) { return x.residence.Open(o) }
	}
	db, err := open(x.o.Path, sqlite.Options{Repair: true, Stop: &x.closing})
	if err != nil {
		return fmt.Errorf("%s: %w", x.o.What, err)
	}
	setup := x.o.Schema
	if !x.o.Relaxed && x.residence == nil {
		setup += "PRAGMA synchronous=FULL;"
	}
	if err := db.Exec(setup); err != nil {
		return errors.Join(x.wrap(err), db.Close())
	}
	x.db, x.cache = db, sqlite.NewCache(db, 16<<10)
	if x.residence != nil {
		return x.sweep()
	}
	return nil
}

// sweep takes away values that an owner of the store has left when it was lost.
func (x *Index) sweep() error {
	return x.residence.Stay().Sweep(func(name string) (is bool, err error) {
		err = x.query(x.o.Named, []any{name}, func(*sqlite.Stmt) { is = true })
		return is, err
	})
}

// stay is the store's stay on this node; its file is brought here first.
func (x *Index) stay() (*objects.Stay, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.open(); err != nil {
		return nil, err
	}
	return x.residence.Stay(), nil
}

// query implements [Execute].
func (x *Index) query(sql string, params []any, row func(*sqlite.Stmt)) error {
	st := x.cache.Take(sql)
	if st == nil {
		var err error
		if st, _, err = x.db.Prepare(sql, sqlite.Trusted); err != nil {
			return x.wrap(err)
		}
	}
	defer x.cache.Give(sql, st)
	for i, v := range params {
		if err := st.Bind(i+1, v); err != nil {
			return x.wrap(err)
		}
	}
	for {
		more, err := st.Step()
		if err != nil {
			return x.wrap(err)
		}
		if !more {
			return nil
		}
		if row != nil {
			row(st)
		}
	}
}
