package runtime

import (
	"context"
	"errors"
	"fmt"

	"eddy/durableobject/objectjs"
	"eddy/durableobject/storage"
	"eddy/runtime/report"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// openObjects makes the session's namespaces known: every class of every configuration.
func (s *Server) openObjects(configs []*wrangler.Config) error {
	o := objectjs.Options{Root: s.state.root, Clock: s.clock, Alarms: objectjs.AlarmMode(s.opts.Alarms), Event: s.objectEvent, Key: s.state.migrations.key, HistoryKeep: s.opts.ObjectHistory, Elsewhere: s.objectsAway}
	if s.opts.Durability == "relaxed" {
		o.Durability = storage.Relaxed
	}
	if !s.opts.RelaxedLimits {
		o.Limits = storage.KVBackedLimits
	}
	objs, err := objectjs.New(o)
	if err != nil {
		return err
	}
	s.objects = objs
	s.closers = append(s.closers, func() error { return objs.Close(context.Background()) })
	m, err := s.planMigrations(s.Workers(), configs)
	if err != nil {
		return err
	}
	if err := s.applyMigrations(m); err != nil {
		return err
	}
	for i, cfg := range configs {
		if err := s.declareClasses(s.services[i], cfg); err != nil {
			return err
		}
	}
	return nil
}

// declareClasses declares a configuration's classes, those of its migrations and those it binds (CL8 to CL10), and ends
// what it names no more.
func (s *Server) declareClasses(svc *service, cfg *wrangler.Config) error {
	var errs []error
	var names []string
	for _, c := range cfg.Classes {
		errs = append(errs, s.objects.Declare(objectjs.Class{Worker: svc.name, Name: c.Name, SQL: s.state.migrations.isSQLite(svc.name, c.Name)}))
		names = append(names, c.Name)
	}
	return errors.Join(append(errs, s.objects.Forget(svc.name, names))...)
}

// objectBindings are a Worker's namespaces, of its own classes and of others' (script_name).
func (s *Server) objectBindings(svc *service, cfg *wrangler.Config) []worker.Binding {
	var list []worker.Binding
	for _, d := range cfg.DurableObjects {
		class := objectjs.Class{Worker: svc.name, Name: d.ClassName}
		if d.ScriptName != "" {
			class.Worker = d.ScriptName
			if d.Environment != "" {
				class.Worker += "-" + d.Environment
			}
		}
		list = append(list, s.objects.Binding(d.Name, class))
	}
	return list
}

// objectEvent turns what happens to objects into lines.
func (s *Server) objectEvent(e objectjs.Event) {
	name := e.Name
	if name == "" && len(e.ID) >= 8 {
		name = e.ID[:8] + "…"
	}
	fields := []report.Field{report.F("namespace", e.Namespace), report.F("id", e.ID), report.F("name", e.Name)}
	switch e.Kind {
	case "alarm":
		outcome := s.report.Paint("green", "ok")
		if e.Err != nil {
			outcome = s.report.Paint("red", "exception")
		}
		retry := ""
		if e.Retry > 0 {
			retry = fmt.Sprintf(" retry %d", e.Retry)
		}
		s.report.Line(report.Info, "alarm", fmt.Sprintf("ALARM %s %s%s %s %s", e.Namespace, name, retry, outcome, s.report.Paint("dim", "("+report.Duration(e.Took)+")")),
			append(fields, report.F("ok", e.Err == nil), report.F("retry", e.Retry), report.F("ms", e.Took.Milliseconds()))...)
	case "alarm-dropped":
		s.report.Line(report.Warn, "alarm", fmt.Sprintf("Alarm of %s %s was given up after %d tries.", e.Namespace, name, e.Retry+1), fields...)
	case "reset":
		s.report.Line(report.Warn, "object", fmt.Sprintf("Durable Object %s %s was reset: %v", e.Namespace, name, e.Err), fields...)
	default:
		if !s.report.Shows(report.Debug) {
			return
		}
		s.report.Line(report.Debug, "object", fmt.Sprintf("OBJECT %s %s %s", e.Kind, e.Namespace, name), fields...)
	}
}
