package storage

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Keeper keeps what objects commit elsewhere than in their files: on other machines.
type Keeper interface {
	// Keep takes all that an object has committed since the last time. It reads the object's files before it returns,
	// and calls done once, from anywhere, when that is kept; an error says that it is not, or that nobody knows.
	Keep(c Commit, done func(error))
	// KeepFacet takes an entry of an object's list of facets, before anything of that facet is committed. Entries are
	// numbered from 1 and joined to one file, the first with the file's head. What is kept later is kept after it.
	KeepFacet(id string, number int, entry []byte)
}

// ErrMoved says that an object is on another machine, or will be: what it has committed here is not kept.
var ErrMoved = errors.New("the object is on another node of the cluster")

// Commit is an object's state for a [Keeper]. Keep is called on the goroutine that owns the object.
type Commit struct {
	ID, Name string
	// Alarm is zero for none.
	Alarm time.Time
	// Path is the database; its log is beside it, with -wal at the end.
	Path string
	// Anew says that the file was made or removed since the last time. Exists says whether it is there.
	Anew, Exists bool
	// Folded says that the log was copied into the database by somebody who did not tell all that it had.
	Folded bool
	// Frames is how many pages of the log are committed; what may come behind them is not.
	Frames uint32
	// Fold copies the log into the database and empties it. It reports false if that is not possible now.
	Fold func() (bool, error)
}

// keep is Sync with a keeper.
func (s *Store) keep(done func(error)) {
	if s.broken != nil {
		done(s.broken)
		return
	}
	if !s.changed && !s.syncs.some() {
		done(nil)
		return
	}
	s.again()
	at, err := s.Alarm()
	if err != nil {
		done(err)
		return
	}
	if s.inherited { // what the file's log has must be in the database
		if _, err := s.acquire(false); err != nil {
			done(err)
			return
		}
	}
	c := Commit{ID: s.id, Name: s.name, Alarm: at, Path: s.path, Anew: s.created, Exists: s.handle != nil,
		Folded: s.inherited}
	if s.handle != nil {
		c.Frames = s.handle.db.LogFrames()
		c.Fold = func() (bool, error) {
			if s.busy() {
				return false, nil
			}
			return s.handle.db.Fold()
		}
	} else if _, err := os.Stat(s.path); err == nil {
		c.Exists = true
	}
	ended := s.syncs.begin(s.created, s.alarm.indexChanged)
	s.changed, s.created, s.inherited, s.alarm.indexChanged = false, false, false, false
	s.ns.opts.Keeper.Keep(c, func(err error) { done(ended(err)) })
}

// Forget closes the Stores of objects for which match is true, without committing what is open, and removes their
// files. It is for objects that another machine has now.
func (ns *Namespace) Forget(match func(id string) bool) error {
	for id, s := range ns.stores {
		if match(ObjectOf(id)) {
			s.leave()
		}
	}
	maps.DeleteFunc(ns.rests, func(id string, _ rest) bool { return match(ObjectOf(id)) })
	ns.work.wait()
	entries, err := os.ReadDir(ns.dir)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	var failed error
	for _, e := range entries {
		id, _, ok := strings.Cut(e.Name(), ".")
		if !ok || strings.HasPrefix(e.Name(), indexFile) || !match(id) {
			continue
		}
		if err := removed(filepath.Join(ns.dir, e.Name())); err != nil {
			failed = err
		}
	}
	return failed
}
