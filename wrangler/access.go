package wrangler

// Visitors is the access section: as whom Cloudflare Access shows the visitors of a Worker locally (BIND-164).
type Visitors struct {
	// AUD is the audience tag of the application, Identity a JSON object, "" for none.
	AUD, Identity string
}

func (s *scope) readAccess(cfg *Config) {
	e, ok := s.lookup("access")
	if !ok || e.value.kind == nullNode {
		return
	}
	o, ok := s.open(e.path, e.value, fieldPhrase)
	if !ok {
		return
	}
	if o.n.get("dev") != nil {
		if dev, ok := o.child("dev", fieldPhrase); ok {
			cfg.Access = &Visitors{AUD: dev.require("aud", "my-aud"), Identity: dev.jsonObject("identity")}
			dev.finish()
		}
	}
	o.finish()
}

// readCache reads whether a cache in front of the Worker answers what it has answered before.
func (s *scope) readCache(cfg *Config) {
	e, ok := s.lookup("cache")
	if !ok || e.value.kind == nullNode {
		return
	}
	if o, ok := s.open(e.path, e.value, fieldPhrase); ok {
		on := o.boolean("enabled")
		cfg.Cache = on != nil && *on
		across := o.boolean("cross_version_cache")
		cfg.CrossVersionCache = across != nil && *across
	}
}
