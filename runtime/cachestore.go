package runtime

import (
	"sync"

	"eddy/runtime/webapi/fetch"
)

// cacheStore is the store of the Cache API, made for the first Worker that starts.
type cacheStore struct {
	once sync.Once
	disk *fetch.DiskCache
}

// cacheStore is the store that all Workers of the session share (RT13). It is a folder of its own: wrangler's v3/cache
// has another format.
func (d *stateDir) cacheStore() *fetch.DiskCache {
	d.cache.once.Do(func() { d.cache.disk = fetch.NewDiskCache(d.v3("eddy", "cache"), 0) })
	return d.cache.disk
}
