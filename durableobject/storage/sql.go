package storage

import (
	"strings"

	"eddy/runtime/sqlite"
)

// Cursor streams the rows of a query. It is always one row ahead of what it
// handed out, so that it ends with the last row and not one call later. It need
// not be read to the end; Close or the end of the Store releases it, and an open
// one locks the tables it reads against DROP (SQL16).
type Cursor struct {
	s       *Store
	sql     string       // cache key; empty if the statement is not kept
	stmt    *sqlite.Stmt // nil at the end
	names   []string
	row     []any
	err     error
	exact   bool // integers are int64, not what a script gets
	read    int64
	written int64
}

const sqlSpace = " \t\n\r\v\f"

// Exec runs SQL (SQL2, SQL7, SQL8): every statement of the text, the last one
// with the bindings, up to its first row. Bindings are nil, float64, string,
// []byte, or int64 for callers that are not JavaScript.
func (s *Store) Exec(query string, bindings ...any) (*Cursor, error) {
	h, err := s.acquire(true)
	if err != nil {
		return nil, err
	}
	if q := h.queries.Take(query); q != nil {
		return s.start(h, query, q, bindings)
	}
	rest := query
	for {
		q, tail, err := h.db.Prepare(rest, sqlite.Regulated)
		if err != nil {
			return nil, s.fail(err)
		}
		if q == nil {
			return nil, ErrNoStatement
		}
		if setsPragma(rest) {
			h.pinned = true
		}
		tail = strings.TrimLeft(tail, sqlSpace)
		if tail == "" {
			key := ""
			if len(rest) == len(query) {
				key = query
			}
			return s.start(h, key, q, bindings)
		}
		err = s.runFirst(q)
		q.Close()
		if err != nil {
			return nil, err
		}
		rest = tail
	}
}

// setsPragma reports whether a statement may change the connection, which then
// must not be closed while the object lives.
func setsPragma(sql string) bool {
	sql = strings.TrimLeft(sql, sqlSpace)
	return len(sql) > 6 && strings.EqualFold(sql[:6], "pragma") && strings.ContainsAny(sql, "=(")
}

// runFirst runs a statement that others follow.
func (s *Store) runFirst(q *sqlite.Stmt) error {
	if q.Params() > 0 {
		return ErrManyParameters
	}
	if !q.ReadOnly() {
		if _, err := s.write(); err != nil {
			return err
		}
	}
	_, err := q.Step()
	return s.fail(err)
}

// start binds and runs a statement up to its first row.
func (s *Store) start(h *handle, key string, q *sqlite.Stmt, bindings []any) (*Cursor, error) {
	c := &Cursor{s: s, sql: key, stmt: q}
	if len(bindings) != q.Params() {
		c.release()
		return nil, ErrBindings
	}
	if !q.ReadOnly() {
		if _, err := s.write(); err != nil {
			c.release()
			return nil, err
		}
	}
	for i, v := range bindings {
		if err := q.Bind(i+1, v); err != nil {
			c.release()
			return nil, s.fail(err)
		}
	}
	if s.cursors == nil {
		s.cursors = map[*Cursor]struct{}{}
	}
	s.cursors[c] = struct{}{}
	if err := c.step(); err != nil {
		return nil, err
	}
	if c.names == nil && c.stmt != nil {
		c.columns()
	}
	return c, nil
}

// columns reads the names, after the first step because SQLite may compile the
// statement again then.
func (c *Cursor) columns() {
	n := c.stmt.Columns()
	c.names = make([]string, n)
	for i := range n {
		c.names[i] = c.stmt.ColumnName(i)
	}
	c.row = make([]any, n)
}

// step moves to the next row and releases the statement at the end.
func (c *Cursor) step() error {
	more, err := c.stmt.Step()
	if err != nil {
		err = c.s.fail(err)
		c.cancel(err)
		return err
	}
	if !more {
		if c.names == nil {
			c.columns()
		}
		c.release()
	}
	return nil
}

// Columns are the names of the result's columns, also after the end (SQL2).
func (c *Cursor) Columns() []string { return c.names }

// Next returns the values of the next row, and whether there is one. Numbers
// are float64, also integers (SQL5). The slice is reused by the next call.
func (c *Cursor) Next() ([]any, bool, error) {
	if c.err != nil {
		return nil, false, c.err
	}
	if c.stmt == nil {
		return nil, false, nil
	}
	for i := range c.row {
		if c.exact {
			c.row[i] = c.stmt.Value(i)
		} else {
			c.row[i] = c.stmt.Scalar(i)
		}
	}
	if err := c.step(); err != nil {
		return nil, false, err
	}
	return c.row, true, nil
}

// RowsRead and RowsWritten count so far (SQL15, approximately).
func (c *Cursor) RowsRead() int64 {
	if c.stmt != nil {
		return c.stmt.RowsRead()
	}
	return c.read
}

// RowsWritten is the number of rows and index entries written.
func (c *Cursor) RowsWritten() int64 {
	if c.stmt != nil {
		return c.stmt.RowsWritten()
	}
	return c.written
}

// Close ends the query; Next then reports the end.
func (c *Cursor) Close() { c.release() }

func (c *Cursor) cancel(err error) {
	if c.stmt == nil {
		return
	}
	c.err = err
	c.release()
}

// release gives the statement back.
func (c *Cursor) release() {
	if c.stmt == nil {
		return
	}
	c.read, c.written = c.stmt.RowsRead(), c.stmt.RowsWritten()
	if h := c.s.handle; h != nil && c.sql != "" {
		h.queries.Give(c.sql, c.stmt)
	} else {
		c.stmt.Close()
	}
	c.stmt = nil
	delete(c.s.cursors, c)
}

// CloseCursors ends all queries, as when the object leaves memory.
func (s *Store) CloseCursors() { s.cancelCursors(nil) }

// cancelCursors ends all queries with an error.
func (s *Store) cancelCursors(err error) {
	for c := range s.cursors {
		c.cancel(err)
	}
	if s.kvCursor != nil {
		s.kvCursor.cancel(err)
	}
}
