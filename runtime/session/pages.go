package session

import (
	"net/http"

	"eddy/queues"
	"eddy/runtime/control"
	"eddy/runtime/explorer"
	"eddy/runtime/report"
	"eddy/wrangler"
)

// pages makes the explorer of the session that owns the queues of b.
func (s *Session) pages(b *queues.Broker, c *control.Client) http.Handler {
	o := explorer.Options{
		Client: c, Clock: s.opts.Clock, Workers: s.explored, Observe: b.Observe, State: s.state, Workflows: s.entries,
		Replay: s.opts.Replay, Work: s.opts.Work,
		Failed: func(err error) { s.lines.Line(report.Error, "explorer", err.Error()) },
	}
	if s.opts.Cluster != nil {
		here := s.opts.Cluster
		o.Cluster = &explorer.Nodes{Node: here.Name(), Status: here.Status, Stored: s.sharing.Stored,
			Kept: s.keptStores, Recorded: s.sharing.Recorded, Watch: s.sharing.Watch,
			Ask: s.sharing.Ask}
	}
	return explorer.New(o)
}

// explored are the Workers that serve now, as the explorer shows them.
func (s *Session) explored() (list []explorer.Worker) {
	for i, svc := range s.services {
		g := svc.live()
		if g == nil {
			continue
		}
		w := explorer.Worker{Name: svc.name, Config: g.config,
			Served: func(b wrangler.Binding) string { return s.servedBy(g.config, b) }}
		if i == 0 {
			w.URL = s.sharing.Described().URL
		}
		list = append(list, w)
	}
	return list
}
