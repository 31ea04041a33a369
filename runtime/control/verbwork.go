package control

import (
	"errors"
	"net/http"

	"eddy/queues"
	"eddy/runtime/restapi"
)

// verbWork carries out a step of a Go work queue, for queues/workqueue/eddylog.
func (a *API) verbWork(r *http.Request) (any, error) {
	in, err := input[queues.Work](r)
	if err != nil {
		return nil, err
	}
	out, err := a.o.Broker.Work(r.Context(), in)
	if errors.Is(err, queues.ErrWorkerConsumes) {
		return nil, restapi.Refuse(http.StatusConflict, restapi.CodeInvalidBody, "%v", err)
	}
	return out, err
}
