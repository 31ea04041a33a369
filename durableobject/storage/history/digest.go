package history

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
)

// ErrChanged says that the database file is not what it was when it was closed, and that SQLite did not write it.
var ErrChanged = errors.New("the file is not what it was when it was closed")

// maxDigested is how large a database may be of which a digest is made: reading it takes time at every close and at
// every first use.
const maxDigested = 256 << 20

// digestOf is the CRC-32C of a file.
func digestOf(path string) (uint32, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	sum := crc32.New(castagnoli)
	_, err = io.Copy(sum, f)
	return sum.Sum32(), err
}

// Verify compares the database, which must be at rest, with the digest that [File.Settled] made of it. SQLite has no
// checksums of pages: without Verify, a bit that the disk lost would be read as data.
//
// Another SQLite may have written the file meanwhile, which is not damage. It made a log beside the file and removed it
// when it had copied it, so the folder has changed after the file. If the file changed later than its folder, something
// else has written it. If the folder has changed since for another reason, and damage gave the file a new time, Verify
// does not see it.
func (f *File) Verify() error {
	h, err := openFile(f.Path)
	if err != nil || h == nil {
		return f.wrap("read", err)
	}
	last := h.last
	if err := h.Close(); err != nil {
		return f.wrap("read", err)
	}
	if last == nil || !last.digested {
		return nil
	}
	size, modified, err := f.stat()
	if err != nil || size == 0 && modified == 0 {
		return err // no file: nothing is damaged
	}
	if modified != last.modified {
		folder, err := os.Stat(filepath.Dir(f.DB))
		if err != nil || folder.ModTime().UnixNano() >= modified {
			return err
		}
	}
	if size != last.size {
		return fmt.Errorf("%w: it has %d bytes, and had %d", ErrChanged, size, last.size)
	}
	sum, err := digestOf(f.DB)
	if err == nil && sum != last.digest {
		err = fmt.Errorf("%w: its digest is %08x, and was %08x", ErrChanged, sum, last.digest)
	}
	return err
}

// Repairs reports whether [File.Last] gives what the database was when it was closed.
func (f *File) Repairs() bool {
	h, err := openFile(f.Path)
	if err != nil || h == nil {
		return false
	}
	defer h.Close()
	return h.last != nil && h.last.digested
}

// Last writes the database as it was at the last remembered state into a new file at path: what it was when it was
// closed.
func (f *File) Last(path string) error {
	h, err := f.open()
	if err != nil {
		return err
	}
	defer h.Close()
	out, err := createNew(path)
	if err != nil {
		return f.wrap("restore from", err)
	}
	err = h.write(h.last.position(), out)
	if err == nil {
		err = out.Sync()
	}
	var digest uint32
	if err = errors.Join(err, out.Close()); err == nil {
		digest, err = digestOf(path)
	}
	if err == nil && h.last.digested && digest != h.last.digest {
		err = fmt.Errorf("%w: it does not lead to what the file was", errDamaged)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(path))
	}
	return f.wrap("restore from", err)
}
