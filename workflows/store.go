package workflows

import (
	"errors"
	"fmt"

	"eddy/runtime/sqlite"
)

// schema is the schema of a workflow's file. Kind, name and count identify a step; ord is the order in which steps
// began. The values of steps are structured clones; shown and output are JSON.
const schema = `
CREATE TABLE IF NOT EXISTS instances(
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, status INTEGER NOT NULL, "trigger" INTEGER NOT NULL,
  created INTEGER NOT NULL, modified INTEGER NOT NULL, started INTEGER, ended INTEGER, paused INTEGER,
  wake INTEGER, expires INTEGER, events INTEGER NOT NULL DEFAULT 0, payload BLOB, shown TEXT NOT NULL,
  output TEXT, error_name TEXT, error_message TEXT, cron TEXT, scheduled INTEGER, keep_success INTEGER,
  keep_error INTEGER, rollback INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS instances_wake ON instances(wake, seq) WHERE wake IS NOT NULL;
CREATE INDEX IF NOT EXISTS instances_expires ON instances(expires) WHERE expires IS NOT NULL;
CREATE TABLE IF NOT EXISTS steps(
  step INTEGER PRIMARY KEY, instance INTEGER NOT NULL, kind INTEGER NOT NULL, name TEXT NOT NULL,
  count INTEGER NOT NULL, ord INTEGER NOT NULL, state INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
  due INTEGER, config TEXT, value BLOB, shown TEXT, chunks INTEGER, finished INTEGER, error_name TEXT, ` +
	`error_message TEXT,
  UNIQUE(instance, kind, name, count));
CREATE TABLE IF NOT EXISTS chunks(
  step INTEGER NOT NULL, n INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY(step, n));
CREATE TABLE IF NOT EXISTS events(
  event INTEGER PRIMARY KEY, instance INTEGER NOT NULL, type TEXT NOT NULL, payload BLOB, shown TEXT NOT NULL,
  at INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS events_type ON events(instance, type, event);
CREATE TABLE IF NOT EXISTS history(
  instance INTEGER NOT NULL, n INTEGER NOT NULL, at INTEGER NOT NULL, type INTEGER NOT NULL, step TEXT NOT NULL,
  data TEXT NOT NULL, PRIMARY KEY(instance, n)) WITHOUT ROWID;
`

// format is the value of PRAGMA user_version in a file with this schema.
const format = 1

// store is the file of a workflow. The workflow's goroutine owns it.
type store struct {
	db    *sqlite.DB
	cache *sqlite.Cache
	home  Home // nil outside of a cluster
}

// row is a row of a query.
type row struct{ *sqlite.Stmt }

// failedWrite is the panic of a statement that failed. It rolls the turn back.
type failedWrite struct{ err error }

func openStore(path string, relaxed bool, home Home) (*store, error) {
	open := sqlite.Open
	if home != nil {
		open = func(_ string, o sqlite.Options) (*sqlite.DB, error) { return home.Open(o) }
		relaxed = true // the file is a copy
	}
	db, err := open(path, sqlite.Options{CacheKB: 4096, Repair: true})
	if err != nil {
		return nil, fmt.Errorf("workflow: %w", err)
	}
	s := &store{db: db, cache: sqlite.NewCache(db, 256<<10), home: home}
	fail := func(err error) (*store, error) {
		return nil, errors.Join(fmt.Errorf("workflow %s: %w", path, err), s.close())
	}
	var version int64
	if err := s.run("PRAGMA user_version", func(r row) { version = r.Int(0) }); err != nil {
		return fail(err)
	}
	if version > format {
		return fail(fmt.Errorf("the file has format %d, and this version of eddy reads %d: use a newer one", version,
			format))
	}
	setup := schema + fmt.Sprintf("PRAGMA user_version=%d;", format)
	if !relaxed {
		setup += "PRAGMA synchronous=FULL;"
	}
	if err := db.Exec(setup); err != nil {
		return fail(err)
	}
	return s, nil
}

// run executes one statement, and calls f, if it is set, for each row.
func (s *store) run(sql string, f func(row), args ...any) error {
	st := s.cache.Take(sql)
	if st == nil {
		var err error
		if st, _, err = s.db.Prepare(sql, sqlite.Trusted); err != nil {
			return err
		}
	}
	defer s.cache.Give(sql, st)
	for i, a := range args {
		if n, ok := a.(int); ok {
			a = int64(n)
		}
		if err := st.Bind(i+1, a); err != nil {
			return err
		}
	}
	for {
		more, err := st.Step()
		if err != nil || !more {
			return err
		}
		if f != nil {
			f(row{st})
		}
	}
}

func (s *store) close() error {
	if s.home != nil {
		return s.home.Leave(s.db)
	}
	return s.db.Close()
}
