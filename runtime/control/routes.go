package control

import (
	"context"
	"net/http"
	"strings"

	"eddy/runtime/clock"
	"eddy/runtime/restapi"
	"eddy/runtime/running"
)

// New makes the API and starts to observe the broker.
func New(o Options) (*API, error) {
	if o.Clock == nil {
		o.Clock = clock.Real{}
	}
	if o.Namespace == "" {
		o.Namespace = "eddy"
	}
	a := &API{o: o}
	var err error
	a.rest, err = restapi.New(restapi.Options{
		Broker: o.Broker, SideFile: o.SideFile, Scripts: o.Scripts, Workflow: o.Workflow,
		Analytics: o.Analytics, Attach: o.Attach, Warn: o.Warn, Failed: o.Failed,
	})
	if err != nil {
		return nil, err
	}
	if a.meter, err = newMeter(o); err != nil {
		return nil, err
	}
	cancelObserve, err := o.Broker.Observe(a.meter.observe)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	a.done, a.close = ctx, func() { cancel(); cancelObserve() }
	return a, nil
}

// ServeHTTP implements [http.Handler]. The caller has checked that the request is local.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.once.Do(a.routes)
	if a.mux == nil { // closed before the first request
		http.Error(w, "The session has ended.", http.StatusServiceUnavailable)
		return
	}
	a.mux.ServeHTTP(w, r)
}

func (a *API) routes() {
	a.mux = http.NewServeMux()
	a.mux.Handle(restapi.Prefix+"/", a.rest)
	a.controlRoutes()
	a.mux.Handle("GET "+running.Prefix+"/metrics", a.meter.handler())
	if a.o.Pages != nil {
		a.pages = a.o.Pages(a)
		a.mux.Handle(running.Prefix+"/", a.pages)
	}
}

func (a *API) controlRoutes() {
	for spec, h := range a.objectVerbs() {
		a.mux.HandleFunc(pathSpec(running.APIPrefix, spec), a.verb(h))
	}
	for spec, h := range a.alarmVerbs() {
		a.mux.HandleFunc(pathSpec(running.APIPrefix, spec), a.verb(h))
	}
	for spec, h := range a.bookmarkVerbs() {
		a.mux.HandleFunc(pathSpec(running.APIPrefix, spec), a.verb(h))
	}
	for spec, h := range a.drivingVerbs() {
		a.mux.HandleFunc(pathSpec(running.APIPrefix, spec), a.verb(h))
	}
	for spec, h := range a.exploringVerbs() {
		a.mux.HandleFunc(pathSpec(running.APIPrefix, spec), a.verb(h))
	}
	a.mux.HandleFunc(running.APIPrefix+trialSession+"/", a.serveTrial)
	for spec, h := range map[string]verb{
		"GET /session":                    a.session,
		"GET /queues":                     a.verbQueues,
		"POST /queues":                    a.verbCreate,
		"GET /queues/{queue}":             a.verbQueue,
		"PATCH /queues/{queue}":           a.verbUpdate,
		"DELETE /queues/{queue}":          a.verbDelete,
		"POST /queues/{queue}/messages":   a.verbSend,
		"GET /queues/{queue}/messages":    a.verbPeek,
		"GET /queues/{queue}/find":        a.verbFind,
		"GET /queues/{queue}/history":     a.verbHistory,
		"POST /queues/{queue}/remove":     a.verbRemove,
		"POST /queues/{queue}/deliver":    a.verbDeliver,
		"GET /due":                        a.verbDue,
		"GET /crons":                      a.verbCrons,
		"POST /crons/run":                 a.verbRunCron,
		"POST /lanes/{queue}/deliver":     a.verbLaneDeliver,
		"POST /queues/{queue}/pause":      a.verbPause(true),
		"POST /queues/{queue}/resume":     a.verbPause(false),
		"POST /queues/{queue}/purge":      a.verbPurge,
		"PUT /queues/{queue}/consumer":    a.verbSetConsumer,
		"DELETE /queues/{queue}/consumer": a.verbRemoveConsumer,
		"POST /work":                      a.verbWork,
		"GET /dlq":                        a.verbDeadLetterQueues,
		"POST /dlq/{queue}/list":          a.verbDeadLetters,
		"POST /dlq/{queue}/replay":        a.verbReplay,
		"POST /dlq/{queue}/skip":          a.verbSkip,
		"POST /dlq/{queue}/escalate":      a.verbEscalate,
		"POST /dlq/{queue}/edit":          a.verbEdit,
		"GET /notes":                      a.verbNotes,
		"GET /subscriptions":              a.verbSubscriptions,
		"POST /subscriptions":             a.verbSubscribe,
		"DELETE /subscriptions/{id}":      a.verbUnsubscribe,
		"POST /events":                    a.verbFire,
		"GET /lanes":                      a.verbLaneQueues,
		"GET /lanes/{queue}":              a.verbLanes,
		"GET /lanes/{queue}/messages":     a.verbLaneMessages,
		"POST /lanes/{queue}/remove":      a.verbLaneRemove,
		"GET /health":                     a.verbHealth,
		"POST /profile":                   a.verbProfile,
		"GET /clock":                      a.verbClock,
		"POST /clock/advance":             a.verbAdvance,
		"POST /clock/hold":                a.verbHold(true),
		"POST /clock/release":             a.verbHold(false),
	} {
		a.mux.HandleFunc(pathSpec(running.APIPrefix, spec), a.verb(h))
	}
	a.mux.HandleFunc("GET "+running.APIPrefix+"/tail", a.tail)
	a.mux.HandleFunc(running.APIPrefix+"/", a.verb(func(r *http.Request) (any, error) {
		return nil, restapi.Refuse(
			http.StatusNotFound, restapi.CodeNoRoute, "no route %s %s in the control API", r.Method, r.URL.Path)
	}))
}

// pathSpec splits "METHOD /path" and puts the prefix before the path.
func pathSpec(prefix, spec string) string {
	method, path, ok := strings.Cut(spec, " ")
	if !ok {
		panic("control: route without a method: " + spec)
	}
	return method + " " + prefix + path
}
