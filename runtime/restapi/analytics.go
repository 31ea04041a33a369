package restapi

import "net/http"

// analyticsRoutes are the SQL API of Analytics Engine. Its answers have no envelope.
func (a *API) analyticsRoutes() {
	if a.o.Analytics == nil {
		return
	}
	for _, method := range []string{http.MethodPost, http.MethodGet} {
		a.mux.HandleFunc(method+" "+Prefix+"/accounts/{account}/analytics_engine/sql",
			func(w http.ResponseWriter, r *http.Request) {
				r.Body = http.MaxBytesReader(w, r.Body, MaxBody)
				a.o.Analytics.ServeHTTP(w, r)
			})
	}
}
