package restapi

import (
	"net/http"
	"strings"
	"sync"

	"eddy/queues"
)

// Prefix is the path of the API's base URL.
const Prefix = "/cdn-cgi/eddy/client/v4"

// Script is a Worker of the session, as far as queues are concerned.
type Script struct {
	Name string `json:"name"`
	// Producers are the queues it is bound to.
	Producers []string `json:"producers,omitempty"`
	// HasQueue says whether it exports a queue() handler.
	HasQueue bool `json:"has_queue"`
}

// Options are the arguments of [New].
type Options struct {
	// Broker has the queues. Required.
	Broker *queues.Broker
	// SideFile is where event subscriptions, jurisdictions and times of purges are kept; "" keeps them in memory.
	SideFile string
	// Scripts lists the session's Workers; nil if none can be known, and then no script is refused.
	Scripts func() []Script
	// Workflow tells whether a Worker of the session has a workflow of that name; nil if nobody can tell.
	Workflow func(name string) bool
	// Analytics answers the SQL API of Analytics Engine; nil if nobody does.
	Analytics http.Handler
	// Attach connects a Worker's queue() handler to a queue whose consumer it has become; nil if no code can be
	// attached.
	Attach func(script, queue string) error
	// Warn is called with what will not work as the developer may expect. It may be nil.
	Warn func(string)
	// Failed is called with failures that are not the caller's mistake, after they were answered with 500. It may be
	// nil.
	Failed func(error)
}

// API answers under [Prefix]. Make one with [New]; it needs no end.
type API struct {
	o    Options
	mux  *http.ServeMux // made at the first request: most sessions end without one
	once sync.Once
	side *sideFile
}

// New makes the API. It fails if the side file cannot be read.
func New(o Options) (*API, error) {
	a := &API{o: o}
	var err error
	if a.side, err = openSideFile(o.SideFile); err != nil {
		return nil, err
	}
	var kept []Subscription
	a.side.read(func(d *sideData) { kept = append(kept, d.Subscriptions...) })
	for _, s := range kept {
		a.warnUnheard(s)
	}
	return a, nil
}

// ServeHTTP implements [http.Handler]. The caller has checked that the request is local.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.once.Do(a.routes)
	a.mux.ServeHTTP(w, r)
}

func (a *API) routes() {
	a.mux = http.NewServeMux()
	a.queueRoutes()
	a.accountRoutes()
	a.analyticsRoutes()
}

// route adds a route that is written "METHOD /path", below a prefix.
func (a *API) route(prefix, spec string, h handler) {
	method, path, ok := strings.Cut(spec, " ")
	if !ok {
		panic("restapi: route without a method: " + spec)
	}
	a.mux.HandleFunc(method+" "+prefix+path, a.serve(h))
}
