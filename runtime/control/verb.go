package control

import (
	"net/http"
	"os"
	"strconv"
	"time"

	"eddy/queues"
	"eddy/runtime/restapi"
	"eddy/runtime/running"
)

// verb answers a route of the control API.
type verb func(r *http.Request) (any, error)

func (a *API) controlRoutes() {
	for spec, h := range a.objectVerbs() {
		a.mux.HandleFunc(pathSpec(running.APIPrefix, spec), a.verb(h))
	}
	for spec, h := range map[string]verb{
		"GET /session":                    a.session,
		"GET /queues":                     a.verbQueues,
		"POST /queues":                    a.verbCreate,
		"GET /queues/{queue}":             a.verbQueue,
		"PATCH /queues/{queue}":           a.verbUpdate,
		"DELETE /queues/{queue}":          a.verbDelete,
		"POST /queues/{queue}/messages":   a.verbSend,
		"GET /queues/{queue}/messages":    a.verbPeek,
		"POST /queues/{queue}/remove":     a.verbRemove,
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

func (a *API) verb(h verb) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, restapi.MaxBody)
		v, err := h(r)
		if err != nil {
			ae := a.rest.Refused(err)
			a.rest.Answer(w, ae.Status, running.Failure{
				Error: running.FailureDetail{Code: ae.Code, Message: ae.Message, Details: ae.Details}})
			return
		}
		if v == nil {
			v = struct{}{}
		}
		a.rest.Answer(w, http.StatusOK, v)
	}
}

// input reads a JSON body.
func input[T any](r *http.Request) (T, error) {
	return restapi.Decode[T](r, restapi.CodeInvalidBody, restapi.CodeInvalidBody)
}

// queue finds the queue of a route, by id or name.
func (a *API) queue(r *http.Request) (queues.QueueInfo, error) {
	return a.rest.Find(r.Context(), r.PathValue("queue"), restapi.CodeNoQueue)
}

func (a *API) failed(err error) {
	if a.o.Failed != nil {
		a.o.Failed(err)
	}
}

// intParam reads a number from the query.
func intParam(r *http.Request, name string, otherwise int) (int, error) {
	s := r.URL.Query().Get(name)
	if s == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0, restapi.Refuse(
			http.StatusBadRequest, restapi.CodeInvalidBody, "%s=%s: expected a number that is not negative", name, s)
	}
	return n, nil
}

func (a *API) session(*http.Request) (any, error) {
	if a.o.Session == nil {
		return Session{PID: os.Getpid(), Started: time.Time{}}, nil
	}
	return a.o.Session(), nil
}
