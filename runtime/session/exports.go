package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/worker"
	"eddy/wrangler"
)

// notExported says that the script does not export classes that the configuration binds.
type notExported struct {
	// Diagnostic has the place of the first of the bindings, for a terminal.
	wrangler.Diagnostic
}

// Error is the reference's text, and what was probably meant.
func (e *notExported) Error() string {
	return strings.Join(append(append([]string{e.Text}, e.Notes...), e.Fix), "\n")
}

// Unwrap gives the diagnostic to those who show errors with their place.
func (e *notExported) Unwrap() error { return e.Diagnostic }

// checkExports compares what the configuration binds with what the script exports (CL7).
func (s *Session) checkExports(svc *service, cfg *wrangler.Config, w *worker.Worker) error {
	names := w.ExportNames()
	exported := map[string]bool{}
	for _, n := range names {
		exported[n] = true
	}
	own := func(script string) bool { return script == "" || script == cfg.Name }
	objects, workflows := missingClasses{}, missingClasses{}
	for _, d := range cfg.DurableObjects {
		if own(d.ScriptName) && !exported[d.ClassName] {
			objects.add(d.ClassName, d.Pos)
		}
	}
	for _, d := range cfg.Workflows {
		if own(d.ScriptName) && !exported[d.ClassName] {
			workflows.add(d.ClassName, d.Pos)
		}
	}
	err := errors.Join(s.refused(objects, "Durable Objects", "DurableObject", cfg, names),
		s.refused(workflows, "Workflows", "WorkflowEntrypoint", cfg, names), s.checkEntrypoints(cfg, names))
	if err != nil || svc.script != nil { // the entry of a test may not have run
		return err
	}
	return s.checkClasses(map[string]bool{}, cfg, w)
}

// missingClasses are classes of one kind that are bound and not exported, with the place of the first binding.
type missingClasses struct {
	names []string
	first wrangler.Pos
}

func (m *missingClasses) add(class string, pos wrangler.Pos) {
	if len(m.names) == 0 {
		m.first = pos
	}
	if !slices.Contains(m.names, class) {
		m.names = append(m.names, class)
	}
}

// refused is nil if none is missing. The texts are the reference's.
func (s *Session) refused(m missingClasses, kind, super string, cfg *wrangler.Config, exported []string) error {
	if len(m.names) == 0 {
		return nil
	}
	slices.Sort(m.names)
	fix := fmt.Sprintf("export class %s extends %s { … }, or correct class_name", m.names[0], super)
	for _, name := range m.names {
		if meant := wrangler.DidYouMean(name, exported); meant != "" {
			fix = fmt.Sprintf("did you mean %q? The script exports that", meant)
			break
		}
	}
	d := cfg.Diagnose(m.first, wrangler.Error, fmt.Sprintf(
		"Your Worker depends on the following %s, which are not exported in your entrypoint file: %s.", kind,
		strings.Join(m.names, ", ")), fix,
		fmt.Sprintf("You should export these objects from your entrypoint, %s.", cfg.Main))
	return &notExported{s.nearby(d)}
}

// nearby shows the file of a diagnostic as other mistakes in configurations are shown.
func (s *Session) nearby(d wrangler.Diagnostic) wrangler.Diagnostic {
	if rel, err := filepath.Rel(s.opts.Dir, d.File); err == nil && filepath.IsLocal(rel) {
		d.File = rel
	}
	return d
}

// checkEntrypoints refuses bindings of a Worker to entrypoints of its own that it does not export. The reference does
// not start either, with a text about its configuration of workerd.
func (s *Session) checkEntrypoints(cfg *wrangler.Config, exported []string) error {
	var errs []error
	for _, b := range cfg.Services {
		if b.Service != cfg.Name || b.Environment != "" || b.Entrypoint == "" ||
			slices.Contains(exported, b.Entrypoint) {
			continue
		}
		fix := fmt.Sprintf("export class %s extends WorkerEntrypoint { … }, or correct entrypoint", b.Entrypoint)
		if meant := wrangler.DidYouMean(b.Entrypoint, exported); meant != "" {
			fix = fmt.Sprintf("did you mean %q? The script exports that", meant)
		}
		errs = append(errs, &notExported{s.nearby(cfg.Diagnose(b.Pos, wrangler.Error, fmt.Sprintf(
			"The binding %s refers to the entrypoint %q of %s, which has no such named entrypoint.", b.Binding,
			b.Entrypoint, b.Service), fix))})
	}
	return errors.Join(errs...)
}

// checkClasses refuses exports that cannot be classes of Durable Objects, as the reference does by extending them
// (CL7).
func (s *Session) checkClasses(seen map[string]bool, cfg *wrangler.Config, w *worker.Worker) error {
	var errs []error
	err := w.Look(context.Background(), func() {
		for _, d := range cfg.DurableObjects {
			if d.ScriptName != "" && d.ScriptName != cfg.Name || seen[d.ClassName] {
				continue
			}
			seen[d.ClassName] = true
			v := w.Export(d.ClassName)
			if _, ok := goja.AssertConstructor(v); ok {
				continue
			}
			text, kind := v.String(), "a value"
			if obj, ok := v.(*goja.Object); ok {
				if kind = "a function"; obj.ClassName() != "Function" {
					text, kind = "#<"+obj.ClassName()+">", "an object"
				}
			}
			diagnostic := cfg.Diagnose(d.Pos, wrangler.Error,
				fmt.Sprintf("The Durable Object class %s is exported as %s, not as a class.", d.ClassName, kind),
				fmt.Sprintf("export class %s extends DurableObject { … }", d.ClassName),
				// the reference's text
				"The platform says: Uncaught TypeError: Class extends value "+text+" is not a constructor or null")
			errs = append(errs, &notExported{s.nearby(diagnostic)})
		}
	})
	return errors.Join(append(errs, err)...)
}
