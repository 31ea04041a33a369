package explorer

import (
	"errors"
	"net/http"
	"os"
	"strings"

	"eddy/durableobject/storage"
	"eddy/runtime/bindings/d1"
	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/control"
)

// D1Page is the model of a D1 database.
type D1Page struct {
	StoreRow
	Tables []D1Table     `json:"tables"`
	SQL    string        `json:"sql,omitempty"`
	Rows   *control.Rows `json:"rows,omitempty"`
	Failed string        `json:"failed,omitempty"`
}

// D1Table is a table with the statement that made it.
type D1Table struct {
	Name string `json:"name"`
	SQL  string `json:"sql"`
}

func (x *Server) d1Pages() []page {
	return []page{of("d1/{database}", "d1", "A D1 database: its tables, and a query.", x.d1,
		field{"sql", "a query, which may only read"})}
}

func (x *Server) database(id string) (row StoreRow, path string, err error) {
	l, err := x.stores(nil)
	if err != nil {
		return row, "", err
	}
	row, err = x.bound(l.D1, id, "D1 database")
	return row, d1.Path(x.o.State, row.ID), err
}

func (x *Server) d1(r *http.Request) (*D1Page, error) {
	p := &D1Page{SQL: r.URL.Query().Get("sql"), Tables: []D1Table{}}
	row, path, err := x.database(r.PathValue("database"))
	if err != nil {
		return nil, err
	}
	p.StoreRow = row
	if _, err := os.Stat(path); os.IsNotExist(err) && x.o.Cluster == nil {
		return p, nil // nobody has used it
	}
	tables, err := x.readD1(row, path, "SELECT name, coalesce(sql, '') FROM sqlite_master WHERE type IN ('table', "+
		"'view') AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%' ORDER BY name", 0)
	if err != nil {
		return nil, err
	}
	for _, t := range tables.Rows {
		name, _ := t[0].(string)
		sql, _ := t[1].(string)
		p.Tables = append(p.Tables, D1Table{name, sql})
	}
	if strings.TrimSpace(p.SQL) != "" {
		rows, err := x.readD1(row, path, p.SQL, pageOfRows)
		if err != nil {
			p.Failed = err.Error()
		} else {
			p.Rows = &rows
		}
	}
	return p, nil
}

func (x *Server) d1Acts() []act {
	return []act{{path: "d1/{database}/run", about: "Runs SQL that may write, as one transaction.",
		fields: []field{{"sql", "statements"}, {"write", "must be ticked"}}, do: func(in input) (string, string,
			error) {
			row, path, err := x.database(in.path("database"))
			if err != nil {
				return "", "", err
			}
			page := storePath("d1", row.ID)
			if !in.has("write") {
				return "it was only read", page + "?" + string(query("sql", in.get("sql"))) + "#sql", nil
			}
			results, err := x.runD1(row, path, in.get("sql"))
			if err != nil {
				return "", "", refused("%v", err)
			}
			return "ran " + many(len(results), "statement"), page, nil
		}}}
}

// awayD1 is a database of a cluster.
func (x *Server) awayD1(row StoreRow) d1.AwayDatabase {
	return d1.AwayDatabase{Clock: x.o.Clock, Way: x.o.Cluster.Stored(objectstore.Name{Kind: "d1", ID: row.ID})}
}

// readD1 runs a query that changes nothing, and keeps limit rows, all for 0.
func (x *Server) readD1(row StoreRow, path, sql string, limit int) (control.Rows, error) {
	if x.o.Cluster == nil {
		return control.ReadRows(path, sql, limit)
	}
	if !d1.Selects(sql) {
		return control.Rows{}, refused("in a cluster only one SELECT is sure to change nothing: tick \"it may write\"")
	}
	results, err := x.awayD1(row).Run(0, []d1.Statement{{SQL: sql}})
	if err != nil || len(results) == 0 {
		return control.Rows{}, err
	}
	r := storage.Result{Columns: results[0].Columns, Rows: results[0].Rows}
	if limit > 0 && len(r.Rows) > limit {
		r.Rows, r.Truncated = r.Rows[:limit], true
	}
	return control.RowsOf(r), nil
}

// runD1 runs statements in one transaction.
func (x *Server) runD1(row StoreRow, path, sql string) ([]d1.Result, error) {
	if x.o.Cluster != nil {
		return x.awayD1(row).Script(sql)
	}
	d := d1.New(d1.Options{Path: path, Clock: x.o.Clock})
	results, err := d.Script(sql)
	return results, errors.Join(err, d.Close())
}
