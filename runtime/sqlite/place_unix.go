//go:build unix

package sqlite

import (
	"errors"
	"syscall"
)

// place says which file is at a path. The zero value is none. It is os.FileInfo for who asks at every write.
type place struct{ device, number uint64 }

func placeOf(path string) (place, error) {
	var st syscall.Stat_t
	for {
		err := syscall.Stat(path, &st)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return place{}, err
		}
		return place{uint64(st.Dev), st.Ino}, nil
	}
}

func (p place) same(q place) bool { return p == q }
