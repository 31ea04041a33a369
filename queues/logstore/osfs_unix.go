//go:build !windows

package logstore

import (
	"time"

	"golang.org/x/sys/unix"
)

// noFollow refuses a file name that is a symbolic link.
const noFollow = unix.O_NOFOLLOW

// folder is a look at a folder: which one is at its path, and when entries of it were last added or removed. One look
// per write costs a third of looking at the files, whose times the file system would then have to keep more exactly.
type folder struct {
	path string
	seen look
	// settled says that a change after the look must have another time than what was seen.
	settled bool
}

type look struct {
	dev, ino          uint64
	changed, modified int64
}

// How old a change must be for the next one to have another time: the clocks of file systems tick every ten
// milliseconds or more often, and lag behind by as much; those of some tick every two seconds.
const (
	tick       = 30 * time.Millisecond
	coarseTick = 3 * time.Second
)

func (f *folder) changed(now time.Time) bool {
	var st unix.Stat_t
	if err := unix.Lstat(f.path, &st); err != nil {
		f.settled = false
		return true
	}
	return f.compare(look{uint64(st.Dev), st.Ino, st.Ctim.Nano(), st.Mtim.Nano()}, now)
}

func (f *folder) compare(is look, now time.Time) bool {
	if f.settled && is == f.seen {
		return false
	}
	f.seen = is
	wait := tick
	if is.changed%int64(time.Second) == 0 || is.modified%int64(time.Second) == 0 {
		wait = coarseTick
	}
	f.settled = now.Sub(time.Unix(0, max(is.changed, is.modified))) > wait
	return true
}
