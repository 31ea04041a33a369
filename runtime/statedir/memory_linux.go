package statedir

import "syscall"

// memoryNeeded is how much room the memory file system must have: containers often give it 64 MB.
const memoryNeeded = 1 << 30

// Memory is a directory for files that nobody needs after the process, in memory where the system has a file system
// of that kind with room; "" is the system's own for temporary files.
func Memory() string {
	const dir = "/dev/shm"
	var s syscall.Statfs_t
	if syscall.Statfs(dir, &s) != nil || uint64(s.Bsize)*s.Bavail < memoryNeeded || syscall.Access(dir, 7) != nil {
		return ""
	}
	return dir
}
