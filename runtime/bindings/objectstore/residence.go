package objectstore

import (
	"errors"
	"fmt"

	"eddy/durableobject/storage"
	"eddy/runtime/cluster/objects"
	"eddy/runtime/sqlite"
)

// Home is where a cluster keeps a store, nil for one that is kept in this machine's files.
type Home = objects.Store

// ErrElsewhere says that another node of the cluster has the store, or will have it. The call has changed nothing and
// may be made there.
var ErrElsewhere = objects.ErrElsewhere

// ErrDisconnected is the error of a call that was lost with the node that had the store: it may have changed
// something. The text is the platform's for a connection that broke.
var ErrDisconnected = errors.New("Network connection lost.") //nolint:staticcheck // the platform's punctuation

// Residence is the file of a store that a cluster keeps, on the node that has it. Its methods are called with the lock
// of the store's connection held, the functions that they give without it.
type Residence struct {
	home *Home
	path string

	stay    *objects.Stay    // nil while the file is not here
	last    *objects.Receipt // of the newest commit, nil for none
	anew    bool             // nothing is kept of the file yet
	commits uint64           // of the connection, that were handed in
}

// NewResidence is the file of a store at path.
func NewResidence(home *Home, path string) *Residence { return &Residence{home: home, path: path} }

// Open brings the file here and opens it. [ErrElsewhere] says that the store is on another node.
func (r *Residence) Open(o sqlite.Options) (*sqlite.DB, error) {
	stay, err := r.home.Bring(r.path)
	if err != nil {
		return nil, err
	}
	// The log is what is shipped, so SQLite must not fold it by itself. The file is a cache, so nothing waits for the
	// disk.
	o.AutoCheckpoint, o.Unsynced = -1, true
	db, err := sqlite.Open(r.path, o)
	if err != nil {
		return nil, err
	}
	r.stay, r.last, r.anew, r.commits = stay, nil, db.Created(), 0
	return db, nil
}

// Lost tells whether what the connection shows is not what is kept: a commit has failed. The file must be left.
func (r *Residence) Lost() bool { return r.last != nil && r.last.Failed() }

// Settle hands in what the connection has committed since the last time, with the values made since then and without
// those that are forgotten. wait waits until what the call has read and written may be told.
func (r *Residence) Settle(db *sqlite.DB, made []*objects.Draft, forgotten []string) (wait func() error) {
	if n := db.LogCommits(); n != r.commits || len(made)+len(forgotten) > 0 {
		r.commits = n
		kept := r.stay.Keep(storage.Commit{Path: r.path, Anew: r.anew, Exists: true, Frames: db.LogFrames(),
			Fold: db.Fold}, made, forgotten)
		r.anew, r.last = false, kept
		return func() error {
			err := kept.Wait()
			if errors.Is(err, objects.ErrUnknown) {
				return ErrDisconnected
			}
			return err
		}
	}
	before, stay := r.last, r.stay
	return func() error {
		if before != nil && before.Wait() != nil {
			return ErrElsewhere // what was read may not be kept
		}
		return stay.Confirm()
	}
}

// Forsake closes a connection that has committed what cannot be handed in, because its file was removed or replaced.
// The next Open finds what is kept.
func (r *Residence) Forsake(db *sqlite.DB) error {
	r.stay.TakeBack()
	return r.Leave(db, false)
}

// Leave closes a connection with its file as it is. If remove is true the file is removed: another node has the store.
func (r *Residence) Leave(db *sqlite.DB, remove bool) (err error) {
	if db != nil {
		db.LeaveLog()
		err = db.Close()
	}
	r.stay, r.last = nil, nil
	if remove {
		err = errors.Join(err, RemoveFile(r.path))
	}
	if err != nil {
		return fmt.Errorf("leave %s: %w", r.path, err)
	}
	return nil
}

// Stay is the store's stay on this node, nil while its file is not here.
func (r *Residence) Stay() *objects.Stay { return r.stay }
