package storage

import (
	"eddy/runtime/sqlite"
)

// ListOptions selects a range of keys (KV7). Unset fields do not restrict.
type ListOptions struct {
	Start      *string // first key
	StartAfter *string // last key before the range; excludes Start
	End        *string // first key after the range
	Prefix     string
	Reverse    bool // from the last key of the range
	Limit      int  // 0 for all; applied last
}

// bounds turns the options into a half-open interval of keys; hi is nil for
// "up to the end".
func (o ListOptions) bounds() (lo string, hi *string, empty bool) {
	if o.Start != nil {
		lo = *o.Start
	}
	if o.StartAfter != nil {
		lo = max(lo, *o.StartAfter+"\x00") // the next possible key
	}
	hi = o.End
	if o.Prefix != "" {
		lo = max(lo, o.Prefix)
		if end := successor(o.Prefix); end != "" && (hi == nil || end < *hi) {
			hi = &end
		}
	}
	return lo, hi, hi != nil && *hi <= lo
}

// successor is the first key after all keys with the prefix, or "".
func successor(prefix string) string {
	b := []byte(prefix)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] < 0xFF {
			b[i]++
			return string(b[:i+1])
		}
	}
	return ""
}

func (o ListOptions) sql(hi *string) string {
	q := "SELECT key, value FROM _cf_KV WHERE key >= ?1"
	if hi != nil {
		q += " AND key < ?2"
	}
	q += " ORDER BY key"
	if o.Reverse {
		q += " DESC"
	}
	if o.Limit > 0 {
		q += " LIMIT ?3"
	}
	return q
}

func (o ListOptions) bind(q *sqlite.Stmt, lo string, hi *string) error {
	if err := q.BindText(1, lo); err != nil {
		return err
	}
	if hi != nil {
		if err := q.BindText(2, *hi); err != nil {
			return err
		}
	}
	if o.Limit > 0 {
		return q.BindInt(3, int64(o.Limit))
	}
	return nil
}

// List returns the entries of a range as they are now (KV7, KV9).
func (s *Store) List(o ListOptions) ([]Pair, error) {
	lo, hi, empty := o.bounds()
	h, err := s.readKV()
	if h == nil || empty {
		return nil, err
	}
	q, err := h.statement(o.sql(hi))
	if err != nil {
		return nil, s.fail(err)
	}
	defer q.Reset()
	if err := o.bind(q, lo, hi); err != nil {
		return nil, s.fail(err)
	}
	var out []Pair
	for {
		more, err := q.Step()
		if err != nil || !more {
			return out, s.fail(err)
		}
		out = append(out, Pair{string(q.Bytes(0)), q.Bytes(1)})
	}
}

// KVCursor walks over a range of keys (KV14). Only one is alive per object. The call that makes it reads its first
// entry, as on the platform: a write before Next changes neither that entry nor an empty range.
type KVCursor struct {
	s     *Store
	stmt  *sqlite.Stmt // nil at the end
	first *Pair        // not handed out yet
	err   error        // why it ended early
}

// ListCursor starts a walk and invalidates the one before.
func (s *Store) ListCursor(o ListOptions) (*KVCursor, error) {
	if s.kvCursor != nil {
		s.kvCursor.cancel(ErrListInvalidated)
	}
	c := &KVCursor{s: s}
	lo, hi, empty := o.bounds()
	h, err := s.readKV()
	if err != nil {
		return nil, err
	}
	if h == nil || empty {
		return c, nil
	}
	q, _, err := h.db.Prepare(o.sql(hi), sqlite.Trusted)
	if err != nil {
		return nil, s.fail(err)
	}
	if err := o.bind(q, lo, hi); err != nil {
		q.Close()
		return nil, s.fail(err)
	}
	c.stmt, s.kvCursor = q, c
	switch e, ok, err := c.Next(); {
	case err != nil:
		return nil, err
	case ok:
		c.first = &e
	}
	return c, nil
}

// Next returns the next entry, and whether there is one.
func (c *KVCursor) Next() (Pair, bool, error) {
	if c.stmt == nil {
		return Pair{}, false, c.err
	}
	if e := c.first; e != nil {
		c.first = nil
		return *e, true, nil
	}
	more, err := c.stmt.Step()
	if err != nil {
		err = c.s.fail(err)
		c.cancel(err)
		return Pair{}, false, err
	}
	if !more {
		c.Close()
		return Pair{}, false, nil
	}
	return Pair{string(c.stmt.Bytes(0)), c.stmt.Bytes(1)}, true, nil
}

// Close ends the walk.
func (c *KVCursor) Close() { c.cancel(nil) }

func (c *KVCursor) cancel(err error) {
	if c.stmt == nil {
		return
	}
	c.stmt.Close()
	c.stmt, c.err = nil, err
	if c.s.kvCursor == c {
		c.s.kvCursor = nil
	}
}
