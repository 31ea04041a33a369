package testrun

import (
	"net/http"
	"path/filepath"
	"sync"

	servicebinding "eddy/runtime/bindings/service"
	"eddy/runtime/bundle"
	"eddy/runtime/engine/regexp"
	"eddy/runtime/session"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// Pool has what a configuration of tests says of a project's Workers.
type Pool struct {
	// Workers are the Worker of the tests and the auxiliary ones.
	Workers []session.Given
	// Rename and Define are the aliases and definitions of Vite, Conditions those of exports beside the platform's.
	Rename     func(specifier string) (string, bool)
	Define     map[string]string
	Conditions []string
	// Hooks are those of Vite's plugins, nil for none.
	Hooks *bundle.Hooks
	// IsolatedStorage says that each test's writes are undone, as the older dialect has it (TEST-75).
	IsolatedStorage bool
	// SingleWorker says that all files share one isolate (TEST-74).
	SingleWorker bool
	// Elsewhere is the way to services that are functions of the configuration, Outbound that of outgoing requests.
	Elsewhere func(service string) servicebinding.DistantWorker
	Outbound  func(worker string) http.RoundTripper
}

// session puts it into the options of a session.
func (p *Pool) session(o *session.Options) {
	o.Given, o.Elsewhere, o.Outbound = p.Workers, p.Elsewhere, p.Outbound
}

// bundled puts it into the options of the project's program.
func (p *Pool) bundled(o *bundle.Options) {
	o.Rename = p.Rename
	if len(p.Define) > 0 {
		define := map[string]string{}
		for _, m := range []map[string]string{o.Define, p.Define} {
			for k, v := range m {
				define[k] = v
			}
		}
		delete(define, "import.meta.vitest") // for builds in which the tests in the source are left out
		o.Define = define
	}
	if len(p.Conditions) > 0 {
		o.Conditions = append([]string{"workerd", "worker", "module", "browser"}, p.Conditions...)
	}
	o.NodeEnv, o.NodePackages = "test", true
}

// auxiliary are the scripts of a project's other Workers, built once for all files.
type auxiliary struct {
	mu      sync.Mutex
	scripts map[string]*worker.Script // guarded by mu, by name
}

// files are those that the scripts are built of.
func (a *auxiliary) files() (list []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, s := range a.scripts {
		list = append(list, s.Bundle.Inputs...)
	}
	return list
}

// forget lets the scripts be built again.
func (a *auxiliary) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.scripts = nil
}

// script is what a Worker of the project runs.
func (r *run) script(cfg *wrangler.Config, o bundle.Options) (*worker.Script, error) {
	entry := o.Entry
	if !filepath.IsAbs(entry) {
		entry = filepath.Join(o.Dir, entry)
	}
	if entry == r.first {
		return r.program, nil
	}
	a := r.auxiliary
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.scripts[cfg.Name]; s != nil {
		return s, nil
	}
	o.CheckRegExp = regexp.Check
	b, err := bundle.Build(o)
	if err != nil {
		return nil, err
	}
	if a.scripts == nil {
		a.scripts = map[string]*worker.Script{}
	}
	s := &worker.Script{Bundle: b}
	a.scripts[cfg.Name] = s
	return s, nil
}

// source is the map of a Worker's script.
func (r *run) source(name string) *bundle.SourceMap {
	a := r.auxiliary
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.scripts[name]; s != nil {
		return s.Bundle.Map
	}
	return r.program.Bundle.Map
}
