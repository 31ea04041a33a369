package history

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"eddy/runtime/lazyregexp"
)

// Position is where a state is in its epoch.
type Position struct {
	Log   uint32
	Frame uint32 // the last one of the commit, counted from 1; 0 is the start
}

// Compare orders positions by time.
func (p Position) Compare(q Position) int {
	if p.Log != q.Log {
		return order(p.Log, q.Log)
	}
	return order(p.Frame, q.Frame)
}

func order(a, b uint32) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Bookmark is a position as the platform writes it: 8-8-8-32 hexadecimal digits
// (SQL18), here epoch, log, frame, and what tells one database's epoch from all
// others.
type Bookmark string

// ErrBookmark is wrapped by errors about a text that is not a bookmark, or a bookmark that leads nowhere.
var ErrBookmark = errors.New("bookmark")

var bookmarkPattern = lazyregexp.New(`^([0-9a-f]{8})-([0-9a-f]{8})-([0-9a-f]{8})-([0-9a-f]{32})$`)

type identity struct {
	epoch uint32
	check [16]byte
}

func (id identity) bookmark(p Position) Bookmark {
	return Bookmark(fmt.Sprintf("%08x-%08x-%08x-%x", id.epoch, p.Log, p.Frame, id.check))
}

// parse takes a bookmark apart.
func (b Bookmark) parse() (id identity, p Position, err error) {
	m := bookmarkPattern.FindStringSubmatch(string(b))
	if m == nil {
		return id, p, fmt.Errorf("%w %q: expected 8-8-8-32 lower-case hexadecimal digits, as getCurrentBookmark() "+
			"gives them", ErrBookmark, string(b))
	}
	for i, to := range []*uint32{&id.epoch, &p.Log, &p.Frame} {
		n, err := strconv.ParseUint(m[i+1], 16, 32)
		if err != nil {
			return id, p, err
		}
		*to = uint32(n)
	}
	_, err = hex.Decode(id.check[:], []byte(m[4]))
	return id, p, err
}
