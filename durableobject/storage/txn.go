package storage

import (
	"strconv"

	"eddy/runtime/sqlite"
)

// Txn is an explicit transaction; Commit or Rollback ends it. Transactions
// nest: the innermost must end first.
type Txn struct {
	s     *Store
	depth int
	done  bool
}

// Begin opens the transaction of storage.transaction() (TX1). It outlives the
// turn, so what the turn wrote before it is committed first.
func (s *Store) Begin() (*Txn, error) {
	if s.depth == 0 && s.implicit {
		if err := s.Commit(); err != nil {
			return nil, err
		}
	}
	if _, err := s.acquire(true); err != nil {
		return nil, err
	}
	return s.savepoint()
}

// Savepoint opens the transaction of transactionSync() (TX6), which is part of
// the turn's.
func (s *Store) Savepoint() (*Txn, error) {
	if _, err := s.write(); err != nil {
		return nil, err
	}
	return s.savepoint()
}

func (s *Store) savepoint() (*Txn, error) {
	if err := s.query(s.handle, "SAVEPOINT "+savepointName(s.depth), nil); err != nil {
		return nil, err
	}
	t := &Txn{s: s, depth: s.depth}
	s.depth++
	s.txns = append(s.txns, t)
	return t, nil
}

func savepointName(depth int) string { return "_cf_savepoint_" + strconv.Itoa(depth) }

// outermost reports whether ending the transaction ends it on disk.
func (t *Txn) outermost() bool { return t.depth == 0 && !t.s.implicit }

// ready checks that the transaction may end now.
func (t *Txn) ready() error {
	switch {
	case t.s.broken != nil:
		return t.s.broken
	case t.done || t.s.handle == nil || t.depth >= len(t.s.txns) || t.s.txns[t.depth] != t:
		return ErrClosed
	case t.s.depth != t.depth+1:
		return ErrNestedTransaction
	}
	return nil
}

// Commit keeps the changes: within an outer transaction as part of it, else on
// disk. A violated deferred constraint breaks the Store (SQL19).
func (t *Txn) Commit() error {
	if err := t.ready(); err != nil {
		return err
	}
	release := "RELEASE " + savepointName(t.depth)
	if !t.outermost() {
		if err := t.s.query(t.s.handle, release, nil); err != nil {
			return err
		}
		t.end()
		return nil
	}
	if err := t.s.commitWith(release); err != nil {
		return err
	}
	t.end()
	return nil
}

// Rollback drops the changes made since the transaction began. Calling it on
// an ended transaction does nothing.
func (t *Txn) Rollback() error {
	if t.done || t.s.handle == nil {
		return nil
	}
	if err := t.ready(); err != nil {
		return err
	}
	s := t.s
	if err := s.query(s.handle, "ROLLBACK TO "+savepointName(t.depth), nil); err != nil {
		return err
	}
	if err := s.query(s.handle, "RELEASE "+savepointName(t.depth), nil); err != nil {
		return err
	}
	t.end()
	s.forget()
	return nil
}

func (t *Txn) end() {
	t.done = true
	t.s.depth--
	t.s.txns = t.s.txns[:t.s.depth]
}

// forget drops what was remembered about the contents before a rollback.
func (s *Store) forget() {
	if s.handle != nil {
		s.handle.kvTable, s.handle.metadata = false, false
	}
	s.alarm.known = false
}

// Dirty reports whether there is something to commit at the end of the turn.
func (s *Store) Dirty() bool { return s.implicit || (s.alarm.dirty && s.depth == 0) }

// Commit ends the turn's transaction; without one it does nothing, and an
// explicit transaction goes on. A violated deferred constraint breaks the
// Store (SQL19). The commit survives a crash of the process; Sync makes it
// survive a loss of power.
func (s *Store) Commit() error {
	if s.broken != nil {
		return s.broken
	}
	if !s.implicit {
		if s.alarm.dirty && s.depth == 0 {
			return s.commitAlarm(func() error { return nil })
		}
		return nil
	}
	if s.depth > 0 {
		return ErrNestedTransaction
	}
	if err := s.commitWith("COMMIT"); err != nil {
		return err
	}
	s.implicit = false
	return nil
}

// commitWith runs the statement that ends the transaction on disk.
func (s *Store) commitWith(sql string) error {
	err := s.commitAlarm(func() error { return s.query(s.handle, sql, nil) })
	if err != nil {
		if s.broken == nil {
			s.broken = s.brokenBy(err)
			if sqlite.Constraint(err) {
				s.broken.Text = constraintsViolated + err.Error()
			}
		}
		s.cancelCursors(s.broken)
		s.closeFile(true)
		return s.broken
	}
	s.changed = true
	s.note()
	s.checkpointIfLong()
	return nil
}

// Rollback drops what the turn wrote, and every explicit transaction, as a
// reset of the object does (GT8).
func (s *Store) Rollback() error {
	if s.broken != nil {
		return s.broken
	}
	if !s.implicit && s.depth == 0 {
		return nil
	}
	sql := "ROLLBACK"
	if !s.implicit {
		sql = "ROLLBACK TO " + savepointName(0)
	}
	if err := s.query(s.handle, sql, nil); err != nil {
		return err
	}
	if !s.implicit {
		if err := s.query(s.handle, "RELEASE "+savepointName(0), nil); err != nil {
			return err
		}
	}
	for _, t := range s.txns {
		t.done = true
	}
	s.implicit, s.depth, s.txns = false, 0, nil
	s.alarm.dirty = false
	s.forget()
	return nil
}

// Sync calls done, on another goroutine, once every commit so far is durable
// as the namespace's Durability demands. With nothing to wait for it calls
// back before it returns.
func (s *Store) Sync(done func(error)) {
	if s.ns.opts.Keeper != nil {
		s.keep(done)
		return
	}
	if s.ns.opts.Durability == Relaxed || (!s.changed && !s.syncs.some()) {
		done(nil)
		return
	}
	if err := s.InPlace(); err != nil {
		done(err)
		return
	}
	s.again()
	withDir, withIndex := s.created, s.alarm.indexChanged
	var fresh *sqlite.DB
	if withDir && s.handle != nil {
		fresh = s.handle.db
	}
	s.changed, s.created, s.inherited, s.alarm.indexChanged = false, false, false, false
	ended := s.syncs.begin(withDir, withIndex)
	finish := func(err error) { done(ended(err)) }
	if !withIndex {
		s.ns.sync.request(s.path, fresh, withDir, finish)
		return
	}
	s.ns.sync.request(s.path, fresh, withDir, func(err error) {
		if err != nil {
			finish(err)
			return
		}
		s.ns.sync.request(s.ns.index.path, s.ns.index.file(), true, finish)
	})
}

// InPlace fails, and breaks the Store, if the file was removed or replaced since
// it was opened, or if another process has the objects, too: what was committed
// is lost then, or may be, and nobody may be told that it is safe.
func (s *Store) InPlace() error {
	if s.broken != nil {
		return s.broken
	}
	if s.handle == nil {
		return nil
	}
	if err := s.handle.db.Moved(); err != nil {
		s.broken = s.brokenBy(err)
		return s.broken
	}
	if held := s.ns.opts.Held; held != nil {
		if err := held(); err != nil {
			s.broken = s.brokenBy(err)
			return s.broken
		}
	}
	return nil
}

// checkpointFrames is the length of log, in pages, that is copied into the
// database: 4 MB.
const checkpointFrames = 1024

// checkpointIfLong copies a long log into the database, on another goroutine, so
// that no commit waits for it.
func (s *Store) checkpointIfLong() {
	frames := s.handle.db.LogFrames()
	if s.ns.opts.Keeper != nil { // it says when
		return
	}
	if frames < checkpointFrames || frames < s.checkpointed+checkpointFrames/8 && frames >= s.checkpointed {
		return
	}
	s.checkpointed = frames
	path, past := s.path, s.handle.past
	// A checkpoint that fails leaves the log as it was, and is tried again; the
	// object's own connection meets the same error, and reports it.
	s.ns.work.start(path, func() { _ = s.ns.checkpoint(path, past) })
}
