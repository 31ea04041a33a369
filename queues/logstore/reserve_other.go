//go:build !linux

package logstore

import "os"

// reserve does nothing: what Linux has for it, others lack.
func reserve(*os.File, int64, int64) bool { return false }
