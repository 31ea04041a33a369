package runtime

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"eddy/runtime/report"
)

// isCDN tells paths that are the platform's own, never the Worker's.
func isCDN(path string) bool { return path == "/cdn-cgi" || strings.HasPrefix(path, "/cdn-cgi/") }

// localOnly refuses requests that a page elsewhere could have caused: Host and Origin must be local.
func localOnly(r *http.Request) bool {
	if !localHost(r.Host) {
		return false
	}
	if o := r.Header.Get("Origin"); o != "" {
		u, err := url.Parse(o)
		return err == nil && localHost(u.Host)
	}
	return true
}

func localHost(hostport string) bool {
	h := hostport
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		h = host
	}
	h = strings.Trim(h, "[]")
	if h == "localhost" || strings.HasSuffix(h, ".localhost") {
		return true
	}
	ip := net.ParseIP(h)
	return ip != nil && ip.IsLoopback()
}

// serveCDN answers /cdn-cgi/* (DEV5) and, with --test-scheduled, /__scheduled.
func (s *Server) serveCDN(svc *service, w http.ResponseWriter, r *http.Request) {
	if !localOnly(r) {
		http.Error(w, "Only local requests are answered here: Host and Origin must be localhost.", http.StatusForbidden)
		return
	}
	switch path := r.URL.Path; {
	case path == "/__scheduled":
		s.serveScheduled(svc, w, r, "Ran scheduled event")
	case path == "/cdn-cgi/handler/scheduled", path == "/cdn-cgi/local/scheduled", path == "/cdn-cgi/mf/scheduled":
		s.serveScheduled(svc, w, r, "ok")
	case strings.HasPrefix(path, "/cdn-cgi/handler/"):
		http.Error(w, fmt.Sprintf("%q is not a valid handler. Did you mean to use %q or %q?", path, "/cdn-cgi/handler/scheduled", "/cdn-cgi/handler/email"), http.StatusNotFound)
	default:
		if strings.HasPrefix(path, "/cdn-cgi/eddy/") {
			s.serveControl(w, r)
			return
		}
		http.NotFound(w, r)
	}
}

// serveScheduled runs a cron event by hand: cron and time (milliseconds) are query parameters.
func (s *Server) serveScheduled(svc *service, w http.ResponseWriter, r *http.Request, done string) {
	at := s.clock.Now()
	if t := r.URL.Query().Get("time"); t != "" {
		ms, err := strconv.ParseInt(t, 10, 64)
		if err != nil {
			http.Error(w, fmt.Sprintf("time=%s: expected milliseconds since 1970", t), http.StatusBadRequest)
			return
		}
		at = time.UnixMilli(ms)
	}
	g, err := svc.wait(r.Context())
	if err == nil {
		err = s.runCron(r, g, svc, r.URL.Query().Get("cron"), at)
	}
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, "exception")
		return
	}
	fmt.Fprint(w, done)
}

func (s *Server) runCron(r *http.Request, g *generation, svc *service, cron string, at time.Time) error {
	start := time.Now()
	err := g.RunScheduled(r.Context(), cron, at)
	s.scheduledLine(svc, cron, err, time.Since(start))
	return err
}

func (s *Server) scheduledLine(svc *service, cron string, err error, took time.Duration) {
	outcome := s.report.Paint("green", "ok")
	if err != nil {
		outcome = s.report.Paint("red", "exception")
	}
	s.report.Line(report.Info, "scheduled", strings.Join(strings.Fields(fmt.Sprintf("SCHEDULED %s %s (%s)", cron, outcome, report.Duration(took))), " "),
		report.F("worker", svc.name), report.F("cron", cron), report.F("ok", err == nil), report.F("ms", took.Milliseconds()))
}
