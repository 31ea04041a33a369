package logstore

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// What is reserved ahead of an append is within its bound, no part of the file's size, and given back when the file is
// closed or cut.
func TestReserved(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	f, err := MachineFS{}.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	look := func(what string, size, least, most int64) {
		t.Helper()
		var st unix.Stat_t
		if err := unix.Stat(name, &st); err != nil {
			t.Fatal(err)
		}
		if room := st.Blocks * 512; st.Size != size || room < least || room > most {
			t.Errorf("%s: %d bytes with room for %d; want %d with room for %d to %d", what, st.Size, room, size, least,
				most)
		}
	}
	write := func(n int, at int64) {
		t.Helper()
		if _, err := f.WriteAt(make([]byte, n), at); err != nil {
			t.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	const block = 64 << 10 // no file system of these machines has larger ones
	write(40, 0)
	look("a file that is written once", 40, 0, block)
	write(60, 40)
	if f.(*osFile).refused {
		look("on a file system that reserves nothing", 100, 0, block)
		return
	}
	look("an append", 100, leastReserved, leastReserved+block)
	write(1<<20, 100)
	write(100, 1<<20+100)
	look("in a long file", 1<<20+200, 1<<20+mostReserved-block, 1<<20+mostReserved+block)
	if err := f.Truncate(1000); err != nil {
		t.Fatal(err)
	}
	look("a file that is cut", 1000, 0, block)
	write(100, 1000)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	look("a closed file", 1100, 0, block)
}
