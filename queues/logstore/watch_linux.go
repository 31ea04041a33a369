package logstore

import (
	"errors"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// watch asks the kernel to note what happens to a folder and to the folders above it (inotify). A note is there before
// the call that made the change returns, so a look at the notes is as strict as a look at the folder, for a third of
// its price. It belongs to the goroutine that appends.
type watch struct {
	dir string
	// notes is the descriptor to read notes from, -1 if the kernel takes none: then every look is one at the folder.
	notes int
	armed bool
	buf   [4096]byte
	// folder is looked at now and then as well: nobody notes a mount, or what another machine does.
	folder *folder
	looked time.Time // at the folder
}

// lookEvery is how old the last look at the folder itself may be.
const lookEvery = 10 * time.Millisecond

const (
	movedOrGone = unix.IN_MOVE_SELF | unix.IN_DELETE_SELF
	entries     = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO
)

// Watch implements [FS].
func (MachineFS) Watch(dir string) (changed func() bool, end func() error) {
	w := newWatch(dir)
	return func() bool { return w.changed(time.Now()) }, w.end
}

func newWatch(dir string) *watch {
	w := &watch{dir: dir, notes: -1, folder: &folder{path: dir}}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return w // every look is one at the folder
	}
	w.dir = abs
	if fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK); err == nil {
		w.notes = fd
	}
	return w
}

func (w *watch) changed(now time.Time) bool {
	if w.notes < 0 {
		return w.folder.changed(now)
	}
	if !w.armed || w.noted() {
		// What happens from here on is noted, and whoever asks looks at what was before: nothing is missed between.
		if w.armed = w.arm(); !w.armed {
			_ = w.end() // the notes were only read, so nothing depends on an error
		}
		return true
	}
	if now.Sub(w.looked) < lookEvery {
		return false
	}
	w.looked = now
	return w.folder.changed(now)
}

// arm watches the folders that are at the path now. It fails if there is a symbolic link among them, which may be
// replaced without a note, a folder that may not be read, or no watch to be had.
func (w *watch) arm() bool {
	mask := uint32(movedOrGone | entries)
	for dir := w.dir; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := unix.InotifyAddWatch(w.notes, dir, mask|unix.IN_ONLYDIR|unix.IN_DONT_FOLLOW); err != nil {
			return false
		}
		mask = movedOrGone
	}
	return true
}

// noted takes all notes, and reports whether there were any.
func (w *watch) noted() (some bool) {
	for {
		n, err := unix.Read(w.notes, w.buf[:])
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EAGAIN):
			return some
		case err != nil || n <= 0:
			w.armed = false // whatever it is, the next look arms anew
			return true
		default:
			some = true
		}
	}
}

func (w *watch) end() error {
	if w.notes < 0 {
		return nil
	}
	fd := w.notes
	w.notes = -1
	return unix.Close(fd)
}
