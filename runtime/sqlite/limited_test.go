package sqlite_test

import (
	"fmt"
	"strings"
	"testing"

	"eddy/runtime/sqlite"
)

// UPDATE and DELETE with LIMIT, as the platform's SQLite has them; the rows that are left were looked up in the
// reference.
func TestUpdateAndDeleteWithLimit(t *testing.T) {
	setup := []string{
		"CREATE TABLE t (id INTEGER PRIMARY KEY, a, b)",
		"INSERT INTO t (a, b) VALUES (1,'x'), (2,'y'), (3,'z'), (4,'w'), (5,'v')",
		"CREATE TABLE w (k TEXT, l INT, v, PRIMARY KEY (l, k)) WITHOUT ROWID",
		"INSERT INTO w VALUES ('a',1,1), ('b',2,2), ('c',3,3)",
		"CREATE TABLE one (k TEXT PRIMARY KEY, v) WITHOUT ROWID", "INSERT INTO one VALUES ('a',1), ('b',2), ('c',3)",
		`CREATE TABLE "o""dd" (rowid, oid, x)`, `INSERT INTO "o""dd" VALUES (7,7,1), (7,7,2), (7,7,3)`,
		"CREATE INDEX ta ON t (a)", "CREATE VIEW vw AS SELECT * FROM t",
	}
	for _, c := range []struct {
		sql  string
		args []any
		want string // rows that came back, then what is left of the table
	}{
		{"DELETE FROM t LIMIT 2", nil, "| 3z 4w 5v"},
		{"delete from t order by a desc limit 2", nil, "| 1x 2y 3z"},
		{"DELETE FROM t WHERE a > 1 ORDER BY a LIMIT 2 OFFSET 1;", nil, "| 1x 2y 5v"},
		{"DELETE FROM t LIMIT 1, 2", nil, "| 1x 4w 5v"},
		{"DELETE FROM t LIMIT -1", nil, "|"},
		{"DELETE FROM t LIMIT 0", nil, "| 1x 2y 3z 4w 5v"},
		{"DELETE FROM t WHERE a < 4 RETURNING id, b ORDER BY a DESC LIMIT 2", nil, "2 y,3 z| 1x 4w 5v"},
		{"UPDATE t SET b = 'u' ORDER BY a DESC LIMIT 2", nil, "| 1x 2y 3z 4u 5u"},
		{"UPDATE t AS q SET b = q.a || 'u' WHERE q.a > 1 LIMIT 1", nil, "| 1x 22u 3z 4w 5v"},
		{"UPDATE OR IGNORE main.t SET (a, b) = (9, 'n') WHERE a IS NOT DISTINCT FROM 3 LIMIT 5", nil,
			"| 1x 2y 9n 4w 5v"},
		{"UPDATE t INDEXED BY ta SET b = 'i' WHERE a = 2 LIMIT 1", nil, "| 1x 2i 3z 4w 5v"},
		{"UPDATE t NOT INDEXED SET b = 'i' WHERE a = 2 LIMIT 1", nil, "| 1x 2i 3z 4w 5v"},
		{"UPDATE t SET b = ? WHERE a > ? RETURNING a, ? ORDER BY a DESC LIMIT ?", []any{"p", 1.0, "r", 2.0},
			"4 r,5 r| 1x 2y 3z 4p 5p"},
		{"UPDATE t SET b = :b WHERE a = ?2 RETURNING :b, @r LIMIT @n", []any{"n", 2.0, "r", 1.0},
			"n r| 1x 2n 3z 4w 5v"},
		{"WITH c AS (SELECT 2 AS a LIMIT 1) DELETE FROM t WHERE a IN (SELECT a FROM c LIMIT 1) LIMIT 1", nil,
			"| 1x 3z 4w 5v"},
		{"WITH t AS (SELECT 1) DELETE FROM t ORDER BY a DESC LIMIT 1", nil, "| 1x 2y 3z 4w"},
		{"DELETE /* LIMIT */ FROM [t] -- ORDER BY\n WHERE b <> 'LIMIT '' 1' AND `t`.\"a\" > 0 LIMIT 1", nil,
			"| 2y 3z 4w 5v"},
		{"DELETE FROM w ORDER BY v DESC LIMIT 2", nil, "| a1"},
		{"UPDATE one SET v = 9 ORDER BY k DESC LIMIT 1", nil, "| a1 b2 c9"},
		{`DELETE FROM "o""dd" ORDER BY x LIMIT 2`, nil, "| 73"},
		{"DELETE FROM t ORDER BY a", nil, "ORDER BY without LIMIT on DELETE: SQLITE_ERROR"},
		{"UPDATE t SET a = 1 ORDER BY a", nil, "ORDER BY without LIMIT on UPDATE: SQLITE_ERROR"},
		{"DELETE FROM t INDEXED BY nope LIMIT 1", nil, "no such index: nope: SQLITE_ERROR"},
		{"DELETE FROM t WHERE nope = 1 LIMIT 1", nil, "no such column: nope at offset 20: SQLITE_ERROR"},
		{"DELETE FROM nope LIMIT 1", nil, "no such table: nope: SQLITE_ERROR"},
		{"DELETE FROM _cf_KV LIMIT 1", nil, "not authorized: SQLITE_AUTH"},
		{"DELETE FROM t LIMIT 1 RETURNING a", nil, `near "RETURNING": syntax error at offset 22: SQLITE_ERROR`},
		{"DELETE FROM t WHERE a = = 1 LIMIT 1", nil, `near "=": syntax error at offset 24: SQLITE_ERROR`},
		{"SELEKT 1 LIMIT 1", nil, `near "SELEKT": syntax error at offset 0: SQLITE_ERROR`},
	} {
		db := open(t, sqlite.Options{Limits: sqlite.PlatformLimits})
		for _, s := range append([]string{"CREATE TABLE _cf_KV (k)"}, setup...) {
			if err := db.Exec(s); err != nil {
				t.Fatal(err)
			}
		}
		got, err := rows(db, c.sql, c.args...)
		if err != nil {
			if err.Error() != c.want {
				t.Errorf("%s\n got: %v\nwant: %s", c.sql, err, c.want)
			}
			continue
		}
		table, columns := "t", "a, b"
		switch {
		case strings.Contains(c.sql, "FROM w"):
			table, columns = "w", "k, v"
		case strings.Contains(c.sql, "one"):
			table, columns = "one", "k, v"
		case strings.Contains(c.sql, "dd"):
			table, columns = `"o""dd"`, "rowid, x"
		}
		left, err := rows(db, "SELECT "+columns+" FROM "+table)
		if err != nil {
			t.Fatal(err)
		}
		for i := range left {
			left[i] = " " + strings.ReplaceAll(left[i], " ", "")
		}
		if all := strings.Join(got, ",") + "|" + strings.Join(left, ""); all != c.want {
			t.Errorf("%s\n got: %s\nwant: %s", c.sql, all, c.want)
		}
	}
}

// What follows such a statement is left to the caller, as with any other.
func TestLimitLeavesTheTail(t *testing.T) {
	db := open(t, sqlite.Options{})
	if err := db.Exec("CREATE TABLE t (a)"); err != nil {
		t.Fatal(err)
	}
	st, tail, err := db.Prepare("DELETE FROM t LIMIT 1; SELECT ';'", sqlite.Regulated)
	if err != nil || tail != " SELECT ';'" {
		t.Fatalf("%q %v", tail, err)
	}
	st.Close()
}

func rows(db *sqlite.DB, sql string, args ...any) (list []string, err error) {
	st, _, err := db.Prepare(sql, sqlite.Regulated)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	if st.Params() != len(args) {
		return nil, fmt.Errorf("%d parameters", st.Params())
	}
	for i, a := range args {
		if err := st.Bind(i+1, a); err != nil {
			return nil, err
		}
	}
	for {
		more, err := st.Step()
		if err != nil || !more {
			return list, err
		}
		var row []string
		for i := range st.Columns() {
			row = append(row, st.Text(i))
		}
		list = append(list, strings.Join(row, " "))
	}
}

// Whatever the text, taking it apart neither fails nor loses a byte of what it keeps.
func FuzzLimited(f *testing.F) {
	f.Add("UPDATE t SET a = 'x''y' /* c */ WHERE (b = ?1) RETURNING [z] ORDER BY a LIMIT :n -- end")
	f.Add("WITH x AS (SELECT 1) DELETE FROM \"t\" AS q NOT INDEXED LIMIT 1; SELECT")
	f.Fuzz(func(t *testing.T, sql string) {
		db := open(t, sqlite.Options{Limits: sqlite.PlatformLimits})
		if err := db.Exec("CREATE TABLE t (a, b, z)"); err != nil {
			t.Fatal(err)
		}
		st, tail, err := db.Prepare(sql, sqlite.Regulated)
		if err == nil && st != nil {
			if !strings.HasSuffix(sql, tail) {
				t.Errorf("%q left %q", sql, tail)
			}
			st.Close()
		}
	})
}
