package sqlite

import (
	"errors"
	"strconv"
	"syscall"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// Error is a failure that SQLite reported.
type Error struct {
	Code    int    // extended result code
	Message string // SQLite's own text
	Offset  int    // byte in the statement where parsing failed, -1 if unknown
	Path    string // the database file
	// System is what the operating system said, 0 if it was not asked.
	System syscall.Errno
}

// Unwrap lets errors.Is find what the operating system said.
func (e *Error) Unwrap() error {
	if e.System == 0 {
		return nil
	}
	return e.System
}

// Error is the text that the platform shows (SQL9): message, offset, symbolic
// code and, where there is one, the extended code.
func (e *Error) Error() string {
	text := e.Message
	if e.Offset >= 0 {
		text += " at offset " + strconv.Itoa(e.Offset)
	}
	text += ": " + codeNames[e.Primary()]
	if name, ok := extendedNames[e.Code]; ok && e.Code != e.Primary() {
		text += " (extended: " + name + ")"
	}
	return text
}

// Primary is the basic result code.
func (e *Error) Primary() int { return e.Code & 0xFF }

// Corrupt reports whether err says that the file is damaged or not a database.
func Corrupt(err error) bool {
	return hasCode(err, lib.SQLITE_CORRUPT) || hasCode(err, lib.SQLITE_NOTADB)
}

// Damaged is the error of a check that found damage in the file at path.
func Damaged(path, what string) error {
	return &Error{Code: lib.SQLITE_CORRUPT, Message: "database disk image is malformed (" + what + ")", Offset: -1,
		Path: path}
}

// Full reports whether err says that the disk is full.
func Full(err error) bool { return hasCode(err, lib.SQLITE_FULL) }

// ReadOnly reports whether err says that the file cannot be written.
func ReadOnly(err error) bool { return hasCode(err, lib.SQLITE_READONLY) }

// CannotOpen reports whether err says that the file, or its log, cannot be
// opened.
func CannotOpen(err error) bool { return hasCode(err, lib.SQLITE_CANTOPEN) }

// Newer reports whether err says that the file's format is newer than this
// SQLite knows.
func Newer(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Message == "unsupported file format"
}

// IO reports whether err is a failed read, write or sync.
func IO(err error) bool { return hasCode(err, lib.SQLITE_IOERR) }

// Constraint reports whether err is a violated constraint.
func Constraint(err error) bool { return hasCode(err, lib.SQLITE_CONSTRAINT) }

// Interrupted reports whether err is the effect of [Options].Stop.
func Interrupted(err error) bool { return hasCode(err, lib.SQLITE_INTERRUPT) }

// TooBig reports whether err says that a value exceeds Limits.Length.
func TooBig(err error) bool { return hasCode(err, lib.SQLITE_TOOBIG) }

func hasCode(err error, primary int) bool {
	var e *Error
	return errors.As(err, &e) && e.Primary() == primary
}

// err makes the Error for the result of the last call on the connection.
func (db *DB) err(rc int32) error {
	e := &Error{Code: int(rc), Offset: -1, Path: db.path}
	if db.conn == 0 {
		e.Message = libc.GoString(lib.Xsqlite3_errstr(db.tls, rc))
		return e
	}
	if x := lib.Xsqlite3_extended_errcode(db.tls, db.conn); x&0xFF == rc&0xFF {
		e.Code = int(x)
	}
	e.Message = libc.GoString(lib.Xsqlite3_errmsg(db.tls, db.conn))
	if p := e.Primary(); p == lib.SQLITE_CANTOPEN || p == lib.SQLITE_IOERR {
		e.System = syscall.Errno(lib.Xsqlite3_system_errno(db.tls, db.conn))
	}
	if e.Primary() != lib.SQLITE_TOOBIG {
		// A text that is too long is refused before parsing, and the offset left
		// over from an earlier error.
		e.Offset = int(lib.Xsqlite3_error_offset(db.tls, db.conn))
	}
	return e
}

var codeNames = map[int]string{
	lib.SQLITE_OK: "SQLITE_OK", lib.SQLITE_ERROR: "SQLITE_ERROR", lib.SQLITE_INTERNAL: "SQLITE_INTERNAL",
	lib.SQLITE_PERM:  "SQLITE_PERM",
	lib.SQLITE_ABORT: "SQLITE_ABORT", lib.SQLITE_BUSY: "SQLITE_BUSY", lib.SQLITE_LOCKED: "SQLITE_LOCKED",
	lib.SQLITE_NOMEM:    "SQLITE_NOMEM",
	lib.SQLITE_READONLY: "SQLITE_READONLY", lib.SQLITE_INTERRUPT: "SQLITE_INTERRUPT", lib.SQLITE_IOERR: "SQLITE_IOERR",
	lib.SQLITE_CORRUPT:  "SQLITE_CORRUPT",
	lib.SQLITE_NOTFOUND: "SQLITE_NOTFOUND", lib.SQLITE_FULL: "SQLITE_FULL", lib.SQLITE_CANTOPEN: "SQLITE_CANTOPEN",
	lib.SQLITE_PROTOCOL: "SQLITE_PROTOCOL",
	lib.SQLITE_EMPTY:    "SQLITE_EMPTY", lib.SQLITE_SCHEMA: "SQLITE_SCHEMA", lib.SQLITE_TOOBIG: "SQLITE_TOOBIG",
	lib.SQLITE_CONSTRAINT: "SQLITE_CONSTRAINT",
	lib.SQLITE_MISMATCH:   "SQLITE_MISMATCH", lib.SQLITE_MISUSE: "SQLITE_MISUSE", lib.SQLITE_NOLFS: "SQLITE_NOLFS",
	lib.SQLITE_AUTH:   "SQLITE_AUTH",
	lib.SQLITE_FORMAT: "SQLITE_FORMAT", lib.SQLITE_RANGE: "SQLITE_RANGE", lib.SQLITE_NOTADB: "SQLITE_NOTADB",
}

var extendedNames = map[int]string{
	lib.SQLITE_ABORT_ROLLBACK: "SQLITE_ABORT_ROLLBACK", lib.SQLITE_BUSY_RECOVERY: "SQLITE_BUSY_RECOVERY",
	lib.SQLITE_BUSY_SNAPSHOT:  "SQLITE_BUSY_SNAPSHOT",
	lib.SQLITE_CANTOPEN_ISDIR: "SQLITE_CANTOPEN_ISDIR", lib.SQLITE_CONSTRAINT_CHECK: "SQLITE_CONSTRAINT_CHECK",
	lib.SQLITE_CONSTRAINT_COMMITHOOK: "SQLITE_CONSTRAINT_COMMITHOOK",
	lib.SQLITE_CONSTRAINT_DATATYPE:   "SQLITE_CONSTRAINT_DATATYPE",
	lib.SQLITE_CONSTRAINT_FOREIGNKEY: "SQLITE_CONSTRAINT_FOREIGNKEY",
	lib.SQLITE_CONSTRAINT_FUNCTION:   "SQLITE_CONSTRAINT_FUNCTION",
	lib.SQLITE_CONSTRAINT_NOTNULL:    "SQLITE_CONSTRAINT_NOTNULL",
	lib.SQLITE_CONSTRAINT_PINNED:     "SQLITE_CONSTRAINT_PINNED",
	lib.SQLITE_CONSTRAINT_PRIMARYKEY: "SQLITE_CONSTRAINT_PRIMARYKEY",
	lib.SQLITE_CONSTRAINT_ROWID:      "SQLITE_CONSTRAINT_ROWID",
	lib.SQLITE_CONSTRAINT_TRIGGER:    "SQLITE_CONSTRAINT_TRIGGER",
	lib.SQLITE_CONSTRAINT_UNIQUE:     "SQLITE_CONSTRAINT_UNIQUE",
	lib.SQLITE_CONSTRAINT_VTAB:       "SQLITE_CONSTRAINT_VTAB", lib.SQLITE_CORRUPT_INDEX: "SQLITE_CORRUPT_INDEX",
	lib.SQLITE_CORRUPT_SEQUENCE:      "SQLITE_CORRUPT_SEQUENCE",
	lib.SQLITE_CORRUPT_VTAB:          "SQLITE_CORRUPT_VTAB",
	lib.SQLITE_ERROR_MISSING_COLLSEQ: "SQLITE_ERROR_MISSING_COLLSEQ",
	lib.SQLITE_ERROR_RETRY:           "SQLITE_ERROR_RETRY",
	lib.SQLITE_ERROR_SNAPSHOT:        "SQLITE_ERROR_SNAPSHOT", lib.SQLITE_IOERR_ACCESS: "SQLITE_IOERR_ACCESS",
	lib.SQLITE_IOERR_CORRUPTFS: "SQLITE_IOERR_CORRUPTFS",
	lib.SQLITE_IOERR_DELETE:    "SQLITE_IOERR_DELETE", lib.SQLITE_IOERR_FSTAT: "SQLITE_IOERR_FSTAT",
	lib.SQLITE_IOERR_FSYNC: "SQLITE_IOERR_FSYNC",
	lib.SQLITE_IOERR_LOCK:  "SQLITE_IOERR_LOCK", lib.SQLITE_IOERR_NOMEM: "SQLITE_IOERR_NOMEM",
	lib.SQLITE_IOERR_READ:   "SQLITE_IOERR_READ",
	lib.SQLITE_IOERR_SHMMAP: "SQLITE_IOERR_SHMMAP", lib.SQLITE_IOERR_SHMOPEN: "SQLITE_IOERR_SHMOPEN",
	lib.SQLITE_IOERR_SHORT_READ: "SQLITE_IOERR_SHORT_READ",
	lib.SQLITE_IOERR_TRUNCATE:   "SQLITE_IOERR_TRUNCATE", lib.SQLITE_IOERR_WRITE: "SQLITE_IOERR_WRITE",
	lib.SQLITE_LOCKED_SHAREDCACHE: "SQLITE_LOCKED_SHAREDCACHE",
	lib.SQLITE_LOCKED_VTAB:        "SQLITE_LOCKED_VTAB", lib.SQLITE_READONLY_CANTLOCK: "SQLITE_READONLY_CANTLOCK",
	lib.SQLITE_READONLY_DBMOVED:   "SQLITE_READONLY_DBMOVED",
	lib.SQLITE_READONLY_DIRECTORY: "SQLITE_READONLY_DIRECTORY",
	lib.SQLITE_READONLY_RECOVERY:  "SQLITE_READONLY_RECOVERY", lib.SQLITE_READONLY_ROLLBACK: "SQLITE_READONLY_ROLLBACK",
}
