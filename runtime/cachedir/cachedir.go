package cachedir

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Open makes a folder, for its owner alone, and says whether it may be used.
func Open(dir string) bool { return os.MkdirAll(dir, 0o700) == nil && private(dir) }

// private says whether nobody else may write into a folder. Windows has other rights, which a user's folders inherit.
func private(dir string) bool {
	st, err := os.Stat(dir)
	return err == nil && st.IsDir() && (st.Mode().Perm()&0o022 == 0 || os.PathSeparator == '\\')
}

// Write puts a file into a folder as a whole or not at all, by way of a file whose name ends in ".tmp". It does not
// wait for the disk: a reader must notice a file that a loss of power has cut.
func Write(dir, name string, parts ...[]byte) error {
	tmp, err := os.CreateTemp(dir, name+".*.tmp")
	if err != nil {
		return err
	}
	for _, part := range parts {
		if _, err = tmp.Write(part); err != nil {
			break
		}
	}
	if closed := tmp.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(tmp.Name(), filepath.Join(dir, name))
	}
	if err != nil {
		_ = os.Remove(tmp.Name()) // if it stays, Prune takes it an hour later
	}
	return err
}

// Prune removes the oldest files of a folder until at most limit bytes are left, and what a killed process has left
// half written. Another process may remove the same; what cannot be removed stays.
func Prune(dir string, limit int64, now time.Time) {
	type entry struct {
		path string
		fs.FileInfo
	}
	var list []entry
	var size int64
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // what cannot be read stays
		}
		info, err := d.Info()
		switch {
		case err != nil:
		case strings.HasSuffix(path, ".tmp"):
			if now.Sub(info.ModTime()) > time.Hour {
				_ = os.Remove(path)
			}
		default:
			list = append(list, entry{path, info})
			size += info.Size()
		}
		return nil
	})
	slices.SortFunc(list, func(a, b entry) int { return a.ModTime().Compare(b.ModTime()) })
	for _, e := range list {
		if size <= limit {
			return
		}
		if os.Remove(e.path) == nil {
			size -= e.Size()
		}
	}
}
