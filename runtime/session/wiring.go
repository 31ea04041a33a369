package session

import (
	"encoding/json"
	"fmt"
	"maps"
	"sort"
	"time"

	"github.com/dop251/goja"

	"eddy/queues/queuejs"
	servicebinding "eddy/runtime/bindings/service"
	"eddy/runtime/bundle"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/host"
	"eddy/runtime/engine/wasm"
	"eddy/runtime/nodecompat"
	"eddy/runtime/report"
	"eddy/runtime/webapi/caches"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// defaultCPULimit bounds an invocation whose configuration has no limits.cpu_ms (D-15).
const defaultCPULimit = 30 * time.Second

// defaultMemoryLimit is what an isolate may keep from event to event, and what one turn of an event may add to the
// process's live memory: four times the platform's 128 MB, for objects take about as many times more here.
const defaultMemoryLimit = 512 << 20

// workerOptions turn a configuration into a Worker's options: the whole wiring of one generation.
func (s *Session) workerOptions(svc *service, g *generation) (worker.Options, error) {
	cfg := g.config
	flags, err := flagsOf(cfg)
	if err != nil {
		return worker.Options{}, err
	}
	o := worker.Options{
		Name: svc.name, Script: svc.scriptOf(g.bundle), Flags: flags, Clock: s.opts.Clock,
		Random:   s.opts.Random,
		CPULimit: defaultCPULimit, MemoryLimit: s.opts.MemoryLimit, Modules: s.modules(svc, cfg),
		InternalError: func(err *eventloop.InternalError) {
			s.lines.Line(report.Error, "internal", "An error of eddy itself; please report it.\n"+err.Report(),
				report.F("worker", svc.name), report.F("reference", err.Reference))
		},
		Lost:     func(err error) { s.unreliable(svc, g, err) },
		Log:      func(e host.Entry) { s.lines.console(svc.name, e) },
		Uncaught: func(scope *eventloop.Scope, ex *worker.Exception) { s.lines.uncaught(svc.name, ex) },
		Rejected: func(ex *worker.Exception) {
			s.lines.rejected(svc.name, ex)
			if s.opts.Rejected != nil {
				s.opts.Rejected(svc.name, ex)
			}
		},
		Notice:   func(text string) { s.lines.notice(svc.name, text) },
		Waits:    func(w worker.Waits) { s.lines.waits(svc.name, w) },
		Computes: func(c worker.Computes) { s.lines.computes(svc.name, c) },
		Trace:    s.tracer(cfg),
	}
	if o.MemoryLimit == 0 {
		o.MemoryLimit = defaultMemoryLimit
	}
	if s.opts.Outbound != nil {
		o.Outbound = s.opts.Outbound(svc.name)
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
func (s *Session) bindings(svc *service, g *generation) ([]worker.Binding, error) {
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

// virtualModules are the modules that the bundler must leave to the runtime.
func (s *Session) virtualModules(svc *service, cfg *wrangler.Config) []bundle.VirtualModule {
	var mods []bundle.VirtualModule
	for _, name := range worker.BuiltinModules() {
		mods = append(mods, bundle.VirtualModule{Name: name})
	}
	for name := range s.modules(svc, cfg) {
		mods = append(mods, bundle.VirtualModule{Name: name})
	}
	sort.Slice(mods, func(i, j int) bool { return mods[i].Name < mods[j].Name })
	return mods
}

// installs adds to an isolate what lies above web APIs.
func (s *Session) installs(svc *service, g *generation, o *worker.Options) error {
	o.Wasm = func(iso *worker.Isolate, file string, code []byte) (goja.Value, error) {
		return wasm.Module(iso.Host, file, code), nil
	}
	o.Install = append(o.Install, func(iso *worker.Isolate) error {
		wasm.Install(iso.Host)
		caches.SetStore(iso.Host, s.stores.cacheStore())
		nodecompat.InstallGlobals(iso.Host, iso.Flags.Enabled, func() goja.Value { return iso.Env() })
		return nil
	}, s.objects.Install, servicebinding.Install(directory{s}), queuejs.Install)
	return nil
}

// servedBindings are the bindings that eddy serves, without vars.
func (s *Session) servedBindings(svc *service, g *generation) ([]worker.Binding, error) {
	var list []worker.Binding
	list = append(list, s.queueBindings(g.config)...)
	list = append(list, s.objectBindings(svc.name, g.config)...)
	list = append(list, s.serviceBindings(g.config)...)
	list = append(list, s.stores.bindings(g.config)...)
	list = append(list, siteBindings(g)...)
	content, err := contentBindings(g)
	if err != nil {
		return nil, err
	}
	list = append(list, content...)
	minor, err := s.minorBindings(g.config)
	if err != nil {
		return nil, err
	}
	list = append(list, minor...)
	version, err := s.versionBinding(g.config)
	return append(list, version...), err
}

// modules are a Worker's virtual modules, apart from cloudflare:workers.
func (s *Session) modules(svc *service, cfg *wrangler.Config) map[string]worker.Module {
	mods := map[string]worker.Module{queuejs.DOQueueModule: s.lanes.Module, queuejs.TestModuleName: queuejs.TestModule}
	flags, _ := flagsOf(cfg) // mistakes were reported at start
	for _, name := range nodecompat.Names(flags.Enabled) {
		mods[name] = func(iso *worker.Isolate) (*goja.Object, error) { return nodecompat.Namespace(iso.Host, name) }
	}
	if files := siteFiles(cfg); files != nil {
		mods[manifestModule] = manifest(files)
	}
	if svc == s.services[0] {
		maps.Copy(mods, s.opts.Modules)
	}
	return mods
}

// unserved tells whether any use of a kind of binding fails with a message that names it.
func unserved(kind wrangler.BindingKind) bool {
	switch kind {
	case wrangler.VarBinding, wrangler.SecretBinding, wrangler.QueueBinding, wrangler.DurableObjectBinding,
		wrangler.ServiceBinding, wrangler.VersionMetadataBinding, wrangler.D1Binding, wrangler.KVBinding,
		wrangler.RateLimitBinding,
		wrangler.AnalyticsEngineBinding, wrangler.WasmModuleBinding, wrangler.TextBlobBinding, wrangler.DataBlobBinding,
		wrangler.AssetsBinding, wrangler.R2Binding:
		return false
	}
	return true
}
