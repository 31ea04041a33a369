package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"eddy/durableobject"
	"eddy/runtime/cluster/engine"
	"eddy/runtime/report"
	"eddy/runtime/statedir"
	"eddy/wrangler"
)

// planMigrations finds out what the configurations of services would change in the data on disk. A migration that is
// not allowed is a [ConfigError] with its place in the file. planMigrations itself changes nothing.
func (s *Session) planMigrations(names []string, configs []*wrangler.Config) ([]durableobject.Plan, error) {
	var ledger durableobject.Ledger
	if err := s.readApplied(&ledger); err != nil {
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
		ledger.Apply(p) // ledger is a copy, from which the next Worker's plan goes on
		plans = append(plans, p)
	}
	if failed != nil {
		return nil, failed
	}
	if found.HasErrors() {
		return nil, &ConfigError{Diagnostics: found, Dir: s.opts.Dir}
	}
	for _, d := range found {
		s.lines.Line(report.Warn, "migration", d.Render(wrangler.RenderOptions{Color: s.lines.Color(),
			Base: s.opts.Dir}))
	}
	return plans, nil
}

// checkTransfers refuses to take a class over from a Worker that another session runs on this state directory, because
// that session has the objects open. known is what was applied before; it may be nil.
func (s *Session) checkTransfers(known *durableobject.WorkerLedger, cfg *wrangler.Config,
	found *wrangler.Diagnostics) error {
	if s.opts.Ephemeral {
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
		if _, err := os.Stat(s.state.WorkerLock(script)); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		unlock, err := s.state.LockWorker(script)
		var locked *statedir.LockedError
		switch {
		case errors.As(err, &locked):
			*found = append(*found, cfg.Diagnose(l.Pos, wrangler.Error,
				fmt.Sprintf("Class %s cannot be transferred while process %d runs Worker %s on this state directory.",
					l.Names[0].Name, locked.Pid, script),
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

// countObjects counts the objects that a namespace's folder has.
func (s *Session) countObjects(key string) (n int, err error) {
	entries, err := os.ReadDir(s.state.Namespace(key))
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

// applyMigrations carries out plans. It moves namespaces of deleted classes aside and never destroys them, so that
// everything can be taken back (in production it cannot). undo takes back what was done, also after an error; tell
// reports it.
func (s *Session) applyMigrations(plans []durableobject.Plan) (undo func() error, tell func(), err error) {
	var undone []func() error
	var told []func()
	undo = func() error {
		var errs []error
		for _, f := range slices.Backward(undone) {
			errs = append(errs, f())
		}
		undone = nil
		return errors.Join(errs...)
	}
	tell = func() {
		for _, f := range told {
			f()
		}
	}
	for _, p := range plans {
		for _, d := range p.Discard {
			to, back, err := s.setAside(d.Key)
			if err != nil {
				return undo, tell, fmt.Errorf("migration %q deletes class %s: %w", d.Tag, d.Class, err)
			}
			undone = append(undone, back)
			told = append(told, func() { s.tellDeleted(p.Worker, d, to) })
		}
		for _, text := range p.Notes {
			told = append(told, func() { s.lines.Line(report.Info, "migration", text, report.F("worker", p.Worker)) })
		}
	}
	var before, ledger durableobject.Ledger
	for changed, err := true, engine.ErrStale; errors.Is(err, engine.ErrStale); { // nodes start at the same time
		before, ledger, changed = durableobject.Ledger{}, durableobject.Ledger{}, false
		if err := errors.Join(s.readApplied(&before), s.readApplied(&ledger)); err != nil {
			return undo, tell, err
		}
		for _, p := range plans {
			changed = ledger.Apply(p) || changed
		}
		if !changed {
			return undo, tell, nil
		}
		if err = s.writeApplied(ledger); err != nil && !errors.Is(err, engine.ErrStale) {
			return undo, tell, err
		}
	}
	undone = append(undone, func() error { return s.restoreLedger(before, ledger) })
	return undo, tell, nil
}

// restoreLedger takes back the entries in changed: it records those in before in their place. It leaves the rest of the
// record alone, because another session on the same directory may have changed it meanwhile.
func (s *Session) restoreLedger(before, changed durableobject.Ledger) error {
	now := durableobject.Ledger{Workers: map[string]*durableobject.WorkerLedger{}}
	if err := s.readApplied(&now); err != nil {
		return err
	}
	for name, applied := range changed.Workers {
		was := before.Workers[name]
		switch {
		case was == nil:
			delete(now.Workers, name)
		case !reflect.DeepEqual(was, applied):
			now.Workers[name] = was
		}
	}
	return s.writeApplied(now)
}

func (s *Session) tellDeleted(worker string, d durableobject.Discarded, to string) {
	s.lines.Line(report.Warn, "migration", fmt.Sprintf("Migration %q deleted class %s of %s. "+
		"Its %d object%s would be destroyed in production; here they were moved to %s.\n"+
		"  delete that folder when they are of no use any more; to have them back, move it to %s before eddy dev "+
		"starts",
		d.Tag, d.Class, worker, d.Objects, plural(d.Objects), to, s.state.Namespace(d.Key)),
		report.F("worker", worker), report.F("class", d.Class), report.F("tag", d.Tag), report.F("moved_to", to))
}

// setAside moves a namespace's folder and the history of its objects to a place where nobody looks for objects. An
// object that gets the same name and id later is another object. back moves both to where they were.
func (s *Session) setAside(key string) (to string, back func() error, err error) {
	dir := s.state.Deleted()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, err
	}
	to = filepath.Join(dir, key)
	for i := 2; ; i++ {
		if _, err := os.Stat(to); errors.Is(err, fs.ErrNotExist) {
			break
		}
		to = filepath.Join(dir, key+"-"+strconv.Itoa(i))
	}
	if err := renameIfThere(s.state.History(key), to+".history"); err != nil {
		return "", nil, err
	}
	if err := os.Rename(s.state.Namespace(key), to); err != nil {
		return "", nil, errors.Join(err, renameIfThere(to+".history", s.state.History(key)))
	}
	return to, func() error {
		return errors.Join(os.Rename(to, s.state.Namespace(key)), renameIfThere(to+".history", s.state.History(key)))
	}, nil
}

func renameIfThere(from, to string) error {
	err := os.Rename(from, to)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
