package d1

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/clock"
	"eddy/runtime/lazyregexp"
	"eddy/runtime/sqlite"
	"eddy/runtime/statedir"
)

// Errors that the platform shows; each reaches JavaScript behind "D1_ERROR: ".
var (
	// ErrNoStatements: a call has nothing but comments and empty texts.
	ErrNoStatements = refusal("No SQL statements detected.")
	errNoStatement  = refusal("SQL code did not contain a statement.")
	errManyParams   = refusal(
		"When executing multiple SQL statements in a single call, only the last statement can have parameters.")
	errParams = refusal("Wrong number of parameter bindings for SQL query.")
	// errCPU and errMemory: the call took more than production gives to one.
	errCPU    = refusal("D1 DB exceeded its CPU time limit and was reset.")
	errMemory = refusal("D1 DB's isolate exceeded its memory limit and was reset.")
)

// What production gives to one call.
const (
	maxCall   = 30 * time.Second
	maxResult = 128 << 20 // bytes of rows
)

// refusal is an error whose text has the platform's punctuation.
type refusal string

func (r refusal) Error() string { return string(r) }

// ErrClosed: the session has ended.
var ErrClosed = errors.New("the D1 database is closed")

// statementCacheBytes bounds the text of the statements that a database keeps compiled.
const statementCacheBytes = 256 << 10

// Options configure a [Database].
type Options struct {
	// Path is the file; it and its directory are made by the first query.
	Path string
	// Clock gives durations and the time of bookmarks.
	Clock clock.Clock
	// Relaxed leaves it to the operating system when a commit reaches the disk.
	Relaxed bool
	// Home is where a cluster keeps the database, nil outside of one.
	Home *objectstore.Home
}

// Database is one D1 database. Its methods may be called from any goroutine.
type Database struct {
	o       Options
	machine clock.Clock // limits of calls are counted on it

	// stop ends the statement that runs because its time is over, or closing or leaving is set.
	stop, closing, leaving atomic.Bool
	// uses counts calls: nobody writes to the file without one.
	uses atomic.Int64
	// residence is nil outside of a cluster.
	residence *objectstore.Residence

	mu    sync.Mutex // guards all below, and the connection
	db    *sqlite.DB
	cache *sqlite.Cache
	total *sqlite.Stmt // total_changes()
	room  int          // bytes of rows that the running call may still collect
}

// Path is where wrangler keeps the database of an id in a state directory (DEV4).
func Path(state statedir.Dir, id string) string {
	return objectstore.IndexPath(state, "d1", "D1DatabaseObject", id)
}

// New makes a database; nothing is opened yet.
func New(o Options) *Database {
	d := &Database{o: o, machine: clock.Real{}}
	if o.Home != nil {
		d.residence = objectstore.NewResidence(o.Home, o.Path)
	}
	return d
}

// Statement is one query of a call.
type Statement struct {
	SQL string
	// Params are nil, float64, string or []byte.
	Params []any
}

// Result is the outcome of one statement.
type Result struct {
	Columns []string
	// Rows hold nil, float64, string and []byte.
	Rows [][]any
	Meta Meta
}

// Meta are the figures of a result (D1-2).
type Meta struct {
	Duration              time.Duration
	Changes, LastRowID    int64
	ChangedDB             bool
	SizeAfter             int64 // bytes
	RowsRead, RowsWritten int64
}

var comment = lazyregexp.New(`(?m)^\s*--.*`)

// Run runs the statements as one transaction (D1-5): the first that fails undoes all. Statements of comments and white
// space only are left out. The call may compute for as long as limit says, 0 for production's 30 seconds. The error's
// text is the platform's.
func (d *Database) Run(limit time.Duration, list []Statement) ([]Result, error) {
	var run []Statement
	for _, q := range list {
		if strings.TrimSpace(comment.ReplaceAllString(q.SQL, "")) != "" {
			run = append(run, q)
		}
	}
	if len(run) == 0 {
		return nil, ErrNoStatements
	}
	results := make([]Result, 0, len(run))
	if limit <= 0 {
		limit = maxCall
	}
	return results, d.transaction(limit, maxResult, func() error {
		for _, q := range run {
			r, err := d.query(q)
			if err != nil {
				return err
			}
			results = append(results, r)
		}
		return nil
	})
}

// transaction calls f with the connection to itself, in a transaction: all that f does, or nothing. f may take the time
// of limit, measured on the machine's clock, and collect room bytes of rows; 0 is no limit for either. In a cluster it
// waits until what f has read and written may be told.
func (d *Database) transaction(limit time.Duration, room int, f func() error) error {
	d.mu.Lock()
	err := d.open()
	if err == nil {
		err = d.transactionLocked(limit, room, f)
	}
	wait := func() error { return nil }
	if d.residence != nil && d.db != nil {
		wait = d.residence.Settle(d.db, nil, nil)
	}
	d.mu.Unlock()
	if unkept := wait(); unkept != nil {
		return unkept
	}
	return err
}

// transactionLocked is called with mu held and the file open.
func (d *Database) transactionLocked(limit time.Duration, room int, f func() error) error {
	if err := d.db.Exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	d.room = room
	late := d.limit(limit)
	err := f()
	if over := late(); sqlite.Interrupted(err) {
		switch {
		case over:
			err = errCPU
		case d.closing.Load():
			err = ErrClosed
		case d.leaving.Load():
			err = objectstore.ErrElsewhere
		}
	}
	if err != nil {
		return errors.Join(err, d.rollback())
	}
	if err := d.db.Exec("COMMIT"); err != nil {
		return errors.Join(err, d.rollback())
	}
	return d.inPlace()
}

// inPlace fails if the file was removed or replaced since it was opened; the next call opens what is there.
func (d *Database) inPlace() error {
	err := d.db.Moved()
	if err == nil {
		return nil
	}
	err = fmt.Errorf("D1: %w; what this call wrote is lost", err)
	if d.residence == nil {
		return errors.Join(err, d.restLocked())
	}
	db := d.db
	d.db, d.total = nil, nil
	return errors.Join(err, d.residence.Forsake(db))
}

// rollback ends the transaction unless SQLite has done so already.
func (d *Database) rollback() error {
	if !d.db.InTransaction() {
		return nil
	}
	return d.db.Exec("ROLLBACK")
}

func (d *Database) open() error {
	d.uses.Add(1)
	if d.closing.Load() {
		return ErrClosed
	}
	if d.residence != nil && d.residence.Lost() {
		if err := d.restLocked(); err != nil {
			return err
		}
	}
	if d.db != nil {
		return nil
	}
	open := sqlite.Open
	if d.residence != nil {
		open = func(_ string, o sqlite.Options) (*sqlite.DB, error) { return d.residence.Open(o) }
	}
	db, err := open(
		d.o.Path, sqlite.Options{Limits: sqlite.PlatformLimits, CacheKB: 2048, Repair: true, Stop: &d.stop})
	if err != nil {
		return fmt.Errorf("D1 database: %w", err)
	}
	if !d.o.Relaxed && d.residence == nil {
		if err := db.Exec("PRAGMA synchronous=FULL"); err != nil {
			return errors.Join(fmt.Errorf("D1 database %s: %w", d.o.Path, err), db.Close())
		}
	}
	d.db, d.cache = db, sqlite.NewCache(db, statementCacheBytes)
	return nil
}

// query runs all statements of one text; the result is that of the last (D1-7).
func (d *Database) query(q Statement) (Result, error) {
	return d.measured(func() (Result, error) {
		st, key, err := d.prepare(q.SQL)
		if err != nil {
			return Result{}, err
		}
		r, err := d.read(st, q.Params)
		if key != "" {
			d.cache.Give(key, st)
		} else {
			st.Close()
		}
		return r, err
	})
}

// measured completes the figures of the result that run gives.
func (d *Database) measured(run func() (Result, error)) (Result, error) {
	start := d.o.Clock.Now()
	sizeBefore, err := d.db.Size()
	if err != nil {
		return Result{}, err
	}
	changesBefore, _, err := d.counters()
	if err != nil {
		return Result{}, err
	}
	r, err := run()
	if err != nil {
		return Result{}, err
	}
	changes, lastRow, err := d.counters()
	if err != nil {
		return Result{}, err
	}
	if r.Meta.SizeAfter, err = d.db.Size(); err != nil {
		return Result{}, err
	}
	r.Meta.Changes, r.Meta.LastRowID = changes-changesBefore, lastRow
	r.Meta.ChangedDB = r.Meta.Changes != 0 || r.Meta.RowsWritten != 0 || r.Meta.SizeAfter != sizeBefore
	r.Meta.Duration = d.o.Clock.Now().Sub(start)
	return r, nil
}

// prepare compiles the last statement of sql and runs those before it. key is the text to give the statement back to
// the cache under, "" for one that is not kept.
func (d *Database) prepare(sql string) (st *sqlite.Stmt, key string, err error) {
	if st := d.cache.Take(sql); st != nil {
		return st, sql, nil
	}
	for rest := sql; ; {
		st, tail, err := d.db.Prepare(rest, sqlite.Regulated)
		if err != nil {
			return nil, "", err
		}
		if st == nil {
			return nil, "", errNoStatement
		}
		if tail = strings.TrimLeft(tail, " \t\r\n\f"); tail == "" {
			if len(rest) == len(sql) {
				key = sql
			}
			return st, key, nil
		}
		if st.Params() > 0 {
			err = errManyParams
		} else {
			_, err = d.read(st, nil)
		}
		st.Close()
		if err != nil {
			return nil, "", err
		}
		rest = tail
	}
}

// read runs a statement to its end.
func (d *Database) read(st *sqlite.Stmt, params []any) (Result, error) {
	if len(params) != st.Params() {
		return Result{}, errParams
	}
	for i, v := range params {
		if err := st.Bind(i+1, v); err != nil {
			return Result{}, err
		}
	}
	r := Result{Rows: [][]any{}}
	for {
		more, err := st.Step()
		if err != nil {
			return Result{}, err
		}
		if r.Columns == nil {
			// After the first step, because SQLite may compile the statement again then.
			r.Columns = make([]string, st.Columns())
			for i := range r.Columns {
				r.Columns[i] = st.ColumnName(i)
			}
		}
		if !more {
			r.Meta.RowsRead, r.Meta.RowsWritten = st.RowsRead(), st.RowsWritten()
			return r, nil
		}
		row := make([]any, len(r.Columns))
		size := 24 + 16*len(row)
		for i := range row {
			if row[i] = st.Value(i); row[i] != nil {
				if n, ok := row[i].(int64); ok {
					row[i] = float64(n) // precision is lost beyond 2^53, as on the platform (SQL5)
				}
			}
			size += weight(row[i])
		}
		if d.room > 0 {
			if d.room -= size; d.room <= 0 {
				return Result{}, errMemory
			}
		}
		r.Rows = append(r.Rows, row)
	}
}

// weight is how much memory a value takes beside its place in the row.
func weight(v any) int {
	switch v := v.(type) {
	case string:
		return len(v) + 16
	case []byte:
		return len(v) + 24
	case nil:
		return 0
	}
	return 8
}

// counters are the connection's total_changes and last_insert_rowid.
func (d *Database) counters() (changes, lastRow int64, err error) {
	if d.total == nil {
		if d.total, _, err = d.db.Prepare("SELECT total_changes()", sqlite.Trusted); err != nil {
			return 0, 0, err
		}
	}
	defer d.total.Reset()
	if _, err := d.total.Step(); err != nil {
		return 0, 0, err
	}
	return d.total.Int(0), d.db.LastInsertRowID(), nil
}

// Bookmark names the present state for sessions; later ones sort behind it.
func (d *Database) Bookmark() string { return bookmarkAt(d.o.Clock.Now()) }

func bookmarkAt(t time.Time) string {
	ms := uint64(t.UnixMilli())
	return fmt.Sprintf("%08x-%08x-%08x-%032x", ms>>32, ms&0xFFFFFFFF, 0, 0)
}

// Close ends the running call, which fails with [ErrClosed] like those to come. Calling it again does nothing.
func (d *Database) Close() error {
	d.closing.Store(true)
	d.stop.Store(true)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.db == nil {
		return nil
	}
	err := d.db.Close()
	d.db = nil
	return err
}

// Clear deletes everything, tables included. A call that runs ends first.
func (d *Database) Clear() error {
	if d.residence != nil {
		return errors.New("a cluster's D1 databases cannot be emptied at once")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return errors.Join(d.restLocked(), objectstore.RemoveFile(d.o.Path))
}

// Uses counts the calls so far. If it is what it was, nothing has been stored meanwhile.
func (d *Database) Uses() int64 { return d.uses.Load() }

// Rest closes the file until the next call: somebody replaces it meanwhile. A call that runs ends first.
func (d *Database) Rest() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.restLocked()
}

func (d *Database) restLocked() error {
	db := d.db
	d.db, d.total = nil, nil
	switch {
	case db == nil:
		return nil
	case d.residence != nil:
		return d.residence.Leave(db, false)
	}
	return db.Close()
}

// gentle is how long a call may finish before its database goes to another node.
const gentle = 250 * time.Millisecond

// Leave gives the database up, because it is another node's or will be. A call that runs has a moment to end; if it
// does not, it is undone, and made again there.
func (d *Database) Leave() error {
	ended := make(chan struct{})
	timer := time.AfterFunc(gentle, func() {
		d.leaving.Store(true)
		d.stop.Store(true)
		close(ended)
	})
	d.mu.Lock()
	defer d.mu.Unlock()
	if !timer.Stop() {
		<-ended
		d.leaving.Store(false)
		d.stop.Store(d.closing.Load())
	}
	db := d.db
	d.db, d.total = nil, nil
	return d.residence.Leave(db, true)
}
