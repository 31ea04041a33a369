//go:build linux || darwin

package main

import (
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// makeCbreak turns off line editing and echo, but leaves signals and output processing as they are, so that Ctrl-C
// still interrupts and printed lines still end properly.
func makeCbreak(fd int) (*term.State, error) {
	state, err := term.GetState(fd)
	if err != nil {
		return nil, err
	}
	t, err := unix.IoctlGetTermios(fd, ioctlGetTermios)
	if err != nil {
		return nil, err
	}
	t.Lflag &^= unix.ICANON | unix.ECHO
	t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 1, 0
	return state, unix.IoctlSetTermios(fd, ioctlSetTermios, t)
}
