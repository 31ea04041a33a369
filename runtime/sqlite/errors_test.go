package sqlite_test

import (
	"fmt"
	"strings"
	"testing"

	"eddy/runtime/sqlite"
)

// SQL9: message, offset, code and extended code.
func TestErrorTexts(t *testing.T) {
	db := open(t, sqlite.Options{Limits: sqlite.PlatformLimits})
	if err := db.Exec("CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT NOT NULL CHECK(v <> 'no'), u UNIQUE); INSERT " +
		"INTO t VALUES(1,'a','u'); CREATE TABLE st(a INTEGER) STRICT; CREATE TABLE _cf_KV(key TEXT PRIMARY " +
		"KEY)"); err != nil {
		t.Fatal(err)
	}
	many := func(n int, item, sep string) string { return strings.TrimSuffix(strings.Repeat(item+sep, n), sep) }
	for sql, want := range map[string]string{
		"SELEC 1":            `near "SELEC": syntax error at offset 0: SQLITE_ERROR`,
		"SELECT * FROM nope": "no such table: nope: SQLITE_ERROR",
		"SELECT zz FROM t":   "no such column: zz at offset 7: SQLITE_ERROR",
		"SELECT (":           "incomplete input: SQLITE_ERROR",
		"INSERT INTO t VALUES(1,'a',2)": "UNIQUE constraint failed: t.id: SQLITE_CONSTRAINT " +
			"(extended: SQLITE_CONSTRAINT_PRIMARYKEY)",
		"INSERT INTO t VALUES(2,NULL,2)": "NOT NULL constraint failed: t.v: SQLITE_CONSTRAINT " +
			"(extended: SQLITE_CONSTRAINT_NOTNULL)",
		"INSERT INTO t VALUES(2,'no',2)": "CHECK constraint failed: v <> 'no': SQLITE_CONSTRAINT " +
			"(extended: SQLITE_CONSTRAINT_CHECK)",
		"INSERT INTO t VALUES(2,'a','u')": "UNIQUE constraint failed: t.u: SQLITE_CONSTRAINT " +
			"(extended: SQLITE_CONSTRAINT_UNIQUE)",
		"INSERT INTO st VALUES('x')": "cannot store TEXT value in INTEGER column st.a: " +
			"SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_DATATYPE)",
		"SELECT uuid()": "no such function: uuid at offset 7: SQLITE_ERROR",
		"SELECT power(2, 3)": "not authorized to use function: power at offset 7: " +
			"SQLITE_ERROR",
		"SELECT sqlite_version()": "not authorized to use function: sqlite_version at offset " +
			"7: SQLITE_ERROR",
		"BEGIN":                                          sqlite.TransactionRefusal,
		"SAVEPOINT x":                                    sqlite.TransactionRefusal,
		"COMMIT":                                         sqlite.TransactionRefusal,
		"CREATE TABLE _cf_x(a)":                          "not authorized: SQLITE_AUTH",
		"SELECT key FROM _cf_KV":                         "access to _cf_KV.key is prohibited: SQLITE_AUTH",
		"DROP TABLE _cf_KV":                              "not authorized: SQLITE_AUTH",
		"ALTER TABLE st RENAME TO _cf_st":                "not authorized: SQLITE_AUTH",
		`ALTER TABLE st  RENAME to "_cf_st"`:             "not authorized: SQLITE_AUTH",
		"ATTACH 'x' AS y":                                "not authorized: SQLITE_AUTH",
		"CREATE TEMP TABLE x(a)":                         "not authorized: SQLITE_AUTH",
		"CREATE VIRTUAL TABLE x USING dbstat":            "not authorized: SQLITE_AUTH",
		"CREATE TABLE _Cf_x(a)":                          "not authorized: SQLITE_AUTH",
		"PRAGMA journal_mode":                            "not authorized: SQLITE_AUTH",
		"PRAGMA foreign_keys=maybe":                      "not authorized: SQLITE_AUTH",
		"SELECT zeroblob(2200001)":                       "string or blob too big: SQLITE_TOOBIG",
		"SELECT " + strings.Repeat(" ", 100_000):         "statement too long: SQLITE_TOOBIG",
		"CREATE TABLE wide(" + many(101, "c", ",") + ")": "duplicate column name: c: SQLITE_ERROR",
		"SELECT " + many(
			120, "1", "+"): "Expression tree is too large (maximum depth 100): SQLITE_ERROR",
		many(6, "SELECT 1", " UNION "):                "too many terms in compound SELECT: SQLITE_ERROR",
		"SELECT 'a' LIKE '" + many(51, "a", "") + "'": "LIKE or GLOB pattern too complex: SQLITE_ERROR",
	} {
		_, err := query(db, sql)
		if err == nil || err.Error() != want {
			t.Errorf("%.60s\n got %v\nwant %s", sql, err, want)
		}
	}
	var cols []string
	for i := range 101 {
		cols = append(cols, fmt.Sprint("c", i))
	}
	if _, err := query(db, "CREATE TABLE wide("+strings.Join(cols, ",")+")"); err == nil ||
		err.Error() != "too many columns on wide: SQLITE_ERROR" {
		t.Errorf("101 columns: %v", err)
	}
	for _, sql := range []string{
		"CREATE VIRTUAL TABLE r USING rtree(a,b,c)", "PRAGMA table_list", "PRAGMA table_info(t)",
		"PRAGMA foreign_keys=OFF", "PRAGMA foreign_keys='on'",
		"SELECT pow(2,3), ceil(1.5), json_extract('{\"a\":1}','$.a'), '{\"a\":1}' ->> 'a', unixepoch()",
		"CREATE VIRTUAL TABLE f USING fts5(body)",
		"INSERT INTO f VALUES('hello world')", "SELECT highlight(f,0,'<','>'), bm25(f) FROM f WHERE f MATCH 'hello'",
		"SELECT * FROM json_each('[1,2]')",
		"ALTER TABLE st ADD COLUMN b TEXT", "ALTER TABLE st RENAME COLUMN b TO c", "ALTER TABLE st RENAME TO st2",
		"PRAGMA quick_check", "PRAGMA optimize"} {
		if _, err := query(db, sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
