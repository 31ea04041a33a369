package d1

import (
	"bytes"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"eddy/runtime/bindings/objectstore"
)

// near is a way to a database of this process, over the bytes that would cross.
func near(d *Database) AwayDatabase {
	return AwayDatabase{Clock: d.o.Clock, Way: func(a objectstore.Ask) (objectstore.Told, error) {
		return d.Serve(a.Head, bytes.NewReader(a.Body))
	}}
}

// What another node asks and answers arrives as it was: all values that SQLite has, figures, and errors.
func TestAway(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "x.sqlite"))
	away := near(d)
	if _, err := away.Script("CREATE TABLE t (v); INSERT INTO t VALUES (CAST(x'ff41' AS TEXT))"); err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{nil, 1.5, math.Inf(1), "text", "\xff", []byte{}, []byte{0, 255}} {
		run(t, d, "INSERT INTO t VALUES (?)", v)
	}
	list := []Statement{{SQL: "SELECT v, typeof(v) FROM t"},
		{SQL: "SELECT ? AS x, ? AS y, ?", Params: []any{"a\xff", nil, []byte{1}}}}
	want, err := d.Run(0, list)
	if err != nil {
		t.Fatal(err)
	}
	got, err := away.Run(0, list)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	_, want1 := d.Run(0, []Statement{{SQL: "SELECT nothing"}})
	if _, err := away.Run(0, []Statement{{SQL: "SELECT nothing"}}); err == nil || err.Error() != want1.Error() {
		t.Errorf("error %v, want %v", err, want1)
	}
	for sql, is := range map[string]bool{" SELECT 1": true, "select 1;": true, "SELECT 1; DELETE FROM t": false,
		"DELETE FROM t": false, "select": false} {
		if Selects(sql) != is {
			t.Errorf("%q reads only: %v", sql, !is)
		}
	}
}

// Whatever another node sends, the database answers.
func FuzzServe(f *testing.F) {
	for _, op := range []string{"run", "script", "apply", "nonsense"} {
		body, err := encoding.Marshal(asked{SQL: "SELECT 1",
			Statements: []Statement{{SQL: "SELECT ?", Params: []any{1.0}}}})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(`{"op":"`+op+`"}`, body)
	}
	f.Fuzz(func(t *testing.T, head string, body []byte) {
		if bytes.Contains(bytes.ToUpper(body), []byte("RECURSIVE")) || strings.Contains(head, "apply") {
			t.Skip() // it may compute for long
		}
		told, err := open(t, filepath.Join(t.TempDir(), "x.sqlite")).Serve([]byte(head), bytes.NewReader(body))
		if err == nil && told.Body == nil {
			t.Error("it has answered nothing")
		}
	})
}
