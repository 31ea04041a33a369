package control

import (
	"context"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"eddy/durableobject/storage"
	"eddy/runtime/sqlite"
	"eddy/runtime/statedir"
)

// errStopped refuses what only a running session can do.
var errStopped = errors.New("no session runs: no object is in memory, and no alarm fires")

// objectFiles are the objects of a state directory, by their files. It reads beside whoever has them open: SQLite sees
// to it that what is read was committed.
type objectFiles struct {
	state  statedir.Dir
	render func([]byte) (string, error)
}

func newObjectFiles(state string, render func([]byte) (string, error)) objectFiles {
	return objectFiles{state: statedir.Dir(state), render: render}
}

// Namespaces implements [ObjectInspector].
func (o objectFiles) Namespaces(context.Context) ([]string, error) {
	dirs, err := os.ReadDir(o.state.Objects())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var keys []string
	for _, d := range dirs {
		if d.IsDir() {
			keys = append(keys, d.Name())
		}
	}
	return keys, nil
}

// List implements [ObjectInspector].
func (o objectFiles) List(_ context.Context, namespace string) ([]Object, error) {
	dir := o.state.Namespace(namespace)
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	names, alarms, err := o.index(namespace)
	if err != nil {
		return nil, err
	}
	var list []Object
	for _, f := range files {
		id, ok := strings.CutSuffix(f.Name(), ".sqlite")
		if !ok || id == "metadata" || strings.Contains(id, ".") { // a facet is part of its object (CL14)
			continue
		}
		info, err := f.Info()
		if err != nil {
			return nil, err
		}
		x := Object{Namespace: namespace, ID: id, Name: names[id], Bytes: info.Size()}
		if at, ok := alarms[id]; ok {
			x.Alarm = &at
		}
		if x.Name == "" {
			if x.Name, err = storage.RecordedName(filepath.Join(dir, f.Name())); err != nil {
				return nil, err
			}
		}
		list = append(list, x)
	}
	return list, nil
}

// index reads a namespace's metadata.sqlite: names and alarms by id.
func (o objectFiles) index(namespace string) (names map[string]string, alarms map[string]time.Time, err error) {
	names, alarms = map[string]string{}, map[string]time.Time{}
	path := filepath.Join(o.state.Namespace(namespace), "metadata.sqlite")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return names, alarms, nil
	}
	err = readDB(path, func(db *sqlite.DB) error {
		tables, err := query(db, "SELECT name FROM sqlite_master WHERE type = 'table'", 0)
		if err != nil {
			return err
		}
		for _, t := range tables.Rows {
			switch t[0] {
			case "_eddy_NAME":
				rows, err := query(db, "SELECT actor_id, name FROM _eddy_NAME", 0)
				if err != nil {
					return err
				}
				for _, r := range rows.Rows {
					names[r[0].(string)], _ = r[1].(string)
				}
			case "_cf_ALARM":
				rows, err := query(
					db, "SELECT actor_id, scheduled_time FROM _cf_ALARM WHERE scheduled_time IS NOT NULL", 0)
				if err != nil {
					return err
				}
				for _, r := range rows.Rows {
					alarms[r[0].(string)] = time.Unix(0, r[1].(int64)).UTC()
				}
			}
		}
		return nil
	})
	return names, alarms, err
}

// Show implements [ObjectInspector].
func (o objectFiles) Show(_ context.Context, x Object) (ObjectDetail, error) {
	d := ObjectDetail{Object: x, File: o.path(x), Tables: []ObjectTable{}}
	err := readDB(d.File, func(db *sqlite.DB) error {
		tables, err := query(
			db, "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
			0)
		if err != nil {
			return err
		}
		for _, t := range tables.Rows {
			name, _ := t[0].(string)
			if storage.IsPlatformTable(name) && name != "_cf_KV" {
				continue
			}
			n, err := query(db, `SELECT count(*) FROM "`+strings.ReplaceAll(name, `"`, `""`)+`"`, 1)
			if err != nil {
				return err
			}
			rows, _ := n.Rows[0][0].(int64)
			if name == "_cf_KV" {
				d.Keys = rows
				continue
			}
			sql, _ := t[1].(string)
			d.Tables = append(d.Tables, ObjectTable{name, rows, sql})
		}
		return nil
	})
	return d, err
}

// Values implements [ObjectInspector].
func (o objectFiles) Values(_ context.Context, x Object, prefix string, limit int) (list []StoredValue, err error) {
	list = []StoredValue{}
	err = readDB(o.path(x), func(db *sqlite.DB) error {
		have, err := query(db, "SELECT 1 FROM sqlite_master WHERE name = '_cf_KV'", 1)
		if err != nil || len(have.Rows) == 0 {
			return err
		}
		rows, err := query(
			db, "SELECT key, value FROM _cf_KV WHERE substr(key, 1, length(?1)) = ?1 ORDER BY key LIMIT ?2", 0, prefix,
			int64(limit))
		entries := make([]storage.Pair, len(rows.Rows))
		for i, r := range rows.Rows {
			entries[i].Key, _ = r[0].(string)
			entries[i].Value, _ = r[1].([]byte)
		}
		list = Show(entries, o.render)
		return err
	})
	return list, err
}

// Show converts stored entries to what the API returns. render shows a value as JavaScript would; if it is nil, bytes
// are shown.
func Show(entries []storage.Pair, render func([]byte) (string, error)) []StoredValue {
	list := []StoredValue{}
	for _, e := range entries {
		v := StoredValue{Key: e.Key, Bytes: len(e.Value)}
		shown := false
		if render != nil {
			if text, err := render(e.Value); err == nil {
				v.Value, shown = text, true
			}
		}
		if !shown {
			v.Base64 = base64.StdEncoding.EncodeToString(e.Value)
		}
		list = append(list, v)
	}
	return list
}

// Query implements [ObjectInspector]. Only a query that may write opens the file for writing.
func (o objectFiles) Query(_ context.Context, x Object, q SQL) (rows Rows, err error) {
	if !q.Write {
		var res storage.Result
		err = readDB(o.path(x), func(db *sqlite.DB) error {
			res, err = ask(db, q.SQL, q.Limit)
			return err
		})
		return RowsOf(res), err
	}
	var opts storage.Options
	// If the object has a history, the change must be in it: a history must not have a gap (SQL18).
	if dir := o.state.History(x.Namespace); isDir(dir) {
		opts.HistoryDir = dir
	}
	ns, err := storage.OpenNamespace(o.state.Namespace(x.Namespace), opts)
	if err != nil {
		return rows, err
	}
	defer func() { err = errors.Join(err, ns.Close()) }()
	s := ns.Store(x.ID)
	res, err := s.Query(storage.Query{SQL: q.SQL, Write: true, Limit: q.Limit, Exact: true})
	if err != nil {
		return rows, err
	}
	return RowsOf(res), s.Commit()
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// ask runs all statements of a user's text and returns the rows of the last.
func ask(db *sqlite.DB, text string, limit int) (res storage.Result, err error) {
	for strings.TrimSpace(text) != "" {
		stmt, rest, err := db.Prepare(text, sqlite.Regulated)
		if err != nil {
			return res, err
		}
		if text = rest; stmt == nil {
			continue
		}
		if !stmt.ReadOnly() {
			stmt.Close()
			return res, storage.ErrReadOnly
		}
		res, err = rowsOf(stmt, limit)
		stmt.Close()
		if err != nil {
			return res, err
		}
	}
	return res, nil
}

// RowsOf converts a result to what the API returns.
func RowsOf(res storage.Result) Rows {
	out := Rows{Columns: append([]string{}, res.Columns...), Rows: [][]any{}, Truncated: res.Truncated}
	for _, row := range res.Rows {
		for i, v := range row {
			if b, ok := v.([]byte); ok {
				row[i] = map[string]string{"base64": base64.StdEncoding.EncodeToString(b)}
			}
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// Evict implements [ObjectInspector].
func (o objectFiles) Evict(context.Context, Object, bool) (bool, error) { return false, errStopped }

// Delete implements [ObjectInspector].
func (o objectFiles) Delete(_ context.Context, x Object) error {
	return storage.RemoveObject(o.state.Namespace(x.Namespace), x.ID)
}

// ResumeAlarms implements [ObjectInspector].
func (o objectFiles) ResumeAlarms(context.Context) error { return errStopped }

func (o objectFiles) path(x Object) string {
	return storage.ObjectFile(o.state.Namespace(x.Namespace), x.ID)
}

// readDB opens a database for reading only.
func readDB(path string, f func(*sqlite.DB) error) error {
	db, err := sqlite.Open(path, sqlite.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	return errors.Join(f(db), db.Close())
}

// query runs one of eddy's own statements and gives at most limit rows, 0 for all.
func query(db *sqlite.DB, sql string, limit int, args ...any) (storage.Result, error) {
	stmt, _, err := db.Prepare(sql, sqlite.Trusted)
	if err != nil {
		return storage.Result{}, err
	}
	defer stmt.Close()
	for i, a := range args {
		if err := stmt.Bind(i+1, a); err != nil {
			return storage.Result{}, err
		}
	}
	return rowsOf(stmt, limit)
}

func rowsOf(stmt *sqlite.Stmt, limit int) (out storage.Result, err error) {
	for i := range stmt.Columns() {
		out.Columns = append(out.Columns, stmt.ColumnName(i))
	}
	for {
		more, err := stmt.Step()
		if err != nil || !more {
			return out, err
		}
		if limit > 0 && len(out.Rows) == limit {
			out.Truncated = true
			return out, nil
		}
		row := make([]any, stmt.Columns())
		for i := range row {
			row[i] = stmt.Value(i)
		}
		out.Rows = append(out.Rows, row)
	}
}

// ReadRows runs a query that may only read on a database file, beside whoever has it open. At most limit rows are
// returned, 0 for all.
func ReadRows(path, text string, limit int) (rows Rows, err error) {
	err = readDB(path, func(db *sqlite.DB) error {
		res, err := ask(db, text, limit)
		rows = RowsOf(res)
		return err
	})
	return rows, err
}
