package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"eddy/runtime/sqlite"
)

// index is the namespace's metadata.sqlite: which object has an alarm when
// (KV17), and how objects are called. The file is created when the first entry
// is written. It is used by the loop and by whoever inspects, hence the lock.
type index struct {
	path   string
	faults *sqlite.Faults
	notify func(string) // may be nil
	now    func() time.Time
	// temporary is that of Options.
	temporary bool

	mu     sync.Mutex
	db     *sqlite.DB // guarded by mu; nil until the file exists
	named  bool       // guarded by mu; the table of names exists
	column bool       // guarded by mu; the alarm table has a column of names
	closed bool       // guarded by mu
	latest time.Time  // guarded by mu; the latest at which an alarm was set, zero for none
}

func openIndex(path string, o Options) (*index, error) {
	ix := &index{path: path, faults: o.Faults, notify: o.Notify, now: o.Now, temporary: o.Temporary}
	if ix.now == nil {
		ix.now = time.Now
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	until, by := writtenAhead(path)
	err := ix.openLocked(true)
	if err == nil && ix.db != nil {
		err = ix.checkLocked()
	}
	switch {
	case sqlite.Corrupt(err):
		err = ix.rebuildLocked(err)
	case errors.Is(err, errNoAlarms):
		err = ix.fillLocked("was empty")
	case errors.Is(err, fs.ErrNotExist):
		// A namespace with objects has an index, unless another program has made the objects.
		if err = nil; len(ix.objects()) > 0 {
			if err = ix.openLocked(false); err == nil {
				err = ix.fillLocked("was missing")
			}
		}
	}
	if err == nil && ix.db != nil {
		if by == 0 {
			until, by, err = ix.takeAhead()
		}
		if err == nil && by > 0 && ix.notify != nil {
			err = ix.tellAhead(until, by, ix.now())
		}
	}
	if err != nil && ix.db != nil {
		ix.db.Close()
	}
	return ix, err
}

// errNoAlarms says that a file is there and holds no index.
var errNoAlarms = errors.New("there is no alarm table in it")

// openLocked opens or, unless existing, creates the file; ix.mu is held.
func (ix *index) openLocked(existing bool) error {
	db, err := sqlite.Open(ix.path, sqlite.Options{Existing: existing, Repair: existing, Faults: ix.faults,
		Unsynced: ix.temporary})
	if err != nil {
		return fmt.Errorf("alarm index: %w", err)
	}
	ix.db = db
	lost := false
	if existing {
		var have bool
		if have, err = ix.hasAlarms(); err != nil {
			return err
		}
		lost = !have
	}
	if err := ix.prepare(); err != nil {
		return err
	}
	if lost {
		return errNoAlarms
	}
	return nil
}

// hasAlarms reports whether the alarm table is there; ix.mu is held.
func (ix *index) hasAlarms() (bool, error) {
	s, _, err := ix.db.Prepare("SELECT 1 FROM sqlite_master WHERE name = '_cf_ALARM'", sqlite.Trusted)
	if err != nil {
		return false, ix.wrap("read", err)
	}
	defer s.Close()
	more, err := s.Step()
	return more, ix.wrap("read", err)
}

// make makes the index, if there is none, before the first object's file is made. So objects without an index say that
// the index was lost.
func (ix *index) make() error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.ensure()
}

// checkLocked reads the whole file once, so that damage is met while it can be
// mended; ix.mu is held.
func (ix *index) checkLocked() error {
	return ix.wrap("check", ix.db.Check())
}

// prepare creates the alarm table. It has two columns, which every release of
// the reference can write; later releases add a third by themselves.
func (ix *index) prepare() error {
	if err := ix.db.Exec("CREATE TABLE IF NOT EXISTS _cf_ALARM (actor_id TEXT PRIMARY KEY, scheduled_time INTEGER) " +
		"WITHOUT ROWID"); err != nil {
		return ix.wrap("prepare", err)
	}
	s, _, err := ix.db.Prepare("SELECT EXISTS(SELECT 1 FROM sqlite_master WHERE name = '_eddy_NAME'), EXISTS(SELECT "+
		"1 FROM pragma_table_info('_cf_ALARM') WHERE name = 'actor_name')", sqlite.Trusted)
	if err != nil {
		return ix.wrap("prepare", err)
	}
	defer s.Close()
	_, err = s.Step()
	ix.named, ix.column = s.Int(0) != 0, s.Int(1) != 0
	return ix.wrap("prepare", err)
}

func (ix *index) wrap(op string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("alarm index %s: %s: %w", ix.path, op, err)
}

// ensure opens or creates the file; ix.mu is held.
func (ix *index) ensure() error {
	if ix.closed {
		return ix.wrap("use", ErrClosed)
	}
	if ix.db != nil {
		if ix.db.Moved() == nil {
			return nil
		}
		// Somebody removed or replaced the file. The objects that are there now say what belongs into it.
		ix.forget()
		if err := ix.openLocked(false); err != nil {
			return err
		}
		return ix.fillLocked("was removed or replaced")
	}
	return ix.openLocked(false)
}

// forget closes the file; ix.mu is held.
func (ix *index) forget() {
	ix.db.Close()
	ix.db, ix.named, ix.column = nil, false, false
}

// run executes one statement with values; ix.mu is held.
func (ix *index) run(sql string, args ...any) error {
	s, _, err := ix.db.Prepare(sql, sqlite.Trusted)
	if err != nil {
		return err
	}
	defer s.Close()
	for i, a := range args {
		if err := s.Bind(i+1, a); err != nil {
			return err
		}
	}
	_, err = s.Step()
	return err
}

// set schedules or, with a zero time, removes an alarm. The name is written
// where a later release of the reference made room for it.
func (ix *index) set(id, name string, at time.Time) error {
	return ix.mended(func() error { return ix.setLocked(id, name, at) })
}

func (ix *index) setLocked(id, name string, at time.Time) error {
	if at.IsZero() && ix.db == nil {
		return nil
	}
	if err := ix.ensure(); err != nil {
		return err
	}
	if err := ix.noteClock(); err != nil {
		return err
	}
	if at.IsZero() {
		return ix.wrap("delete alarm", ix.run("DELETE FROM _cf_ALARM WHERE actor_id = ?", id))
	}
	if ix.column {
		var stored any
		if name != "" {
			stored = name
		}
		return ix.wrap("set alarm", ix.run("INSERT INTO _cf_ALARM(actor_id, scheduled_time, actor_name) VALUES(?, "+
			"?, ?) ON CONFLICT DO UPDATE SET scheduled_time = excluded.scheduled_time, actor_name = "+
			"coalesce(excluded.actor_name, actor_name)", id, at.UnixNano(), stored))
	}
	return ix.wrap("set alarm", ix.run("INSERT INTO _cf_ALARM(actor_id, scheduled_time) VALUES(?, ?) ON CONFLICT DO "+
		"UPDATE SET scheduled_time = excluded.scheduled_time", id, at.UnixNano()))
}

// name records what an object is called.
func (ix *index) name(id, name string) error {
	return ix.mended(func() error { return ix.nameLocked(id, name) })
}

func (ix *index) nameLocked(id, name string) error {
	if err := ix.ensure(); err != nil {
		return err
	}
	if !ix.named {
		if err := ix.run("CREATE TABLE IF NOT EXISTS _eddy_NAME (actor_id TEXT PRIMARY KEY, name TEXT) WITHOUT " +
			"ROWID"); err != nil {
			return ix.wrap("record name", err)
		}
		ix.named = true
	}
	return ix.wrap("record name", ix.run("INSERT INTO _eddy_NAME VALUES(?, ?) ON CONFLICT DO UPDATE SET name = "+
		"excluded.name", id, name))
}

// nameOf is what one object is called, "" if the index does not know.
func (ix *index) nameOf(id string) (name string, err error) {
	err = ix.mended(func() error {
		if ix.db == nil || !ix.named {
			return nil
		}
		s, _, err := ix.db.Prepare("SELECT name FROM _eddy_NAME WHERE actor_id = ?", sqlite.Trusted)
		if err != nil {
			return ix.wrap("read name", err)
		}
		defer s.Close()
		if err := s.BindText(1, id); err != nil {
			return ix.wrap("read name", err)
		}
		more, err := s.Step()
		if more {
			name = s.Text(0)
		}
		return ix.wrap("read name", err)
	})
	return name, err
}

func (ix *index) names() (names map[string]string, err error) {
	err = ix.mended(func() error {
		names, err = ix.namesLocked()
		return err
	})
	return names, err
}

func (ix *index) namesLocked() (map[string]string, error) {
	out := map[string]string{}
	if ix.db == nil || !ix.named {
		return out, nil
	}
	s, _, err := ix.db.Prepare("SELECT actor_id, name FROM _eddy_NAME", sqlite.Trusted)
	if err != nil {
		return nil, ix.wrap("read names", err)
	}
	defer s.Close()
	for {
		more, err := s.Step()
		if err != nil || !more {
			return out, ix.wrap("read names", err)
		}
		out[s.Text(0)] = s.Text(1)
	}
}

// alarms lists the alarms of all objects, or of one, by its id.
func (ix *index) alarms(only string) (list []Alarm, err error) {
	err = ix.mended(func() error {
		list, err = ix.alarmsLocked(only)
		return err
	})
	return list, err
}

func (ix *index) alarmsLocked(only string) ([]Alarm, error) {
	if ix.db == nil {
		return nil, nil
	}
	var names map[string]string // read if an alarm has none
	column := "NULL"
	if ix.column {
		column = "actor_name"
	}
	s, _, err := ix.db.Prepare("SELECT actor_id, scheduled_time, "+column+
		" FROM _cf_ALARM WHERE scheduled_time IS NOT NULL AND (?1 = '' OR actor_id = ?1) "+
		"ORDER BY scheduled_time, actor_id", sqlite.Trusted)
	if err != nil {
		return nil, ix.wrap("read alarms", err)
	}
	defer s.Close()
	if err := s.BindText(1, only); err != nil {
		return nil, ix.wrap("read alarms", err)
	}
	var out []Alarm
	for {
		more, err := s.Step()
		if err != nil || !more {
			return out, ix.wrap("read alarms", err)
		}
		a := Alarm{ID: s.Text(0), Time: time.Unix(0, s.Int(1)), Name: s.Text(2)}
		if a.Name == "" && names == nil {
			if names, err = ix.namesLocked(); err != nil {
				return nil, err
			}
		}
		if a.Name == "" {
			a.Name = names[a.ID]
		}
		out = append(out, a)
	}
}

func (ix *index) close() error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.closed = true
	if ix.db == nil {
		return nil
	}
	err := ix.noteClock()
	db := ix.db
	ix.db = nil
	return errors.Join(err, db.Close())
}

// file is the open database, nil before it exists.
func (ix *index) file() *sqlite.DB {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.db
}
