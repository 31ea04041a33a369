package sqlite

import "container/list"

// Cache keeps compiled statements by text, up to a total length of text.
type Cache struct {
	db      *DB
	limit   int // bytes of SQL
	size    int
	order   *list.List // of *cached, most recently used first
	entries map[string]*list.Element
}

type cached struct {
	sql  string
	stmt *Stmt
	busy bool
}

// NewCache makes a cache that holds statements of at most limit bytes of SQL.
func NewCache(db *DB, limit int) *Cache {
	return &Cache{db: db, limit: limit, order: list.New(), entries: map[string]*list.Element{}}
}

// Take returns the idle statement for a text, or nil. The caller has it for
// itself until Give.
func (c *Cache) Take(sql string) *Stmt {
	el, ok := c.entries[sql]
	if !ok {
		return nil
	}
	e := el.Value.(*cached)
	if e.busy || e.stmt.Closed() {
		return nil
	}
	e.busy = true
	c.order.MoveToFront(el)
	return e.stmt
}

// Give returns a statement to the cache, or adds it. A second statement of the
// same text is closed.
func (c *Cache) Give(sql string, s *Stmt) {
	if s.Closed() {
		return
	}
	if el, ok := c.entries[sql]; ok {
		e := el.Value.(*cached)
		if e.stmt == s {
			e.busy = false
			s.Reset()
			return
		}
		s.Close()
		return
	}
	s.Reset()
	c.entries[sql] = c.order.PushFront(&cached{sql: sql, stmt: s})
	c.size += len(sql)
	for el := c.order.Back(); el != nil && c.size > c.limit; {
		prev := el.Prev()
		if e := el.Value.(*cached); !e.busy {
			c.remove(el)
		}
		el = prev
	}
}

func (c *Cache) remove(el *list.Element) {
	e := el.Value.(*cached)
	c.order.Remove(el)
	delete(c.entries, e.sql)
	c.size -= len(e.sql)
	e.stmt.Close()
}
