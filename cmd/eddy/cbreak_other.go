//go:build !linux && !darwin

package main

import "golang.org/x/term"

// makeCbreak is raw mode where nothing finer is to be had; Ctrl-C arrives as a key then.
func makeCbreak(fd int) (*term.State, error) { return term.MakeRaw(fd) }
