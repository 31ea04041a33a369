package session

import (
	"github.com/dop251/goja"

	"eddy/runtime/worker"
)

// ObjectHelpers is what cloudflare:test does with Durable Objects, for an isolate of the session.
func (s *Session) ObjectHelpers(iso *worker.Isolate) *goja.Object { return s.objects.TestHelpers(iso) }

// ClearStores empties the KV namespaces, R2 buckets, D1 databases, rate limiters and the cache of the session. Not on a
// loop goroutine.
func (s *Session) ClearStores() error { return s.stores.clear() }
