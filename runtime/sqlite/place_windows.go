package sqlite

import (
	"io/fs"
	"os"
)

// place says which file is at a path. The zero value is none.
type place struct{ info fs.FileInfo }

func placeOf(path string) (place, error) {
	info, err := os.Stat(path)
	return place{info}, err
}

func (p place) same(q place) bool { return os.SameFile(p.info, q.info) }
