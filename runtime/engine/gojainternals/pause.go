package gojainternals

import (
	"sync"
	"sync/atomic"
)

// pauses are the machines that are to stand still: unsafe.Pointer → chan struct{}, which is closed at the end.
var pauses sync.Map

// standing is how many machines do.
var standing atomic.Int32

// Pause lets the script that runs stand still from the next place on where a function begins or a native function
// polls, until resume is called: a script that allocates would run ahead of whoever weighs what it has allocated. A
// loop without calls goes on. One pause at a time is under way for a machine. Any goroutine but the machine's own.
func (m Machine) Pause() (resume func()) {
	end := make(chan struct{})
	pauses.Store(m.machine, end)
	looks.Add(1)
	return func() {
		pauses.Delete(m.machine)
		looks.Add(-1)
		close(end)
	}
}
