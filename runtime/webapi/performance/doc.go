// Package performance is the global performance: the time, marks and measures (https://w3c.github.io/user-timing/), and
// the classes of the timeline. It is a package because it stands on the clock alone.
//
// The state is the list of marks and measures of one isolate. Nothing is observed: entries are read from performance.
// Everything belongs to the loop goroutine.
package performance
