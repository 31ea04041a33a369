package statedir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Copies keeps copies of the files of a folder, which cost what has changed since: a file that is as a copy has it
// bears the number of that copy as its time of modification, in microseconds since 1970, until somebody writes to it.
// One goroutine uses it, and nobody writes to the folder meanwhile.
type Copies struct {
	folder, dir string
	last        int64         // the number given last; none is given twice
	uses        map[int64]int // how many Copies of the folder have the file of this number
	current     *Copy         // what the folder was when a copy was taken or put back last
}

// Copy is a folder as it was: the number and the mode of each file, by its path below the folder. holders is how many
// hold it: those that took it, and the Copies whose current one it is.
type Copy struct {
	files   map[string]copied
	holders int
}

type copied struct {
	number int64
	mode   fs.FileMode
}

// NewCopies keeps the copies of a folder's files in dir, which is made when there is a copy.
func NewCopies(folder, dir string) *Copies {
	return &Copies{folder: folder, dir: dir, uses: map[int64]int{}}
}

// Current is what the folder was when a copy was taken or put back last; nil before.
func (c *Copies) Current() *Copy { return c.current }

// Forget says that the folder has been emptied.
func (c *Copies) Forget() error { return c.setCurrent(nil) }

func (c *Copies) setCurrent(k *Copy) error {
	before := c.current
	if c.current = k; k != nil {
		k.holders++
	}
	if before == nil {
		return nil
	}
	return c.Drop(before)
}

// each calls f for every file of the folder that counts: neither the shared memory of SQLite, which belongs to those
// who have the file open, nor an empty write-ahead log, which a reader leaves.
func (c *Copies) each(f func(name string, info fs.FileInfo) error) error {
	err := filepath.WalkDir(c.folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "-shm") {
			return err
		}
		info, err := d.Info()
		if err != nil || info.Size() == 0 && strings.HasSuffix(path, "-wal") {
			return err
		}
		return f(strings.TrimPrefix(path[len(c.folder):], string(filepath.Separator)), info)
	})
	if errors.Is(err, fs.ErrNotExist) {
		if _, missing := os.Stat(c.folder); errors.Is(missing, fs.ErrNotExist) {
			return nil
		}
	}
	return err
}

// numberOf is the number of the copy that a file is as, 0 if there is none.
func (c *Copies) numberOf(info fs.FileInfo) int64 {
	t := info.ModTime()
	if n := t.UnixMicro(); n <= c.last && t.Equal(time.UnixMicro(n)) && c.uses[n] > 0 {
		return n
	}
	return 0
}

func (c *Copies) path(number int64) string {
	return filepath.Join(c.dir, strconv.FormatInt(number, 10))
}

// Take copies what is in the folder now.
func (c *Copies) Take() (*Copy, error) {
	k := &Copy{files: map[string]copied{}, holders: 1}
	err := c.each(func(name string, info fs.FileInfo) error {
		n := c.numberOf(info)
		if n == 0 {
			c.last++
			n = c.last
			if err := c.copyFile(filepath.Join(c.folder, name), c.path(n), info.Mode()); err != nil {
				return err
			}
			if err := number(filepath.Join(c.folder, name), n); err != nil {
				return err
			}
		}
		c.uses[n]++
		k.files[name] = copied{n, info.Mode().Perm()}
		return nil
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("keep %s: %w", c.folder, err), c.Drop(k))
	}
	return k, c.setCurrent(k)
}

// Again is Take of a folder in which nobody has written since the copy Current.
func (c *Copies) Again() *Copy {
	c.current.holders++
	return c.current
}

// Changed tells whether the folder is not as it was.
func (c *Copies) Changed(k *Copy) (bool, error) {
	same, errChanged := 0, errors.New("changed")
	err := c.each(func(name string, info fs.FileInfo) error {
		f, ok := k.files[name]
		if !ok || c.numberOf(info) != f.number {
			return errChanged
		}
		same++
		return nil
	})
	if errors.Is(err, errChanged) {
		return true, nil
	}
	return same != len(k.files), err
}

// PutBack makes the folder what it was. Nobody has a file of it open.
func (c *Copies) PutBack(k *Copy) error {
	var errs []error
	same := map[string]bool{}
	err := c.each(func(name string, info fs.FileInfo) error {
		if f, ok := k.files[name]; ok && c.numberOf(info) == f.number {
			same[name] = true
			return nil
		}
		return os.Remove(filepath.Join(c.folder, name))
	})
	errs = append(errs, err)
	for name, f := range k.files {
		if same[name] {
			continue
		}
		file := filepath.Join(c.folder, name)
		errs = append(errs, c.copyFile(c.path(f.number), file, f.mode), number(file, f.number))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("put %s back: %w", c.folder, err)
	}
	return c.setCurrent(k)
}

// Drop is called by who took a copy, once. When nobody holds it any more, files that no other copy has are removed.
func (c *Copies) Drop(k *Copy) error {
	if k.holders--; k.holders > 0 {
		return nil
	}
	var errs []error
	for _, f := range k.files {
		if c.uses[f.number]--; c.uses[f.number] == 0 {
			delete(c.uses, f.number)
			errs = append(errs, os.Remove(c.path(f.number)))
		}
	}
	return errors.Join(errs...)
}

func (c *Copies) copyFile(from, to string, mode fs.FileMode) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return os.WriteFile(to, data, mode.Perm())
}

func number(file string, n int64) error {
	t := time.UnixMicro(n)
	return os.Chtimes(file, t, t)
}
