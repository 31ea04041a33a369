package control

import (
	"context"
	"net/http"
	"sync"

	"eddy/runtime/restapi"
)

// API serves /cdn-cgi/eddy/. Make one with [New]; Close it before the broker.
type API struct {
	o     Options
	mux   *http.ServeMux // made at the first request: most sessions end without one
	once  sync.Once
	rest  *restapi.API
	meter *meter
	held  holding
	pages http.Handler
	done  context.Context // ends with Close: streams end then
	close func()
}

// Close ends streams and stops observing. It may be called twice.
func (a *API) Close() error {
	a.close()
	a.once.Do(func() {}) // nobody makes pages any more
	if c, ok := a.pages.(interface{ Close() }); ok {
		c.Close()
	}
	return nil
}

// holding is the hold that the API has on a virtual clock.
type holding struct {
	mu     sync.Mutex
	resume func() // nil when not held
}
