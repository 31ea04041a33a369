package fetch

import (
	"net/http"
	"sync"
	"time"
)

// CacheStore keeps the responses of the Cache API. Any goroutine.
type CacheStore interface {
	// Get finds an entry; nil if there is none. Expired ones may be returned.
	Get(cache, key string) (*CacheEntry, error)
	// Put stores an entry in the place of an older one.
	Put(cache, key string, e *CacheEntry) error
	// Delete reports whether there was an entry.
	Delete(cache, key string) (bool, error)
}

// DefaultCache is the name of caches.default.
const DefaultCache = ""

// CacheEntry is a stored response. It is not changed once stored.
type CacheEntry struct {
	Status     int
	StatusText string
	Header     http.Header
	Body       []byte
	Expires    time.Time
}

// MemoryCache is a CacheStore in memory. Its zero value is empty.
type MemoryCache struct {
	mu struct {
		sync.Mutex
		entries map[[2]string]*CacheEntry
	}
}

// Get implements [CacheStore].
func (m *MemoryCache) Get(cache, key string) (*CacheEntry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mu.entries[[2]string{cache, key}], nil
}

// Put implements [CacheStore].
func (m *MemoryCache) Put(cache, key string, e *CacheEntry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.mu.entries == nil {
		m.mu.entries = map[[2]string]*CacheEntry{}
	}
	m.mu.entries[[2]string{cache, key}] = e
	return nil
}

// Delete implements [CacheStore].
func (m *MemoryCache) Delete(cache, key string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, had := m.mu.entries[[2]string{cache, key}]
	delete(m.mu.entries, [2]string{cache, key})
	return had, nil
}
