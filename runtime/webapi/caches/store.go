package caches

import (
	"net/http"
	"sync"
	"time"
)

// Store keeps the responses of the Cache API. Any goroutine.
type Store interface {
	// Get finds an entry; nil if there is none. It may return an entry that has expired.
	Get(cache, key string) (*StoredResponse, error)
	// Put stores an entry in the place of an older one.
	Put(cache, key string, e *StoredResponse) error
	// Delete reports whether there was an entry.
	Delete(cache, key string) (bool, error)
}

// Default is the name of caches.default.
const Default = ""

// StoredResponse is a stored response. It is not changed once stored.
type StoredResponse struct {
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
		entries map[[2]string]*StoredResponse
	}
}

// Get implements [Store].
func (m *Memory) Get(cache, key string) (*StoredResponse, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mu.entries[[2]string{cache, key}], nil
}

// Put implements [Store].
func (m *Memory) Put(cache, key string, e *StoredResponse) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.mu.entries == nil {
		m.mu.entries = map[[2]string]*StoredResponse{}
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
