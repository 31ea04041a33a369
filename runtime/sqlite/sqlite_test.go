package sqlite_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"eddy/runtime/sqlite"
)

func open(t testing.TB, o sqlite.Options) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(filepath.Join(t.TempDir(), "dir", "a.sqlite"), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// query runs one regulated statement and renders its rows.
func query(db *sqlite.DB, sql string, args ...any) (string, error) {
	s, _, err := db.Prepare(sql, sqlite.Regulated)
	if err != nil {
		return "", err
	}
	if s == nil {
		return "", errors.New("no statement")
	}
	defer s.Close()
	for i, a := range args {
		if err := s.Bind(i+1, a); err != nil {
			return "", err
		}
	}
	var rows []string
	for {
		more, err := s.Step()
		if err != nil {
			return strings.Join(rows, ";"), err
		}
		if !more {
			return strings.Join(rows, ";"), nil
		}
		var cells []string
		for i := range s.Columns() {
			cells = append(cells, fmt.Sprintf("%v", s.Value(i)))
		}
		rows = append(rows, strings.Join(cells, ","))
	}
}

func mustQuery(t testing.TB, db *sqlite.DB, sql string, args ...any) string {
	t.Helper()
	out, err := query(db, sql, args...)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return out
}

func TestValues(t *testing.T) {
	db := open(t, sqlite.Options{})
	got := mustQuery(t, db, "SELECT ?, ?, ?, ?, ?, typeof(?5), length(?4)", nil, int64(1)<<62, 1.5, "é\x00x", []byte{})
	if got != "<nil>,4611686018427387904,1.5,é\x00x,[],blob,1" {
		t.Errorf("got %q", got)
	}
	if got := mustQuery(t, db, "SELECT typeof(?), typeof(?)", 5.0, strings.Repeat("x", 100_000)); got != "real,text" {
		t.Errorf("got %q", got)
	}
	if got := mustQuery(t, db, "SELECT CAST(x'61ff62' AS TEXT)"); got != "a\uFFFDb" {
		t.Errorf("invalid UTF-8 came as %q (SQL5)", got)
	}
	if got := mustQuery(t, db, "PRAGMA foreign_keys"); got != "1" {
		t.Errorf("foreign_keys = %s (SQL12)", got)
	}
}

// SQL9: message, offset, code and extended code.
func TestErrorTexts(t *testing.T) {
	db := open(t, sqlite.Options{Limits: sqlite.PlatformLimits})
	if err := db.Exec("CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT NOT NULL CHECK(v <> 'no'), u UNIQUE); INSERT INTO t VALUES(1,'a','u'); CREATE TABLE st(a INTEGER) STRICT; CREATE TABLE _cf_KV(key TEXT PRIMARY KEY)"); err != nil {
		t.Fatal(err)
	}
	many := func(n int, item, sep string) string { return strings.TrimSuffix(strings.Repeat(item+sep, n), sep) }
	for sql, want := range map[string]string{
		"SELEC 1":                                        `near "SELEC": syntax error at offset 0: SQLITE_ERROR`,
		"SELECT * FROM nope":                             "no such table: nope: SQLITE_ERROR",
		"SELECT zz FROM t":                               "no such column: zz at offset 7: SQLITE_ERROR",
		"SELECT (":                                       "incomplete input: SQLITE_ERROR",
		"INSERT INTO t VALUES(1,'a',2)":                  "UNIQUE constraint failed: t.id: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_PRIMARYKEY)",
		"INSERT INTO t VALUES(2,NULL,2)":                 "NOT NULL constraint failed: t.v: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_NOTNULL)",
		"INSERT INTO t VALUES(2,'no',2)":                 "CHECK constraint failed: v <> 'no': SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_CHECK)",
		"INSERT INTO t VALUES(2,'a','u')":                "UNIQUE constraint failed: t.u: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_UNIQUE)",
		"INSERT INTO st VALUES('x')":                     "cannot store TEXT value in INTEGER column st.a: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_DATATYPE)",
		"SELECT uuid()":                                  "no such function: uuid at offset 7: SQLITE_ERROR",
		"SELECT power(2, 3)":                             "not authorized to use function: power at offset 7: SQLITE_ERROR",
		"SELECT sqlite_version()":                        "not authorized to use function: sqlite_version at offset 7: SQLITE_ERROR",
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
		"SELECT " + many(120, "1", "+"):                  "Expression tree is too large (maximum depth 100): SQLITE_ERROR",
		many(6, "SELECT 1", " UNION "):                   "too many terms in compound SELECT: SQLITE_ERROR",
		"SELECT 'a' LIKE '" + many(51, "a", "") + "'":    "LIKE or GLOB pattern too complex: SQLITE_ERROR",
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
	if _, err := query(db, "CREATE TABLE wide("+strings.Join(cols, ",")+")"); err == nil || err.Error() != "too many columns on wide: SQLITE_ERROR" {
		t.Errorf("101 columns: %v", err)
	}
	for _, sql := range []string{"CREATE VIRTUAL TABLE r USING rtree(a,b,c)", "PRAGMA table_list", "PRAGMA table_info(t)", "PRAGMA foreign_keys=OFF", "PRAGMA foreign_keys='on'",
		"SELECT pow(2,3), ceil(1.5), json_extract('{\"a\":1}','$.a'), '{\"a\":1}' ->> 'a', unixepoch()", "CREATE VIRTUAL TABLE f USING fts5(body)",
		"INSERT INTO f VALUES('hello world')", "SELECT highlight(f,0,'<','>'), bm25(f) FROM f WHERE f MATCH 'hello'", "SELECT * FROM json_each('[1,2]')",
		"ALTER TABLE st ADD COLUMN b TEXT", "ALTER TABLE st RENAME COLUMN b TO c", "ALTER TABLE st RENAME TO st2", "PRAGMA quick_check", "PRAGMA optimize"} {
		if _, err := query(db, sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// SQL15: rows read and written.
func TestRowCounts(t *testing.T) {
	db := open(t, sqlite.Options{})
	count := func(sql string) string {
		t.Helper()
		s, _, err := db.Prepare(sql, sqlite.Regulated)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		defer s.Close()
		var reads []string
		for more := true; more; {
			if more, err = s.Step(); err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
			if more {
				reads = append(reads, fmt.Sprint(s.RowsRead()))
			}
		}
		return fmt.Sprintf("%s %d/%d", strings.Join(reads, ","), s.RowsRead(), s.RowsWritten())
	}
	for _, tc := range [][2]string{
		{"CREATE TABLE t(a INTEGER PRIMARY KEY, b)", " 1/2"},
		{"INSERT INTO t VALUES(1,1),(2,2),(3,3)", " 3/3"}, // each id is looked up
		{"INSERT INTO t(b) VALUES(4)", " 0/1"},
		{"DELETE FROM t WHERE a = 4", " 1/1"},
		{"SELECT * FROM t ORDER BY b", "4,5,6 6/0"},
		{"SELECT * FROM t", "1,2,3 3/0"},
		{"SELECT count(*) FROM t", "3 3/0"},
		{"SELECT * FROM t WHERE a = 2", "1 1/0"},
		{"UPDATE t SET b = b + 1", " 3/3"},
		{"CREATE TABLE u(a PRIMARY KEY, b UNIQUE, c)", " 1/4"},
		{"INSERT INTO u VALUES(1,1,1),(2,2,2)", " 0/6"},
		{"DELETE FROM u", " 0/2"},
		{"DELETE FROM t WHERE a > 1", " 2/2"},
		{"CREATE TABLE w(a)", " 1/2"},
		{"INSERT INTO w VALUES(1),(2),(3)", " 0/3"},
		{"CREATE INDEX i ON w(a)", " 8/4"},
	} {
		if got := count(tc[0]); got != tc[1] {
			t.Errorf("%s: got %q, want %q", tc[0], got, tc[1])
		}
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing.sqlite")
	if _, err := sqlite.Open(missing, sqlite.Options{Existing: true}); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("missing: %v", err)
	}
	garbage := filepath.Join(dir, "garbage.sqlite")
	if err := os.WriteFile(garbage, []byte(strings.Repeat("this is no database ", 500)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Open(garbage, sqlite.Options{}); !sqlite.Corrupt(err) || !strings.Contains(err.Error(), garbage) {
		t.Errorf("garbage: %v", err)
	}
}

// A new file is what SQLite would have written, in WAL mode, and a log that an
// earlier file of that name left behind is not taken for its own.
func TestCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.sqlite")
	if err := os.WriteFile(path+"-wal", []byte("left behind"), 0o644); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !db.Created() {
		t.Error("not created")
	}
	if got := mustTrusted(t, db, "PRAGMA journal_mode") + mustTrusted(t, db, "PRAGMA page_size") + mustTrusted(t, db, "PRAGMA integrity_check"); got != "wal4096ok" {
		t.Errorf("got %s", got)
	}
	mustQuery(t, db, "CREATE TABLE t(a); ")
	mustQuery(t, db, "INSERT INTO t VALUES('é')")
	if err := db.SyncFile(); err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	if err := db.SyncFile(); err != nil {
		t.Errorf("after closing: %v", err)
	}
	if db, err = sqlite.Open(path, sqlite.Options{}); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if got := mustQuery(t, db, "SELECT a FROM t") + mustTrusted(t, db, "PRAGMA integrity_check"); got != "éok" || db.Created() {
		t.Errorf("got %s, created %v", got, db.Created())
	}
}

// A loss of power may leave the log of a new file without its first page. The
// log is enough.
func TestRepair(t *testing.T) {
	for name, page := range map[string][]byte{"empty": nil, "zeros": make([]byte, 4096), "short": make([]byte, 512)} {
		dir := t.TempDir()
		path, copied := filepath.Join(dir, "a.sqlite"), filepath.Join(dir, "b.sqlite")
		db, err := sqlite.Open(path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		mustQuery(t, db, "CREATE TABLE t(a)")
		mustQuery(t, db, "INSERT INTO t VALUES(7)")
		log, err := os.ReadFile(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		db.Close()
		for file, content := range map[string][]byte{copied: page, copied + "-wal": log} {
			if err := os.WriteFile(file, content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if db, err = sqlite.Open(copied, sqlite.Options{Existing: true, Repair: true}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, err := query(db, "SELECT a FROM t"); got != "7" || err != nil {
			t.Errorf("%s: %q %v", name, got, err)
		}
		db.Close()
	}
}

// mustTrusted is the single value of a trusted query.
func mustTrusted(t *testing.T, db *sqlite.DB, sql string) string {
	t.Helper()
	s, _, err := db.Prepare(sql, sqlite.Trusted)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Step(); err != nil {
		t.Fatal(err)
	}
	return s.Text(0)
}

// An endless statement ends when another goroutine interrupts it.
func TestInterrupt(t *testing.T) {
	db := open(t, sqlite.Options{})
	s, _, err := db.Prepare("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) SELECT n FROM c", sqlite.Trusted)
	if err != nil {
		t.Fatal(err)
	}
	started := make(chan struct{})
	go func() {
		<-started
		db.Interrupt()
	}()
	for i := 0; ; i++ {
		if _, err = s.Step(); err != nil {
			break
		}
		if i == 100 {
			close(started)
		}
	}
	if !sqlite.Interrupted(err) {
		t.Errorf("error = %v", err)
	}
}

// What a broken disk does to statements, to commits and to new files.
func TestFaults(t *testing.T) {
	var f sqlite.Faults
	db := open(t, sqlite.Options{Faults: &f})
	mustQuery(t, db, "CREATE TABLE t(a)")
	mustQuery(t, db, "INSERT INTO t VALUES(1)")
	const full = "database or disk is full: SQLITE_FULL"
	f.SetFull(true)
	if _, err := query(db, "INSERT INTO t VALUES(2)"); !sqlite.Full(err) || err.Error() != full {
		t.Errorf("full: %v", err)
	}
	mustQuery(t, db, "SELECT * FROM t")
	if _, err := sqlite.Open(filepath.Join(t.TempDir(), "new.sqlite"), sqlite.Options{Faults: &f}); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("new file on a full disk: %v", err)
	}
	f.FullAfter(3 * 4120)
	if err := db.Exec("BEGIN; INSERT INTO t VALUES(zeroblob(60000)); COMMIT"); !sqlite.Full(err) {
		t.Errorf("full while committing: %v", err)
	}
	f.SetFull(false)
	if db.InTransaction() {
		if err := db.Exec("ROLLBACK"); err != nil {
			t.Error(err)
		}
	}
	if got, err := query(db, "SELECT count(*) FROM t"); got != "1" || err != nil {
		t.Errorf("after a failed commit: %s %v", got, err)
	}
	f.SetBroken(true)
	if _, err := query(db, "INSERT INTO t VALUES(3)"); !sqlite.IO(err) {
		t.Errorf("broken: %v", err)
	}
	f.SetBroken(false)
	f.SetReadOnly(true)
	if _, err := sqlite.Open(db.Path(), sqlite.Options{Faults: &f}); !sqlite.ReadOnly(err) && !sqlite.CannotOpen(err) {
		t.Errorf("read-only: %v", err)
	}
	f.SetReadOnly(false)
	mustQuery(t, db, "INSERT INTO t VALUES(4)")
}

// SQL16: two statements of one text at a time; a schema change in between.
func TestCache(t *testing.T) {
	db := open(t, sqlite.Options{})
	mustQuery(t, db, "CREATE TABLE t(a)")
	c := sqlite.NewCache(db, 100)
	prepare := func(sql string) *sqlite.Stmt {
		t.Helper()
		if s := c.Take(sql); s != nil {
			return s
		}
		s, _, err := db.Prepare(sql, sqlite.Regulated)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	const sql = "SELECT * FROM t"
	first := prepare(sql)
	c.Give(sql, first)
	if again := prepare(sql); again != first {
		t.Error("an idle statement was compiled again")
	}
	second := prepare(sql)
	if second == first {
		t.Fatal("a busy statement was handed out twice")
	}
	c.Give(sql, second)
	c.Give(sql, first)
	if !second.Closed() || first.Closed() {
		t.Error("the cache kept the wrong statement")
	}
	mustQuery(t, db, "ALTER TABLE t ADD COLUMN b")
	s := prepare(sql)
	if _, err := s.Step(); err != nil || s.Columns() != 2 {
		t.Errorf("after a schema change: %d columns, %v", s.Columns(), err)
	}
	c.Give(sql, s)
	for i := range 20 {
		long := fmt.Sprintf("SELECT %d FROM t", i)
		c.Give(long, prepare(long))
	}
	if !first.Closed() {
		t.Error("the least recently used statement was not closed")
	}
}

func BenchmarkInsert(b *testing.B) {
	db := open(b, sqlite.Options{})
	mustQuery(b, db, "CREATE TABLE t(a INTEGER PRIMARY KEY, b)")
	s, _, err := db.Prepare("INSERT INTO t(b) VALUES(?)", sqlite.Regulated)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := s.BindText(1, "hello"); err != nil {
			b.Fatal(err)
		}
		if _, err := s.Step(); err != nil {
			b.Fatal(err)
		}
		s.Reset()
	}
}

func BenchmarkOpenClose(b *testing.B) {
	path := filepath.Join(b.TempDir(), "a.sqlite")
	b.ReportAllocs()
	for b.Loop() {
		db, err := sqlite.Open(path, sqlite.Options{Limits: sqlite.PlatformLimits})
		if err != nil {
			b.Fatal(err)
		}
		db.Close()
	}
}
