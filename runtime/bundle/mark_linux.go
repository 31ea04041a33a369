package bundle

import (
	"io/fs"
	"syscall"
	"time"
)

// markOf tells a file that was written from one that was not, whatever time it was given afterwards: its inode and when
// the system last changed it.
func markOf(info fs.FileInfo) (changed time.Time, inode uint64, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return time.Time{}, 0, false
	}
	return time.Unix(int64(st.Ctim.Sec), int64(st.Ctim.Nsec)), st.Ino, true
}
