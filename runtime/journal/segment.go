package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// segment is one file of a journal, which is named after the index of its first entry.
type segment struct {
	path    string
	index   uint64
	size    int64
	changed time.Time
}

// segmentsOf lists the segments of a folder, oldest first. A folder that is not there has none.
func segmentsOf(dir string) (list []segment, err error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		index, err := strconv.ParseUint(f.Name(), 10, 64)
		if err != nil || len(f.Name()) != 20 || f.IsDir() {
			continue // .START and .TEMP, which earlier versions left of a segment that was being cut
		}
		info, err := f.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was taken away meanwhile
		}
		if err != nil {
			return nil, err
		}
		list = append(list, segment{filepath.Join(dir, f.Name()), index, info.Size(), info.ModTime()})
	}
	return list, nil
}
