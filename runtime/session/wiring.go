package session

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"sort"
	"time"

	"eddy/runtime/bundle"
	"eddy/runtime/front"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/worker"
	"eddy/workflows/workflowjs"
	"eddy/wrangler"
)

// workerOptions turn a configuration into a Worker's options: the whole wiring of one generation.
func (s *Session) workerOptions(svc *service, g *generation) (worker.Options, error) {
	cfg := g.config
	flags, err := flagsOf(cfg)
	if err != nil {
		return worker.Options{}, err
	}
	s.hideSecrets(cfg)
	o := s.isolateOptions(svc.name, s.lines)
	o.Script, o.Flags, o.Modules = svc.scriptOf(g.bundle), flags, s.modules(svc, cfg)
	o.Lost = func(err error) { s.unreliable(svc, g, err) }
	o.Relieve = s.objects.EvictIdle
	o.Trace = s.tracer(cfg)
	o.Stream = s.streamer(cfg)
	o.Journal = s.journal
	if a := cfg.Access; a != nil {
		o.Access = &worker.Visitor{AUD: a.AUD, Identity: a.Identity}
	}
	o.Responses = svc.responsesOf(cfg)
	if s.opts.Outbound != nil {
		o.Outbound = s.opts.Outbound(svc.name)
	}
	if cfg.Limits.CPUMillis > 0 {
		o.CPULimit = time.Duration(cfg.Limits.CPUMillis * float64(time.Millisecond))
		boundOf(s.opts.Bounds, svc.name).apply(&o)
	}
	s.installs(&o)
	o.Install = append(o.Install, func(iso *worker.Isolate) error {
		fetch.SetZone(iso.Host, zoneOf(svc.name, cfg))
		return nil
	})
	if len(cfg.Workflows) > 0 {
		o.Install = append(o.Install, workflowjs.Install, workflowjs.Exports(s.flows.exported(cfg)))
	}
	if o.Bindings, err = s.bindings(svc, g); err != nil {
		return o, err
	}
	if s.opts.Inspector != nil {
		s.opts.Inspector.Attach(&o)
	}
	return o, nil
}

// zoneOf is the zone that a Worker's outgoing requests name: that of the first route, the host of the dev section, or
// one that is made of its name.
func zoneOf(name string, cfg *wrangler.Config) string {
	if len(cfg.Routes) > 0 && cfg.Routes[0].ZoneName != "" {
		return cfg.Routes[0].ZoneName
	}
	host := cfg.Dev.Host
	if host == "" && !cfg.Dev.KeepOrigin && len(cfg.Routes) > 0 {
		host = front.RouteHost(cfg.Routes[0])
	}
	if u, err := url.Parse(host); err == nil && u.Host != "" {
		host = u.Hostname()
	}
	if host == "" {
		return name + ".example.com"
	}
	return host
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

// servedBindings are the bindings that eddy serves, without vars.
func (s *Session) servedBindings(svc *service, g *generation) ([]worker.Binding, error) {
	var list []worker.Binding
	list = append(list, s.queueBindings(g.config)...)
	list = append(list, s.objectBindings(svc.name, g.config)...)
	list = append(list, s.serviceBindings(g.config)...)
	list = append(list, s.stores.bindings(g.config)...)
	list = append(list, s.flows.bindings(g.config)...)
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
	list = append(list, s.secretBindings(g.config)...)
	list = append(list, s.loaderBindings(svc, g.config)...)
	list = append(list, s.standInBindings(g.config)...)
	list = append(list, s.hyperdriveBindings(g.config)...)
	list = append(list, s.emailBindings(svc.name, g.config)...)
	version, err := s.versionBinding(g.config)
	return append(list, version...), err
}

// modules are a Worker's virtual modules, apart from cloudflare:workers.
func (s *Session) modules(svc *service, cfg *wrangler.Config) map[string]worker.Module {
	flags, _ := flagsOf(cfg) // mistakes were reported at start
	mods := s.isolateModules(flags)
	if files := siteFiles(cfg); files != nil {
		mods[manifestModule] = manifest(files)
	}
	if svc == s.services[0] {
		maps.Copy(mods, s.opts.Modules)
	}
	return mods
}
