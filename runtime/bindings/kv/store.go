package kv

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"eddy/durableobject"
	"eddy/runtime/clock"
	"eddy/runtime/sqlite"
)

// ErrClosed: the session has ended.
var ErrClosed = errors.New("the KV namespace is closed")

// Options configure a [Store].
type Options struct {
	// Index is the SQLite file, Values the directory of the values. Both are made by the first put.
	Index, Values string
	// Clock decides what has expired.
	Clock clock.Clock
	// Relaxed leaves it to the operating system when a put reaches the disk.
	Relaxed bool
}

// Store is one namespace. Its methods may be called from any goroutine.
type Store struct {
	o Options

	mu     sync.Mutex // guards all below, and the connection
	db     *sqlite.DB
	cache  *sqlite.Cache
	closed bool
}

// Paths are where wrangler keeps the namespace of an id under a state directory's v3 folder: the index in the file of a
// Durable Object with the id as its name (DEV4).
func Paths(v3, id string) (index, values string) {
	const uniqueKey = "miniflare-KVNamespaceObject"
	index = filepath.Join(v3, "kv", uniqueKey, durableobject.IDFromName(uniqueKey, id).String()+".sqlite")
	return index, filepath.Join(v3, "kv", id, "blobs")
}

// New makes a store; nothing is opened yet.
func New(o Options) *Store { return &Store{o: o} }

// Entry is what a key holds.
type Entry struct {
	Value []byte
	// Metadata is JSON, "" for none.
	Metadata string
	// Expiration is when the entry goes, zero for never. Whole seconds.
	Expiration time.Time
}

// Key is an entry of a listing.
type Key struct {
	Name       string
	Metadata   string
	Expiration time.Time
}

// Page is a part of a listing.
type Page struct {
	Keys []Key
	// Cursor asks for what follows, "" when nothing does.
	Cursor string
}

// schema is the one that miniflare writes, so that a state directory can go back and forth.
const schema = `CREATE TABLE IF NOT EXISTS _mf_entries (
  key TEXT PRIMARY KEY,
  blob_id TEXT NOT NULL,
  expiration INTEGER,
  metadata TEXT
);
CREATE INDEX IF NOT EXISTS _mf_entries_expiration_idx ON _mf_entries(expiration);`

// Check tells what the platform would refuse of a put.
func Check(key string, e Entry) error {
	switch {
	case key == "" || key == "." || key == "..":
		return fmt.Errorf("%q is not allowed as a key name", key)
	case len(key) > maxKey:
		return fmt.Errorf("the key has %d bytes; the limit is %d", len(key), maxKey)
	case len(e.Value) > maxValue:
		return fmt.Errorf("the value has %d bytes; the limit is %d", len(e.Value), maxValue)
	case e.Metadata != "" && !json.Valid([]byte(e.Metadata)):
		return errors.New("the metadata is no JSON")
	case len(e.Metadata) > maxMetadata:
		return fmt.Errorf("the metadata has %d bytes; the limit is %d", len(e.Metadata), maxMetadata)
	}
	return nil
}

// Get reads a key; ok is false when there is none, or it has expired.
func (s *Store) Get(key string) (e Entry, ok bool, err error) {
	// A put that replaces the value between the look at the index and the read of the file removes the file: look again.
	for range 100 {
		var value string
		if value, e, ok, err = s.find(key); err != nil || !ok {
			return Entry{}, false, err
		}
		if e.Value, err = os.ReadFile(s.file(value)); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err != nil {
		return Entry{}, false, fmt.Errorf("KV value of %q: %w", key, err)
	}
	return e, true, nil
}

// find looks key up in the index.
func (s *Store) find(key string) (value string, e Entry, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return "", Entry{}, false, err
	}
	err = s.query("SELECT blob_id, expiration, metadata FROM _mf_entries WHERE key = ? AND (expiration IS NULL OR expiration > ?)",
		[]any{key, s.now()}, func(st *sqlite.Stmt) {
			value, e, ok = st.Text(0), Entry{Expiration: expiration(st, 1), Metadata: st.Text(2)}, true
		})
	return value, e, ok, err
}

// Put stores an entry. The value is written first, the index after it: a crash leaves the old entry or the new one.
func (s *Store) Put(key string, e Entry) error {
	value, err := s.newValue()
	if err != nil {
		return err
	}
	if err := s.writeValue(value, e.Value); err != nil {
		return fmt.Errorf("KV value of %q: %w", key, err)
	}
	old, err := s.replace(key, value, e)
	if err != nil {
		return errors.Join(err, os.Remove(s.file(value)))
	}
	return s.remove(old)
}

// replace points key at a value and gives back the values that nothing points at any more: the key's old one and those
// that have expired.
func (s *Store) replace(key, value string, e Entry) (old []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return nil, err
	}
	var expires, metadata any
	if !e.Expiration.IsZero() {
		expires = e.Expiration.UnixMilli()
	}
	if e.Metadata != "" {
		metadata = e.Metadata
	}
	take := func(st *sqlite.Stmt) { old = append(old, st.Text(0)) }
	return old, s.transaction(func() error {
		if err := s.query("DELETE FROM _mf_entries WHERE expiration <= ? RETURNING blob_id", []any{s.now()}, take); err != nil {
			return err
		}
		if err := s.query("DELETE FROM _mf_entries WHERE key = ? RETURNING blob_id", []any{key}, take); err != nil {
			return err
		}
		return s.query("INSERT INTO _mf_entries (key, blob_id, expiration, metadata) VALUES (?, ?, ?, ?)",
			[]any{key, value, expires, metadata}, nil)
	})
}

// Delete removes a key, if it is there.
func (s *Store) Delete(key string) error {
	old, err := s.forget(key)
	if err != nil {
		return err
	}
	return s.remove(old)
}

func (s *Store) forget(key string) (old []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return nil, err
	}
	err = s.query("DELETE FROM _mf_entries WHERE key = ? RETURNING blob_id", []any{key}, func(st *sqlite.Stmt) { old = append(old, st.Text(0)) })
	return old, err
}

// List gives at most limit keys that begin with prefix, in the order of their bytes, from cursor on.
func (s *Store) List(prefix, cursor string, limit int) (Page, error) {
	after, err := base64.StdEncoding.DecodeString(cursor)
	if err != nil {
		after = []byte(cursor) // a cursor of nobody's: miniflare lists from there, too
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return Page{}, err
	}
	var p Page
	err = s.query("SELECT key, expiration, metadata FROM _mf_entries WHERE substr(key, 1, length(?1)) = ?1 AND key > ?2"+
		" AND (expiration IS NULL OR expiration > ?3) ORDER BY key LIMIT ?4",
		[]any{prefix, string(after), s.now(), int64(limit) + 1}, func(st *sqlite.Stmt) {
			p.Keys = append(p.Keys, Key{Name: st.Text(0), Expiration: expiration(st, 1), Metadata: st.Text(2)})
		})
	if len(p.Keys) > limit {
		p.Keys = p.Keys[:limit]
		p.Cursor = base64.StdEncoding.EncodeToString([]byte(p.Keys[limit-1].Name))
	}
	return p, err
}

func expiration(st *sqlite.Stmt, column int) time.Time {
	if st.Null(column) {
		return time.Time{}
	}
	return time.UnixMilli(st.Int(column))
}

func (s *Store) now() int64 { return s.o.Clock.Now().UnixMilli() }

func (s *Store) open() error {
	if s.closed {
		return ErrClosed
	}
	if s.db != nil {
		return nil
	}
	db, err := sqlite.Open(s.o.Index, sqlite.Options{Repair: true})
	if err != nil {
		return fmt.Errorf("KV namespace: %w", err)
	}
	setup := schema
	if !s.o.Relaxed {
		setup += "PRAGMA synchronous=FULL;"
	}
	if err := db.Exec(setup); err != nil {
		return errors.Join(fmt.Errorf("KV namespace %s: %w", s.o.Index, err), db.Close())
	}
	s.db, s.cache = db, sqlite.NewCache(db, 16<<10)
	return nil
}

// query runs one of the store's statements.
func (s *Store) query(sql string, params []any, row func(*sqlite.Stmt)) error {
	st := s.cache.Take(sql)
	if st == nil {
		var err error
		if st, _, err = s.db.Prepare(sql, sqlite.Trusted); err != nil {
			return fmt.Errorf("KV namespace %s: %w", s.o.Index, err)
		}
	}
	defer s.cache.Give(sql, st)
	for i, v := range params {
		if err := st.Bind(i+1, v); err != nil {
			return fmt.Errorf("KV namespace %s: %w", s.o.Index, err)
		}
	}
	for {
		more, err := st.Step()
		if err != nil {
			return fmt.Errorf("KV namespace %s: %w", s.o.Index, err)
		}
		if !more {
			return nil
		}
		if row != nil {
			row(st)
		}
	}
}

func (s *Store) transaction(f func() error) error {
	if err := s.db.Exec("BEGIN IMMEDIATE"); err != nil {
		return fmt.Errorf("KV namespace %s: %w", s.o.Index, err)
	}
	err := f()
	if err == nil {
		err = s.db.Exec("COMMIT")
	}
	if err != nil && s.db.InTransaction() {
		err = errors.Join(err, s.db.Exec("ROLLBACK"))
	}
	return err
}

// Close ends the store. Calling it again does nothing.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.db == nil {
		return nil
	}
	err := s.db.Close()
	s.db = nil
	return err
}
