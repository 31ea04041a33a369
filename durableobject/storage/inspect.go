package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"eddy/runtime/sqlite"
	"eddy/runtime/statedir"
)

// ErrReadOnly refuses a statement that would write in a query that may only read.
var ErrReadOnly = errors.New("attempt to write: this query may only read")

// nameTable is where wrangler dev keeps an object's name, in the object's own file (CL15).
const nameTable = "__miniflare_do_name"

// IsPlatformTable tells whether a table of an object's database is the platform's, not the object's own.
func IsPlatformTable(name string) bool {
	return strings.HasPrefix(name, "_cf_") || name == nameTable
}

// Query is a query from outside the object, by a person. The rules for a user's SQL hold (SQL10, SQL11, SQL12, SQL13).
type Query struct {
	SQL      string
	Bindings []any // of the last statement
	// Write lets it change the object; the caller commits.
	Write bool
	// Limit is the most rows that are kept, 0 for all.
	Limit int
	// Exact gives integers as int64, in the place of the number that a script gets (SQL5).
	Exact bool
}

// Result is what a Query gave: values are nil, float64, int64 if they are exact, string or []byte.
type Result struct {
	Columns   []string
	Rows      [][]any
	Truncated bool // there were more rows than Limit
}

// Query runs a query. A query that only reads takes no part in the turn's transaction; one that writes is atomic.
func (s *Store) Query(q Query) (res Result, err error) {
	h, err := s.acquire(false)
	if err != nil || h == nil {
		return res, err
	}
	if !q.Write {
		if err := onlyReads(h.db, q.SQL); err != nil {
			return res, err
		}
		return s.collect(q)
	}
	txn, err := s.Savepoint()
	if err != nil {
		return res, err
	}
	if res, err = s.collect(q); err != nil {
		return res, errors.Join(err, txn.Rollback())
	}
	return res, txn.Commit()
}

// onlyReads refuses a text with a statement that writes. A statement that does not compile fails later, when it is run.
func onlyReads(db *sqlite.DB, text string) error {
	for text != "" {
		stmt, rest, err := db.Prepare(text, sqlite.Regulated)
		if err != nil || stmt == nil {
			return nil
		}
		reads := stmt.ReadOnly()
		stmt.Close()
		if !reads {
			return ErrReadOnly
		}
		text = strings.TrimLeft(rest, sqlSpace)
	}
	return nil
}

func (s *Store) collect(q Query) (Result, error) {
	c, err := s.Exec(q.SQL, q.Bindings...)
	if err != nil {
		return Result{}, err
	}
	defer c.Close()
	c.exact = q.Exact
	res := Result{Columns: c.Columns()}
	for {
		row, ok, err := c.Next()
		if err != nil || !ok {
			return res, err
		}
		if q.Limit > 0 && len(res.Rows) == q.Limit {
			res.Truncated = true
			if !q.Write {
				return res, nil
			}
			continue // what writes is run to its end
		}
		res.Rows = append(res.Rows, append([]any(nil), row...))
	}
}

// Table is a table of the object's own.
type Table struct {
	Name string
	SQL  string
	Rows int64
}

// Tables lists the object's own tables by name, the platform's left out.
func (s *Store) Tables() (list []Table, err error) {
	h, err := s.acquire(false)
	if err != nil || h == nil {
		return nil, err
	}
	err = s.query(h, "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER "+
		"BY name", func(q *sqlite.Stmt) {
		if name := q.Text(0); !IsPlatformTable(name) {
			list = append(list, Table{Name: name, SQL: q.Text(1)})
		}
	})
	for i := range list {
		if err != nil {
			break
		}
		list[i].Rows, err = s.count(h, list[i].Name)
	}
	return list, err
}

// Keys counts the keys of the key-value face.
func (s *Store) Keys() (int64, error) {
	h, err := s.readKV()
	if h == nil {
		return 0, err
	}
	return s.count(h, "_cf_KV")
}

// count runs a statement that is used once, so it is not kept compiled.
func (s *Store) count(h *handle, table string) (n int64, err error) {
	q, _, err := h.db.Prepare(`SELECT count(*) FROM "`+strings.ReplaceAll(table, `"`, `""`)+`"`, sqlite.Trusted)
	if err != nil {
		return 0, s.fail(err)
	}
	defer q.Close()
	if _, err := q.Step(); err != nil {
		return 0, s.fail(err)
	}
	return q.Int(0), nil
}

// RecordedName reads the name that an object's file records (CL15), "" if none, through a connection of its own that
// only reads: from any goroutine, whoever has the file open.
func RecordedName(path string) (name string, err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	db, err := sqlite.Open(path, sqlite.Options{ReadOnly: true})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	first := func(sql string) (text string, err error) {
		q, _, err := db.Prepare(sql, sqlite.Trusted)
		if err != nil {
			return "", err
		}
		defer q.Close()
		if _, err := q.Step(); err != nil {
			return "", err
		}
		return q.Text(0), nil
	}
	if found, err := first("SELECT name FROM sqlite_master WHERE name = '" + nameTable + "'"); err != nil ||
		found == "" {
		return "", err
	}
	return first("SELECT name FROM " + nameTable)
}

// ObjectFile is the path of an object's database in a namespace's folder.
func ObjectFile(dir, id string) string { return filepath.Join(dir, id+objectSuffix) }

// RemoveObject deletes the files of an object that nobody has open, those of its facets (CL14) included, and its alarm.
func RemoveObject(dir, id string) error {
	if _, err := os.Stat(filepath.Join(dir, indexFile)); err == nil {
		ix, err := openIndex(filepath.Join(dir, indexFile), Options{})
		if err != nil {
			return err
		}
		if err := errors.Join(ix.set(id, "", time.Time{}), ix.close()); err != nil {
			return err
		}
	}
	if state, key, ok := statedir.OfNamespace(dir); ok {
		if err := forgetHistory(state.History(key), id+"."); err != nil {
			return fmt.Errorf("delete object: %w", err)
		}
	}
	return removeFiles(dir, id)
}

// RemoveFacets deletes the files of an object's facets, which must not be open.
func (ns *Namespace) RemoveFacets(id string) error {
	for open, s := range ns.stores {
		if strings.HasPrefix(open, id+".") {
			s.Close()
			ns.work.settle(s.path)
		}
	}
	return removeFiles(ns.dir, id+".")
}

// removeFiles deletes the databases whose names begin with start, each log first: a database without its log is an
// older state, a log without its database is nothing.
func removeFiles(dir, start string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete objects: %w", err)
	}
	for _, suffix := range []string{objectSuffix + "-wal", objectSuffix + "-shm", objectSuffix} {
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), start) && strings.HasSuffix(e.Name(), suffix) {
				if err := os.Remove(filepath.Join(dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return fmt.Errorf("delete object: %w", err)
				}
			}
		}
	}
	return nil
}
