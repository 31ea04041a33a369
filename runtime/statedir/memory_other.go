//go:build !linux

package statedir

// Memory is a directory for files that nobody needs after the process; "" is the system's own for temporary files.
func Memory() string { return "" }
