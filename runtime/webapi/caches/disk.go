package caches

import (
	"container/list"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// DiskLimit is how many bytes of files a Disk keeps if it is not told otherwise.
const DiskLimit = 256 << 20

// cacheSuffix ends the names of entries; other files of the directory are left alone.
const cacheSuffix = ".entry"

// Disk is a Store of one file per entry: entries outlive a reload and a restart. When the files are larger than the
// limit, those go that nobody has used for the longest time. A file that cannot be read as an entry counts as none, and
// is removed. Several processes may use one directory: each bounds the files that it knows of. Any goroutine.
type Disk struct {
	dir   string
	limit int64

	// scan reads the directory before the first use, so that opening a cache costs nothing.
	scan sync.Once
	mu   struct {
		sync.Mutex
		size  int64
		order *list.List // holds *cacheFile, the last used in front
		files map[string]*list.Element
	}
}

// cacheFile is one file that counts.
type cacheFile struct {
	name string
	size int64
}

// NewDisk makes a cache in dir, which is created when something is stored. limit is in bytes; 0 means DiskLimit.
func NewDisk(dir string, limit int64) *Disk {
	if limit <= 0 {
		limit = DiskLimit
	}
	d := &Disk{dir: dir, limit: limit}
	d.mu.order, d.mu.files = list.New(), map[string]*list.Element{}
	return d
}

func (d *Disk) name(cache, key string) string {
	sum := sha256.Sum256([]byte(cache + "\x00" + key))
	return hex.EncodeToString(sum[:]) + cacheSuffix
}

// known counts the files that are there already. The oldest will go first.
func (d *Disk) known() {
	d.scan.Do(func() {
		entries, err := os.ReadDir(d.dir)
		if err != nil {
			return // there is no directory yet, or none that can be read: every use will tell
		}
		type found struct {
			cacheFile
			used int64
		}
		var all []found
		for _, e := range entries {
			if info, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), cacheSuffix) &&
				info.Mode().IsRegular() {
				all = append(all, found{cacheFile{e.Name(), info.Size()}, info.ModTime().UnixNano()})
			}
		}
		slices.SortFunc(all, func(a, b found) int {
			if a.used != b.used {
				return int(max(-1, min(1, a.used-b.used)))
			}
			return strings.Compare(a.name, b.name)
		})
		d.mu.Lock()
		defer d.mu.Unlock()
		for _, f := range all {
			d.count(f.name, f.size)
		}
	})
}

// count notes that a file is there and has been used. mu is held.
func (d *Disk) count(name string, size int64) {
	d.forget(name)
	d.mu.files[name] = d.mu.order.PushFront(&cacheFile{name, size})
	d.mu.size += size
}

// forget notes that a file is gone. mu is held.
func (d *Disk) forget(name string) {
	if el := d.mu.files[name]; el != nil {
		d.mu.size -= el.Value.(*cacheFile).size
		d.mu.order.Remove(el)
		delete(d.mu.files, name)
	}
}

// Get implements [Store].
func (d *Disk) Get(cache, key string) (*StoredResponse, error) {
	d.known()
	name := d.name(cache, key)
	b, err := os.ReadFile(filepath.Join(d.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	c, k, e, err := decodeCacheFile(b)
	if err != nil || c != cache || k != key {
		_, err := d.remove(name)
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.count(name, int64(len(b)))
	return e, nil
}

// Put implements [Store]. An entry that is larger than the whole limit is not kept.
func (d *Disk) Put(cache, key string, e *StoredResponse) error {
	d.known()
	name := d.name(cache, key)
	b, err := encodeCacheFile(cache, key, e)
	if err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	if int64(len(b)) > d.limit {
		_, err := d.remove(name)
		return err
	}
	if err := d.write(name, b); err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	d.mu.Lock()
	d.count(name, int64(len(b)))
	var old []string
	for d.mu.size > d.limit {
		last := d.mu.order.Back().Value.(*cacheFile).name
		d.forget(last)
		old = append(old, last)
	}
	d.mu.Unlock()
	for _, name := range old {
		if err := os.Remove(filepath.Join(d.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cache: %w", err)
		}
	}
	return nil
}

// write puts a whole file in the place of an older one. It does not sync it: a file that a crash has torn is no entry.
func (d *Disk) write(name string, b []byte) error {
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(d.dir, "put-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(b)
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), filepath.Join(d.dir, name))
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}

// Delete implements [Store].
func (d *Disk) Delete(cache, key string) (bool, error) {
	e, err := d.Get(cache, key)
	if e == nil || err != nil {
		return false, err
	}
	return d.remove(d.name(cache, key))
}

func (d *Disk) remove(name string) (bool, error) {
	d.mu.Lock()
	d.forget(name)
	d.mu.Unlock()
	err := os.Remove(filepath.Join(d.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("cache: %w", err)
	}
	return true, nil
}

// Clear removes everything that is kept.
func (d *Disk) Clear() error {
	d.known()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.mu.order, d.mu.files, d.mu.size = list.New(), map[string]*list.Element{}, 0
	return os.RemoveAll(d.dir)
}

// Replaced counts the files anew: somebody has replaced them.
func (d *Disk) Replaced() {
	d.known()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.mu.order, d.mu.files, d.mu.size = list.New(), map[string]*list.Element{}, 0
	d.scan = sync.Once{}
}
