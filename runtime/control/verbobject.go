package control

import (
	"encoding/base64"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"eddy/runtime/sqlite"
)

// objectVerbs are GET /objects?namespace=, GET /objects/{object}, …/storage?prefix=&limit=, POST …/sql, DELETE, GET /alarms.
func (a *API) objectVerbs() map[string]verb {
	return map[string]verb{
		"GET /objects": a.verbObjects, "GET /objects/{object}": a.verbObject, "GET /objects/{object}/storage": a.verbStorage,
		"POST /objects/{object}/sql": a.verbSQL, "DELETE /objects/{object}": a.verbDeleteObject, "GET /alarms": a.verbAlarms,
	}
}

func (a *API) objects() (objectFiles, error) {
	if a.o.State == "" {
		return objectFiles{}, refuse(http.StatusConflict, codeInvalidBody, "this session keeps no state directory to look into")
	}
	return objectFiles{root: filepath.Join(a.o.State, "v3", "do"), render: a.o.Render}, nil
}

func (a *API) verbObjects(r *http.Request) (any, error) {
	o, err := a.objects()
	if err != nil {
		return nil, err
	}
	return o.list(r.URL.Query().Get("namespace"))
}

func (a *API) object(r *http.Request) (objectFiles, Object, error) {
	o, err := a.objects()
	if err != nil {
		return o, Object{}, err
	}
	x, err := o.find(r.URL.Query().Get("namespace"), r.PathValue("object"))
	return o, x, err
}

// ObjectDetail is an object with what it holds.
type ObjectDetail struct {
	Object
	File   string        `json:"file"`
	Keys   int64         `json:"keys"`
	Tables []ObjectTable `json:"tables"`
}

// nameTable is where wrangler dev keeps an object's name, in the object's own file (CL15).
const nameTable = "__miniflare_do_name"

// ObjectTable is a table of the object's own.
type ObjectTable struct {
	Name string `json:"name"`
	Rows int64  `json:"rows"`
	SQL  string `json:"sql"`
}

func (a *API) verbObject(r *http.Request) (any, error) {
	o, x, err := a.object(r)
	if err != nil {
		return nil, err
	}
	d := ObjectDetail{Object: x, File: o.path(x), Tables: []ObjectTable{}}
	err = readDB(d.File, func(db *sqlite.DB) error {
		tables, err := query(db, "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name", sqlite.Trusted, 0)
		if err != nil {
			return err
		}
		for _, t := range tables.Rows {
			name := t[0].(string)
			n, err := query(db, `SELECT count(*) FROM "`+strings.ReplaceAll(name, `"`, `""`)+`"`, sqlite.Trusted, 1)
			if err != nil {
				return err
			}
			rows, _ := n.Rows[0][0].(int64)
			sql, _ := t[1].(string)
			switch {
			case name == "_cf_KV":
				d.Keys = rows
			case name == nameTable:
				names, err := query(db, "SELECT name FROM "+nameTable, sqlite.Trusted, 1)
				if err != nil {
					return err
				}
				if len(names.Rows) == 1 && d.Name == "" {
					d.Name, _ = names.Rows[0][0].(string)
				}
			case !strings.HasPrefix(name, "_cf_"):
				d.Tables = append(d.Tables, ObjectTable{name, rows, sql})
			}
		}
		return nil
	})
	return d, err
}

func (a *API) verbStorage(r *http.Request) (any, error) {
	o, x, err := a.object(r)
	if err != nil {
		return nil, err
	}
	limit, err := intParam(r, "limit", 100)
	if err != nil {
		return nil, err
	}
	return o.values(x, r.URL.Query().Get("prefix"), limit)
}

// SQL is the input of a query. It reads, unless Write is set.
type SQL struct {
	SQL   string `json:"sql"`
	Write bool   `json:"write,omitempty"`
	Limit int    `json:"limit,omitempty"`
}

func (a *API) verbSQL(r *http.Request) (any, error) {
	o, x, err := a.object(r)
	if err != nil {
		return nil, err
	}
	in, err := input[SQL](r)
	if err != nil {
		return nil, err
	}
	if in.Write && a.o.Session != nil {
		return nil, refuse(http.StatusConflict, codeInvalidBody, "a running session has the object in its hands; stop it to change the object's file, or let the object do it")
	}
	db, err := sqlite.Open(o.path(x), sqlite.Options{ReadOnly: !in.Write, Existing: true})
	if err != nil {
		return nil, err
	}
	rows, err := query(db, in.SQL, sqlite.Trusted, in.Limit)
	if err = errors.Join(err, db.Close()); err != nil {
		return nil, refuse(http.StatusBadRequest, codeInvalidBody, "%v", err)
	}
	for _, row := range rows.Rows {
		for i, v := range row {
			if b, ok := v.([]byte); ok {
				row[i] = map[string]string{"base64": base64.StdEncoding.EncodeToString(b)}
			}
		}
	}
	return rows, nil
}

// verbDeleteObject removes an object's files and alarm, of a stopped session only: a running one would go on with what it
// has in memory.
func (a *API) verbDeleteObject(r *http.Request) (any, error) {
	o, x, err := a.object(r)
	if err != nil {
		return nil, err
	}
	if a.o.Session != nil {
		return nil, refuse(http.StatusConflict, codeInvalidBody, "a running session has the object in its hands; stop it, or let the object call storage.deleteAll()")
	}
	if x.Alarm != nil {
		db, err := sqlite.Open(filepath.Join(o.root, x.Namespace, "metadata.sqlite"), sqlite.Options{Existing: true})
		if err != nil {
			return nil, err
		}
		stmt, _, err := db.Prepare("DELETE FROM _cf_ALARM WHERE actor_id = ?", sqlite.Trusted)
		if err == nil {
			if err = stmt.Bind(1, x.ID); err == nil {
				_, err = stmt.Step()
			}
			stmt.Close()
		}
		if err = errors.Join(err, db.Close()); err != nil {
			return nil, err
		}
	}
	// The log first: a database without its log is an older state, a log without its database is nothing.
	for _, suffix := range []string{"-wal", "-shm", ""} {
		if err := os.Remove(o.path(x) + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return x, nil
}

// Alarm is a scheduled alarm.
type Alarm struct {
	Namespace string    `json:"namespace"`
	ID        string    `json:"id"`
	Name      string    `json:"name,omitempty"`
	At        time.Time `json:"at"`
}

func (a *API) verbAlarms(r *http.Request) (any, error) {
	o, err := a.objects()
	if err != nil {
		return nil, err
	}
	all, err := o.list(r.URL.Query().Get("namespace"))
	list := []Alarm{}
	for _, x := range all {
		if x.Alarm != nil {
			list = append(list, Alarm{x.Namespace, x.ID, x.Name, *x.Alarm})
		}
	}
	return list, err
}
