package sqlite

import (
	"errors"
	"unsafe"

	"modernc.org/libc"
)

// grow makes the scratch memory at least n bytes long.
func (db *DB) grow(n int) error {
	if n <= db.scratchSize {
		return nil
	}
	size := max(256, n)
	p := libc.Xrealloc(db.tls, db.scratch, libc.Tsize_t(size))
	if p == 0 {
		return errors.New("out of memory")
	}
	db.scratch, db.scratchSize = p, size
	return nil
}

// keepScratch is how much scratch memory stays after a large value.
const keepScratch = 4096

// shrink gives back scratch memory that a large value needed.
func (db *DB) shrink() {
	if db.scratchSize <= keepScratch {
		return
	}
	libc.Xfree(db.tls, db.scratch)
	db.scratch, db.scratchSize = 0, 0
}

// poke writes s and a final NUL at p.
func (db *DB) poke(p uintptr, s string) {
	b := libc.GoBytes(p, len(s)+1)
	copy(b, s)
	b[len(s)] = 0
}

// pointerAt reads a pointer from memory outside the Go heap.
func (db *DB) pointerAt(p uintptr) uintptr {
	b := libc.GoBytes(p, int(unsafe.Sizeof(p)))
	return *(*uintptr)(unsafe.Pointer(&b[0]))
}

// functionPointer gives the address by which SQLite calls a top-level Go
// function. A function value is a pointer to a read-only word that never
// moves, and that pointer is what the translated library expects.
func functionPointer[F any](f F) uintptr {
	return *(*uintptr)(unsafe.Pointer(&struct{ f F }{f}))
}
