package front

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"eddy/runtime/bindings/email"
	"eddy/runtime/report"
)

// maxEmail is a little more than production's limit of a message, which has a text.
const maxEmail = 26 << 20

// serveEmail hands a message to the Worker's email() and tells what became of it (BIND-22, BIND-23).
func (f Front) serveEmail(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxEmail))
	if err != nil {
		plain(w, http.StatusBadRequest, "Email message size is bigger than the production size limit of 25MiB. Local "+
			"development has a lower limit of 1Mib.")
		return
	}
	q := r.URL.Query()
	event, err := email.Parse(q.Get("from"), q.Get("to"), raw)
	if err != nil {
		plain(w, http.StatusBadRequest, err.Error())
		return
	}
	live, _, err := f.o.Live(r.Context())
	if err != nil {
		plain(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	event.Clock, event.Mailbox = f.o.Clock, email.Mailbox{Dir: f.o.Mailbox}
	event.Say = func(about string) {
		f.o.Report.Line(report.Info, "email", about, report.F("worker", f.o.Worker))
	}
	result := event.Deliver(r.Context(), live.Isolate)
	status := http.StatusOK
	if result.Err != nil {
		status = http.StatusInternalServerError
	}
	switch {
	case q.Get("format") == "json":
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(result) // a client that has gone hears nothing
	case result.Err != nil:
		plain(w, status, fmt.Sprintf("Worker threw an exception: %v", result.Err))
	case result.RejectReason != "":
		plain(w, http.StatusBadRequest, "Worker rejected email with the following reason: "+result.RejectReason)
	default:
		plain(w, status, "Worker successfully processed email")
	}
}
