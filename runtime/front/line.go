package front

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"eddy/runtime/report"
)

// requestLine reports a request.
func (f Front) requestLine(r *http.Request, status int, took time.Duration) {
	rep := f.o.Report
	if !rep.Shows(report.Info) {
		return
	}
	color := "green"
	switch {
	case status >= 500:
		color = "red"
	case status >= 400:
		color = "yellow"
	}
	text := fmt.Sprintf("%s %s %s %s", r.Method, r.URL.RequestURI(),
		rep.Paint(color, strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))),
		rep.Paint("dim", "("+report.Duration(took)+")"))
	if f.o.Several {
		text = rep.Paint("dim", "["+f.o.Worker+"] ") + text
	}
	rep.Line(report.Info, "request", text, report.F("worker", f.o.Worker), report.F("method", r.Method),
		report.F("url", r.URL.RequestURI()), report.F("status", status),
		report.F("ms", float64(took.Microseconds())/1000))
}
