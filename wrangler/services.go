package wrangler

// readServices reads the service bindings. props becomes ctx.props of the entrypoint.
func (s *scope) readServices(cfg *Config) {
	e, ok := s.lookup("services")
	if !ok {
		return
	}
	for _, o := range s.openAll(e.path, e.value, bindingPhrase) {
		cfg.Services = append(cfg.Services, Service{
			Binding: o.require("binding", "MY_SERVICE"), Service: o.require("service", "other-worker"),
			Environment: o.text("environment"), Entrypoint: o.text("entrypoint"), Props: o.jsonObject("props"),
			Remote: o.remote(), Pos: o.pos(),
		})
		o.accept("dev", "cross_account_grant")
		o.finish()
	}
	s.warnMissingNames(e)
}
