// Package timers installs setTimeout, setInterval and their clear functions, queueMicrotask and scheduler.wait.
//
// Timers belong to the scope that was current when they were set, count as its pending work and run inside it, in its
// async context. They read the loop's clock, so under virtual time they fire without waiting. Everything belongs to
// the loop goroutine.
package timers
