package kv

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/clock"
	"eddy/runtime/sqlite"
	"eddy/runtime/statedir"
)

// Options configure a [Store].
type Options struct {
	// Index is the SQLite file, Values the directory of the values. Both are made by the first put.
	Index, Values string
	// Clock decides what has expired.
	Clock clock.Clock
	// Relaxed leaves it to the operating system when a put reaches the disk.
	Relaxed bool
	// Home is where a cluster keeps the namespace, nil outside of one.
	Home *objectstore.Home
}

// Store is one namespace. Its methods may be called from any goroutine.
type Store struct {
	clock clock.Clock
	index *objectstore.Index
}

// Paths are where wrangler keeps the namespace of an id in a state directory (DEV4).
func Paths(state statedir.Dir, id string) (index, values string) {
	return objectstore.IndexPath(state, "kv", "KVNamespaceObject", id), state.Blobs("kv", id)
}

// New makes a store; nothing is opened yet.
func New(o Options) *Store {
	return &Store{clock: o.Clock, index: objectstore.NewIndex(objectstore.IndexOptions{Path: o.Index, Schema: schema,
		What: "KV namespace", Relaxed: o.Relaxed, Home: o.Home, Named: named,
		Values: objectstore.Values{Dir: o.Values, Relaxed: o.Relaxed}})}
}

// StoredValue is what a key holds.
type StoredValue struct {
	Value []byte
	// Metadata is JSON, "" for none.
	Metadata string
	// Expiration is when the entry expires, zero for never. Whole seconds.
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

// schema is the one that miniflare writes.
const schema = `CREATE TABLE IF NOT EXISTS _mf_entries (
  key TEXT PRIMARY KEY,
  blob_id TEXT NOT NULL,
  expiration INTEGER,
  metadata TEXT
);
CREATE INDEX IF NOT EXISTS _mf_entries_expiration_idx ON _mf_entries(expiration);`

// named finds the entry whose value is called so.
const named = "SELECT 1 FROM _mf_entries WHERE blob_id = ?1"

// Check is the error with which the platform would refuse a put, nil if it would take it.
func Check(key string, e StoredValue) error {
	switch {
	case key == "" || key == "." || key == "..":
		return fmt.Errorf("%q is not allowed as a key name", key)
	case len(key) > maxKey:
		return fmt.Errorf("the key has %d bytes; the limit is %d", len(key), maxKey)
	case len(e.Value) > maxValue:
		return fmt.Errorf("the value has %d bytes; the limit is %d", len(e.Value), maxValue)
	case e.Metadata != "" && !json.Valid([]byte(e.Metadata)):
		return errors.New("the metadata is not JSON")
	case len(e.Metadata) > maxMetadata:
		return fmt.Errorf("the metadata has %d bytes; the limit is %d", len(e.Metadata), maxMetadata)
	}
	return nil
}

// Get reads a key; ok is false when there is none, or it has expired.
func (s *Store) Get(key string) (e StoredValue, ok bool, err error) {
	// A put that replaces the value between the look at the index and the reading of the value removes it: look
	// again.
	for range 100 {
		var value string
		if value, e, ok, err = s.find(key); err != nil || !ok {
			return StoredValue{}, false, err
		}
		if e.Value, err = s.index.ReadValue(value); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err != nil {
		return StoredValue{}, false, fmt.Errorf("KV value of %q: %w", key, err)
	}
	return e, true, nil
}

// find looks key up in the index.
func (s *Store) find(key string) (value string, e StoredValue, ok bool, err error) {
	err = s.index.Read(func(q objectstore.Execute) error {
		return q("SELECT blob_id, expiration, metadata FROM _mf_entries WHERE key = ? AND (expiration IS NULL OR "+
			"expiration > ?)",
			[]any{key, s.now()}, func(st *sqlite.Stmt) {
				value, e, ok = st.Text(0), StoredValue{Expiration: expiration(st, 1), Metadata: st.Text(2)}, true
			})
	})
	return value, e, ok, err
}

// lastSecond is the latest expiration: those after it are as far away as a JavaScript number can be exact.
const lastSecond = (1 << 53) / 1000

// Put stores an entry. It also removes what has expired meanwhile.
func (s *Store) Put(key string, e StoredValue) error {
	value, err := s.index.Make(bytes.NewReader(e.Value), s.clock.Now())
	if err != nil {
		return fmt.Errorf("KV value of %q: %w", key, err)
	}
	var expires, metadata any
	if !e.Expiration.IsZero() {
		expires = time.Unix(min(e.Expiration.Unix(), lastSecond), 0).UnixMilli()
	}
	if e.Metadata != "" {
		metadata = e.Metadata
	}
	return s.index.Exchange([]objectstore.Made{value}, func(q objectstore.Execute) (old []string, err error) {
		if old, err = q.Names(
			"DELETE FROM _mf_entries WHERE key = ? OR expiration <= ? RETURNING blob_id", key, s.now()); err != nil {
			return nil, err
		}
		return old, q("INSERT INTO _mf_entries (key, blob_id, expiration, metadata) VALUES (?, ?, ?, ?)",
			[]any{key, value.Name, expires, metadata}, nil)
	})
}

// Delete removes a key, if it is there.
func (s *Store) Delete(key string) error {
	return s.index.Exchange(nil, func(q objectstore.Execute) ([]string, error) {
		return q.Names("DELETE FROM _mf_entries WHERE key = ? RETURNING blob_id", key)
	})
}

// List returns at most limit keys that begin with prefix, in the order of their bytes, from cursor on.
func (s *Store) List(prefix, cursor string, limit int) (Page, error) {
	after, err := base64.StdEncoding.DecodeString(cursor)
	if err != nil {
		after = []byte(cursor) // not a cursor of ours: miniflare lists from there, too
	}
	var p Page
	err = s.index.Read(func(q objectstore.Execute) error {
		return q("SELECT key, expiration, metadata FROM _mf_entries WHERE key >= ?1 AND key < ?5 AND key > ?2"+
			" AND (expiration IS NULL OR expiration > ?3) ORDER BY key LIMIT ?4",
			[]any{prefix, string(after), s.now(), int64(limit) + 1, objectstore.Behind(prefix)}, func(st *sqlite.Stmt) {
				p.Keys = append(p.Keys, Key{Name: st.Text(0), Expiration: expiration(st, 1), Metadata: st.Text(2)})
			})
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

func (s *Store) now() int64 { return s.clock.Now().UnixMilli() }

// Close ends the store. Calling it again does nothing.
func (s *Store) Close() error { return s.index.Close() }

// Uses counts the calls so far. If it is what it was, nothing has been stored meanwhile.
func (s *Store) Uses() int64 { return s.index.Uses() }

// Rest closes the files until the next call: somebody replaces them meanwhile.
func (s *Store) Rest() error { return s.index.Rest() }

// Clear deletes all keys.
func (s *Store) Clear() error { return s.index.Clear() }

// Leave gives the namespace up, because it is another node's or will be.
func (s *Store) Leave() error { return s.index.Leave() }
