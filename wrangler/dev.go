package wrangler

import "fmt"

// readDev reads the dev section: what the development server does unless the command line says otherwise.
func (s *scope) readDev(cfg *Config) {
	d := Dev{IP: "localhost", LocalProtocol: "http"}
	defer func() {
		d.UpstreamProtocol = firstNonEmpty(d.UpstreamProtocol, d.LocalProtocol)
		cfg.Dev = d
	}()
	e, ok := s.lookup("dev")
	if !ok {
		return
	}
	o, ok := s.open(e.path, e.value, fieldPhrase)
	if !ok {
		return
	}
	port := numberRange{min: 0, max: 65535, whole: true, unit: "0 takes a free port"}
	d.IP = firstNonEmpty(o.text("ip"), d.IP)
	d.Port = int(o.ranged("port", 0, port))
	d.InspectorPort = int(o.ranged("inspector_port", 0, port))
	d.InspectorIP = o.text("inspector_ip")
	d.LocalProtocol = firstNonEmpty(o.oneOf("local_protocol", "http", "https"), d.LocalProtocol)
	d.UpstreamProtocol = o.oneOf("upstream_protocol", "http", "https")
	d.Host = o.text("host")
	if on := o.boolean("enable_containers"); on != nil {
		d.NoContainers = !*on
	}
	if v := o.n.get("container_engine"); v != nil && v.kind == stringNode {
		d.ContainerEngine = v.text
	}
	o.accept("container_engine", "generate_types")
	o.finish()
}

// readDeployment reads what only matters in production, as far as its shape can be checked.
func (s *scope) readDeployment(cfg *Config) {
	s.scalar("workers_dev", func(o *object, key string) { cfg.WorkersDev = o.boolean(key) })
	s.scalar("preview_urls", func(o *object, key string) { cfg.PreviewURLs = o.boolean(key) })
	s.scalar("logpush", func(o *object, key string) { cfg.Logpush = o.boolean(key) })
	s.scalar("placement", func(o *object, key string) { cfg.Placement = o.jsonObject(key) })
	s.scalar("observability", func(o *object, key string) { cfg.Observability = o.jsonObject(key) })
	for _, key := range []string{"first_party_worker", "upload_source_maps", "keep_vars", "send_metrics"} {
		s.scalar(key, func(o *object, key string) { o.boolean(key) })
	}
	for _, key := range []string{
		"cloudchamber", "dependencies_instrumentation", "previews", "python_modules"} {
		s.scalar(key, func(o *object, key string) { o.jsonObject(key) })
	}
	s.scalar("addresses", func(o *object, key string) { o.texts(key) })
	s.scalar("$schema", func(o *object, key string) { o.text(key) })
	s.scalar("compliance_region", func(o *object, key string) { o.oneOf(key, "public", "fedramp_high") })
	if e, ok := s.lookup("connect"); ok {
		s.list(e.path, e.value)
	}
	s.readAccess(cfg)
	s.readCache(cfg)
	s.readLimits(cfg)
	s.readRoutes(cfg)
	s.readSite(cfg)
}

func (s *scope) readLimits(cfg *Config) {
	e, ok := s.lookup("limits")
	if !ok {
		return
	}
	if o, ok := s.open(e.path, e.value, fieldPhrase); ok {
		cfg.Limits.CPUMillis = o.ranged("cpu_ms", 0, numberRange{min: 1, max: 300_000, unit: "milliseconds"})
		cfg.Limits.Subrequests = int(o.ranged("subrequests", 0, numberRange{min: 1, max: 10_000_000, whole: true}))
		o.finish()
	}
}

func (s *scope) readRoutes(cfg *Config) {
	route, hasRoute := s.lookup("route")
	if hasRoute {
		if route.value.kind == stringNode && route.value.text == "" {
			s.warnAt(route.value.span,
				`The "route" field in your configuration is an empty string and will be ignored.`, `remove "route"`)
			hasRoute = false
		} else {
			s.readRoute(cfg, route.path, route.value)
		}
	}
	routes, ok := s.lookup("routes")
	if !ok {
		return
	}
	if hasRoute && route.own == routes.own {
		s.errorAt(routes.value.span, `Expected exactly one of the following fields ["routes","route"].`,
			`move "route" into "routes"`)
	}
	for i, item := range s.list(routes.path, routes.value) {
		s.readRoute(cfg, fmt.Sprintf("%s[%d]", routes.path, i), item)
	}
}

func (s *scope) readRoute(cfg *Config, path string, n *node) {
	if n.kind == stringNode {
		cfg.Routes = append(cfg.Routes, Route{Pattern: n.text, Pos: s.src.pos(n.span.start)})
		return
	}
	if n.kind != objectNode {
		s.errorAt(n.span, fmt.Sprintf("Expected %q to be either a string, or an object with shape { pattern, "+
			"custom_domain, zone_id | zone_name, enabled, previews_enabled }, but got %s.",
			path, n.shortJSON()), `write a pattern such as "example.com/*"`)
		return
	}
	o := &object{reader: s.reader, path: path, n: n}
	r := Route{Pattern: o.require("pattern", "example.com/*"), ZoneName: o.text("zone_name"), ZoneID: o.text("zone_id"),
		CustomDomain: o.flag("custom_domain"), Pos: o.pos()}
	if r.ZoneName != "" && r.ZoneID != "" {
		s.errorAt(o.spanOf("zone_id"),
			fmt.Sprintf(`%q should have either "zone_name" or "zone_id", but not both.`, path), "remove one of the two")
	}
	o.accept("enabled", "previews_enabled")
	o.finish()
	cfg.Routes = append(cfg.Routes, r)
}

func (s *scope) readSite(cfg *Config) {
	e, ok := s.lookup("site")
	if !ok {
		return
	}
	o, ok := s.open(e.path, e.value, fieldPhrase)
	if !ok {
		return
	}
	cfg.Site = &SiteSection{
		Bucket: cfg.abs(o.require("bucket", "./public")), Include: o.texts("include"), Exclude: o.texts("exclude"),
		Pos: o.pos()}
	if entryPoint := o.text("entry-point"); entryPoint != "" {
		f, _ := o.n.field("entry-point")
		if cfg.Main != "" {
			s.errorAt(f.keySpan, "Don't define both the `main` and `site.entry-point` fields in your configuration.",
				"delete the deprecated `site.entry-point`",
				"They serve the same purpose: to point to the entry-point of your worker.")
		} else {
			s.warnAt(f.keySpan, "`site.entry-point` is deprecated.",
				"write "+s.assign("main", quoteJSON(entryPoint))+" at the top level instead")
			cfg.Main = cfg.abs(entryPoint)
		}
	} else if _, given := s.lookup("main"); !given {
		s.warnAt(e.value.span, "A site without main is served by workers-site/index.js, which is deprecated.",
			"write "+s.assign("main", `"workers-site/index.js"`)+" at the top level")
		cfg.Main = cfg.abs("workers-site/index.js")
	}
	o.finish()
}
