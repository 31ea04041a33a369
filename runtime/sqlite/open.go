package sqlite

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// Limits are the run-time limits of a connection. Zero leaves SQLite's own.
type Limits struct {
	Length        int // bytes in a value or row
	SQLLength     int // bytes in a statement
	Columns       int
	ExprDepth     int
	CompoundTerms int
	LikePattern   int // bytes
	Variables     int
	FunctionArgs  int
	TriggerDepth  int
	VDBEOps       int
}

// PlatformLimits are the limits of a Durable Object's database (SQL14).
var PlatformLimits = Limits{
	Length: 2_200_000, SQLLength: 100_000, Columns: 100, ExprDepth: 100, CompoundTerms: 5,
	LikePattern: 50, Variables: 100, FunctionArgs: 127, TriggerDepth: 10, VDBEOps: 25_000,
}

// Options configures Open. The zero value opens for reading and writing and
// creates the file and its directories.
type Options struct {
	// ReadOnly opens an existing file without changing it.
	ReadOnly bool
	// Existing fails with fs.ErrNotExist rather than create the file.
	Existing bool
	// Repair completes a file whose first page a loss of power took. Only for
	// the first connection to the file in this process.
	Repair bool
	// Limits of the connection; they hold for trusted statements too.
	Limits Limits
	// CacheKB bounds the page cache; default 64. Small, because ten thousand
	// objects may be open.
	CacheKB int
	// AutoCheckpoint is the number of WAL pages after which a commit copies
	// them into the database; default 1000, negative for never.
	AutoCheckpoint int
	// KeepLog leaves the WAL as it is when the last connection is closed,
	// instead of copying it into the database and removing it.
	KeepLog bool
	// Unsynced never waits for the disk: for files that nobody needs after the
	// process.
	Unsynced bool
	// Stop, if set, makes statements fail with SQLITE_INTERRUPT as long as it is
	// true, also those that run already. Whoever sets it may be on any goroutine:
	// a CPU limit, the end of the session. Short statements pass, so that a
	// transaction can still be rolled back.
	Stop *atomic.Bool
	// Faults, for tests, are those of the disk that the file is on.
	Faults *Faults
}

// DB is one connection. See the package comment for who may use it.
type DB struct {
	tls  *libc.TLS
	conn uintptr
	path string

	// scratch is memory outside the Go heap through which texts and values are
	// handed to SQLite, which copies them.
	scratch     uintptr
	scratchSize int

	// regulated says whether the statement being compiled or run was written by
	// a user; the authorizer reads it.
	regulated bool
	// refusal replaces the authorizer's general text when it has a better one.
	refusal string

	stmts map[*Stmt]struct{}

	created   *os.File // set if Open made the file
	file, log place    // of the file when it was opened, and of its log when Moved saw it first
	logPath   string

	logFrames  uint32 // in the WAL after the last commit of this connection
	logCommits uint64 // of this connection, that wrote to the WAL

	stop *atomic.Bool // nil if nobody stops statements
}

// Open opens path. Errors name the file; a file that is not a database gives an Error for which Corrupt reports true.
func Open(path string, o Options) (*DB, error) {
	flags := int32(lib.SQLITE_OPEN_READWRITE | lib.SQLITE_OPEN_NOMUTEX)
	if o.ReadOnly {
		flags = lib.SQLITE_OPEN_READONLY | lib.SQLITE_OPEN_NOMUTEX
	}
	if o.ReadOnly || o.Existing {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("open database %s: %w", path, err)
		}
	}
	if err := CheckPlace(path); err != nil {
		return nil, fmt.Errorf("open database %w", err)
	}
	db := &DB{tls: libc.NewTLS(), path: path, logPath: path + "-wal", stmts: map[*Stmt]struct{}{}}
	if !o.ReadOnly && !o.Existing {
		if err := db.create(o.Faults); err != nil {
			db.Close()
			return nil, fmt.Errorf("create database %s: %w", path, err)
		}
	}
	if o.Repair && !o.ReadOnly {
		if err := db.repair(); err != nil {
			db.Close()
			return nil, fmt.Errorf("repair database %s: %w", path, err)
		}
	}
	if err := db.open(flags, o); err != nil {
		db.Close()
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	var err error
	if db.file, err = placeOf(path); err != nil {
		db.Close()
		return nil, fmt.Errorf("open database %w", err)
	}
	return db, nil
}

func (db *DB) open(flags int32, o Options) error {
	if err := db.grow(len(db.path) + 16); err != nil {
		return err
	}
	name := db.scratch + 8
	db.poke(name, db.path)
	vfs := uintptr(0)
	if o.Faults != nil {
		var err error
		if vfs, err = faultyVFS(db.path, o.Faults); err != nil {
			return err
		}
	}
	rc := lib.Xsqlite3_open_v2(db.tls, name, db.scratch, flags, vfs)
	db.conn = db.pointerAt(db.scratch)
	if db.conn == 0 {
		return errors.New("out of memory")
	}
	lib.Xsqlite3_extended_result_codes(db.tls, db.conn, 1)
	if rc != lib.SQLITE_OK {
		return db.err(rc)
	}
	// Lookaside would reserve memory for every connection.
	db.configure(lib.SQLITE_DBCONFIG_LOOKASIDE, uintptr(0), int32(0), int32(0))
	db.configure(lib.SQLITE_DBCONFIG_DEFENSIVE, int32(1), uintptr(0))
	if o.KeepLog {
		db.LeaveLog()
	}
	db.limit(o.Limits)
	lib.Xsqlite3_busy_timeout(db.tls, db.conn, 5000)
	setup := "PRAGMA foreign_keys=ON;PRAGMA temp_store=MEMORY;PRAGMA cache_size=-" +
		strconv.Itoa(orDefault(o.CacheKB, 64)) + ";"
	if !o.ReadOnly {
		synchronous := "NORMAL"
		if o.Unsynced {
			synchronous = "OFF"
		}
		setup += "PRAGMA journal_mode=WAL;PRAGMA synchronous=" + synchronous + ";PRAGMA wal_autocheckpoint=" +
			strconv.Itoa(max(orDefault(o.AutoCheckpoint, 1000), 0)) + ";"
	}
	if err := db.Exec(setup); err != nil {
		return err
	}
	// The platform's build lacks these two. The second would write pages past every other check.
	for _, module := range []string{"dbstat", "sqlite_dbpage"} {
		db.poke(db.scratch+8, module)
		lib.Xsqlite3_create_module(db.tls, db.conn, db.scratch+8, 0, 0)
	}
	authorizers.Store(db.conn, db)
	if db.stop = o.Stop; db.stop != nil {
		lib.Xsqlite3_progress_handler(db.tls, db.conn, stopEvery, functionPointer(stopped), db.conn)
	}
	if o.AutoCheckpoint < 0 && !o.ReadOnly {
		// SQLite's automatic checkpoints are a hook of the same kind, so a connection has either those or this one.
		lib.Xsqlite3_wal_hook(db.tls, db.conn, functionPointer(committed), 0)
	}
	lib.Xsqlite3_set_authorizer(db.tls, db.conn, functionPointer(authorize), db.conn)
	return nil
}

// LeaveLog makes Close leave the WAL as Options.KeepLog does.
func (db *DB) LeaveLog() { db.configure(lib.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, int32(1), uintptr(0)) }

func orDefault(n, d int) int {
	if n == 0 {
		return d
	}
	return n
}

// configure calls sqlite3_db_config with its variable arguments.
func (db *DB) configure(op int32, args ...any) {
	list := libc.NewVaList(args...)
	defer libc.Xfree(db.tls, list)
	lib.Xsqlite3_db_config(db.tls, db.conn, op, list)
}

func (db *DB) limit(l Limits) {
	for id, n := range map[int32]int{
		lib.SQLITE_LIMIT_LENGTH: l.Length, lib.SQLITE_LIMIT_SQL_LENGTH: l.SQLLength, lib.SQLITE_LIMIT_COLUMN: l.Columns,
		lib.SQLITE_LIMIT_EXPR_DEPTH: l.ExprDepth, lib.SQLITE_LIMIT_COMPOUND_SELECT: l.CompoundTerms,
		lib.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: l.LikePattern, lib.SQLITE_LIMIT_VARIABLE_NUMBER: l.Variables,
		lib.SQLITE_LIMIT_FUNCTION_ARG: l.FunctionArgs, lib.SQLITE_LIMIT_TRIGGER_DEPTH: l.TriggerDepth,
		lib.SQLITE_LIMIT_VDBE_OP: l.VDBEOps,
	} {
		if n > 0 {
			lib.Xsqlite3_limit(db.tls, db.conn, id, int32(n))
		}
	}
}

// Path returns the file's name.
func (db *DB) Path() string { return db.path }

// Close finalizes open statements and closes the connection. Closing the last
// connection to a file copies the WAL into it. Calling it again does nothing.
func (db *DB) Close() error {
	for s := range db.stmts {
		s.Close()
	}
	if db.tls == nil {
		return nil
	}
	var err error
	if db.conn != 0 {
		// Before the close, after which the address may belong to another
		// connection.
		lib.Xsqlite3_set_authorizer(db.tls, db.conn, 0, 0)
		authorizers.Delete(db.conn)
		if rc := lib.Xsqlite3_close(db.tls, db.conn); rc != lib.SQLITE_OK {
			err = fmt.Errorf("close database %s: %w", db.path, db.err(rc))
		}
		db.conn = 0
	}
	if db.scratch != 0 {
		libc.Xfree(db.tls, db.scratch)
		db.scratch = 0
	}
	db.tls.Close()
	db.tls = nil
	if db.created != nil {
		// This comes after SQLite has released its locks, which closing the file would drop.
		db.created.Close()
	}
	return err
}

// InTransaction reports whether a transaction or savepoint is open.
func (db *DB) InTransaction() bool { return lib.Xsqlite3_get_autocommit(db.tls, db.conn) == 0 }

// Changes is the number of rows changed by the last INSERT, UPDATE or DELETE.
func (db *DB) Changes() int64 { return int64(lib.Xsqlite3_changes64(db.tls, db.conn)) }

// LastInsertRowID is the row id of the last successful INSERT.
func (db *DB) LastInsertRowID() int64 {
	return int64(lib.Xsqlite3_last_insert_rowid(db.tls, db.conn))
}

// Exec runs trusted statements and discards their rows.
func (db *DB) Exec(sql string) error {
	for sql != "" {
		s, tail, err := db.Prepare(sql, Trusted)
		if err != nil {
			return err
		}
		if s == nil {
			return nil
		}
		for more := true; more && err == nil; {
			more, err = s.Step()
		}
		s.Close()
		if err != nil {
			return err
		}
		sql = tail
	}
	return nil
}

// Size is the number of bytes of pages in use (SQL15): free pages do not count.
func (db *DB) Size() (int64, error) {
	s, _, err := db.Prepare("SELECT ((SELECT * FROM pragma_page_count) - (SELECT * FROM pragma_freelist_count)) * "+
		"(SELECT * FROM pragma_page_size)", Trusted)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	if _, err := s.Step(); err != nil {
		return 0, err
	}
	return s.Int(0), nil
}

// Check reads the whole database and reports damage that SQLite can see. It is
// not told of a byte that changed inside a value.
func (db *DB) Check() error {
	s, _, err := db.Prepare("PRAGMA quick_check(1)", Trusted)
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := s.Step(); err != nil {
		return err
	}
	if text := s.Text(0); text != "ok" {
		return Damaged(db.path, text)
	}
	return nil
}

// Fold copies the whole WAL into the database and empties it. It reports false if a reader is in the way; the database
// may have all of the WAL even so, which then begins anew with the next commit.
func (db *DB) Fold() (bool, error) {
	rc := lib.Xsqlite3_wal_checkpoint_v2(db.tls, db.conn, 0, lib.SQLITE_CHECKPOINT_TRUNCATE, 0, 0)
	switch rc & 0xFF {
	case lib.SQLITE_OK:
		db.logFrames = 0
		return true, nil
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return false, nil
	}
	return false, fmt.Errorf("checkpoint database %s: %w", db.path, db.err(rc))
}

// Checkpoint copies as much of the WAL into the database as other connections
// allow, and makes both durable.
func (db *DB) Checkpoint() error {
	rc := lib.Xsqlite3_wal_checkpoint_v2(db.tls, db.conn, 0, lib.SQLITE_CHECKPOINT_PASSIVE, 0, 0)
	if rc != lib.SQLITE_OK && rc&0xFF != lib.SQLITE_BUSY {
		return fmt.Errorf("checkpoint database %s: %w", db.path, db.err(rc))
	}
	return nil
}
