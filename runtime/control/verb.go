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

func (a *API) verb(h verb) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, restapi.MaxBody)
		v, err := h(r)
		if err != nil {
			a.refuse(w, err)
			return
		}
		if v == nil {
			v = struct{}{}
		}
		a.rest.Answer(w, http.StatusOK, v)
	}
}

func (a *API) refuse(w http.ResponseWriter, err error) {
	ae := a.rest.Refused(err)
	a.rest.Answer(w, ae.Status, running.ErrorBody{
		Error: running.FailureDetail{Code: ae.Code, Message: ae.Message, Details: ae.Details}})
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
		return Process{PID: os.Getpid(), Started: time.Time{}}, nil
	}
	return a.o.Session(), nil
}
