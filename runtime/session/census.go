package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"eddy/durableobject"
	"eddy/runtime/report"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// census compares the classes that a generation's script exports with bindings, migrations and data, and tells a person
// what does not fit; each finding once in a session.
func (s *Session) census(svc *service, g *generation) error {
	if s.opts.Warned {
		return nil
	}
	c := durableobject.Census{
		Migrations: migrationsOf(svc.name, g.config), Exported: g.ExportNames(), Keys: map[string]string{},
		Taken:   map[string]bool{},
		Objects: map[string]int{}, Similar: wrangler.DidYouMean,
	}
	for _, d := range g.config.DurableObjects {
		if d.ScriptName == "" || d.ScriptName == svc.name {
			c.Bound = append(c.Bound, d.ClassName)
		}
	}
	for _, x := range g.config.Lineages {
		if !x.Deleted {
			c.Keys[x.Name()] = s.classes.key(svc.name, x.Name())
		}
	}
	var ledger durableobject.Ledger
	if err := s.readApplied(&ledger); err != nil {
		return err
	}
	for name, w := range ledger.Workers {
		for _, n := range w.Namespaces {
			if name != svc.name {
				c.Taken[n.Key] = true
			}
		}
	}
	folders, err := os.ReadDir(s.state.Objects())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("objects of the state directory: %w", err)
	}
	for _, f := range folders {
		n, err := s.countObjects(f.Name())
		if err != nil {
			return err
		}
		if n > 0 {
			c.Objects[f.Name()] = n
		}
	}
	if err := s.tellUnhandled(svc, g); err != nil {
		return err
	}
	for _, f := range c.Findings() {
		if _, told := s.told.LoadOrStore(svc.name+"\x00"+f.Text, true); told {
			continue
		}
		d := diagnoseMigration(g.config, f, wrangler.Warning)
		s.lines.Line(report.Warn, "migration", d.Render(wrangler.RenderOptions{Color: s.lines.Color(),
			Base: s.opts.Dir}))
	}
	return nil
}

// tellUnhandled warns of events that come by themselves and that the script has no handler for: each message of a queue
// that it consumes fails. The error is that of a script whose exports cannot be read in time.
func (s *Session) tellUnhandled(svc *service, g *generation) error {
	if svc.script != nil { // the entry of a test may not have run
		return nil
	}
	switch has, err := hasQueue(context.Background(), g.Worker); {
	case errors.Is(err, worker.ErrStartupLimit):
		return err
	case has || err != nil: // an end of the loop is told elsewhere
		return nil
	}
	for _, c := range g.config.Queues.Consumers {
		if c.Type != wrangler.PushConsumer {
			continue
		}
		text := fmt.Sprintf("Worker %s consumes queue %q and exports no queue(): every delivery fails.", svc.name,
			c.Queue)
		if _, told := s.told.LoadOrStore(svc.name+"\x00"+text, true); told {
			continue
		}
		d := g.config.Diagnose(c.Pos, wrangler.Warning, text,
			"export default { async queue(batch, env, ctx) { … } }, or remove the consumer")
		s.lines.Line(report.Warn, "queue", d.Render(wrangler.RenderOptions{Color: s.lines.Color(), Base: s.opts.Dir}))
	}
	return nil
}

// started looks at what a generation exports, and closes it if that can't be served.
func (s *Session) started(svc *service, g *generation) (*generation, error) {
	if err := s.checkExports(svc, g.config, g.Worker); err != nil {
		g.Close()
		return nil, &StartError{svc.name, err}
	}
	if err := s.census(svc, g); err != nil {
		g.Close()
		return nil, &StartError{svc.name, err}
	}
	g.spared = context.AfterFunc(s.giveUp, g.Loop.Cut)
	return g, nil
}
