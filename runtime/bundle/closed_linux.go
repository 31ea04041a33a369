package bundle

import "golang.org/x/sys/unix"

// closed tells whether a file is there, has content, and is open for writing in no process: the system grants a lease
// for reading only then (fcntl(2), F_SETLEASE). False also says that it cannot be told: file systems of a network know
// no leases, and files of others give none. Who opens the file while the lease is held waits until it is given back,
// which is at once.
func closed(path string) bool {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer func() { _ = unix.Close(fd) }() // nothing was written
	var info unix.Stat_t
	if unix.Fstat(fd, &info) != nil || info.Mode&unix.S_IFMT != unix.S_IFREG || info.Size == 0 {
		return false
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_RDLCK); err != nil {
		return false
	}
	_, err = unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_UNLCK)
	return err == nil
}
