package runtime

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/report"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/worker"
)

// front is the HTTP side of one service: it turns requests of net/http into fetch events and answers them.
type front struct {
	svc   *service
	https bool
}

// ServeHTTP implements [http.Handler].
func (f front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := f.svc.server
	if isCDN(r.URL.Path) || s.opts.TestScheduled && r.URL.Path == "/__scheduled" {
		s.serveCDN(f.svc, w, r)
		return
	}
	start := time.Now()
	status := f.serve(w, r)
	if status == 0 {
		return // the client is gone, or the connection is a WebSocket now
	}
	s.requestLine(f.svc, r, status, time.Since(start))
}

// serve answers one request and reports the status.
func (f front) serve(w http.ResponseWriter, r *http.Request) int {
	g, err := f.svc.wait(r.Context())
	if err != nil {
		http.Error(w, "The Worker is being stopped.", http.StatusServiceUnavailable)
		return http.StatusServiceUnavailable
	}
	if file, ok, err := g.fromFiles(r); ok {
		return f.sendFile(w, r, file, err)
	}
	res, err := g.Fetch(r.Context(), f.incoming(r), worker.FetchOptions{CF: placeholderCF})
	if err != nil {
		if r.Context().Err() != nil {
			return 0
		}
		return f.fail(w, r, err)
	}
	defer res.Body.Close()
	if res.WebSocket != nil || res.Status == http.StatusSwitchingProtocols {
		return f.upgrade(w, r, res)
	}
	return f.answer(w, r, res)
}

// incoming is the request as the handler sees it (RT9): absolute URL, host line, rewritten accept-encoding and the
// client's address.
func (f front) incoming(r *http.Request) *http.Request {
	scheme := "http"
	if f.https {
		scheme = "https"
	}
	in := &http.Request{
		Method: r.Method, Header: r.Header, Body: r.Body, ContentLength: r.ContentLength, Host: r.Host,
		URL: &url.URL{Scheme: scheme, Host: r.Host, Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery, ForceQuery: r.URL.ForceQuery},
	}
	if r.ContentLength == 0 && len(r.TransferEncoding) == 0 {
		in.Body = nil
	}
	in.Header.Set("Host", r.Host)
	in.Header.Set("Accept-Encoding", "br, gzip")
	if ip, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		in.Header.Set("Cf-Connecting-Ip", ip)
	}
	return in
}

// answer writes a response.
func (f front) answer(w http.ResponseWriter, r *http.Request, res *worker.Response) int {
	h := w.Header()
	for k, v := range res.Header {
		h[k] = v
	}
	if _, ok := h["Content-Type"]; !ok {
		h["Content-Type"] = nil // net/http would guess one
	}
	if !res.Null {
		// What a script says of the length does not count: the body has its own, or none that is known.
		h.Del("Content-Length")
		if res.Length >= 0 && res.Encode == "" {
			h.Set("Content-Length", strconv.FormatInt(res.Length, 10))
		}
	}
	if bodyless(res.Status) {
		h.Del("Content-Length")
	}
	w.WriteHeader(res.Status)
	if r.Method == http.MethodHead || bodyless(res.Status) {
		return res.Status
	}
	var out io.Writer = &flusher{w: w, rc: http.NewResponseController(w), stream: res.Length < 0}
	var err error
	if res.Encode != "" {
		enc := fetch.Encoder(out, res.Encode)
		if _, err = io.Copy(enc, res.Body); err == nil {
			err = enc.Close()
		}
	} else {
		_, err = io.Copy(out, res.Body)
	}
	if err != nil {
		// The head is out already: the only honest answer is a connection that breaks off.
		if r.Context().Err() == nil {
			f.svc.server.report.Line(report.Error, "request", fmt.Sprintf("%s %s: response body: %v", r.Method, r.URL.Path, err), report.F("worker", f.svc.name))
		}
		panic(http.ErrAbortHandler)
	}
	return res.Status
}

func bodyless(status int) bool {
	return status < 200 || status == http.StatusNoContent || status == http.StatusNotModified || status == http.StatusResetContent
}

// flusher sends every chunk of a streamed body at once.
type flusher struct {
	w      io.Writer
	rc     *http.ResponseController
	stream bool
}

func (f *flusher) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	if err == nil && f.stream {
		err = f.rc.Flush()
	}
	return n, err
}

// fail answers for a handler that threw (RT15).
func (f front) fail(w http.ResponseWriter, r *http.Request, err error) int {
	var ex *worker.Exception
	if !errors.As(err, &ex) {
		ex = &worker.Exception{Name: "Error", Message: err.Error(), Stack: "Error: " + err.Error()}
	}
	f.svc.server.uncaught(f.svc, ex)
	status := http.StatusInternalServerError
	if errors.Is(err, worker.ErrCPULimit) || errors.Is(err, worker.ErrMemoryLimit) {
		status = http.StatusServiceUnavailable
	}
	writeErrorPage(w, r, status, ex)
	return status
}

// requestLine reports a request.
func (s *Server) requestLine(svc *service, r *http.Request, status int, took time.Duration) {
	if !s.report.Shows(report.Info) {
		return
	}
	color := "green"
	switch {
	case status >= 500:
		color = "red"
	case status >= 400:
		color = "yellow"
	}
	text := fmt.Sprintf("%s %s %s %s", r.Method, r.URL.RequestURI(), s.report.Paint(color, strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))),
		s.report.Paint("dim", "("+report.Duration(took)+")"))
	if len(s.services) > 1 {
		text = s.report.Paint("dim", "["+svc.name+"] ") + text
	}
	s.report.Line(report.Info, "request", text, report.F("worker", svc.name), report.F("method", r.Method), report.F("url", r.URL.RequestURI()),
		report.F("status", status), report.F("ms", float64(took.Microseconds())/1000))
}

// placeholderCF is request.cf as the reference fills it offline (RT9).
func placeholderCF(iso *worker.Isolate) goja.Value {
	parse, _ := goja.AssertFunction(iso.Runtime().Get("JSON").ToObject(iso.Runtime()).Get("parse"))
	v, err := parse(nil, iso.Runtime().ToValue(cfJSON))
	if err != nil {
		panic(err)
	}
	return v
}

const cfJSON = `{"asOrganization":"","asn":395747,"colo":"DFW","city":"Austin","region":"Texas","regionCode":"TX","metroCode":"635",` +
	`"postalCode":"78701","country":"US","continent":"NA","timezone":"America/Chicago","latitude":"30.27130","longitude":"-97.74260",` +
	`"clientTcpRtt":0,"httpProtocol":"HTTP/1.1","requestPriority":"weight=192;exclusive=0","tlsCipher":"AEAD-AES128-GCM-SHA256",` +
	`"tlsVersion":"TLSv1.3","tlsClientAuth":{"certIssuerDNLegacy":"","certIssuerSKI":"","certSubjectDNRFC2253":"","certSubjectDNLegacy":"",` +
	`"certFingerprintSHA256":"","certNotBefore":"","certSKI":"","certSerial":"","certIssuerDN":"","certVerified":"NONE","certNotAfter":"",` +
	`"certSubjectDN":"","certPresented":"0","certRevoked":"0","certIssuerSerial":"","certIssuerDNRFC2253":"","certFingerprintSHA1":""},` +
	`"edgeRequestKeepAliveStatus":0,"hostMetadata":{},"clientAcceptEncoding":"gzip, deflate, br","isEUCountry":false,` +
	`"botManagement":{"corporateProxy":false,"verifiedBot":false,"jsDetection":{"passed":false},"staticResource":false,"detectionIds":{},"score":99}}`

// Handler serves a Worker without a port; name "" is the first one.
func (s *Server) Handler(name string) (http.Handler, error) {
	svc := s.services[0]
	if name != "" {
		if svc = s.byName[name]; svc == nil {
			return nil, fmt.Errorf("no Worker %q in this session; there are %s", name, strings.Join(s.Workers(), ", "))
		}
	}
	return front{svc: svc}, nil
}
