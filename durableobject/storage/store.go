package storage

import (
	"container/list"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"eddy/durableobject/storage/history"
	"eddy/runtime/sqlite"
)

// Store is the storage of one object. See the package comment for the rules of
// turns, threads and failure.
type Store struct {
	ns   *Namespace
	id   string
	path string
	name string // the object's name, "" if unknown
	// named is set once the name is recorded.
	named bool

	handle *handle       // nil while the file is closed
	open   *list.Element // place in the namespace's list of open files
	broken *BrokenError
	closed bool

	implicit bool // a transaction of the turn is open
	depth    int  // open savepoints
	txns     []*Txn

	cursors  map[*Cursor]struct{}
	kvCursor *KVCursor

	alarm   alarmState
	changed bool // committed since the last Sync
	created bool // the file was created or removed since the last Sync
	// inherited says that changed or created are of the Store before this one, or of a Sync that has failed.
	inherited bool
	syncs     *syncs // also those of the Store before this one
	// checkpointed is how long the log was when it was last tried to be copied
	// into the database.
	checkpointed uint32
}

// handle is an open file with its compiled statements.
type handle struct {
	db       *sqlite.DB
	own      map[string]*sqlite.Stmt // eddy's statements by text
	queries  *sqlite.Cache           // the user's statements
	pinned   bool                    // a PRAGMA changed the connection
	kvTable  bool                    // _cf_KV exists
	metadata bool                    // _cf_METADATA exists
	past     *recorder               // nil without history
}

// statementCacheBytes bounds the text of a user's statements that are kept
// compiled for one object.
const statementCacheBytes = 64 << 10

// ID is the object's id.
func (s *Store) ID() string { return s.id }

// Path is the object's file, which may not exist yet.
func (s *Store) Path() string { return s.path }

// SetName tells how the object is called; it is recorded with the first write.
func (s *Store) SetName(name string) {
	if s.name != name {
		s.name, s.named = name, false
	}
}

// StoredName is the name that the object's file records (CL15), "" if none.
func (s *Store) StoredName() (string, error) {
	h, err := s.acquire(false)
	if h == nil {
		return "", err
	}
	if found, err := h.hasTable("__miniflare_do_name"); err != nil || !found {
		return "", s.fail(err)
	}
	name := ""
	err = s.query(h, "SELECT name FROM __miniflare_do_name LIMIT 1", func(q *sqlite.Stmt) { name = q.Text(0) })
	return name, err
}

// KnownName is the name that the index, or else the object's file, records, "" if none does.
func (s *Store) KnownName() (string, error) {
	if s.name != "" {
		return s.name, nil
	}
	name, err := s.ns.index.nameOf(s.id)
	if err != nil || name != "" {
		return name, err
	}
	return s.StoredName()
}

// Broken returns the error that broke the Store, or nil.
func (s *Store) Broken() error {
	if s.broken == nil {
		return nil
	}
	return s.broken
}

// acquire returns the open handle. Without create it returns nil when the
// object has no file: there is nothing to read.
func (s *Store) acquire(create bool) (*handle, error) {
	if s.broken != nil {
		return nil, s.broken
	}
	if s.closed {
		return nil, ErrClosed
	}
	if s.handle != nil {
		s.ns.open.use(s)
		return s.handle, nil
	}
	s.ns.work.settle(s.path) // it may still be closing
	if err := s.verify(); err != nil {
		s.broken = s.brokenBy(err)
		return nil, s.broken
	}
	db, err := s.openFile(create)
	for tooManyFiles(err) && s.ns.shed() {
		db, err = s.openFile(create)
	}
	if err != nil {
		s.broken = s.brokenBy(err)
		return nil, s.broken
	}
	if db == nil {
		return nil, nil
	}
	if s.inherited && s.ns.opts.Keeper != nil && hasLog(s.path) {
		// Nobody knows how much of the log is committed.
		if _, err := db.Fold(); err != nil {
			db.LeaveLog()
			db.Close()
			s.broken = s.brokenBy(err)
			return nil, s.broken
		}
	}
	s.handle = &handle{db: db, own: map[string]*sqlite.Stmt{}, queries: sqlite.NewCache(db, statementCacheBytes)}
	if s.ns.opts.HistoryDir != "" {
		s.handle.past = &recorder{file: s.historyFile(), now: s.ns.opts.Now}
		if hasLog(s.path) {
			// A crash left the log. Nobody knows when its commits were made, only that it was before those to come.
			s.ns.recorded(s.handle.past.archive())
		}
	}
	s.ns.open.add(s)
	s.ns.open.trim(s.ns.opts.OpenFiles)
	return s.handle, nil
}

// verify compares the file, if it is at rest, with what it was when it was closed.
func (s *Store) verify() error {
	if s.ns.opts.HistoryDir == "" || hasLog(s.path) {
		return nil
	}
	if err := sqlite.CheckPlace(s.path); err != nil { // a link would be followed
		return err
	}
	f := s.historyFile()
	err := f.Verify()
	if err == nil || errors.Is(err, history.ErrChanged) || tooManyFiles(err) {
		return err
	}
	s.ns.recorded(err) // the object does not depend on its history
	return nil
}

// openFile opens the object's file. Without create it gives nil if there is
// none.
func (s *Store) openFile(create bool) (*sqlite.DB, error) {
	o := sqlite.Options{Existing: true, Repair: true, Limits: s.ns.opts.SQLLimits, AutoCheckpoint: -1,
		Stop: s.ns.opts.Stop, Faults: s.ns.opts.Faults, Unsynced: s.ns.opts.Temporary}
	db, err := sqlite.Open(s.path, o)
	if !errors.Is(err, fs.ErrNotExist) {
		return db, err
	}
	if !create {
		return nil, nil
	}
	if err := s.ns.index.make(); err != nil {
		return nil, err
	}
	s.created = true
	o.Existing, o.Repair = false, false
	return sqlite.Open(s.path, o)
}

// tooManyFiles reports whether a file could not be opened because the process, or
// the system, has too many open.
func tooManyFiles(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// shed frees descriptors, and reports whether there may be more of them than
// before. Files that are still being closed have theirs until that is done; if
// there are none, half of the open files are closed, now and from now on.
func (ns *Namespace) shed() bool {
	if ns.work.wait() {
		return true
	}
	open := ns.open.stores.Len()
	ns.opts.OpenFiles = max(open/2, 1)
	ns.open.trim(ns.opts.OpenFiles)
	ns.work.wait()
	return ns.open.stores.Len() < open
}

// hasTable looks a table up in the schema.
func (h *handle) hasTable(name string) (bool, error) {
	q, err := h.statement("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")
	if err != nil {
		return false, err
	}
	defer q.Reset()
	if err := q.BindText(1, name); err != nil {
		return false, err
	}
	return q.Step()
}

// statement returns one of eddy's own statements, compiled once per handle.
func (h *handle) statement(sql string) (*sqlite.Stmt, error) {
	if q := h.own[sql]; q != nil {
		return q, nil
	}
	q, _, err := h.db.Prepare(sql, sqlite.Trusted)
	if err != nil {
		return nil, err
	}
	h.own[sql] = q
	return q, nil
}

// query runs one of eddy's own statements and calls row for every row.
func (s *Store) query(h *handle, sql string, row func(*sqlite.Stmt), args ...any) error {
	q, err := h.statement(sql)
	if err != nil {
		return s.fail(err)
	}
	defer q.Reset()
	for i, a := range args {
		if err := q.Bind(i+1, a); err != nil {
			return s.fail(err)
		}
	}
	for {
		more, err := q.Step()
		if err != nil || !more {
			return s.fail(err)
		}
		if row != nil {
			row(q)
		}
	}
}

// write opens the file and the turn's transaction, creating both as needed.
func (s *Store) write() (*handle, error) {
	h, err := s.acquire(true)
	if err != nil {
		return nil, err
	}
	if !s.implicit && s.depth == 0 {
		if err := s.query(h, "BEGIN", nil); err != nil {
			return nil, err
		}
		s.implicit = true
	}
	if s.name != "" && !s.named {
		if err := s.recordName(h); err != nil {
			return nil, err
		}
	}
	return h, nil
}

func (s *Store) recordName(h *handle) error {
	s.named = true
	if s.ns.opts.NameTable {
		if err := s.query(h, "CREATE TABLE IF NOT EXISTS __miniflare_do_name (id INTEGER PRIMARY KEY, name TEXT)",
			nil); err != nil {
			return err
		}
		if err := s.query(h, "INSERT OR REPLACE INTO __miniflare_do_name VALUES(1, ?)", nil, s.name); err != nil {
			return err
		}
	}
	return s.ns.index.name(s.id, s.name)
}

// Exists reports whether the object has a file.
func (s *Store) Exists() bool {
	if s.handle != nil {
		return true
	}
	_, err := os.Stat(s.path)
	return err == nil
}

// Size is the number of bytes of pages in use (SQL15); an object without a
// file counts as one page, as a fresh database does.
func (s *Store) Size() (int64, error) {
	h, err := s.acquire(false)
	if err != nil {
		return 0, err
	}
	if h == nil {
		return 4096, nil
	}
	n, err := h.db.Size()
	return max(n, 4096), s.fail(err)
}

// Release closes the file if nothing is open in it. An object that hibernates
// does this; the next use opens it again. A temporary file stays open, unless the
// object's session has changed the connection.
func (s *Store) Release() {
	if s.handle == nil || s.busy() || s.ns.opts.Temporary && !s.handle.pinned {
		return
	}
	s.closeFile(true)
}

// busy reports whether the file cannot be closed without effect.
func (s *Store) busy() bool {
	return s.implicit || s.depth > 0 || len(s.cursors) > 0 || s.kvCursor != nil
}

// Close ends the Store. An open transaction is rolled back.
func (s *Store) Close() {
	if s.closed {
		return
	}
	s.cancelCursors(ErrClosed)
	s.closeFile(true)
	s.closed = true
	delete(s.ns.stores, s.id)
	s.leaveRest()
}

// leave closes the Store with its file as it is: neither its log nor its history is brought up to date.
func (s *Store) leave() {
	if s.closed {
		return
	}
	s.cancelCursors(ErrClosed)
	if h := s.handle; h != nil {
		s.handle = nil
		s.ns.open.remove(s)
		h.db.LeaveLog()
		h.db.Close()
	}
	s.closed = true
	delete(s.ns.stores, s.id)
}

// closeFile closes the connection, in the background because closing copies
// the log into the database. An open transaction is lost.
func (s *Store) closeFile(background bool) {
	h := s.handle
	if h == nil {
		return
	}
	if s.ns.opts.Keeper != nil && s.changed && s.broken == nil {
		s.keep(func(error) {}) // closing folds the log; who waits for Sync is behind this one
	}
	s.handle = nil
	s.ns.open.remove(s)
	if s.implicit || s.depth > 0 {
		s.implicit, s.depth, s.txns = false, 0, nil
		s.alarm.known, s.alarm.dirty = false, false
	}
	if background && s.ns.work.start(s.path, func() { s.ns.closeHandle(h) }) {
		return
	}
	s.ns.work.settle(s.path)
	s.ns.closeHandle(h)
}

// DeleteAll removes everything the object stored (KV15). Unless keepAlarm,
// that includes the alarm; the index follows with the next Commit. What the
// turn wrote before is gone with it; what it writes after stays.
func (s *Store) DeleteAll(keepAlarm bool) error {
	if s.depth > 0 {
		return ErrDeleteAllInTransaction
	}
	if s.broken != nil {
		return s.broken
	}
	at, err := s.Alarm()
	if err != nil {
		return err
	}
	s.cancelCursors(ErrDeleted)
	s.closeFile(false)
	s.ns.work.settle(s.path)
	if err := sqlite.Remove(s.path); err != nil {
		return fmt.Errorf("delete all of object file %s: %w", s.path, err)
	}
	if s.ns.opts.HistoryDir != "" {
		f := s.historyFile()
		s.ns.recorded(f.Deleted(s.ns.opts.Now()))
	}
	s.created, s.changed = true, true
	s.alarm.known, s.alarm.at, s.alarm.dirty = true, time.Time{}, true
	if keepAlarm {
		return s.SetAlarm(at)
	}
	return nil
}

// openList orders the Stores of a namespace whose file is open, most recently
// used first.
type openList struct{ stores list.List }

func (l *openList) add(s *Store) { s.open = l.stores.PushFront(s) }

func (l *openList) use(s *Store) { l.stores.MoveToFront(s.open) }

func (l *openList) remove(s *Store) {
	if s.open != nil {
		l.stores.Remove(s.open)
		s.open = nil
	}
}

// trim closes the least recently used idle files until at most limit are open.
func (l *openList) trim(limit int) {
	for el := l.stores.Back(); el != nil && l.stores.Len() > limit; {
		prev := el.Prev()
		if s := el.Value.(*Store); el != l.stores.Front() && !s.busy() && !s.handle.pinned {
			s.closeFile(true)
		}
		el = prev
	}
}
