package sharing

import (
	"context"
	"fmt"
	"slices"

	"eddy/runtime/report"
	"eddy/runtime/running"
	"eddy/wrangler"
)

// register lets commands and other sessions find this one, wherever its state lies, until Hold. A session without an
// environment does not register. described is the session as commands see it.
func (s *Sharing) register(described running.Process) {
	dir := running.RegistryDir(s.o.Environ)
	if dir == "" {
		return
	}
	var configs []*wrangler.Config
	for _, name := range s.o.Workers {
		configs = append(configs, s.o.Session.Config(name))
	}
	r := running.Registered{Process: described, Env: configs[0].Env, Ephemeral: s.o.Ephemeral}
	for _, cfg := range configs {
		if cfg.Path == "" {
			r.Dir = s.o.Dir
		} else {
			r.Configs = append(r.Configs, cfg.Path)
		}
		for _, c := range cfg.Queues.Consumers {
			r.Queues = append(r.Queues, c.Queue)
		}
	}
	r.Refers, r.Sends = referred(configs, r)
	unregister, err := running.Register(dir, r)
	if err != nil {
		s.o.Report.Line(report.Warn, "register", fmt.Sprintf("%v\n  commands find this session by --url %s only", err,
			r.URL))
		return
	}
	s.mu.Lock()
	s.unregister = unregister
	s.mu.Unlock()
	tellApart(s.o.Report, r, running.Others(context.Background(), dir, r.Process))
}

// referred are the Workers that configurations bind, and the queues they send to, that the session does not have.
func referred(configs []*wrangler.Config, own running.Registered) (workers, queues []string) {
	worker := func(name string) {
		if name != "" && !slices.Contains(own.Workers, name) && !slices.Contains(workers, name) {
			workers = append(workers, name)
		}
	}
	for _, cfg := range configs {
		for _, b := range cfg.Services {
			worker(b.Service)
		}
		for _, d := range cfg.DurableObjects {
			worker(d.ScriptName)
		}
		for _, t := range cfg.TailConsumers {
			worker(t.Service)
		}
		for _, p := range cfg.Queues.Producers {
			if !slices.Contains(own.Queues, p.Queue) && !slices.Contains(queues, p.Queue) {
				queues = append(queues, p.Queue)
			}
		}
	}
	slices.Sort(workers)
	slices.Sort(queues)
	return workers, queues
}
