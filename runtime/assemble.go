package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/bundle"
	"eddy/runtime/eventloop"
	"eddy/runtime/report"
	"eddy/runtime/webapi/host"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// defaultCPULimit bounds an invocation whose configuration has no limits.cpu_ms (D-15).
const defaultCPULimit = 30 * time.Second

// memoryLimit is what one turn of an event may add to the process's live memory: four times the platform's 128 MB, for
// objects take about as many times more here.
const memoryLimit = 512 << 20

// workerOptions turn a configuration into a Worker's options: the whole wiring of one generation.
func (s *Server) workerOptions(svc *service, g *generation) (worker.Options, error) {
	cfg := g.config
	flags, err := flagsOf(cfg)
	if err != nil {
		return worker.Options{}, err
	}
	o := worker.Options{
		Name: svc.name, Script: &worker.Script{Bundle: g.bundle}, Flags: flags, Clock: s.clock, Random: s.opts.Random,
		CPULimit: defaultCPULimit, MemoryLimit: memoryLimit, Modules: s.modules(cfg),
		InternalError: func(err *eventloop.InternalError) {
			s.report.Line(report.Error, "internal", "An error of eddy itself; please report it.\n"+err.Report(), report.F("worker", svc.name), report.F("reference", err.Reference))
		},
		Lost:     func() { s.replace(svc, g) },
		Log:      func(e host.Entry) { s.console(svc, e) },
		Uncaught: func(scope *eventloop.Scope, ex *worker.Exception) { s.uncaught(svc, ex) },
		Trace:    s.tracer(cfg),
	}
	if cfg.Limits.CPUMillis > 0 {
		o.CPULimit = time.Duration(cfg.Limits.CPUMillis * float64(time.Millisecond))
	}
	if err := s.installs(svc, g, &o); err != nil {
		return o, err
	}
	if o.Bindings, err = s.bindings(svc, g); err != nil {
		return o, err
	}
	return o, nil
}

// bindings make env, in the order of the configuration's table.
func (s *Server) bindings(svc *service, g *generation) ([]worker.Binding, error) {
	cfg := g.config
	var list []worker.Binding
	for _, v := range cfg.Vars {
		text := v.JSON
		if text == "" {
			b, err := json.Marshal(v.Text)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", v.Name, err)
			}
			text = string(b)
		}
		list = append(list, worker.Var{Key: v.Name, JSON: text})
	}
	served, err := s.servedBindings(svc, g)
	if err != nil {
		return nil, err
	}
	list = append(list, served...)
	have := map[string]bool{}
	for _, b := range list {
		have[b.Name()] = true
	}
	for _, b := range cfg.Bindings() {
		if !have[b.Name] {
			list = append(list, worker.Unserved{Key: b.Name, Kind: b.Kind.Friendly()})
		}
	}
	return list, nil
}

// checkExports compares what the configuration binds with what the script exports (CL7).
func (s *Server) checkExports(cfg *wrangler.Config, w *worker.Worker) error {
	var missing []string
	exported := map[string]bool{}
	for _, n := range w.ExportNames() {
		exported[n] = true
	}
	seen := map[string]bool{}
	for _, d := range cfg.DurableObjects {
		if d.ScriptName != "" && d.ScriptName != cfg.Name || exported[d.ClassName] || seen[d.ClassName] {
			continue
		}
		seen[d.ClassName] = true
		missing = append(missing, d.ClassName)
	}
	if len(missing) == 0 {
		return s.checkClasses(seen, cfg, w)
	}
	sort.Strings(missing)
	return fmt.Errorf("Your Worker depends on the following Durable Objects, which are not exported in your entrypoint file: %s.\nYou should export these objects from your entrypoint, %s.", //nolint:staticcheck // the reference's text
		strings.Join(missing, ", "), cfg.Main)
}

// checkClasses refuses exports that cannot be classes of Durable Objects, as the reference does by extending them (CL7).
func (s *Server) checkClasses(seen map[string]bool, cfg *wrangler.Config, w *worker.Worker) error {
	var errs []error
	err := w.Loop.Do(context.Background(), func() {
		for _, d := range cfg.DurableObjects {
			if d.ScriptName != "" && d.ScriptName != cfg.Name || seen[d.ClassName] {
				continue
			}
			seen[d.ClassName] = true
			v := w.Export(d.ClassName)
			if _, ok := goja.AssertConstructor(v); ok {
				continue
			}
			text := v.String()
			if obj, ok := v.(*goja.Object); ok && obj.ClassName() != "Function" {
				text = "#<" + obj.ClassName() + ">"
			}
			errs = append(errs, fmt.Errorf("Uncaught TypeError: Class extends value %s is not a constructor or null\n%s exports it as the Durable Object class %s.", text, cfg.Main, d.ClassName)) //nolint:staticcheck // the reference's text
		}
	})
	return errors.Join(append(errs, err)...)
}

// virtualModules are the modules the bundler must leave to the host.
func (s *Server) virtualModules(cfg *wrangler.Config) []bundle.VirtualModule {
	var mods []bundle.VirtualModule
	for _, name := range worker.BuiltinModules() {
		mods = append(mods, bundle.VirtualModule{Name: name})
	}
	for name := range s.modules(cfg) {
		mods = append(mods, bundle.VirtualModule{Name: name})
	}
	sort.Slice(mods, func(i, j int) bool { return mods[i].Name < mods[j].Name })
	return mods
}

// console writes a line of console output.
func (s *Server) console(svc *service, e host.Entry) {
	level := map[host.Level]report.Level{
		host.LevelDebug: report.Debug, host.LevelInfo: report.Info, host.LevelLog: report.Log,
		host.LevelWarn: report.Warn, host.LevelError: report.Error,
	}[e.Level]
	text := e.Text
	if s.report.Color() && e.Coloured != "" {
		text = e.Coloured
	}
	if len(s.services) > 1 {
		text = s.report.Paint("dim", "["+svc.name+"] ") + text
	}
	s.report.Line(level, "console", text, report.F("worker", svc.name), report.F("method", string(e.Level)))
}

// uncaught writes an exception that nobody caught, with the user's own lines (RT14).
func (s *Server) uncaught(svc *service, ex *worker.Exception) {
	text := "Uncaught " + ex.Stack
	if ex.Code != "" {
		text += "\n" + ex.Code
	}
	if len(s.services) > 1 {
		text = "[" + svc.name + "] " + text
	}
	s.report.Line(report.Error, "exception", text, report.F("worker", svc.name), report.F("name", ex.Name), report.F("message", ex.Message))
}
