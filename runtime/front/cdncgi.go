package front

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"eddy/runtime/lazyregexp"
	"eddy/runtime/report"
	"eddy/runtime/worker"
	"eddy/workflows/workflowapi"
)

// isCDN tells paths that are the platform's own, never the Worker's.
func isCDN(path string) bool { return path == "/cdn-cgi" || strings.HasPrefix(path, "/cdn-cgi/") }

// serveCDN answers /cdn-cgi/* (DEV5) and, with --test-scheduled, /__scheduled.
func (f Front) serveCDN(w http.ResponseWriter, r *http.Request) {
	if went, err := f.admit(w, r); went || err != nil {
		if err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
		}
		return
	}
	switch path := r.URL.Path; {
	case path == "/__scheduled":
		f.serveTestScheduled(w, r)
	case path == "/cdn-cgi/handler/scheduled", path == "/cdn-cgi/local/scheduled", path == "/cdn-cgi/mf/scheduled":
		f.serveScheduled(w, r)
	case path == "/cdn-cgi/handler/email", path == "/cdn-cgi/local/email":
		f.serveEmail(w, r)
	case path == liveReloadPath && f.o.Pages != nil:
		f.o.Pages.serve(w, r)
	case strings.HasPrefix(path, "/cdn-cgi/handler/"):
		http.Error(w, fmt.Sprintf("%q is not a valid handler. Did you mean to use %q or %q?", path,
			"/cdn-cgi/handler/scheduled", "/cdn-cgi/handler/email"), http.StatusNotFound)
	case path == "/cdn-cgi/eddy", path == "/cdn-cgi/explorer", path == "/cdn-cgi/local/explorer",
		path == "/cdn-cgi/explorer/", path == "/cdn-cgi/local/explorer/": // wrangler's addresses
		http.Redirect(w, r, "/cdn-cgi/eddy/", http.StatusFound)
	default:
		if f.o.Workflows != nil && workflowapi.Serves(path) {
			f.o.Workflows.ServeHTTP(w, r)
			return
		}
		if f.o.Own != nil && strings.HasPrefix(path, "/cdn-cgi/eddy/") {
			f.o.Own.ServeHTTP(w, r)
			return
		}
		http.NotFound(w, r)
	}
}

// serveScheduled runs a cron event by hand. cron, time (milliseconds) and format are query parameters, read as by
// wrangler dev.
func (f Front) serveScheduled(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	at := f.o.Clock.Now()
	if t := q.Get("time"); t != "" {
		ms, ok := leadingInteger(t)
		if !ok {
			const text = "The value cannot be converted because it is not a valid Date." // the platform's
			writeErrorPage(w, r, http.StatusInternalServerError,
				&worker.Exception{Name: "TypeError", Message: text, Stack: "TypeError: " + text +
					"\n    time=" + t + ": expected milliseconds since 1970"})
			return
		}
		at = time.UnixMilli(ms)
	}
	result := f.runScheduled(r, q.Get("cron"), at)
	status, outcome := http.StatusOK, "ok"
	if result.Err != nil {
		status, outcome = http.StatusInternalServerError, "exception"
		if o := worker.Outcome(result.Err); o != "" && q.Get("format") == "json" {
			outcome = o
		}
	}
	if q.Get("format") != "json" {
		plain(w, status, outcome)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"outcome":%q,"noRetry":%t}`, outcome, result.NoRetry)
}

// serveTestScheduled is /__scheduled, which reads the cron only. The event runs as though the request's own handler had
// called it: what the event throws is the answer, and nothing happens if nobody handles it.
func (f Front) serveTestScheduled(w http.ResponseWriter, r *http.Request) {
	result := f.runScheduled(r, r.URL.Query().Get("cron"), f.o.Clock.Now())
	var ex *worker.Exception
	if result.NoHandler {
		f.o.Report.Line(report.Warn, "scheduled",
			"/__scheduled answers \"Ran scheduled event\", as wrangler dev does, "+
				"but nothing ran: the Worker exports no scheduled()", report.F("worker", f.o.Worker))
	}
	switch {
	case result.Err == nil || result.Late || result.NoHandler:
		plain(w, http.StatusOK, "Ran scheduled event")
	case errors.As(result.Err, &ex):
		writeErrorPage(w, r, http.StatusInternalServerError, ex)
	default:
		text := result.Err.Error()
		writeErrorPage(w, r, http.StatusInternalServerError,
			&worker.Exception{Name: "Error", Message: text, Stack: "Error: " + text})
	}
}

// isIconOfTestPage tells whether a browser makes the request by itself after /__scheduled. Its failure is not reported,
// because a Worker of crons need not have a fetch handler.
func (f Front) isIconOfTestPage(r *http.Request) bool {
	return f.o.TestScheduled && r.URL.Path == "/favicon.ico" && strings.HasSuffix(r.Referer(), "/__scheduled")
}

func (f Front) runScheduled(r *http.Request, cron string, at time.Time) worker.ScheduledResult {
	live, _, err := f.o.Live(r.Context())
	if err != nil {
		return worker.ScheduledResult{Err: err}
	}
	start := time.Now()
	result := live.RunScheduled(r.Context(), cron, at)
	f.o.Report.Scheduled(f.o.Worker, cron, result.Err, time.Since(start))
	return result
}

// leadingInteger is the standard's parseInt(text). ok is false if the result is not a time of the standard.
func leadingInteger(text string) (int64, bool) {
	m := integer.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	return n, err == nil && n >= -maxTime && n <= maxTime
}

var integer = lazyregexp.New(`^\s*([+-]?[0-9]+)`)

// maxTime is how many milliseconds before or after 1970 a Date can be.
const maxTime = 8.64e15
