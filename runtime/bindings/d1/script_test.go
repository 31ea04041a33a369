package d1

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A script may have comments anywhere, and is one transaction.
func TestScript(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "x.sqlite"))
	r, err := d.Script("-- first\ncreate table t (v);\n/* two */ insert into t values (1);\nselect v from t; -- last\n")
	if err != nil || len(r) != 3 || r[2].Rows[0][0] != 1.0 {
		t.Fatalf("results %v, %v", r, err)
	}
	if _, err := d.Script("insert into t values (2); nonsense"); err == nil ||
		!strings.Contains(err.Error(), `near "nonsense": syntax error`) {
		t.Errorf("error %v", err)
	}
	if n := run(t, d, "select count(*) from t").Rows[0][0]; n != 1.0 {
		t.Errorf("%v rows after a failed script, want 1", n)
	}
}

// A script may be longer than the longest statement, have empty statements, and make triggers.
func TestScriptIsLong(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "x.sqlite"))
	script := "create table t (v);; create table u (n);\n" +
		"create trigger c after insert on t begin delete from u; insert into u select count(*) from t; end;\n" +
		strings.Repeat("insert into t values ('"+strings.Repeat("x;", 500)+"');\n", 150)
	r, err := d.Script(script + "select n, (select max(length(v)) from t) from u")
	if err != nil || len(r) != 154 || r[153].Rows[0][0] != 150.0 || r[153].Rows[0][1] != 1000.0 {
		t.Fatalf("%d results, %v", len(r), err)
	}
	if _, err := d.Script("select '" + strings.Repeat("x", 100_000) + "'"); err == nil ||
		!strings.Contains(err.Error(), "statement too long") {
		t.Errorf("a statement above the limit: %v", err)
	}
}

// Migrations are applied once, in the order of their names; one that fails is undone and stops the rest.
func TestMigrate(t *testing.T) {
	dir := t.TempDir()
	write := func(name, sql string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(sql), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	d := open(t, filepath.Join(t.TempDir(), "x.sqlite"))
	if _, err := Migrate(d, filepath.Join(dir, "none"), "d1_migrations"); err == nil ||
		!strings.Contains(err.Error(), "there is no migrations directory") {
		t.Errorf("error %v", err)
	}
	write("0002_rows.sql", "insert into t values (1); -- done")
	write("0001_table.sql", "create table t (v);\n")
	write("0003_bad.sql", "insert into t values (2); insert into nowhere values (1)")
	write("0004_more.sql", "insert into t values (3)")
	write("notes.txt", "no migration")
	applied, err := Migrate(d, dir, "d1_migrations")
	if want := []string{"0001_table.sql", "0002_rows.sql"}; !slices.Equal(applied, want) {
		t.Errorf("applied %v, want %v", applied, want)
	}
	if err == nil || !strings.Contains(err.Error(), "0003_bad.sql: no such table: nowhere") {
		t.Errorf("error %v", err)
	}
	write("0003_bad.sql", "insert into t values (2)")
	if applied, err = Migrate(d, dir, "d1_migrations"); err != nil ||
		!slices.Equal(applied, []string{"0003_bad.sql", "0004_more.sql"}) {
		t.Errorf("applied %v, %v", applied, err)
	}
	if n := run(t, d, "select group_concat(v) from t").Rows[0][0]; n != "1,2,3" {
		t.Errorf("rows %v, want each once", n)
	}
	list, err := Migrations(d, dir, "d1_migrations")
	if err != nil || len(list) != 4 || !list[3].Applied {
		t.Errorf("list %v, %v", list, err)
	}
}
