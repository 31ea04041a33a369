package storage

import (
	"fmt"
	"slices"

	"eddy/runtime/sqlite"
)

// Pair is one key with its value. Keys are UTF-8; lone surrogates of
// JavaScript strings may be encoded as three bytes each.
type Pair struct {
	Key   string
	Value []byte
}

const createKV = `CREATE TABLE IF NOT EXISTS _cf_KV (
        key TEXT PRIMARY KEY,
        value BLOB
      ) WITHOUT ROWID`

// readKV returns the handle if the object has a table of keys.
func (s *Store) readKV() (*handle, error) {
	h, err := s.acquire(false)
	if h == nil || err != nil {
		return nil, err
	}
	if !h.kvTable {
		if h.kvTable, err = h.hasTable("_cf_KV"); err != nil {
			return nil, s.fail(err)
		}
	}
	if !h.kvTable {
		return nil, nil
	}
	return h, nil
}

// writeKV returns the handle with the transaction and the table in place.
func (s *Store) writeKV() (*handle, error) {
	h, err := s.write()
	if err != nil || h.kvTable {
		return h, err
	}
	if err := s.query(h, createKV, nil); err != nil {
		return nil, err
	}
	h.kvTable = true
	return h, nil
}

// Get returns the value of a key, and whether there is one.
func (s *Store) Get(key string) ([]byte, bool, error) {
	if err := s.checkKey(key); err != nil {
		return nil, false, err
	}
	h, err := s.readKV()
	if h == nil {
		return nil, false, err
	}
	var value []byte
	found := false
	err = s.query(h, "SELECT value FROM _cf_KV WHERE key = ?", func(q *sqlite.Stmt) { value, found = q.Bytes(0), true },
		key)
	return value, found, err
}

// GetMulti returns the entries that exist, each once, ordered by key (KV3).
func (s *Store) GetMulti(keys []string) ([]Pair, error) {
	if err := s.checkCount(len(keys), "keys"); err != nil {
		return nil, err
	}
	keys = slices.Clone(keys)
	slices.Sort(keys)
	var out []Pair
	for _, k := range slices.Compact(keys) {
		v, ok, err := s.Get(k)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, Pair{k, v})
		}
	}
	return out, nil
}

// Put stores a value.
func (s *Store) Put(key string, value []byte) error {
	if err := s.checkEntry(key, value); err != nil {
		return err
	}
	h, err := s.writeKV()
	if err != nil {
		return err
	}
	return s.put(h, key, value)
}

func (s *Store) put(h *handle, key string, value []byte) error {
	q, err := h.statement("INSERT INTO _cf_KV VALUES(?, ?) ON CONFLICT DO UPDATE SET value = excluded.value")
	if err != nil {
		return s.fail(err)
	}
	defer q.Reset()
	if err := q.BindText(1, key); err != nil {
		return s.fail(err)
	}
	if err := q.BindBytes(2, value); err != nil {
		return s.fail(err)
	}
	_, err = q.Step()
	return s.fail(err)
}

// PutMulti stores all entries or, if one fails, none (KV11).
func (s *Store) PutMulti(entries []Pair) error {
	if err := s.checkCount(len(entries), "pairs"); err != nil {
		return err
	}
	for _, e := range entries {
		if err := s.checkEntry(e.Key, e.Value); err != nil {
			return err
		}
	}
	if len(entries) == 0 {
		return nil
	}
	h, err := s.writeKV()
	if err != nil {
		return err
	}
	if err := s.query(h, "SAVEPOINT _cf_put_multiple_savepoint", nil); err != nil {
		return err
	}
	for _, e := range entries {
		if err := s.put(h, e.Key, e.Value); err != nil {
			if s.broken == nil {
				if undo := s.query(h, "ROLLBACK TO _cf_put_multiple_savepoint", nil); undo != nil {
					return undo
				}
				if undo := s.query(h, "RELEASE _cf_put_multiple_savepoint", nil); undo != nil {
					return undo
				}
			}
			return err
		}
	}
	return s.query(h, "RELEASE _cf_put_multiple_savepoint", nil)
}

// Delete removes a key and reports whether it existed (KV6).
func (s *Store) Delete(key string) (bool, error) {
	if err := s.checkKey(key); err != nil {
		return false, err
	}
	h, err := s.readKV()
	if h == nil {
		return false, err
	}
	if h, err = s.write(); err != nil {
		return false, err
	}
	if err := s.query(h, "DELETE FROM _cf_KV WHERE key = ?", nil, key); err != nil {
		return false, err
	}
	return h.db.Changes() > 0, nil
}

// DeleteMulti removes keys and returns how many existed (KV6).
func (s *Store) DeleteMulti(keys []string) (int, error) {
	if err := s.checkCount(len(keys), "keys"); err != nil {
		return 0, err
	}
	for _, k := range keys {
		if err := s.checkKey(k); err != nil {
			return 0, err
		}
	}
	n := 0
	for _, k := range keys {
		ok, err := s.Delete(k)
		if err != nil {
			return n, err
		}
		if ok {
			n++
		}
	}
	return n, nil
}

func (s *Store) checkKey(key string) error {
	if limit := s.ns.opts.Limits.KeyBytes; limit > 0 && len(key) > limit {
		return &LimitError{fmt.Sprintf("Keys cannot be larger than %d bytes. A key of size %d was provided.", limit,
			len(key))}
	}
	return nil
}

func (s *Store) checkEntry(key string, value []byte) error {
	if err := s.checkKey(key); err != nil {
		return err
	}
	if limit := s.ns.opts.Limits.ValueBytes; limit > 0 && len(value) > limit {
		return &LimitError{fmt.Sprintf("Values cannot be larger than %d bytes. A value of size %d was provided.", limit,
			len(value))}
	}
	return nil
}

func (s *Store) checkCount(n int, what string) error {
	if limit := s.ns.opts.Limits.Keys; limit > 0 && n > limit {
		return &LimitError{fmt.Sprintf("Maximum number of %s is %d.", what, limit)}
	}
	return nil
}
