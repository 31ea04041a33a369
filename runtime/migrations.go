package runtime

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"eddy/durableobject"
	"eddy/durableobject/storage"
	"eddy/queues/logstore"
	"eddy/runtime/control"
	"eddy/runtime/report"
	"eddy/wrangler"
)

// migrations are what was made of the data on disk (see [durableobject.Ledger]). The file lies beside the queues, where
// wrangler dev does not look. Several sessions may share the directory, each with Workers of its own, so the file is read
// anew for every change.
type migrations struct {
	path string

	mu     sync.Mutex
	keys   map[durableobject.ClassName]string // guarded by mu
	sqlite map[durableobject.ClassName]bool   // guarded by mu
}

// key is the unique key of a class's namespace, "" if nothing is known of it. Any goroutine.
func (m *migrations) key(worker, class string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.keys[durableobject.ClassName{Worker: worker, Class: class}]
}

func (m *migrations) read() (l durableobject.Ledger, err error) {
	b, err := os.ReadFile(m.path)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &l)
	}
	if err != nil {
		return l, fmt.Errorf("migrations of Durable Objects: %s: %w", m.path, err)
	}
	return l, nil
}

// planMigrations finds out what the configurations of services want of the data on disk. What must not be is a
// [ConfigError], with the place. Nothing is changed yet, but classes are known by their keys from now on.
func (s *Server) planMigrations(names []string, configs []*wrangler.Config) ([]durableobject.Plan, error) {
	s.state.migrations.path = s.state.v3("eddy", "migrations.json")
	ledger, err := s.state.migrations.read()
	if err != nil {
		return nil, err
	}
	gone := map[string]bool{}
	var failed error
	holds := func(key string) int {
		n, err := s.countObjects(key)
		failed = errors.Join(failed, err)
		if gone[key] {
			return 0
		}
		return n
	}
	var plans []durableobject.Plan
	var found wrangler.Diagnostics
	for i, cfg := range configs {
		if err := s.checkTransfers(ledger.Workers[names[i]], cfg, &found); err != nil {
			return nil, err
		}
		p := ledger.Plan(migrationsOf(names[i], cfg), holds)
		for _, f := range p.Refusals {
			found = append(found, diagnoseMigration(cfg, f, wrangler.Error))
		}
		for _, f := range p.Warnings {
			found = append(found, diagnoseMigration(cfg, f, wrangler.Warning))
		}
		for _, d := range p.Discard {
			gone[d.Key] = true
		}
		ledger.Apply(p) // of this copy: the next Worker's plan goes on from there
		plans = append(plans, p)
	}
	if failed != nil {
		return nil, failed
	}
	if found.HasErrors() {
		return nil, &ConfigError{Diagnostics: found, Dir: s.dir}
	}
	for _, d := range found {
		s.report.Line(report.Warn, "migration", d.Render(wrangler.RenderOptions{Color: s.report.Color(), Base: s.dir}))
	}
	s.state.migrations.know(plans)
	return plans, nil
}

// checkTransfers refuses to take a class over from a Worker that another session runs on this state directory: it has the
// objects open. known is what was applied before, nil for nothing.
func (s *Server) checkTransfers(known *durableobject.WorkerLedger, cfg *wrangler.Config, found *wrangler.Diagnostics) error {
	if s.state.ephemeral {
		return nil
	}
	for _, l := range cfg.Lineages {
		script := l.Names[0].Script
		if script == "" || s.byName[script] != nil {
			continue
		}
		if known != nil {
			if _, applied := known.Namespaces[l.Origin]; applied {
				continue
			}
		}
		lock := s.state.v3("eddy", "workers", url.PathEscape(script)+".lock")
		if _, err := os.Stat(lock); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		unlock, err := logstore.OS{}.Lock(lock)
		var locked *logstore.LockedError
		switch {
		case errors.As(err, &locked):
			*found = append(*found, cfg.Diagnose(l.Pos, wrangler.Error, fmt.Sprintf("Class %s cannot be transferred while process %d runs Worker %s on this state directory.", l.Names[0].Name, locked.Pid, script),
				"end that session for as long as this one starts"))
		case err != nil:
			return fmt.Errorf("state directory: %w", err)
		default:
			if err := unlock(); err != nil {
				return err
			}
		}
	}
	return nil
}

// know lets classes be found by what the plans say.
func (m *migrations) know(plans []durableobject.Plan) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.keys == nil {
		m.keys, m.sqlite = map[durableobject.ClassName]string{}, map[durableobject.ClassName]bool{}
	}
	for _, p := range plans {
		for class, key := range p.Keys {
			name := durableobject.ClassName{Worker: p.Worker, Class: class}
			m.keys[name], m.sqlite[name] = key, p.SQLite[class]
		}
	}
}

// countObjects counts the objects that a namespace's folder has.
func (s *Server) countObjects(key string) (n int, err error) {
	entries, err := os.ReadDir(storage.NamespaceDir(s.state.root, key))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ".sqlite"); ok && id != "metadata" && !strings.Contains(id, ".") {
			n++
		}
	}
	return n, err
}

// migrationsOf translates a configuration.
func migrationsOf(name string, cfg *wrangler.Config) durableobject.Migrations {
	m := durableobject.Migrations{Worker: name}
	for _, step := range cfg.Migrations {
		m.Tags = append(m.Tags, durableobject.MigrationTag{Tag: step.Tag, Text: step.Text()})
	}
	for _, l := range cfg.Lineages {
		x := durableobject.Lineage{Origin: l.Origin, SQLite: l.SQLite, Listed: l.Listed, Deleted: l.Deleted, Tag: l.Tag}
		for _, ref := range l.Names {
			c := durableobject.ClassName{Worker: ref.Script, Class: ref.Name}
			if c.Worker == "" {
				c.Worker = name
			}
			x.Names = append(x.Names, c)
		}
		m.Lineages = append(m.Lineages, x)
	}
	return m
}

func diagnoseMigration(cfg *wrangler.Config, f durableobject.Finding, severity wrangler.Severity) wrangler.Diagnostic {
	var pos wrangler.Pos
	if f.Lineage >= 0 {
		pos = cfg.Lineages[f.Lineage].Pos
	} else {
		for _, m := range cfg.Migrations {
			if m.Tag == f.Tag {
				pos = m.Pos
			}
		}
	}
	return cfg.Diagnose(pos, severity, f.Text, f.Fix, f.Why)
}

// applyMigrations makes plans true. Namespaces of deleted classes are moved aside, never destroyed: what production does
// to them cannot be taken back.
func (s *Server) applyMigrations(plans []durableobject.Plan) error {
	for _, p := range plans {
		for _, d := range p.Discard {
			to, err := s.setAside(d.Key)
			if err != nil {
				return fmt.Errorf("migration %q deletes class %s: %w", d.Tag, d.Class, err)
			}
			s.report.Line(report.Warn, "migration", fmt.Sprintf("Migration %q deleted class %s of %s. Its %d object%s would be destroyed in production; here they were moved to %s.\n  delete that folder when they are of no use any more; to have them back, move it to %s before eddy dev starts",
				d.Tag, d.Class, p.Worker, d.Objects, plural(d.Objects), to, storage.NamespaceDir(s.state.root, d.Key)), report.F("worker", p.Worker), report.F("class", d.Class), report.F("tag", d.Tag), report.F("moved_to", to))
		}
		for _, text := range p.Notes {
			s.report.Line(report.Info, "migration", text, report.F("worker", p.Worker))
		}
	}
	ledger, err := s.state.migrations.read()
	if err != nil {
		return err
	}
	changed := false
	for _, p := range plans {
		changed = ledger.Apply(p) || changed
	}
	if !changed {
		return nil
	}
	b, err := json.MarshalIndent(ledger, "", "  ")
	if err != nil {
		return err
	}
	if err := control.WriteFileDurably(s.state.migrations.path, append(b, '\n')); err != nil {
		return fmt.Errorf("migrations of Durable Objects: %w", err)
	}
	return nil
}

// setAside moves a namespace's folder, and beside it the history of its objects, to where nobody looks for objects: what
// has the same name and id later is another object.
func (s *Server) setAside(key string) (to string, err error) {
	dir := s.state.v3("eddy", "deleted")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	to = filepath.Join(dir, key)
	for i := 2; ; i++ {
		if _, err := os.Stat(to); errors.Is(err, fs.ErrNotExist) {
			break
		}
		to = filepath.Join(dir, key+"-"+strconv.Itoa(i))
	}
	err = os.Rename(storage.HistoryDir(s.state.root, key), to+".history")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return to, os.Rename(storage.NamespaceDir(s.state.root, key), to)
}

// isSQLite tells whether a Worker's class is SQLite-backed: of a transferred one the configuration does not say it. Any
// goroutine.
func (m *migrations) isSQLite(worker, class string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sqlite[durableobject.ClassName{Worker: worker, Class: class}]
}
