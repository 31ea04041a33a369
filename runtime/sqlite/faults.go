package sqlite

import (
	"sync"

	lib "modernc.org/sqlite/lib"
)

// Faults makes statements of a DB fail as a broken disk would. For tests of
// what stands on this package.
type Faults struct {
	mu sync.Mutex
	// full makes every statement that writes fail with SQLITE_FULL.
	full bool // guarded by mu
}

// SetFull switches the full disk on or off.
func (f *Faults) SetFull(full bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.full = full
}

// Inject installs faults; nil removes them.
func (db *DB) Inject(f *Faults) { db.faults.Store(f) }

func (f *Faults) step(db *DB, s *Stmt) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.full && !s.readOnly {
		return &Error{Code: lib.SQLITE_FULL, Message: "database or disk is full", Offset: -1, Path: db.path}
	}
	return nil
}
