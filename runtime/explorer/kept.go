package explorer

import (
	"crypto/rand"
	"strings"
	"sync"
)

// kept holds the latest of what pages show that nothing else keeps, by keys that cannot be guessed: a page of an older
// one is gone. Any goroutine.
type kept[T any] struct {
	mu   sync.Mutex
	last map[string]T // by key; guarded by mu, as is keys
	keys []string
}

// mostKept is how many are kept.
const mostKept = 20

// keep returns the key of what it keeps.
func (k *kept[T]) keep(v T) (key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	key = strings.ToLower(rand.Text())
	if k.last == nil {
		k.last = map[string]T{}
	}
	k.last[key], k.keys = v, append(k.keys, key)
	if len(k.keys) > mostKept {
		delete(k.last, k.keys[0])
		k.keys = k.keys[1:]
	}
	return key
}

func (k *kept[T]) get(key string) (v T, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	v, ok = k.last[key]
	return v, ok
}
