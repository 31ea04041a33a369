package front

import (
	"fmt"
	"io"
	"net/http"

	"eddy/runtime/report"
)

// sendFile writes the answer of the assets and reports the status.
func (f Front) sendFile(w http.ResponseWriter, r *http.Request, res *http.Response, err error) int {
	if err != nil {
		f.o.Report.Line(report.Error, "request", fmt.Sprintf("%s %s: %v", r.Method, r.URL.Path, err),
			report.F("worker", f.o.Worker))
		http.Error(w, "The asset cannot be read.", http.StatusInternalServerError)
		return http.StatusInternalServerError
	}
	defer res.Body.Close()
	for name, values := range res.Header {
		w.Header()[name] = values
	}
	if _, ok := res.Header["Content-Type"]; !ok {
		w.Header()["Content-Type"] = nil // net/http would guess one
	}
	w.WriteHeader(res.StatusCode)
	if _, err := io.Copy(w, res.Body); err != nil {
		return 0 // the client is gone
	}
	return res.StatusCode
}
