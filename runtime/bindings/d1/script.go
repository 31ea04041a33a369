package d1

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"eddy/runtime/sqlite"
)

// Script runs the statements of a file as one transaction and returns the result of each. Unlike in a Worker's call,
// comments may be anywhere, and there is no time limit, because an import may take long.
func (d *Database) Script(sql string) ([]Result, error) {
	var results []Result
	return results, d.transaction(0, 0, func() (err error) {
		results, err = d.script(sql)
		return err
	})
}

func (d *Database) script(sql string) (results []Result, err error) {
	for sql != "" {
		statement, rest := sqlite.Cut(sql)
		sql = rest
		st, _, err := d.db.Prepare(statement, sqlite.Regulated)
		if err != nil {
			return nil, err
		}
		if st == nil { // nothing but comments
			continue
		}
		r, err := d.measured(func() (Result, error) {
			defer st.Close()
			return d.read(st, nil)
		})
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	return results, nil
}

// Scripted is a database that an administrator changes: a [Database], or an [AwayDatabase] that leads to one.
type Scripted interface {
	// Script is [Database.Script].
	Script(sql string) ([]Result, error)
	apply(table, name, sql string) error
}

// MigrationFile is a file of a database's migrations directory.
type MigrationFile struct {
	// Name is the file's, by which the database remembers it.
	Name string `json:"name"`
	// Applied tells that the database has it.
	Applied bool `json:"applied"`
}

// Migrations lists the *.sql files of dir in the order of their names, as wrangler keeps them: table is where the
// database remembers those it has.
func Migrations(d Scripted, dir, table string) ([]MigrationFile, error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no migrations directory %s\n  make one with files named 0001_name.sql, or "+
			"set migrations_dir of the database in the configuration", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	var applied []string
	have, err := d.Script("CREATE TABLE IF NOT EXISTS " + quote(table) +
		" (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT " +
		"CURRENT_TIMESTAMP NOT NULL); SELECT name FROM " + quote(table))
	if err == nil && len(have) == 2 {
		for _, row := range have[1].Rows {
			if name, ok := row[0].(string); ok {
				applied = append(applied, name)
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("migrations table %s: %w", table, err)
	}
	var list []MigrationFile
	for _, f := range files { // sorted by name
		if !f.IsDir() && strings.HasSuffix(f.Name(), ".sql") {
			list = append(list, MigrationFile{f.Name(), slices.Contains(applied, f.Name())})
		}
	}
	return list, nil
}

// unsuitable are the characters of a message that a migration's file name does not keep.
var unsuitable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[^\p{L}\p{N}._-]+`)
})

// CreateMigration makes an empty migration file named after a message and returns its path. Its number, of four digits,
// is one more than the highest in dir, as wrangler numbers them.
func CreateMigration(dir, message string, now time.Time) (path string, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("migrations: %w", err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("migrations: %w", err)
	}
	number := 0
	for _, f := range files {
		digits, _, _ := strings.Cut(f.Name(), "_")
		if n, err := strconv.Atoi(digits); err == nil && strings.HasSuffix(f.Name(), ".sql") {
			number = max(number, n)
		}
	}
	name := fmt.Sprintf("%04d_%s.sql", number+1, unsuitable().ReplaceAllString(strings.TrimSpace(message), "_"))
	path = filepath.Join(dir, name)
	text := fmt.Sprintf("-- Migration number: %04d \t %s\n", number+1, now.UTC().Format("2006-01-02T15:04:05.000Z"))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", fmt.Errorf("migration: %w", err)
	}
	_, err = f.WriteString(text)
	return path, errors.Join(err, f.Close())
}

// Migrate applies the migrations that the database does not have, each as one transaction, and returns their names. It
// stops at the first that fails; those before it stay applied.
func Migrate(d Scripted, dir, table string) (applied []string, err error) {
	list, err := Migrations(d, dir, table)
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		if m.Applied {
			continue
		}
		path := filepath.Join(dir, m.Name)
		sql, err := os.ReadFile(path)
		if err != nil {
			return applied, fmt.Errorf("migration: %w", err)
		}
		err = d.apply(table, m.Name, string(sql))
		if err != nil {
			return applied, fmt.Errorf("migration %s: %w\n  nothing of it was applied", path, err)
		}
		applied = append(applied, m.Name)
	}
	return applied, nil
}

// apply runs a migration and notes in a table that it was, as one transaction.
func (d *Database) apply(table, name, sql string) error {
	return d.transaction(0, 0, func() error {
		if _, err := d.script(sql); err != nil {
			return err
		}
		_, err := d.query(Statement{"INSERT INTO " + quote(table) + " (name) VALUES (?)", []any{name}})
		return err
	})
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
