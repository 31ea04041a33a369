package storage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"eddy/durableobject/storage/history"
	"eddy/runtime/sqlite"
)

// Endings of the names of files in a history's folder.
const (
	historySuffix = ".history"
	restoreSuffix = ".restore" // names the bookmark to restore at the next session
	scratchSuffix = ".restoring"
)

// markEvery is how exactly times of commits are remembered.
const markEvery = time.Second

// marksKept is how many marks wait before the history is written although
// nothing else asks for it.
const marksKept = 64

// recorder remembers when commits were made until the history takes them over. A
// commit costs it a comparison of times.
type recorder struct {
	file history.File
	now  func() time.Time

	mu     sync.Mutex
	marks  []history.Mark // guarded by mu; of the present log, ascending
	last   history.Mark   // guarded by mu; of the last commit
	marked time.Time      // guarded by mu; when marks was added to
	writes uint64         // guarded by mu; how many commits of the connection are noted
}

// emptyPage is what a database is before anything is written; shared, never
// changed.
var emptyPage = sqlite.EmptyPage()

// historyFile is the history of the object's file; it costs nothing to make.
func (s *Store) historyFile() history.File {
	o := s.ns.opts
	return history.File{
		Path: filepath.Join(o.HistoryDir, s.id+historySuffix), DB: s.path, Empty: emptyPage,
		Keep: o.HistoryKeep, Bytes: o.HistoryBytes, BaseBytes: history.DefaultBaseBytes,
	}
}

// committed notes the last commit, which ended with a frame of the log, and reports whether many are noted. writes is
// how many commits of the connection have written so far.
func (r *recorder) committed(writes uint64, frame uint32, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if writes == r.writes {
		return false // nothing was written
	}
	r.writes = writes
	if frame <= r.last.Frame {
		// The log began anew, which it does only when all of it is archived. When its first commit is longer than the
		// whole log was before, this is not seen, and does no harm: no commit ends at the marks that stay.
		r.marks, r.last, r.marked = nil, history.Mark{}, time.Time{}
	}
	if now.Sub(r.marked) >= markEvery {
		if n := len(r.marks); r.last.Frame != 0 && (n == 0 || r.marks[n-1] != r.last) {
			r.marks = append(r.marks, r.last)
		}
		r.marks = append(r.marks, history.Mark{Frame: frame, At: now})
		r.marked = now
	}
	r.last = history.Mark{Frame: frame, At: now}
	return len(r.marks) >= marksKept && len(r.marks)%(marksKept/4) == 0
}

// noted are the marks up to a frame, the last commit's included.
func (r *recorder) noted(through uint32) []history.Mark {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []history.Mark
	for _, m := range r.marks {
		if m.Frame <= through {
			list = append(list, m)
		}
	}
	if n := len(list); r.last.Frame != 0 && r.last.Frame <= through && (n == 0 || list[n-1] != r.last) {
		list = append(list, r.last)
	}
	return list
}

// taken lets a history take over what is known of the commits, and drops the marks that it asked for when it has.
func (r *recorder) taken(over func(history.Commits) error) error {
	var list []history.Mark
	r.mu.Lock()
	known := r.last.Frame
	r.mu.Unlock()
	err := over(history.Commits{Known: known, Now: r.now, Marks: func(through uint32) []history.Mark {
		list = r.noted(through)
		return list
	}})
	if err == nil {
		r.archived(list)
	}
	return err
}

// archived drops marks that the history has taken over.
func (r *recorder) archived(list []history.Mark) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(list) > 0 && len(r.marks) > 0 && r.marks[0] == list[0] {
		r.marks, list = r.marks[1:], list[1:]
	}
	if len(r.marks) == 0 {
		r.marks = nil
	}
}

// archive brings the history up to date. Only one goroutine at a time may do so
// for a path: a job of background, or the loop after settle.
func (r *recorder) archive() error { return r.taken(r.file.Archive) }

// current is archive that returns the bookmark of the last commit.
func (r *recorder) current() (b history.Bookmark, err error) {
	err = r.taken(func(c history.Commits) error {
		b, err = r.file.Current(c)
		return err
	})
	return b, err
}

// hasLog reports whether there is something in a database's log.
func hasLog(path string) bool {
	st, err := os.Stat(path + "-wal")
	return err == nil && st.Size() > 0
}

// note remembers the commit just made.
func (s *Store) note() {
	r := s.handle.past
	if r == nil || !r.committed(s.handle.db.LogCommits(), s.handle.db.LogFrames(), s.ns.opts.Now()) {
		return
	}
	s.ns.work.start(s.path, func() { s.ns.recorded(r.archive()) })
}

// recorded tells a person, once, that a history cannot be kept: the object itself
// goes on.
func (ns *Namespace) recorded(err error) {
	if err == nil || ns.opts.Notify == nil {
		return
	}
	ns.complaint.Do(func() {
		text := "Point-in-time recovery of Durable Objects: " + err.Error() + ". Earlier bookmarks may be refused."
		if errors.Is(err, history.ErrTooLarge) {
			text = "Point-in-time recovery of Durable Objects: " + err.Error() + "."
		}
		ns.opts.Notify(text)
	})
}

// closeHandle closes a connection, which copies the log into the database: the
// history takes it over before.
func (ns *Namespace) closeHandle(h *handle) {
	record := h.past != nil && hasLog(h.db.Path())
	if record {
		ns.recorded(h.past.archive())
	}
	h.db.Close()
	if record {
		ns.recorded(h.past.file.Settled(ns.opts.Now(), !hasLog(h.db.Path())))
	}
}

// checkpoint copies the log of an open database into it, through connections of
// its own. What was not archived stays in the log: a reader that begins before
// the archiving keeps it from being copied, and from being overwritten.
func (ns *Namespace) checkpoint(path string, r *recorder) error {
	open := func() (*sqlite.DB, error) {
		return sqlite.Open(path, sqlite.Options{Existing: true, AutoCheckpoint: -1, KeepLog: true,
			Faults: ns.opts.Faults})
	}
	if r != nil {
		reader, err := open()
		if err != nil {
			return err
		}
		defer reader.Close()
		if err := reader.Exec("BEGIN; SELECT 1 FROM sqlite_master"); err != nil {
			return err
		}
		if err := r.archive(); err != nil {
			ns.recorded(err)
		}
	}
	db, err := open()
	if err != nil {
		return err
	}
	err = errors.Join(db.Checkpoint(), db.Close())
	if r != nil && err == nil {
		ns.recorded(r.file.Settled(ns.opts.Now(), false))
	}
	if err != nil {
		return fmt.Errorf("checkpoint %s: %w", path, err)
	}
	return nil
}
