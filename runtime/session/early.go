package session

import (
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// takeEarly looks for the bundles of an earlier session and compiles their packages while the start goes on. Where a
// custom build or the session itself makes the files, they are not there yet. Whoever takes one
// looks once more whether its files have changed meanwhile.
func (s *Session) takeEarly(configs []*wrangler.Config) {
	for i, svc := range s.services {
		cfg, b := configs[i], &svc.build
		if b.shelf == nil || s.opts.Program != nil || cfg.Main == "" || cfg.Build.Command != "" {
			continue
		}
		e := &early{options: s.bundleOptions(svc, cfg), made: make(chan struct{})}
		if s.tasks.Go(func() {
			e.kept = b.shelf.Take(e.options)
			close(e.made)
			worker.CompilePackages(e.kept)
		}) {
			b.early = e
		}
	}
}
