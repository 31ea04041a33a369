package session

import (
	"errors"

	"eddy/runtime/bundle"
	"eddy/wrangler"
)

// Prepare reads the configurations as [Start] does and says how the first Worker's bundle would be made. Nothing is
// started.
func Prepare(o Options) (*wrangler.Config, bundle.Options, error) {
	s := &Session{opts: o, byName: map[string]*service{}, lines: lines{Reporter: o.Report, dir: o.Dir,
		project: projectOf(o.Configs)}}
	configs, err := s.loadConfigs()
	if err != nil {
		return nil, bundle.Options{}, err
	}
	cfg := configs[0]
	if cfg.Main == "" {
		return cfg, bundle.Options{}, errors.New("the configuration has no main: there is no code to run")
	}
	return cfg, bundleOptions(cfg, s.virtualModules(s.services[0], cfg)), nil
}
