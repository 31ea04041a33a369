package history

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// The file: a header, then batches. A batch is a head, a payload of compressed
// states, and a tail by which the last batch is found from the end.
const (
	fileMagic  = "eddyhist"
	fileFormat = 1
	fileHead   = 64
	batchMagic = 0x45484231
	tailMagic  = 0x45484245
	batchHead  = 96
	batchTail  = 8
)

// Flags of a batch.
const (
	flagWhole    = 1
	flagDigested = 2
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// batch is the head of a batch, which one call of Archive or Settled added.
type batch struct {
	offset  int64 // in the file
	payload uint32
	sum     uint32 // CRC-32C of the payload
	// whole says that the states before do not count: this one holds all pages.
	whole bool
	// from and to are the frames of log that it covers; salts and end say how
	// the log continues.
	log      uint32
	from, to uint32
	salts    salts
	end      checksum
	// first and last are the times of its states, in Unix nanoseconds.
	first, last int64
	// size and modified are those of the database file after the checkpoint, 0
	// if it has not been made.
	size, modified int64
	// digest is the CRC-32C of the database file at rest; digested says that it was made.
	digest   uint32
	digested bool
}

func (b *batch) position() Position { return Position{b.log, b.to} }

func (b *batch) length() int64 { return batchHead + int64(b.payload) + batchTail }

func (b *batch) encode() []byte {
	e := make([]byte, batchHead)
	put := func(at int, v uint32) { binary.BigEndian.PutUint32(e[at:], v) }
	put(0, batchMagic)
	put(4, b.payload)
	put(8, b.sum)
	flags := uint32(0)
	if b.whole {
		flags |= flagWhole
	}
	if b.digested {
		flags |= flagDigested
		put(44, b.digest)
	}
	put(12, flags)
	put(16, b.log)
	put(20, b.from)
	put(24, b.to)
	put(28, b.salts[0])
	put(32, b.salts[1])
	put(36, b.end[0])
	put(40, b.end[1])
	for i, v := range []int64{b.first, b.last, b.size, b.modified} {
		binary.BigEndian.PutUint64(e[48+8*i:], uint64(v))
	}
	put(88, crc32.Checksum(e[:88], castagnoli))
	return e
}

func (b *batch) decode(e []byte) bool {
	get := func(at int) uint32 { return binary.BigEndian.Uint32(e[at:]) }
	if get(0) != batchMagic || get(88) != crc32.Checksum(e[:88], castagnoli) {
		return false
	}
	flags := get(12)
	b.payload, b.sum, b.whole = get(4), get(8), flags&flagWhole != 0
	b.digest, b.digested = get(44), flags&flagDigested != 0
	b.log, b.from, b.to = get(16), get(20), get(24)
	b.salts, b.end = salts{get(28), get(32)}, checksum{get(36), get(40)}
	for i, v := range []*int64{&b.first, &b.last, &b.size, &b.modified} {
		*v = int64(binary.BigEndian.Uint64(e[48+8*i:]))
	}
	return true
}

// file is an open history.
type file struct {
	*os.File
	identity
	end  int64 // where the next batch goes
	last *batch
	base int64 // length of the first batch
}

// openFile opens a history; nil if there is none, or none that can be read.
func openFile(path string) (*file, error) {
	if st, err := os.Lstat(path); err == nil && !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	h := &file{File: f}
	ok, err := h.read()
	if err != nil || !ok {
		f.Close()
		return nil, err
	}
	return h, nil
}

func (h *file) read() (bool, error) {
	var e [fileHead]byte
	if _, err := h.ReadAt(e[:], 0); err != nil {
		return false, ignoreEOF(err)
	}
	if string(e[:8]) != fileMagic || binary.BigEndian.Uint32(e[60:]) != crc32.Checksum(e[:60], castagnoli) {
		return false, nil
	}
	if v := binary.BigEndian.Uint32(e[8:]); v != fileFormat {
		return false, fmt.Errorf("%s has format %d, which this eddy does not know", h.Name(), v)
	}
	h.epoch = binary.BigEndian.Uint32(e[12:])
	copy(h.check[:], e[16:32])
	first, err := h.batchAt(fileHead)
	if err != nil || first == nil {
		return false, err
	}
	h.base = first.length()
	return true, h.findLast()
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// findLast finds the last batch by the tail, or from the start if a crash left
// something behind it.
func (h *file) findLast() error {
	st, err := h.Stat()
	if err != nil {
		return err
	}
	var t [batchTail]byte
	if _, err := h.ReadAt(t[:], st.Size()-batchTail); err != nil {
		return err
	}
	if binary.BigEndian.Uint32(t[4:]) == tailMagic {
		at := st.Size() - int64(binary.BigEndian.Uint32(t[:]))
		if at >= fileHead {
			if h.last, err = h.batchAt(at); err != nil {
				return err
			}
			if h.last != nil && at+h.last.length() == st.Size() {
				h.end = st.Size()
				return nil
			}
		}
	}
	h.last = nil
	return h.each(func(b *batch) (bool, error) {
		h.last, h.end = b, b.offset+b.length()
		return true, nil
	})
}

// batchAt reads the batch at an offset; nil if there is no whole one.
func (h *file) batchAt(offset int64) (*batch, error) {
	var e [batchHead]byte
	if _, err := h.ReadAt(e[:], offset); err != nil {
		return nil, ignoreEOF(err)
	}
	b := &batch{offset: offset}
	if !b.decode(e[:]) {
		return nil, nil
	}
	var t [batchTail]byte
	if _, err := h.ReadAt(t[:], offset+b.length()-batchTail); err != nil {
		return nil, ignoreEOF(err)
	}
	if int64(binary.BigEndian.Uint32(t[:])) != b.length() || binary.BigEndian.Uint32(t[4:]) != tailMagic {
		return nil, nil
	}
	return b, nil
}

// each calls f with every batch until it says false.
func (h *file) each(f func(*batch) (bool, error)) error {
	for at := int64(fileHead); ; {
		b, err := h.batchAt(at)
		if err != nil || b == nil {
			return err
		}
		if more, err := f(b); err != nil || !more {
			return err
		}
		at += b.length()
	}
}

// createFile begins a history.
func createFile(path string, id identity) (*file, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := createNew(path)
	if err != nil {
		return nil, err
	}
	e := make([]byte, fileHead)
	copy(e, fileMagic)
	binary.BigEndian.PutUint32(e[8:], fileFormat)
	binary.BigEndian.PutUint32(e[12:], id.epoch)
	copy(e[16:], id.check[:])
	binary.BigEndian.PutUint32(e[60:], crc32.Checksum(e[:60], castagnoli))
	if _, err := f.Write(e); err != nil {
		f.Close()
		return nil, err
	}
	return &file{File: f, identity: id, end: fileHead}, nil
}

// createNew makes a file in the place of what a crash may have left there; it follows no symbolic link.
func createNew(path string) (*os.File, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

// adding is a batch that is being written.
type adding struct {
	h   *file
	b   *batch
	at  int64
	crc uint32
	n   int64
}

// add begins a batch at the end. What a crash left there is overwritten.
func (h *file) add(b *batch) *adding {
	b.offset = h.end
	return &adding{h: h, b: b, at: h.end + batchHead}
}

// Write adds to the payload.
func (a *adding) Write(p []byte) (int, error) {
	n, err := a.h.WriteAt(p, a.at)
	a.at += int64(n)
	a.n += int64(n)
	a.crc = crc32.Update(a.crc, castagnoli, p[:n])
	return n, err
}

// finish writes head and tail: from here on the batch counts.
func (a *adding) finish() error {
	b := a.b
	if a.n > 1<<31 {
		return fmt.Errorf("%s: a batch of %d bytes is too long", a.h.Name(), a.n)
	}
	b.payload, b.sum = uint32(a.n), a.crc
	var t [batchTail]byte
	binary.BigEndian.PutUint32(t[:], uint32(b.length()))
	binary.BigEndian.PutUint32(t[4:], tailMagic)
	if _, err := a.h.WriteAt(b.encode(), b.offset); err != nil {
		return err
	}
	if _, err := a.h.WriteAt(t[:], b.offset+b.length()-batchTail); err != nil {
		return err
	}
	if a.h.last == nil {
		a.h.base = b.length()
	}
	a.h.last, a.h.end = b, b.offset+b.length()
	if st, err := a.h.Stat(); err != nil || st.Size() == a.h.end {
		return err
	}
	return a.h.Truncate(a.h.end)
}

// unix is a time in a file; the zero time is the beginning.
func unix(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}
