package history

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
)

// Sizes of SQLite's file formats (SQLite "Database File Format", section 4).
const (
	pageSize      = 4096
	walHeader     = 32
	frameHeader   = 24
	frameSize     = frameHeader + pageSize
	walMagic      = 0x377f0682 // the last bit says that checksums are big-endian
	walMagicBig   = walMagic | 1
	walVersion    = 3007000
	checksumWords = 8 // bytes that one step of the checksum takes
)

type salts [2]uint32

// checksum is the running checksum of a log.
type checksum [2]uint32

// add goes over every byte of a log, so the two byte orders have a loop each.
func (c *checksum) add(big bool, b []byte) {
	s0, s1 := c[0], c[1]
	if big {
		for ; len(b) >= checksumWords; b = b[checksumWords:] {
			s0 += binary.BigEndian.Uint32(b) + s1
			s1 += binary.BigEndian.Uint32(b[4:]) + s0
		}
	} else {
		for ; len(b) >= checksumWords; b = b[checksumWords:] {
			s0 += binary.LittleEndian.Uint32(b) + s1
			s1 += binary.LittleEndian.Uint32(b[4:]) + s0
		}
	}
	c[0], c[1] = s0, s1
}

// readers are buffers for going through a log.
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 16*frameSize) }}

// wal is a log that is open for reading.
type wal struct {
	f     *os.File
	salts salts
	big   bool     // checksums are of big-endian words
	sum   checksum // of the header
}

// openWAL opens the log of a database; nil if there is none, or nothing in it.
func openWAL(db string) (*wal, error) {
	f, err := os.Open(db + "-wal")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	w := &wal{f: f}
	ok, err := w.header()
	if !ok {
		f.Close()
		return nil, err
	}
	return w, nil
}

// header reads the header, and reports whether it is whole.
func (w *wal) header() (bool, error) {
	var h [walHeader]byte
	if _, err := w.f.ReadAt(h[:], 0); err != nil {
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		return false, err
	}
	switch binary.BigEndian.Uint32(h[0:]) {
	case walMagic:
	case walMagicBig:
		w.big = true
	default:
		return false, nil
	}
	if binary.BigEndian.Uint32(h[4:]) != walVersion {
		return false, nil
	}
	if n := binary.BigEndian.Uint32(h[8:]); n != pageSize {
		return false, fmt.Errorf("%s: pages of %d bytes", w.f.Name(), n)
	}
	w.salts = salts{binary.BigEndian.Uint32(h[16:]), binary.BigEndian.Uint32(h[20:])}
	w.sum = checksum{}
	w.sum.add(w.big, h[:24])
	return w.sum == checksum{binary.BigEndian.Uint32(h[24:]), binary.BigEndian.Uint32(h[28:])}, nil
}

// walFrame is one frame of a WAL file (SQLite "Database File Format", section 4.1): one page in the log.
type walFrame struct {
	page   uint32
	commit uint32 // pages of the database after the commit that it ends, 0 if it ends none
}

// frames reads what follows frame number from, whose checksum is sum, up to the
// last commit that is whole. Frames up to trusted are known to be: their
// checksums are taken as they stand.
func (w *wal) frames(from uint32, sum checksum, trusted uint32) (list []walFrame, end checksum, err error) {
	if from == 0 {
		sum = w.sum
	}
	end = sum
	committed := 0
	take := func(b []byte, valid bool) bool {
		if !valid || (salts{binary.BigEndian.Uint32(b[8:]), binary.BigEndian.Uint32(b[12:])}) != w.salts ||
			binary.BigEndian.Uint32(b[0:]) == 0 {
			return false
		}
		fr := walFrame{binary.BigEndian.Uint32(b[0:]), binary.BigEndian.Uint32(b[4:])}
		list = append(list, fr)
		if fr.commit != 0 {
			committed, end = len(list), sum
		}
		return true
	}
	for n := from; n < trusted; n++ {
		var head [frameHeader]byte
		if _, err := w.f.ReadAt(head[:], walHeader+int64(n)*frameSize); err != nil {
			return list[:committed], end, ignoreEOF(err)
		}
		sum = frameChecksum(head[:])
		if !take(head[:], true) {
			return list[:committed], end, nil
		}
	}
	offset := walHeader + int64(max(from, trusted))*frameSize
	r := readers.Get().(*bufio.Reader)
	defer readers.Put(r)
	r.Reset(io.NewSectionReader(w.f, offset, 1<<62-offset))
	var b [frameSize]byte
	for {
		if _, err := io.ReadFull(r, b[:]); err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return list[:committed], end, nil
			}
			return nil, end, err
		}
		sum.add(w.big, b[:8])
		sum.add(w.big, b[frameHeader:])
		if !take(b[:], sum == frameChecksum(b[:])) {
			return list[:committed], end, nil
		}
	}
}

// frameChecksum is the checksum that stands in a frame's header.
func frameChecksum(head []byte) checksum {
	return checksum{binary.BigEndian.Uint32(head[16:]), binary.BigEndian.Uint32(head[20:])}
}

// has reports whether frame number n is there with that checksum.
func (w *wal) has(n uint32, sum checksum) (bool, error) {
	if n == 0 {
		return true, nil
	}
	var b [frameHeader]byte
	if _, err := w.f.ReadAt(b[:], walHeader+int64(n-1)*frameSize); err != nil {
		return false, ignoreEOF(err)
	}
	return (salts{binary.BigEndian.Uint32(b[8:]), binary.BigEndian.Uint32(b[12:])}) == w.salts &&
		(checksum{binary.BigEndian.Uint32(b[16:]), binary.BigEndian.Uint32(b[20:])}) == sum, nil
}

// page reads the page in frame number n, counted from 1.
func (w *wal) page(n uint32, into []byte) error {
	_, err := w.f.ReadAt(into[:pageSize], walHeader+int64(n-1)*frameSize+frameHeader)
	return err
}

func (w *wal) close() { w.f.Close() }
