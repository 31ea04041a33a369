package sqlite

import (
	"errors"
	"fmt"
	"strings"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// Trust says who wrote a statement.
type Trust bool

const (
	// Trusted statements are eddy's own: everything is allowed.
	Trusted Trust = false
	// Regulated statements are a user's (SQL10 to SQL13).
	Regulated Trust = true
)

// Stmt is one compiled statement with its bindings and its position.
type Stmt struct {
	db       *DB
	stmt     uintptr
	trust    Trust
	readOnly bool
	columns  int
	params   int
	counts   counts
}

// Prepare compiles the first statement of sql and returns what follows it. A
// text without a statement (empty, comments) gives a nil statement.
func (db *DB) Prepare(sql string, trust Trust) (*Stmt, string, error) {
	st, tail, err := db.prepare(sql, trust)
	if e, ok := err.(*Error); ok && trust == Regulated && strings.HasSuffix(e.Message, "syntax error") {
		return db.prepareLimited(sql, err)
	}
	return st, tail, err
}

// prepare is Prepare without the statements that SQLite's build lacks.
func (db *DB) prepare(sql string, trust Trust) (*Stmt, string, error) {
	if db.conn == 0 {
		return nil, "", fmt.Errorf("database %s is closed", db.path)
	}
	const out = 16 // two pointers come back in front of the text
	if err := db.grow(len(sql) + 1 + out); err != nil {
		return nil, "", err
	}
	text := db.scratch + out
	db.poke(text, sql)
	db.regulated, db.refusal = bool(trust), ""
	rc := lib.Xsqlite3_prepare_v3(db.tls, db.conn, text, int32(len(sql)), 0, db.scratch, db.scratch+8)
	db.regulated = false
	if rc != lib.SQLITE_OK {
		if db.refusal != "" {
			return nil, "", errors.New(db.refusal)
		}
		return nil, "", db.err(rc)
	}
	tail := sql[db.pointerAt(db.scratch+8)-text:]
	handle := db.pointerAt(db.scratch)
	db.shrink()
	if handle == 0 {
		return nil, tail, nil
	}
	s := &Stmt{
		db: db, stmt: handle, trust: trust,
		readOnly: lib.Xsqlite3_stmt_readonly(db.tls, handle) != 0,
		columns:  int(lib.Xsqlite3_column_count(db.tls, handle)),
		params:   int(lib.Xsqlite3_bind_parameter_count(db.tls, handle)),
	}
	if trust == Regulated {
		if renamesToReserved(sql[:len(sql)-len(tail)]) {
			lib.Xsqlite3_finalize(db.tls, handle)
			return nil, "", &Error{Code: lib.SQLITE_AUTH, Message: "not authorized", Offset: -1, Path: db.path}
		}
		s.counts = analyse(s)
	}
	db.stmts[s] = struct{}{}
	return s, tail, nil
}

// Close releases the statement. Calling it again does nothing.
func (s *Stmt) Close() {
	if s.stmt == 0 {
		return
	}
	// The result repeats the error of the last step, which was reported then.
	lib.Xsqlite3_finalize(s.db.tls, s.stmt)
	s.stmt = 0
	delete(s.db.stmts, s)
}

// Closed reports whether Close was called, on the statement or its DB.
func (s *Stmt) Closed() bool { return s.stmt == 0 }

// ReadOnly reports whether running the statement leaves the database as it is.
func (s *Stmt) ReadOnly() bool { return s.readOnly }

// Params is the number of values to bind.
func (s *Stmt) Params() int { return s.params }

// Step runs to the next row and reports whether there is one.
func (s *Stmt) Step() (bool, error) {
	if s.stmt == 0 {
		return false, fmt.Errorf("database %s: statement is closed", s.db.path)
	}
	db := s.db
	db.regulated, db.refusal = bool(s.trust), ""
	rc := lib.Xsqlite3_step(db.tls, s.stmt)
	db.regulated = false
	switch rc {
	case lib.SQLITE_ROW:
		s.counts.row(s)
		return true, nil
	case lib.SQLITE_DONE:
		s.counts.done(s)
		return false, nil
	}
	err := db.err(rc)
	if db.refusal != "" {
		err = errors.New(db.refusal)
	}
	lib.Xsqlite3_reset(db.tls, s.stmt)
	return false, err
}

// Reset makes the statement ready to run again and drops its bindings.
func (s *Stmt) Reset() {
	if s.stmt == 0 {
		return
	}
	lib.Xsqlite3_reset(s.db.tls, s.stmt)
	if s.params > 0 {
		lib.Xsqlite3_clear_bindings(s.db.tls, s.stmt)
	}
	s.counts.reset(s)
}

// BindNull binds NULL; parameters count from 1.
func (s *Stmt) BindNull(i int) error {
	return s.bound(lib.Xsqlite3_bind_null(s.db.tls, s.stmt, int32(i)))
}

// BindInt binds an INTEGER.
func (s *Stmt) BindInt(i int, v int64) error {
	return s.bound(lib.Xsqlite3_bind_int64(s.db.tls, s.stmt, int32(i), lib.Tsqlite3_int64(v)))
}

// BindFloat binds a REAL; NaN becomes NULL.
func (s *Stmt) BindFloat(i int, v float64) error {
	return s.bound(lib.Xsqlite3_bind_double(s.db.tls, s.stmt, int32(i), v))
}

// transient tells SQLite to copy what it is handed.
const transient = ^uintptr(0)

// BindText binds a TEXT.
func (s *Stmt) BindText(i int, v string) error {
	if err := s.db.grow(len(v) + 1); err != nil {
		return err
	}
	s.db.poke(s.db.scratch, v)
	rc := lib.Xsqlite3_bind_text(s.db.tls, s.stmt, int32(i), s.db.scratch, int32(len(v)), transient)
	s.db.shrink()
	return s.bound(rc)
}

// BindBytes binds a BLOB; an empty one stays a BLOB.
func (s *Stmt) BindBytes(i int, v []byte) error {
	if err := s.db.grow(len(v) + 1); err != nil {
		return err
	}
	copy(libc.GoBytes(s.db.scratch, len(v)), v)
	rc := lib.Xsqlite3_bind_blob(s.db.tls, s.stmt, int32(i), s.db.scratch, int32(len(v)), transient)
	s.db.shrink()
	return s.bound(rc)
}

func (s *Stmt) bound(rc int32) error {
	if rc != lib.SQLITE_OK {
		return s.db.err(rc)
	}
	return nil
}

// Columns is the number of columns of the result. It may change when SQLite
// compiles the statement again after a schema change.
func (s *Stmt) Columns() int { return int(lib.Xsqlite3_column_count(s.db.tls, s.stmt)) }

// ColumnName is the name of column i, counted from 0.
func (s *Stmt) ColumnName(i int) string {
	return libc.GoString(lib.Xsqlite3_column_name(s.db.tls, s.stmt, int32(i)))
}

// Null reports whether the value in column i is NULL.
func (s *Stmt) Null(i int) bool {
	return lib.Xsqlite3_column_type(s.db.tls, s.stmt, int32(i)) == lib.SQLITE_NULL
}

// Int is the value in column i as an integer.
func (s *Stmt) Int(i int) int64 {
	return int64(lib.Xsqlite3_column_int64(s.db.tls, s.stmt, int32(i)))
}

// Text is the value in column i as text. Bytes that are not UTF-8 become U+FFFD.
func (s *Stmt) Text(i int) string {
	p := lib.Xsqlite3_column_text(s.db.tls, s.stmt, int32(i))
	n := int(lib.Xsqlite3_column_bytes(s.db.tls, s.stmt, int32(i)))
	if p == 0 || n == 0 {
		return ""
	}
	return strings.ToValidUTF8(string(libc.GoBytes(p, n)), "\uFFFD")
}

// Bytes is a copy of the value in column i.
func (s *Stmt) Bytes(i int) []byte {
	p := lib.Xsqlite3_column_blob(s.db.tls, s.stmt, int32(i))
	n := int(lib.Xsqlite3_column_bytes(s.db.tls, s.stmt, int32(i)))
	out := make([]byte, n)
	if p != 0 && n > 0 {
		copy(out, libc.GoBytes(p, n))
	}
	return out
}

// Value is the value in column i: nil, int64, float64, string or []byte.
func (s *Stmt) Value(i int) any {
	switch lib.Xsqlite3_column_type(s.db.tls, s.stmt, int32(i)) {
	case lib.SQLITE_INTEGER:
		return s.Int(i)
	case lib.SQLITE_FLOAT:
		return lib.Xsqlite3_column_double(s.db.tls, s.stmt, int32(i))
	case lib.SQLITE_TEXT:
		return s.Text(i)
	case lib.SQLITE_BLOB:
		return s.Bytes(i)
	}
	return nil
}

// Scalar is the value in column i with integers as float64, as JavaScript has
// numbers.
func (s *Stmt) Scalar(i int) any {
	if lib.Xsqlite3_column_type(s.db.tls, s.stmt, int32(i)) == lib.SQLITE_INTEGER {
		return float64(s.Int(i))
	}
	return s.Value(i)
}

// Bind binds a value of any type that Value returns.
func (s *Stmt) Bind(i int, v any) error {
	switch v := v.(type) {
	case nil:
		return s.BindNull(i)
	case int64:
		return s.BindInt(i, v)
	case float64:
		return s.BindFloat(i, v)
	case string:
		return s.BindText(i, v)
	case []byte:
		return s.BindBytes(i, v)
	}
	return fmt.Errorf("cannot bind a %T to a SQL parameter", v)
}
