package secretsstore

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"eddy/runtime/bindings/kv"
	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/clock"
	"eddy/runtime/statedir"
)

// ErrNotFound: no secret of the store has this id.
var ErrNotFound = errors.New("Secret not found")

// maxValue is the platform's limit of a secret, in bytes (Cloudflare's documentation of Secrets Store).
const maxValue = 1024

// kind is the folder that the reference keeps stores in.
const kind = "secrets-store"

// Options configure a [Store].
type Options struct {
	State statedir.Dir
	// ID is the store_id of the configuration.
	ID    string
	Clock clock.Clock
	// Relaxed leaves it to the operating system when a secret reaches the disk.
	Relaxed bool
	// Way leads to the store of a cluster; nil for one in State.
	Way objectstore.Way
}

// Store is one store of secrets. Any goroutine.
type Store struct {
	id string
	kv kv.Namespace
	// file is kv if the store is in a state directory, else nil.
	file *kv.Store
}

// Kind is how the folder of stores is called, and what a cluster calls them.
const Kind = kind

// Secret is what a listing shows of a secret.
type Secret struct {
	Name string `json:"name"`
	// ID is what commands name the secret by, 32 hex digits if it was made here.
	ID string `json:"id"`
}

// New makes a store; nothing is opened yet.
func New(o Options) *Store {
	if o.Way != nil {
		return &Store{id: o.ID, kv: kv.AwayNamespace{Way: o.Way}}
	}
	index, values := Paths(o.State, o.ID)
	file := kv.New(kv.Options{Index: index, Values: values, Clock: o.Clock, Relaxed: o.Relaxed})
	return &Store{id: o.ID, kv: file, file: file}
}

// Paths are where the reference keeps the store of an id in a state directory.
func Paths(state statedir.Dir, id string) (index, values string) {
	return objectstore.IndexPath(state, kind, kind+"-KVNamespaceObject", id), state.Blobs(kind, id)
}

// Value is the value of a secret; ok is false when there is none.
func (s *Store) Value(name string) (value string, ok bool, err error) {
	e, ok, err := s.kv.Get(name)
	return string(e.Value), ok, err
}

// metadata is what stands beside a value.
type metadata struct {
	UUID string `json:"uuid"`
}

// Create stores a secret under a new id, in place of one of the same name.
func (s *Store) Create(name, value string) (id string, err error) {
	return s.put(name, value, newID())
}

func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return hex.EncodeToString(b[:])
}

func (s *Store) put(name, value, id string) (string, error) {
	if len(value) > maxValue {
		return "", fmt.Errorf("a secret has at most %d bytes; this one has %d", maxValue, len(value))
	}
	about, err := json.Marshal(metadata{id})
	if err != nil {
		return "", err
	}
	e := kv.StoredValue{Value: []byte(value), Metadata: string(about)}
	if err := kv.Check(name, e); err != nil {
		return "", err
	}
	return id, s.kv.Put(name, e)
}

// Secrets lists the store in the order of the names.
func (s *Store) Secrets() ([]Secret, error) {
	var list []Secret
	for cursor := ""; ; {
		p, err := s.kv.List("", cursor, 1000)
		if err != nil {
			return nil, err
		}
		for _, k := range p.Keys {
			var about metadata
			// A key that something else wrote has no id, and is listed without one.
			_ = json.Unmarshal([]byte(k.Metadata), &about)
			list = append(list, Secret{k.Name, about.UUID})
		}
		if cursor = p.Cursor; cursor == "" {
			return list, nil
		}
	}
}

// Get is the name of the secret with an id.
func (s *Store) Get(id string) (name string, err error) {
	list, err := s.Secrets()
	if err != nil {
		return "", err
	}
	for _, secret := range list {
		if secret.ID == id && id != "" {
			return secret.Name, nil
		}
	}
	return "", ErrNotFound
}

// Update gives the secret with an id another value.
func (s *Store) Update(id, value string) error {
	name, err := s.Get(id)
	if err != nil {
		return err
	}
	_, err = s.put(name, value, id)
	return err
}

// Duplicate stores the value of the secret with an id under another name too.
func (s *Store) Duplicate(id, newName string) (newID string, err error) {
	name, err := s.Get(id)
	if err != nil {
		return "", err
	}
	value, ok, err := s.Value(name)
	if err == nil && !ok {
		err = ErrNotFound
	}
	if err != nil {
		return "", err
	}
	return s.Create(newName, value)
}

// Delete removes the secret with an id.
func (s *Store) Delete(id string) error {
	name, err := s.Get(id)
	if err != nil {
		return err
	}
	return s.Remove(name)
}

// Remove removes the secret with a name, if it is there.
func (s *Store) Remove(name string) error { return s.kv.Delete(name) }

// Uses counts the calls so far. If it is what it was, nothing has been stored meanwhile.
func (s *Store) Uses() int64 { return s.file.Uses() }

// Rest closes the files until the next call: somebody replaces them meanwhile.
func (s *Store) Rest() error { return s.file.Rest() }

// Clear removes everything.
func (s *Store) Clear() error { return s.file.Clear() }

// Close closes the files.
func (s *Store) Close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
