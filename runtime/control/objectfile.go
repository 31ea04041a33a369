package control

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"eddy/runtime/sqlite"
)

// Object is a Durable Object as it is on disk.
type Object struct {
	Namespace string `json:"namespace"`
	ID        string `json:"id"`
	// Name is what it was called by, if that was written down.
	Name  string     `json:"name,omitempty"`
	Bytes int64      `json:"bytes"`
	Alarm *time.Time `json:"alarm,omitempty"`
}

// objectFiles reads the objects of a state directory from their files, beside a session that may have them open: SQLite
// sees to it that what is read was committed.
type objectFiles struct {
	root   string // <state>/v3/do
	render func([]byte) (string, error)
}

// list gives the objects of a namespace, "" for all, by namespace and id.
func (o objectFiles) list(namespace string) ([]Object, error) {
	dirs, err := os.ReadDir(o.root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	list := []Object{}
	for _, d := range dirs {
		if !d.IsDir() || namespace != "" && d.Name() != namespace {
			continue
		}
		files, err := os.ReadDir(filepath.Join(o.root, d.Name()))
		if err != nil {
			return nil, err
		}
		names, alarms, err := o.index(d.Name())
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			id, ok := strings.CutSuffix(f.Name(), ".sqlite")
			if !ok || id == "metadata" {
				continue
			}
			info, err := f.Info()
			if err != nil {
				return nil, err
			}
			obj := Object{Namespace: d.Name(), ID: id, Name: names[id], Bytes: info.Size()}
			if at, ok := alarms[id]; ok {
				obj.Alarm = &at
			}
			list = append(list, obj)
		}
	}
	return list, nil
}

// index reads a namespace's metadata.sqlite: names and alarms by id.
func (o objectFiles) index(namespace string) (names map[string]string, alarms map[string]time.Time, err error) {
	names, alarms = map[string]string{}, map[string]time.Time{}
	path := filepath.Join(o.root, namespace, "metadata.sqlite")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return names, alarms, nil
	}
	err = readDB(path, func(db *sqlite.DB) error {
		tables, err := query(db, "SELECT name FROM sqlite_master WHERE type = 'table'", sqlite.Trusted, 0)
		if err != nil {
			return err
		}
		for _, t := range tables.Rows {
			switch t[0] {
			case "_eddy_NAME":
				rows, err := query(db, "SELECT actor_id, name FROM _eddy_NAME", sqlite.Trusted, 0)
				if err != nil {
					return err
				}
				for _, r := range rows.Rows {
					names[r[0].(string)], _ = r[1].(string)
				}
			case "_cf_ALARM":
				rows, err := query(db, "SELECT actor_id, scheduled_time FROM _cf_ALARM WHERE scheduled_time IS NOT NULL", sqlite.Trusted, 0)
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

// find gives the one object that is meant by a full id, the start of one, or a name.
func (o objectFiles) find(namespace, which string) (Object, error) {
	all, err := o.list(namespace)
	if err != nil {
		return Object{}, err
	}
	matches := slices.DeleteFunc(all, func(x Object) bool {
		return x.Name != which && !(len(which) >= 4 && strings.HasPrefix(x.ID, which))
	})
	switch len(matches) {
	case 0:
		return Object{}, refuse(http.StatusNotFound, codeInvalidBody, "no object %q has stored anything", which)
	case 1:
		return matches[0], nil
	}
	return Object{}, refuse(http.StatusConflict, codeInvalidBody, "%q means %d objects; name the namespace, or the whole id", which, len(matches))
}

func (o objectFiles) path(x Object) string {
	return filepath.Join(o.root, x.Namespace, x.ID+".sqlite")
}

// Rows is the result of a query. Values are null, numbers, strings, or {"base64": …} for blobs.
type Rows struct {
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"`
	// Truncated says that there were more rows than asked for.
	Truncated bool `json:"truncated,omitempty"`
}

func readDB(path string, f func(*sqlite.DB) error) error {
	db, err := sqlite.Open(path, sqlite.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	return errors.Join(f(db), db.Close())
}

// query runs all statements of a text and gives the rows of the last; limit 0 is no limit.
func query(db *sqlite.DB, sql string, trust sqlite.Trust, limit int) (Rows, error) {
	out := Rows{Columns: []string{}, Rows: [][]any{}}
	for strings.TrimSpace(sql) != "" {
		stmt, rest, err := db.Prepare(sql, trust)
		if err != nil {
			return out, err
		}
		if sql = rest; stmt == nil {
			continue
		}
		out, err = rowsOf(stmt, limit)
		stmt.Close()
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

func rowsOf(stmt *sqlite.Stmt, limit int) (Rows, error) {
	out := Rows{Columns: []string{}, Rows: [][]any{}}
	for i := range stmt.Columns() {
		out.Columns = append(out.Columns, stmt.ColumnName(i))
	}
	for {
		more, err := stmt.Step()
		if err != nil || !more {
			return out, err
		}
		if limit > 0 && len(out.Rows) >= limit {
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

// StoredValue is one key of an object's key-value storage.
type StoredValue struct {
	Key   string `json:"key"`
	Bytes int    `json:"bytes"`
	// Value is the value as JavaScript would show it; Base64 its serialized form if it cannot be shown.
	Value  string `json:"value,omitempty"`
	Base64 string `json:"base64,omitempty"`
}

// values reads the keys with a prefix.
func (o objectFiles) values(x Object, prefix string, limit int) ([]StoredValue, error) {
	list := []StoredValue{}
	err := readDB(o.path(x), func(db *sqlite.DB) error {
		have, err := query(db, "SELECT 1 FROM sqlite_master WHERE name = '_cf_KV'", sqlite.Trusted, 1)
		if err != nil || len(have.Rows) == 0 {
			return err
		}
		stmt, _, err := db.Prepare("SELECT key, value FROM _cf_KV WHERE substr(key, 1, length(?1)) = ?1 ORDER BY key LIMIT ?2", sqlite.Trusted)
		if err != nil {
			return err
		}
		defer stmt.Close()
		if err := errors.Join(stmt.Bind(1, prefix), stmt.Bind(2, int64(limit))); err != nil {
			return err
		}
		rows, err := rowsOf(stmt, 0)
		for _, r := range rows.Rows {
			value, _ := r[1].([]byte)
			v := StoredValue{Key: fmt.Sprint(r[0]), Bytes: len(value)}
			shown := false
			if o.render != nil {
				if text, err := o.render(value); err == nil {
					v.Value, shown = text, true
				}
			}
			if !shown {
				v.Base64 = base64.StdEncoding.EncodeToString(value)
			}
			list = append(list, v)
		}
		return err
	})
	return list, err
}
