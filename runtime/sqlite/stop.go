package sqlite

import "modernc.org/libc"

// stopEvery is how many instructions of its byte code SQLite runs between two
// looks at [Options].Stop: some ten microseconds.
const stopEvery = 1000

// stopped is SQLite's callback; it runs inside Prepare and Step. Its answer holds for the statement that runs now.
// SQLite's own interrupt would be forgotten if it came a moment before a statement begins.
func stopped(_ *libc.TLS, conn uintptr) int32 {
	if v, ok := authorizers.Load(conn); ok && v.(*DB).stop.Load() {
		return 1
	}
	return 0
}
