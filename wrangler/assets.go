package wrangler

// Assets is the assets section: static files served before or beside the Worker.
type Assets struct {
	Directory        string   // absolute; "" if only the binding is given
	Binding          string   // "" for none
	HTMLHandling     string   // default auto-trailing-slash
	NotFoundHandling string   // default none
	RunWorkerFirst   bool     // for every path
	RunWorkerPaths   []string // run_worker_first as a list of patterns
	BasePath         string
	Pos              Pos
}

func (s *scope) readAssets(cfg *Config) {
	e, ok := s.lookup("assets")
	if !ok {
		return
	}
	o, ok := s.open(e.path, e.value, fieldPhrase)
	if !ok {
		return
	}
	a := &Assets{Directory: cfg.abs(o.text("directory")), Binding: o.text("binding"), BasePath: o.text("base_path"),
		Pos: o.pos()}
	a.HTMLHandling = firstNonEmpty(
		o.oneOf("html_handling", "auto-trailing-slash", "force-trailing-slash", "drop-trailing-slash", "none"),
		"auto-trailing-slash")
	a.NotFoundHandling = firstNonEmpty(
		o.oneOf("not_found_handling", "single-page-application", "404-page", "none"), "none")
	if v := o.n.get("run_worker_first"); v != nil && v.kind == arrayNode {
		a.RunWorkerPaths = o.texts("run_worker_first")
	} else {
		a.RunWorkerFirst = o.flag("run_worker_first")
	}
	o.finish()
	cfg.Assets = a
}
