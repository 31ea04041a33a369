package caches

import (
	"net/http"
	"sync"
	"time"
)

// Store keeps the responses of the Cache API. Any goroutine.
type Store interface {
	// Get finds an entry; nil if there is none. Expired ones may be returned.
	Get(cache, key string) (*Entry, error)
	// Put stores an entry in the place of an older one.
	Put(cache, key string, e *Entry) error
	// Delete reports whether there was an entry.
	Delete(cache, key string) (bool, error)
}

// Default is the name of caches.default.
const Default = ""

// Entry is a stored response. It is not changed once stored.
type Entry struct {
	Status     int
	StatusText string
	Header     http.Header
	Body       []byte
	Expires    time.Time
}

// Memory is a Store in memory. Its zero value is empty.
type Memory struct {
	mu struct {
		sync.Mutex
		entries map[[2]string]*Entry
	}
}

// Get implements [Store].
func (m *Memory) Get(cache, key string) (*Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mu.entries[[2]string{cache, key}], nil
}

// Put implements [Store].
func (m *Memory) Put(cache, key string, e *Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.mu.entries == nil {
		m.mu.entries = map[[2]string]*Entry{}
	}
	m.mu.entries[[2]string{cache, key}] = e
	return nil
}

// Delete implements [Store].
func (m *Memory) Delete(cache, key string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, had := m.mu.entries[[2]string{cache, key}]
	delete(m.mu.entries, [2]string{cache, key})
	return had, nil
}
