package explorer

import (
	"net/http"
	"time"

	"eddy/runtime/control"
)

// Overview is the model of the first page.
type Overview struct {
	Session  control.Process `json:"session"`
	Clock    control.Clock   `json:"clock"`
	Workers  []WorkerView    `json:"workers"`
	Queues   []QueueRow      `json:"queues"`
	Topology *Drawing        `json:"topology"`
	// Errors are the latest events that failed, newest first.
	Errors []EventRow `json:"errors"`
	// Due is what falls due next.
	Due []DueRow `json:"due"`
}

// WorkerView is a Worker with what it is bound to.
type WorkerView struct {
	Worker
	Date     string        `json:"compatibility_date"`
	Path     string        `json:"configuration"`
	Bindings []BindingView `json:"bindings"`
	Crons    []string      `json:"crons"`
}

// BindingView is a binding of a Worker; Served says by whom it is served.
type BindingView struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	Resource string `json:"resource,omitempty"`
	Served   string `json:"served"`
	// URL is the page that shows what it leads to, "" for none.
	URL string `json:"url,omitempty"`
}

// QueueRow is a queue in a list, with its health of the last hour.
type QueueRow struct {
	control.Queue
	Health control.QueueHealth `json:"health"`
}

// overviewLines is how many errors and alarms the overview shows.
const overviewLines = 8

func (x *Server) overviewPages() []page {
	return []page{of("{$}", "overview", "The session: its Workers and bindings, the topology, the last errors, the "+
		"clock "+
		"and what is due next.", x.overview)}
}

func (x *Server) overview(r *http.Request) (*Overview, error) {
	ctx := r.Context()
	o := &Overview{Workers: []WorkerView{}, Errors: []EventRow{}}
	var err error
	if o.Session, err = x.o.Client.Session(ctx); err != nil {
		return nil, err
	}
	if o.Clock, err = x.o.Client.Clock(ctx); err != nil {
		return nil, err
	}
	if o.Queues, err = x.queueRows(r); err != nil {
		return nil, err
	}
	workers := x.o.Workers()
	for _, w := range workers {
		o.Workers = append(o.Workers, viewWorker(w))
	}
	o.Topology = draw(workers, o.Session.Guests, o.Queues)
	latest, err := x.window.latest(ctx)
	if err != nil {
		return nil, err
	}
	for i := len(latest) - 1; i >= 0 && len(o.Errors) < overviewLines; i-- {
		if failed(latest[i]) {
			o.Errors = append(o.Errors, eventRow(latest[i]))
		}
	}
	o.Due, err = x.due(r, overviewLines)
	return o, err
}

func viewWorker(w Worker) WorkerView {
	v := WorkerView{Worker: w, Date: w.Config.CompatibilityDate, Path: w.Config.Path, Bindings: []BindingView{},
		Crons: []string{}}
	for _, b := range w.Config.Bindings() {
		v.Bindings = append(v.Bindings, BindingView{Name: b.Name, Kind: b.Kind.Friendly(), Resource: b.Resource,
			Served: w.Served(b), URL: bindingURL(w.Config, b)})
	}
	for _, c := range w.Config.Triggers.Crons {
		v.Crons = append(v.Crons, c.Expr)
	}
	return v
}

// queueRows lists all queues with their health.
func (x *Server) queueRows(r *http.Request) ([]QueueRow, error) {
	all, err := x.o.Client.Queues(r.Context())
	if err != nil {
		return nil, err
	}
	health, err := x.o.Client.Health(r.Context())
	if err != nil {
		return nil, err
	}
	byName := map[string]control.QueueHealth{}
	for _, h := range health.Rows {
		byName[h.Queue] = h
	}
	rows := make([]QueueRow, 0, len(all))
	for _, q := range all {
		rows = append(rows, QueueRow{q, byName[q.Name]})
	}
	return rows, nil
}

// Uptime is how long the session has run.
func (o *Overview) Uptime() time.Duration {
	return time.Since(o.Session.Started).Truncate(time.Minute)
}
