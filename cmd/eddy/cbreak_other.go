//go:build !linux && !darwin

package main

import "golang.org/x/term"

// makeCbreak puts the terminal into raw mode, the only mode that is available here. Ctrl-C arrives as a key then.
func makeCbreak(fd int) (*term.State, error) { return term.MakeRaw(fd) }
