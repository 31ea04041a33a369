package explorer

import (
	"net/http"
	"os"
	"strings"

	"eddy/runtime/bindings/d1"
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
	if _, err := os.Stat(path); os.IsNotExist(err) {
		return p, nil // nobody has used it
	}
	tables, err := control.ReadRows(path, "SELECT name, coalesce(sql, '') FROM sqlite_master WHERE type IN ('table', "+
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
		rows, err := control.ReadRows(path, p.SQL, pageOfRows)
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
			d := d1.New(d1.Options{Path: path, Clock: x.o.Clock})
			defer d.Close()
			results, err := d.Script(in.get("sql"))
			if err != nil {
				return "", "", refused("%v", err)
			}
			return "ran " + many(len(results), "statement"), page, nil
		}}}
}
