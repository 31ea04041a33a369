package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strings"
	"time"

	"eddy/durableobject/storage/history"
	"eddy/runtime/sqlite"
)

// CurrentBookmark returns the bookmark of the last commit: it sorts after all
// earlier ones of this object (SQL18). What the open transaction wrote is not
// part of it. Without a history it counts calls, in row 2 of _cf_METADATA like
// the reference, and therefore writes.
func (s *Store) CurrentBookmark() (string, error) {
	if s.ns.opts.HistoryDir == "" {
		return s.countBookmark()
	}
	b, err := s.current()
	return string(b), err
}

// current archives what has been committed.
func (s *Store) current() (history.Bookmark, error) {
	h, err := s.acquire(true)
	if err != nil {
		return "", err
	}
	s.ns.work.settle(s.path)
	return h.past.current()
}

func (s *Store) countBookmark() (string, error) {
	h, err := s.write()
	if err != nil {
		return "", err
	}
	next := int64(0)
	if ok, err := s.hasMetadata(h); err != nil {
		return "", err
	} else if ok {
		err = s.query(h, "SELECT value FROM _cf_METADATA WHERE key = 2", func(q *sqlite.Stmt) {
			if !q.Null(0) {
				next = q.Int(0) + 1
			}
		})
		if err != nil {
			return "", err
		}
	}
	if err := s.putMetadata(h, 2, next); err != nil {
		return "", err
	}
	return fmt.Sprintf("%08x-%08x-%08x-%032x", next/math.MaxUint32, next%math.MaxUint32, 0, 0), nil
}

// BookmarkForTime returns the bookmark of what the object held at a time, exact to
// a second, within the last 30 days or what the namespace keeps.
func (s *Store) BookmarkForTime(t time.Time) (string, error) {
	if s.ns.opts.HistoryDir == "" {
		return "", ErrNoPointInTimeRecovery
	}
	now := s.ns.opts.Now()
	switch keep := s.ns.opts.HistoryKeep; {
	case t.After(now):
		return "", platformError("getBookmarkForTime() cannot tell of a time in the future.")
	case t.Before(now.Add(-keep)):
		return "", platformError(fmt.Sprintf("getBookmarkForTime() can go back %s at most.", days(keep)))
	}
	h, err := s.acquire(true)
	if err != nil {
		return "", err
	}
	if _, err := s.current(); err != nil {
		return "", err
	}
	b, err := h.past.file.At(t)
	return string(b), err
}

// Moments lists states to which the object can go back, newest first, at most limit.
func (s *Store) Moments(limit int) ([]history.Moment, error) {
	if s.ns.opts.HistoryDir == "" {
		return nil, ErrNoPointInTimeRecovery
	}
	h, err := s.acquire(true)
	if err != nil {
		return nil, err
	}
	if _, err := s.current(); err != nil {
		return nil, err
	}
	return h.past.file.Moments(limit)
}

func days(d time.Duration) string {
	if n := d / (24 * time.Hour); d%(24*time.Hour) == 0 && n > 1 {
		return fmt.Sprint(int(n), " days")
	}
	return d.String()
}

// RestoreOnNextSession lets the next [Store.BeginSession] make the object what it
// was at a bookmark. It returns the bookmark that undoes this, which stands for
// the object at the end of this session. The order survives a restart.
func (s *Store) RestoreOnNextSession(bookmark string) (undo string, err error) {
	return s.atNextSession(order{Bookmark: bookmark})
}

// writeWhole replaces a file, so that it is there wholly or not at all.
func writeWhole(path, text string) error {
	if err := os.Remove(path + ".new"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_EXCL, sqlite.FileMode)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func (s *Store) restoreFile() string {
	f := s.historyFile()
	return strings.TrimSuffix(f.Path, historySuffix) + restoreSuffix
}

// BeginSession must be called when a new instance of the object begins: a
// restoration that was asked for happens now. It reports whether it did, after
// which the alarm may be another. A restoration that is no longer possible is
// given up with the error.
func (s *Store) BeginSession() (restored bool, err error) {
	if s.ns.opts.HistoryDir == "" {
		return false, nil
	}
	text, err := os.ReadFile(s.restoreFile())
	for tooManyFiles(err) && s.ns.shed() {
		text, err = os.ReadFile(s.restoreFile())
	}
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("restore object %s: %w", s.id, err)
	}
	if s.broken != nil || s.closed {
		return false, s.broken
	}
	err = s.restore(string(text))
	if gone := os.Remove(s.restoreFile()); gone != nil && err == nil {
		err = gone
	}
	if err != nil {
		return false, fmt.Errorf("restore object file %s: %w", s.path, err)
	}
	return true, nil
}

// restore does what RestoreOnNextSession noted. Each step may be done again
// after a crash.
func (s *Store) restore(text string) error {
	var o order
	if err := o.read(text); err != nil {
		return err
	}
	// Opening and closing archives what a crash left in the log and copies it into
	// the database.
	if _, err := s.current(); err != nil {
		return err
	}
	f := s.handle.past.file
	s.closeFile(false)
	if err := s.ns.atRest(s.path); err != nil {
		return err
	}
	from, free, err := s.source(&f, o)
	if err != nil {
		return err
	}
	defer free()
	if err := f.Begin(o.Log, s.ns.opts.Now()); err != nil {
		return err
	}
	h, err := s.acquire(true)
	if err != nil {
		return err
	}
	if err := h.db.CopyFrom(from); err != nil {
		return s.fail(err)
	}
	h.kvTable, h.metadata, s.changed = false, false, true
	s.alarm.known, s.named = false, false
	if err := s.amend(o); err != nil {
		return err
	}
	if _, err := s.current(); err != nil {
		return err
	}
	// The next step forgets that a restoration was asked for. The restored file must be durable before.
	if err := syncDatabase(s.path, h.db, s.created, s.ns.opts.Faults); err != nil {
		return err
	}
	to, err := s.Alarm()
	if err != nil {
		return err
	}
	return s.indexAlarm(to)
}

// atRest checks that closing a file copied its log into it.
func (ns *Namespace) atRest(path string) error {
	ns.work.settle(path)
	if hasLog(path) {
		return errors.New("its log could not be copied into it")
	}
	return nil
}

// forgetHistory removes the histories of an object and its facets.
func forgetHistory(dir, start string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), start) {
			err = errors.Join(err, os.Remove(dir+string(os.PathSeparator)+e.Name()))
		}
	}
	return err
}
