package history

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// Current archives, and returns the bookmark of the last commit.
func (f *File) Current(c Commits) (Bookmark, error) {
	h, err := f.archive(&c)
	if h == nil {
		return "", f.wrap("read", err)
	}
	defer h.Close()
	if err != nil {
		return "", f.wrap("read", err)
	}
	return h.bookmark(h.last.position()), nil
}

// At returns the bookmark of the last remembered state that is not after a time. Archive should have been called
// before.
func (f *File) At(t time.Time) (Bookmark, error) {
	h, err := f.open()
	if err != nil {
		return "", err
	}
	defer h.Close()
	found, began := false, int64(0)
	var p Position
	err = h.each(func(b *batch) (bool, error) {
		if began == 0 {
			began = b.first
		}
		if b.payload == 0 {
			return true, nil // no state: what follows may have been committed before it was written
		}
		if b.first > t.UnixNano() {
			return false, nil
		}
		if b.last <= t.UnixNano() {
			found, p = true, b.position()
			return true, nil
		}
		return true, h.states(b, func(s state, _ func([]byte) (uint32, error)) (bool, error) {
			if s.at > t.UnixNano() {
				return false, nil
			}
			found, p = true, Position{b.log, s.frame}
			return true, nil
		})
	})
	if err != nil {
		return "", f.wrap("read", err)
	}
	if !found {
		return "", fmt.Errorf("no %w for %s: the history of this object begins at %s", ErrBookmark, stamp(t),
			stamp(time.Unix(0, began)))
	}
	return h.bookmark(p), nil
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// open opens a history that must be there.
func (f *File) open() (*file, error) {
	h, err := openFile(f.Path)
	if err == nil && h == nil {
		err = fmt.Errorf("there is none yet")
	}
	if err != nil {
		return nil, f.wrap("read", err)
	}
	return h, nil
}

// Find checks that a bookmark leads to a state of this history that is still
// remembered. Archive should have been called before.
func (f *File) Find(mark Bookmark) (Position, error) {
	id, p, err := mark.parse()
	if err != nil {
		return p, err
	}
	h, err := f.open()
	if err != nil {
		return p, err
	}
	defer h.Close()
	first, err := h.batchAt(fileHead)
	if err != nil {
		return p, f.wrap("read", err)
	}
	switch {
	case id.check == h.check && id.epoch == h.epoch:
	case id.epoch < h.epoch:
		return p, fmt.Errorf("%w %s: it is of another object, or of before %s, when the history of this object "+
			"began anew because its file was written by another program, or the history was lost", ErrBookmark, mark,
			stamp(time.Unix(int64(h.epoch), 0)))
	default:
		return p, fmt.Errorf("%w %s is of another object", ErrBookmark, mark)
	}
	if p.Compare(first.position()) < 0 {
		return p, fmt.Errorf("%w %s is too old: the history of this object now begins at %s", ErrBookmark, mark,
			stamp(time.Unix(0, first.last)))
	}
	if p.Compare(h.last.position()) > 0 {
		return p, fmt.Errorf("%w %s is of a time that has not come", ErrBookmark, mark)
	}
	return p, nil
}

// Restored writes the database as it was at a position, the last remembered state
// that is not after it, into a new file at path. The file is in rollback mode.
func (f *File) Restored(p Position, path string) error {
	h, err := f.open()
	if err != nil {
		return err
	}
	defer h.Close()
	out, err := createNew(path)
	if err != nil {
		return f.wrap("restore from", err)
	}
	err = h.write(p, out)
	if err == nil {
		// Both version numbers of the file format become 1, which means no WAL, so that the file can be read as it is.
		_, err = out.WriteAt([]byte{1, 1}, 18)
	}
	return f.wrap("restore from", errors.Join(err, out.Close()))
}

// write writes the database as it was at a position to out.
func (h *file) write(p Position, out *os.File) error {
	var page [pageSize]byte
	return h.each(func(b *batch) (bool, error) {
		if b.log > p.Log || b.log == p.Log && b.from > p.Frame {
			return false, nil
		}
		if b.whole {
			if err := out.Truncate(0); err != nil {
				return false, err
			}
		}
		return true, h.states(b, func(s state, next func([]byte) (uint32, error)) (bool, error) {
			if b.log == p.Log && s.frame > p.Frame {
				return false, nil
			}
			for {
				n, err := next(page[:])
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					return false, err
				}
				if _, err := out.WriteAt(page[:], int64(n-1)*pageSize); err != nil {
					return false, err
				}
			}
			return true, out.Truncate(int64(s.pages) * pageSize)
		})
	})
}

// equals reports whether the database file holds the last state, page for page.
func (f *File) equals(h *file) (bool, error) {
	copied, err := os.CreateTemp("", "eddy-history-*")
	if err != nil {
		return false, err
	}
	defer os.Remove(copied.Name())
	defer copied.Close()
	if err := h.write(h.last.position(), copied); err != nil {
		if errors.Is(err, errDamaged) {
			return false, nil
		}
		return false, err
	}
	db, err := os.Open(f.DB)
	if err != nil {
		return false, nil
	}
	defer db.Close()
	return sameBytes(copied, db)
}

func sameBytes(a, b *os.File) (bool, error) {
	var left, right [64 << 10]byte
	for at := int64(0); ; at += int64(len(left)) {
		n, err := a.ReadAt(left[:], at)
		if ignoreEOF(err) != nil {
			return false, err
		}
		m, err := b.ReadAt(right[:], at)
		if ignoreEOF(err) != nil {
			return false, err
		}
		if !bytes.Equal(left[:n], right[:m]) {
			return false, nil
		}
		if n < len(left) {
			return true, nil
		}
	}
}

// sessionLogs is how many logs a session may use between asking for a
// restoration and its end.
const sessionLogs = 1 << 16

// Undo returns the bookmark of the state that the database will have when a restoration begins, and the log that Begin
// must be called with.
func (f *File) Undo() (Bookmark, uint32, error) {
	h, err := f.open()
	if err != nil {
		return "", 0, err
	}
	defer h.Close()
	log := h.last.log + sessionLogs
	return h.bookmark(Position{Log: log}), log, nil
}

// Begin separates what follows, a restoration, from what was before: bookmarks
// of the log, from Undo, lead to the state before it. The database must be at
// rest, archived and checkpointed.
func (f *File) Begin(log uint32, now time.Time) error {
	h, err := f.open()
	if err != nil {
		return err
	}
	err = f.settled(h, max(log, h.last.log+1), 0, now, false)
	return f.wrap("add to", errors.Join(err, h.Close()))
}

// Moment is a state that the history remembers.
type Moment struct {
	At       time.Time
	Bookmark Bookmark
}

// Moments lists the latest states that were archived together, newest first, at most limit: between two of them there
// may be more, to which [File.At] leads. Archive should have been called before.
func (f *File) Moments(limit int) (list []Moment, err error) {
	h, err := f.open()
	if err != nil {
		return nil, err
	}
	defer h.Close()
	err = h.each(func(b *batch) (bool, error) {
		if b.payload > 0 {
			if list = append(list, Moment{time.Unix(0, b.last).UTC(), h.bookmark(b.position())}); len(list) > 2*limit {
				list = append(list[:0:0], list[len(list)-limit:]...)
			}
		}
		return true, nil
	})
	slices.Reverse(list)
	return list[:min(len(list), limit)], f.wrap("read", err)
}
