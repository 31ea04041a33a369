package session

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain: many small isolates come one after the other. To collect at Go's own pace, made for a heap that lives long,
// takes a fifth of the time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
