package main

import (
	"errors"
	"os"
	"path/filepath"

	"eddy/runtime/statedir"
)

// scratchPrefix begins the names of the folders that nodes of a cluster make for themselves where no --scratch is said.
const scratchPrefix = "eddy-node-"

// scratchLock is the file of such a folder whose lock its node holds. A folder whose lock nobody holds was left by a
// node that was killed.
const scratchLock = "lock"

// takeScratch makes an empty folder for what a node has of its cluster, below dir, or in a temporary one if dir is "".
// The folder is this process's alone until release, and a node of the same name that runs is left alone: its files
// are not emptied.
func takeScratch(dir, node string) (folder string, release func(), err error) {
	temporary := dir == ""
	lock := filepath.Join(dir, node+".lock")
	if temporary {
		sweepScratch(os.TempDir())
		if dir, err = os.MkdirTemp("", scratchPrefix); err != nil {
			return "", nil, err
		}
		lock = filepath.Join(dir, scratchLock)
	} else if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, usage("--scratch: %w", err)
	}
	held, err := statedir.Lock(lock)
	var locked *statedir.LockedError
	if errors.As(err, &locked) {
		return "", nil, usage("--scratch %s: process %d runs node %s there; end it, or name this one otherwise with "+
			"--node", dir, locked.Pid, node)
	}
	if err != nil {
		return "", nil, usage("--scratch: %w", err)
	}
	folder = filepath.Join(dir, node)
	release = func() {
		if temporary {
			_ = os.RemoveAll(dir) // what stays is swept by the next node
		}
		_ = held.Release() // the process ends, and the lock with it
	}
	if err := os.RemoveAll(folder); err != nil {
		release()
		return "", nil, usage("--scratch: %w", err)
	}
	return folder, release, nil
}

// sweepScratch removes folders of nodes that were killed from temp. What cannot be removed, such as another user's, is
// in nobody's way.
func sweepScratch(temp string) {
	locks, err := filepath.Glob(filepath.Join(temp, scratchPrefix+"*", scratchLock))
	if err != nil {
		return
	}
	for _, lock := range locks {
		held, err := statedir.Lock(lock)
		if err != nil {
			continue
		}
		_ = os.RemoveAll(filepath.Dir(lock)) // as above
		_ = held.Release()
	}
}

// writableBytes is how much room a node needs in its scratch directory to be of use.
const writableBytes = 256 << 10

// writable says why no file can be written in a directory, nil if one can.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, "room-")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, writableBytes))
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}
