package native

import (
	"unsafe"

	"github.com/tetratelabs/wazero/experimental"
)

const (
	// pages is the size of the window in pages of 64 KiB: one less than 32 bits can count, as wazero does.
	pages = 65535
	// below is how far the window begins below the first arena of Go's heap. No arena can lie there: Go takes them
	// upwards from its first one, and falls back to places that are a terabyte apart. So Go's collector, which looks
	// at the window's address, takes it for memory of somebody else.
	below = 1 << 30
	arena = 64 << 20
)

// base is where the window begins. It is found while the process is young, so that the probe lies in the first arenas.
var base = func() uintptr {
	kept = new([4096]byte)
	at := uintptr(unsafe.Pointer(kept)) &^ (arena - 1)
	if at < below+arena {
		return 0
	}
	return at - below
}()

// kept makes the probe lie on the heap.
var kept *[4096]byte

// Offset is where a buffer lies in the window; ok is false if it does not.
func Offset(b []byte) (at uint32, ok bool) {
	if len(b) == 0 {
		return 0, true
	}
	return offset(uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
}

// OffsetOfFlag is Offset for a number that others change while a function runs.
func OffsetOfFlag(p *uint32) (at uint32, ok bool) { return offset(uintptr(unsafe.Pointer(p)), 4) }

// OffsetOfNumbers is Offset for doubles.
func OffsetOfNumbers(list []float64) (at uint32, ok bool) {
	if len(list) == 0 {
		return 0, true
	}
	return offset(uintptr(unsafe.Pointer(unsafe.SliceData(list))), 8*uintptr(len(list)))
}

func offset(p, size uintptr) (uint32, bool) {
	if base == 0 || p < base || p+size > base+pages<<16 {
		return 0, false
	}
	return uint32(p - base), true
}

// window is the memory that wazero gets: a slice that nobody made.
type window struct{}

// Allocate is what wazero asks for when a function's module is made.
func (window) Allocate(_, _ uint64) experimental.LinearMemory { return window{} }

// Reallocate gives the whole window; memories that grow are not made.
func (window) Reallocate(uint64) []byte {
	header := struct {
		data     uintptr
		len, cap int
	}{base, pages << 16, pages << 16}
	return *(*[]byte)(unsafe.Pointer(&header))
}

// Free does nothing: the memory is Go's.
func (window) Free() {}
