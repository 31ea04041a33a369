package session

import (
	"errors"
	"path/filepath"
	"time"

	"eddy/runtime/bundle"
	"eddy/runtime/report"
	"eddy/wrangler"
)

// today is the day up to which compatibility dates may reach.
func (o *Options) today() time.Time {
	if o.Today.IsZero() {
		return o.Clock.Now()
	}
	return o.Today
}

// loadConfigs reads every configuration and makes the services. All mistakes of all files are reported together.
func (s *Session) loadConfigs() ([]*wrangler.Config, error) {
	inputs, err := s.configInputs()
	if err != nil {
		return nil, err
	}
	var configs []*wrangler.Config
	var all wrangler.Diagnostics
	shelf := bundle.OpenShelf(s.opts.Bundles)
	for i := 0; i < len(inputs); i++ {
		in := inputs[i]
		in.options = wrangler.Options{
			Env: s.opts.Env, Vars: s.opts.Vars, EnvFiles: s.opts.EnvFiles, Environ: s.opts.Environ,
			Secrets: s.opts.Secrets, Several: len(inputs) > 1,
			UserPath: in.options.UserPath, Now: s.opts.today(), RequireMain: true, WorkingDir: s.opts.Dir,
		}
		if in.given != nil {
			in.options.Env, in.options.CompatibilityDate = in.given.Env, in.given.CompatibilityDate
			in.options.RequireMain = in.given.Fallback == ""
		} else if m := in.member; m != nil {
			in.options.Env, in.options.Main, in.options.Name = "", m.main, m.name
			in.options.CompatibilityDate, in.options.CompatibilityFlags = m.date, m.flags
		} else if i == 0 {
			in.options.Main, in.options.Name = s.opts.Main, s.opts.Name
			in.options.CompatibilityDate, in.options.CompatibilityFlags = s.opts.CompatibilityDate,
				s.opts.CompatibilityFlags
			in.options.Overrides = s.opts.Overrides
		}
		cfg, diags := in.load()
		all = append(all, diags...)
		if in.member == nil && !diags.HasErrors() {
			members, err := membersOf(cfg)
			if err != nil {
				return nil, err
			}
			inputs = append(inputs, members...)
		}
		configs = append(configs, cfg)
		name := cfg.Name
		if name == "" {
			name = "worker"
		}
		svc := &service{name: name, input: in, ready: make(chan struct{}), build: builder{shelf: shelf}}
		_ = svc.newWarnings(diags) // shown below with those of the others
		s.services = append(s.services, svc)
		if s.byName[name] == nil {
			s.byName[name] = svc
		}
	}
	all = append(all, wrangler.CheckTogether(configs)...)
	for _, cfg := range configs {
		all = append(append(append(all, flagMistakes(cfg)...), queueMistakes(cfg)...), journalMistakes(cfg)...)
	}
	if all.HasErrors() {
		return nil, &ConfigError{Diagnostics: all, Dir: s.opts.Dir}
	}
	if s.opts.Warned {
		return configs, nil
	}
	s.warn(all.Warnings())
	return configs, nil
}

func (s *Session) warn(list wrangler.Diagnostics) {
	for _, d := range list {
		s.lines.Line(report.Warn, "config", d.Render(wrangler.RenderOptions{Color: s.lines.Color(), Base: s.opts.Dir}))
	}
}

// newWarnings are those that the service's configuration did not have when it was read before.
func (svc *service) newWarnings(diags wrangler.Diagnostics) (list wrangler.Diagnostics) {
	now := map[string]bool{}
	for _, d := range diags.Warnings() {
		if now[d.Text] = true; !svc.warned[d.Text] {
			list = append(list, d)
		}
	}
	svc.warned = now
	return list
}

// configInputs says where the configurations are. A script that is served alone needs none.
func (s *Session) configInputs() ([]configInput, error) {
	var out []configInput
	for _, given := range s.opts.Given {
		out = append(out, configInput{path: given.Path, dir: given.Dir, given: &given})
	}
	if len(out) > 0 {
		return out, nil
	}
	for _, p := range s.opts.Configs {
		if !filepath.IsAbs(p) {
			p = filepath.Join(s.opts.Dir, p)
		}
		loc, err := wrangler.Locate(p)
		if err != nil {
			return nil, err
		}
		out = append(out, configInput{path: loc.Path, options: wrangler.Options{UserPath: loc.UserPath}})
	}
	if len(out) > 0 {
		return out, nil
	}
	from := s.opts.Dir
	if main := s.opts.Main; main != "" {
		// As in the reference, the configuration of a script lies beside or above it.
		if from = filepath.Dir(main); !filepath.IsAbs(from) {
			from = filepath.Join(s.opts.Dir, from)
		}
	}
	loc, err := wrangler.Find(from)
	if errors.Is(err, wrangler.ErrNotFound) && (s.opts.Main != "" || s.opts.Overrides.Assets != "") {
		return []configInput{{dir: s.opts.Dir}}, nil
	}
	if err != nil {
		return nil, err
	}
	return []configInput{{path: loc.Path, options: wrangler.Options{UserPath: loc.UserPath}}}, nil
}
