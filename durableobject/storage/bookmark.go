package storage

import (
	"fmt"
	"math"

	"eddy/runtime/sqlite"
)

// CurrentBookmark returns a bookmark that sorts after all earlier ones of this
// object (SQL18). It counts calls, in row 2 of _cf_METADATA like the reference,
// and therefore writes.
func (s *Store) CurrentBookmark() (string, error) {
	h, err := s.write()
	if err != nil {
		return "", err
	}
	next := int64(0)
	if ok, err := s.hasMetadata(h); err != nil {
		return "", err
	} else if ok {
		err = s.query(h, "SELECT value FROM _cf_METADATA WHERE key = 2", func(q *sqlite.Stmt) {
			if !q.Null(0) {
				next = q.Int(0) + 1
			}
		})
		if err != nil {
			return "", err
		}
	}
	if err := s.putMetadata(h, 2, next); err != nil {
		return "", err
	}
	return fmt.Sprintf("%08x-%08x-%08x-%032x", next/math.MaxUint32, next%math.MaxUint32, 0, 0), nil
}
