//go:build !windows

package logstore

import "syscall"

// noFollow refuses a file name that is a symbolic link.
const noFollow = syscall.O_NOFOLLOW
