package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"eddy/durableobject/storage/history"
	"eddy/runtime/sqlite"
	"eddy/runtime/statedir"
)

// platformError is a text that JavaScript sees, with the platform's
// punctuation.
type platformError string

func (e platformError) Error() string { return string(e) }

// Errors that the platform shows; each is a plain Error there. ErrClosed is
// ours.
var (
	// ErrNoStatement: there is nothing to run (SQL8).
	ErrNoStatement error = platformError("SQL code did not contain a statement.")
	// ErrManyParameters: a statement before the last one has parameters (SQL8).
	ErrManyParameters error = platformError("When executing multiple SQL statements in a single call, only the last " +
		"statement can have parameters.")
	// ErrBindings: the number of values differs from that of parameters (SQL7).
	ErrBindings error = platformError("Wrong number of parameter bindings for SQL query.")
	// ErrDeleted: the cursor's database went away (KV15).
	ErrDeleted error = platformError("SQLite query was canceled because the database was deleted.")
	// ErrDeleteAllInTransaction: see KV15.
	ErrDeleteAllInTransaction error = platformError("Cannot call deleteAll() within a transaction")
	// ErrListInvalidated: a second key iteration was started (KV14).
	ErrListInvalidated error = platformError("kv.list() iterator was invalidated because a new call to kv.list() " +
		"was started. Only one kv.list() iterator can exist at a time.")
	// ErrNestedTransaction: an outer transaction cannot end before an inner one.
	ErrNestedTransaction error = platformError("Cannot roll back an outer transaction while a nested transaction is " +
		"still running.")
	// ErrNoPointInTimeRecovery: getBookmarkForTime and
	// onNextSessionRestoreBookmark (SQL18).
	ErrNoPointInTimeRecovery error = platformError("This Durable Object's storage back-end does not implement " +
		"point-in-time recovery.")
	// ErrClosed: the Store was used after Close.
	ErrClosed = errors.New("storage of this Durable Object is closed")
)

// LimitError is a limit of production's KV-backed storage (KV12); JavaScript
// sees a RangeError with this text.
type LimitError struct{ Text string }

func (e *LimitError) Error() string { return e.Text }

// BrokenError says that the Store cannot go on: what was not committed is lost
// and the object must be reset.
type BrokenError struct {
	// Path is the object's file.
	Path string
	// Err is the cause, usually a *sqlite.Error.
	Err error
	// Text is what JavaScript sees; empty means the cause, the file, and what to
	// do about it.
	Text string
	// Cached says that the file is a cache of what is kept elsewhere (see [Keeper]): nobody outside of this machine is
	// told of it, or could do anything about it.
	Cached bool
}

// brokenBy says that the Store cannot go on because of err.
func (s *Store) brokenBy(err error) *BrokenError {
	return &BrokenError{Path: s.path, Err: err, Cached: s.ns.opts.Keeper != nil}
}

// Passing tells whether the object goes on from what it has committed, here or at another node, so that whoever called
// it may call again: what has failed is a file that is a cache, and not what it is made of.
func (e *BrokenError) Passing() bool {
	return e.Cached && !sqlite.Constraint(e.Err) && !sqlite.Corrupt(e.Err) && !sqlite.Newer(e.Err)
}

// Error is the text for JavaScript.
func (e *BrokenError) Error() string {
	if e.Text != "" {
		return e.Text
	}
	if e.Cached {
		return e.cause()
	}
	text := fmt.Sprintf("object file %s: %v", e.Path, e.Err)
	if advice := e.advice(); advice != "" {
		text += ". " + advice
	}
	return text
}

// cause is the error without the path of a file.
func (e *BrokenError) cause() string {
	var path *fs.PathError
	if errors.As(e.Err, &path) {
		return fmt.Sprintf("the object's file cannot be used: %v", path.Err)
	}
	return e.Err.Error()
}

// advice is what somebody can do about the cause, "" if nothing is known.
func (e *BrokenError) advice() string {
	namespace := filepath.Base(filepath.Dir(e.Path))
	id := strings.TrimSuffix(filepath.Base(e.Path), objectSuffix)
	remove := fmt.Sprintf("`eddy objects delete %s %s`", namespace, id)
	switch {
	case sqlite.Full(e.Err), errors.Is(e.Err, syscall.ENOSPC):
		return "Make room on the disk. Nothing that was acknowledged is lost: the object goes on from there with " +
			"its next event."
	case errors.Is(e.Err, syscall.EMFILE), errors.Is(e.Err, syscall.ENFILE):
		return "The process may not open more files. Raise the limit (`ulimit -n`)."
	case sqlite.Newer(e.Err):
		return "A newer SQLite than the one in eddy wrote it. Use that program, or remove the object with " + remove +
			"."
	case sqlite.Corrupt(e.Err):
		return "It is damaged or not a database; no other object is affected. Put a copy of the file in its place, " +
			"or " +
			"remove the object with " + remove + "."
	case sqlite.ReadOnly(e.Err), errors.Is(e.Err, fs.ErrPermission), errors.Is(e.Err, syscall.EROFS):
		return "Make the file and its directory writable."
	case errors.Is(e.Err, history.ErrChanged):
		return "The disk, or a program other than SQLite, has changed it; no other object is affected. " +
			"End the session: `eddy state repair --force` puts back what the object last held, and keeps this file " +
			"beside it. " +
			"To take another file, or this one as it is, remove " + historyPath(e.Path) +
			", which keeps what it was; or remove the object with " + remove + "."
	case errors.Is(e.Err, sqlite.ErrMoved):
		return "What was written to it since is lost. Objects go on with what is at that path now; put the state " +
			"directory back while eddy is not running."
	case sqlite.CannotOpen(e.Err), errors.Is(e.Err, sqlite.ErrNotFile):
		return "Check that the file, and those beside it that end in -wal and -shm, are files that this user may " +
			"read and write, and its directory too; or remove the object with " + remove + "."
	}
	return ""
}

// historyPath is where the history of an object's file is, if the file is in a state directory.
func historyPath(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), objectSuffix) + historySuffix
	if state, key, ok := statedir.OfNamespace(filepath.Dir(path)); ok {
		return filepath.Join(state.History(key), name)
	}
	return name
}

func (e *BrokenError) Unwrap() error { return e.Err }

// constraintsViolated is the text of a commit that a deferred constraint
// refused (SQL19).
const constraintsViolated = "Durable Object was reset and rolled back to its last known good state because the " +
	"application left the database in a state where constraints were violated: "

// fail marks the Store broken if err is one after which nothing can be trusted,
// and returns what the caller should see.
func (s *Store) fail(err error) error {
	if err == nil || s.broken != nil {
		return err
	}
	h := s.handle
	switch {
	case sqlite.Corrupt(err), sqlite.IO(err), sqlite.Newer(err), sqlite.ReadOnly(err), sqlite.CannotOpen(err):
	case h != nil && (s.implicit || s.depth > 0) && !h.db.InTransaction():
		// SQLite rolled the transaction back by itself: disk full, out of
		// memory, interrupted, or ON CONFLICT ROLLBACK.
	default:
		return err
	}
	s.broken = s.brokenBy(err)
	return s.broken
}
