package runtime

import (
	"errors"
	"fmt"
	"path/filepath"

	"eddy/runtime/report"
	"eddy/wrangler"
)

// loadConfigs reads every configuration and makes the services. All mistakes of all files are reported together.
func (s *Server) loadConfigs() ([]*wrangler.Config, error) {
	paths := s.opts.Configs
	var found wrangler.Location
	if len(paths) == 0 {
		var err error
		if found, err = wrangler.Find(s.dir); err != nil {
			if errors.Is(err, wrangler.ErrNotFound) {
				return nil, fmt.Errorf("%s: %w\n  write one, or name it: eddy dev -c path/to/wrangler.jsonc", s.dir, err)
			}
			return nil, err
		}
		paths = []string{found.Path}
	}
	var configs []*wrangler.Config
	var all wrangler.Diagnostics
	for i, p := range paths {
		if !filepath.IsAbs(p) {
			p = filepath.Join(s.dir, p)
		}
		in := configInput{path: p, options: wrangler.Options{
			Env: s.opts.Env, Vars: s.opts.Vars, EnvFiles: s.opts.EnvFiles, Environ: s.opts.Environ,
			UserPath: found.UserPath, Now: s.clock.Now(), RequireMain: true,
		}}
		if i == 0 {
			in.options.Main, in.options.Name = s.opts.Main, s.opts.Name
			in.options.CompatibilityDate, in.options.CompatibilityFlags = s.opts.CompatibilityDate, s.opts.CompatibilityFlags
		}
		cfg, diags := wrangler.Load(in.path, in.options)
		all = append(all, diags...)
		configs = append(configs, cfg)
		name := cfg.Name
		if name == "" {
			name = "worker"
		}
		svc := &service{server: s, name: name, input: in, ready: make(chan struct{})}
		s.services = append(s.services, svc)
		if s.byName[name] == nil {
			s.byName[name] = svc
		}
	}
	all = append(all, wrangler.CheckTogether(configs)...)
	if all.HasErrors() {
		return nil, &ConfigError{Diagnostics: all, Dir: s.dir}
	}
	var flagErrs []error
	for _, cfg := range configs {
		if _, err := flagsOf(cfg); err != nil {
			flagErrs = append(flagErrs, err)
		}
	}
	if err := errors.Join(flagErrs...); err != nil {
		return nil, err
	}
	for _, d := range all.Warnings() {
		s.report.Line(report.Warn, "config", d.Render(wrangler.RenderOptions{Color: s.report.Color(), Base: s.dir}))
	}
	return configs, nil
}
