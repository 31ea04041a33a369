package runtime

import (
	"context"
	"fmt"
	"slices"

	"eddy/runtime/control"
	"eddy/runtime/report"
	"eddy/wrangler"
)

// register tells commands and other sessions of this one, wherever its state lies. A session that is given no
// environment is nobody's to find.
func (s *Session) register() {
	dir := control.RegistryDir(s.o.Environ)
	if dir == "" {
		return
	}
	var configs []*wrangler.Config
	for _, name := range s.Workers() {
		configs = append(configs, s.workers.Config(name))
	}
	r := control.Registered{
		Session: s.workers.Sharing().Described(), Env: configs[0].Env, Ephemeral: !s.o.Persist && s.o.PersistTo == "",
	}
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
	withdraw, err := control.Register(dir, r)
	if err != nil {
		s.o.Reporter.Line(report.Warn, "register", fmt.Sprintf("%v\n  commands find this session by --url %s only", err,
			s.URL()))
		return
	}
	s.withdraw = withdraw
	s.tellApart(r, configs, control.Sessions(context.Background(), dir))
}

// tellApart says how to bring together this session and others that run what its Workers refer to, when they have state
// directories of their own: sessions find each other by a common one.
func (s *Session) tellApart(own control.Registered, configs []*wrangler.Config, others []control.Registered) {
	mine, queues := referred(configs)
	for _, r := range others {
		if r.URL == own.URL || r.State == own.State {
			continue
		}
		var wanted []string
		for _, w := range r.Workers {
			if mine[w] && !slices.Contains(own.Workers, w) {
				wanted = append(wanted, "Worker "+w)
			}
		}
		for _, q := range r.Queues {
			if queues[q] {
				wanted = append(wanted, "the consumer of queue "+q)
			}
		}
		if len(wanted) == 0 {
			continue
		}
		slices.Sort(wanted)
		wanted = slices.Compact(wanted)
		verb := "run"
		if len(wanted) == 1 {
			verb = "runs"
		}
		text := fmt.Sprintf("%s %s in process %d at %s, which has a state directory of its own", join(wanted), verb,
			r.PID, r.URL)
		how := "to bring the two together, start this one with the other's directory: --persist-to " + r.State
		if r.Ephemeral {
			how = "to bring the two together, start both with one directory: --persist-to DIR"
		}
		s.o.Reporter.Line(report.Info, "apart", text+"\n"+s.o.Reporter.Paint("dim", "  "+how), report.F("pid", r.PID),
			report.F("url", r.URL), report.F("state", r.State))
	}
}

func join(list []string) string {
	out := list[0]
	for i, s := range list[1:] {
		if i == len(list)-2 {
			out += " and " + s
		} else {
			out += ", " + s
		}
	}
	return out
}

// referred are the Workers that configurations bind, and the queues they send to without consuming them.
func referred(configs []*wrangler.Config) (workers, queues map[string]bool) {
	workers, queues = map[string]bool{}, map[string]bool{}
	for _, cfg := range configs {
		for _, b := range cfg.Services {
			workers[b.Service] = true
		}
		for _, d := range cfg.DurableObjects {
			workers[d.ScriptName] = d.ScriptName != ""
		}
		for _, t := range cfg.TailConsumers {
			workers[t.Service] = true
		}
		for _, p := range cfg.Queues.Producers {
			queues[p.Queue] = true
		}
	}
	for _, cfg := range configs {
		for _, c := range cfg.Queues.Consumers {
			delete(queues, c.Queue)
		}
	}
	return workers, queues
}
