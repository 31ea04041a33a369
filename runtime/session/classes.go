package session

import (
	"maps"
	"sync"

	"eddy/durableobject"
)

// classes know which namespace the objects of a class have, after what migrations have made of the data on disk (see
// [durableobject.Ledger]). Any goroutine.
type classes struct {
	mu     sync.Mutex
	keys   map[durableobject.ClassName]string // guarded by mu
	sqlite map[durableobject.ClassName]bool   // guarded by mu
}

// key is the unique key of a class's namespace, "" if nothing is known of it. Any goroutine.
func (c *classes) key(worker, class string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.keys[durableobject.ClassName{Worker: worker, Class: class}]
}

// isSQLite tells whether a Worker's class is SQLite-backed. For a transferred class the configuration does not say it.
// Any goroutine.
func (c *classes) isSQLite(worker, class string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sqlite[durableobject.ClassName{Worker: worker, Class: class}]
}

// know adds what plans say of classes. forget takes that back.
func (c *classes) know(plans []durableobject.Plan) (forget func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.keys == nil {
		c.keys, c.sqlite = map[durableobject.ClassName]string{}, map[durableobject.ClassName]bool{}
	}
	keys, sqlite := maps.Clone(c.keys), maps.Clone(c.sqlite)
	for _, p := range plans {
		for class, key := range p.Keys {
			name := durableobject.ClassName{Worker: p.Worker, Class: class}
			c.keys[name], c.sqlite[name] = key, p.SQLite[class]
		}
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.keys, c.sqlite = keys, sqlite
	}
}
