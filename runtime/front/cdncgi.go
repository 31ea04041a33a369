package front

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// isCDN tells paths that are the platform's own, never the Worker's.
func isCDN(path string) bool { return path == "/cdn-cgi" || strings.HasPrefix(path, "/cdn-cgi/") }

// serveCDN answers /cdn-cgi/* (DEV5) and, with --test-scheduled, /__scheduled.
func (f Front) serveCDN(w http.ResponseWriter, r *http.Request) {
	if err := checkLocal(r); err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	switch path := r.URL.Path; {
	case path == "/__scheduled":
		f.serveScheduled(w, r, "Ran scheduled event")
	case path == "/cdn-cgi/handler/scheduled", path == "/cdn-cgi/local/scheduled", path == "/cdn-cgi/mf/scheduled":
		f.serveScheduled(w, r, "ok")
	case path == liveReloadPath && f.o.Pages != nil:
		f.o.Pages.serve(w, r)
	case strings.HasPrefix(path, "/cdn-cgi/handler/"):
		http.Error(w, fmt.Sprintf("%q is not a valid handler. Did you mean to use %q or %q?", path,
			"/cdn-cgi/handler/scheduled", "/cdn-cgi/handler/email"), http.StatusNotFound)
	default:
		if f.o.Own != nil && strings.HasPrefix(path, "/cdn-cgi/eddy/") {
			f.o.Own.ServeHTTP(w, r)
			return
		}
		http.NotFound(w, r)
	}
}

// serveScheduled runs a cron event by hand: cron and time (milliseconds) are query parameters.
func (f Front) serveScheduled(w http.ResponseWriter, r *http.Request, done string) {
	at := f.o.Clock.Now()
	if t := r.URL.Query().Get("time"); t != "" {
		ms, err := strconv.ParseInt(t, 10, 64)
		if err != nil {
			http.Error(w, fmt.Sprintf("time=%s: expected milliseconds since 1970", t), http.StatusBadRequest)
			return
		}
		at = time.UnixMilli(ms)
	}
	live, _, err := f.o.Live(r.Context())
	if err == nil {
		start, cron := time.Now(), r.URL.Query().Get("cron")
		err = live.RunScheduled(r.Context(), cron, at)
		f.o.Report.Scheduled(f.o.Worker, cron, err, time.Since(start))
	}
	if err != nil {
		plain(w, http.StatusInternalServerError, "exception")
		return
	}
	plain(w, http.StatusOK, done)
}

// plain answers with a text, under the content type of a Response made of a string.
func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain;charset=UTF-8")
	w.WriteHeader(status)
	fmt.Fprint(w, text)
}
