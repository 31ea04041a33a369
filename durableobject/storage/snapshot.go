package storage

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"eddy/durableobject/storage/history"
)

// snapshotSuffix ends the names of snapshots, which lie beside the histories.
const snapshotSuffix = ".snapshot"

// ErrNoSnapshots: the namespace keeps no history, or is not SQLite's. The text is workerd's.
var ErrNoSnapshots error = platformError("This Durable Object's storage back-end does not implement snapshots.")

// Snapshot keeps what the object held at a bookmark, "" for the last commit, in a file of its own and returns the
// file's path. It is kept as long as a history is. A second snapshot of the same state is the same file (BIND-171).
func (s *Store) Snapshot(bookmark string) (path string, err error) {
	if s.ns.opts.HistoryDir == "" {
		return "", ErrNoSnapshots
	}
	h, err := s.acquire(true)
	if err != nil {
		return "", err
	}
	now, err := s.current()
	if err != nil {
		return "", err
	}
	if bookmark == "" {
		bookmark = string(now)
	}
	f := &h.past.file
	at, err := f.Find(history.Bookmark(bookmark))
	if err != nil {
		return "", err
	}
	if err := s.ns.dropSnapshots(); err != nil {
		return "", err
	}
	path = filepath.Join(s.ns.opts.HistoryDir, s.id+"."+bookmark+snapshotSuffix)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		making := path + ".new"
		if err := errors.Join(removed(making), f.Restored(at, making)); err != nil {
			return "", fmt.Errorf("take a snapshot: %w", err)
		}
		if err := os.Rename(making, path); err != nil {
			return "", err
		}
	}
	made := s.ns.opts.Now()
	return path, os.Chtimes(path, made, made)
}

func removed(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// dropSnapshots removes the snapshots that are too old.
func (ns *Namespace) dropSnapshots() error {
	entries, err := os.ReadDir(ns.opts.HistoryDir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), snapshotSuffix) {
			continue
		}
		if info, err := e.Info(); err == nil && info.ModTime().Before(ns.opts.Now().Add(-ns.opts.HistoryKeep)) {
			if err := removed(filepath.Join(ns.opts.HistoryDir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// order says what the next session begins with, in the file that names it: a bookmark, or a snapshot of any object.
type order struct {
	Bookmark string `json:",omitempty"`
	Snapshot string `json:",omitempty"`
	// Log is the log that the history goes on with.
	Log uint32
	// Put is written into what was restored.
	Put []Pair `json:",omitempty"`
}

func (o *order) read(text string) error {
	if strings.HasPrefix(text, "{") {
		return json.Unmarshal([]byte(text), o)
	}
	_, err := fmt.Sscanf(text, "%s %d\n", &o.Bookmark, &o.Log)
	return err
}

// RestoreSnapshot is [Store.RestoreOnNextSession] of a snapshot, of this object or another one. put is written over it,
// and the object has no alarm then. With a bookmark in place of a snapshot only put is added.
func (s *Store) RestoreSnapshot(path string, put []Pair) (undo string, err error) {
	return s.atNextSession(order{Snapshot: path, Put: put})
}

// RestorePut is [Store.RestoreOnNextSession] with put written over what was restored.
func (s *Store) RestorePut(bookmark string, put []Pair) (undo string, err error) {
	return s.atNextSession(order{Bookmark: bookmark, Put: put})
}

func (s *Store) atNextSession(o order) (undo string, err error) {
	if s.ns.opts.HistoryDir == "" {
		return "", ErrNoPointInTimeRecovery
	}
	h, err := s.acquire(true)
	if err != nil {
		return "", err
	}
	if _, err := s.current(); err != nil {
		return "", err
	}
	f := &h.past.file
	if o.Snapshot != "" {
		_, err = os.Stat(o.Snapshot)
	} else {
		_, err = f.Find(history.Bookmark(o.Bookmark))
	}
	if err != nil {
		return "", err
	}
	b, log, err := f.Undo()
	if err != nil {
		return "", err
	}
	o.Log = log
	text, err := json.Marshal(o)
	if err != nil {
		return "", err
	}
	if err := writeWhole(s.restoreFile(), string(text)); err != nil {
		return "", fmt.Errorf("remember what to restore: %w", err)
	}
	return string(b), nil
}

// amend writes what an order adds to a restored database.
func (s *Store) amend(o order) error {
	if o.Snapshot == "" && len(o.Put) == 0 {
		return nil
	}
	if o.Snapshot != "" {
		h, err := s.write()
		if err != nil {
			return err
		}
		if s.name != "" { // the file has the name of the object that it was taken of
			if err := s.recordName(h); err != nil {
				return err
			}
		}
		if err := s.SetAlarm(time.Time{}); err != nil {
			return err
		}
	}
	for _, p := range o.Put {
		if err := s.Put(p.Key, p.Value); err != nil {
			return err
		}
	}
	return s.Commit()
}

// source writes the database that an order names to a file, which free removes if it is not to stay.
func (s *Store) source(f *history.File, o order) (path string, free func(), err error) {
	if o.Snapshot != "" {
		_, err := os.Stat(o.Snapshot)
		return o.Snapshot, func() {}, err
	}
	at, err := f.Find(history.Bookmark(o.Bookmark))
	if err != nil {
		return "", nil, err
	}
	path = strings.TrimSuffix(f.Path, historySuffix) + scratchSuffix
	free = func() { _ = os.Remove(path) }
	if err := f.Restored(at, path); err != nil {
		free()
		return "", nil, err
	}
	return path, free, nil
}
