package assets

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	whatwg "eddy/runtime/webapi/url"
)

// First answers a request that is for the files rather than for the Worker: run_worker_first sends it to the Worker,
// otherwise a file that exists wins. ok is false if the request is for the Worker.
func (s *Site) First(r *http.Request) (res *http.Response, ok bool, err error) {
	if s.alone {
		res, err = s.Handle(r)
		return res, true, err
	}
	in, ok := s.claim(r)
	if ok {
		res, err = s.respond(r, in)
	}
	return res, ok, err
}

// claim does what intend does, for requests that do not go to the Worker.
func (s *Site) claim(r *http.Request) (intention, bool) {
	if s.first {
		return intention{}, false
	}
	p := r.URL.EscapedPath()
	routed := len(s.only)+len(s.except) > 0
	if routed {
		if matchAny(s.except, p) {
			in, _ := s.intend(r, s.notFound)
			return in, true
		}
		if matchAny(s.only, p) {
			return intention{}, false
		}
	}
	if _, ok := s.strip(decode(p)); !ok {
		return intention{}, false
	}
	notFound := s.notFound
	if !routed && !(s.navigates && r.Header.Get("Sec-Fetch-Mode") == "navigate") {
		notFound = "none" // without routes the Worker answers for what is not there
	}
	return s.intend(r, notFound)
}

func matchAny(list []pattern, p string) bool {
	for _, x := range list {
		if _, ok := x.match(p); ok {
			return true
		}
	}
	return false
}

// strip takes the base path off a decoded path.
func (s *Site) strip(p string) (string, bool) {
	if s.base == "/" {
		return p, true
	}
	if p == strings.TrimSuffix(s.base, "/") {
		return "/", true
	}
	if rest, ok := strings.CutPrefix(p, s.base); ok {
		return "/" + rest, true
	}
	return p, false
}

// decode undoes percent-encoding, part by part; what is not well encoded stays as it is.
func decode(p string) string {
	parts := strings.Split(p, "/")
	for i, x := range parts {
		if y, err := url.PathUnescape(x); err == nil {
			parts[i] = y
		}
	}
	p = strings.Join(parts, "/")
	for strings.Contains(p, "//") {
		p = strings.ReplaceAll(p, "//", "/")
	}
	return p
}

// encode is the form in which a path appears in a redirect.
func encode(p string) string {
	parts := strings.Split(p, "/")
	for i, x := range parts {
		parts[i] = whatwg.PercentEncodeComponent(x)
	}
	return strings.Join(parts, "/")
}

// intention is what is to be done about a request.
type intention struct {
	location string
	status   int
	file     string // the asset's path
}

// intend decides what to do about a request. ok is false when there is no file, and notFound, a not_found_handling, has
// none either.
func (s *Site) intend(r *http.Request, notFound string) (intention, bool) {
	p, proxied := r.URL.EscapedPath(), false
	if to, status, ok := s.redirected(r.URL); ok {
		if status != http.StatusOK {
			return intention{location: relative(r.URL, to), status: status}, true
		}
		if u, err := url.Parse(to); err == nil {
			p, proxied = u.EscapedPath(), true
		}
	}
	nothing := func() (intention, bool) { return intention{status: http.StatusNotFound}, proxied }
	public := decode(p)
	asset, ok := s.strip(public)
	if !ok {
		return nothing()
	}
	d, ok := decision{}, false
	if !proxied {
		d, ok = s.baseRoot(public)
	}
	if !ok {
		if d, ok = s.resolve(asset, notFound, true); !ok {
			return nothing()
		}
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return intention{status: http.StatusMethodNotAllowed}, true
	}
	if d.redirect != "" {
		public = strings.TrimSuffix(s.base, "/") + d.redirect
	}
	if to := encode(public); d.redirect != "" || to != p {
		return intention{location: withSearch(to, r.URL), status: http.StatusTemporaryRedirect}, true
	}
	status := http.StatusOK
	if d.missing && notFound == "404-page" {
		status = http.StatusNotFound
	}
	return intention{file: d.file, status: status}, true
}

// baseRoot sends the base path without, or with, its slash to the form that html_handling wants.
func (s *Site) baseRoot(public string) (decision, bool) {
	if s.base == "/" || s.html == "none" || !s.exists("/index.html") {
		return decision{}, false
	}
	if drop := s.html == "drop-trailing-slash"; !drop && public == strings.TrimSuffix(s.base, "/") {
		return decision{redirect: "/"}, true
	}
	return decision{}, false
}

func withSearch(to string, u *url.URL) string {
	if u.RawQuery != "" {
		return to + "?" + u.RawQuery
	}
	return to
}

// relative is the Location for a rule's target: without the origin if that is the request's own.
func relative(from *url.URL, to string) string {
	u, err := from.Parse(to)
	if err != nil {
		return to
	}
	if u.Host != from.Host {
		if u.RawQuery == "" {
			u.RawQuery = from.RawQuery
		}
		return u.String()
	}
	query := u.RawQuery
	if query == "" {
		query = from.RawQuery
	}
	out := u.EscapedPath()
	if query != "" {
		out += "?" + query
	}
	if u.Fragment != "" {
		out += "#" + u.EscapedFragment()
	}
	return out
}

// Handle answers a request from the files. If there is none, the answer is a 404.
func (s *Site) Handle(r *http.Request) (*http.Response, error) {
	in, _ := s.intend(r, s.notFound)
	return s.respond(r, in)
}

func (s *Site) respond(r *http.Request, in intention) (*http.Response, error) {
	h := http.Header{}
	res := &http.Response{
		StatusCode: in.status, Status: fmt.Sprintf("%d %s", in.status, http.StatusText(in.status)), Header: h,
		Body: http.NoBody}
	switch {
	case in.location != "":
		h.Set("Location", in.location)
	case in.file != "":
		if err := s.send(r, in, res); err != nil {
			return nil, err
		}
	}
	s.decorate(r.URL, h)
	return res, nil
}

// send puts a file into a response.
func (s *Site) send(r *http.Request, in intention, res *http.Response) error {
	file := s.file(in.file)
	etag, err := s.etag(file)
	if err != nil {
		return fmt.Errorf("asset: %w", err)
	}
	res.Header.Set("Etag", `"`+etag+`"`)
	if t := contentType(in.file); t != "" {
		res.Header.Set("Content-Type", t)
	}
	if r.Header.Get("Authorization") == "" && r.Header.Get("Range") == "" {
		res.Header.Set("Cache-Control", "public, max-age=0, must-revalidate")
	}
	// The platform's cache of assets has what it could read in time; here that is everything.
	res.Header.Set("Cf-Cache-Status", "HIT")
	if match := r.Header.Get("If-None-Match"); match == `"`+etag+`"` || match == `W/"`+etag+`"` {
		res.StatusCode, res.Status = http.StatusNotModified, "304 Not Modified"
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("asset: %w", err)
	}
	res.ContentLength = int64(len(data))
	if r.Method != http.MethodHead {
		res.Body = io.NopCloser(bytes.NewReader(data))
	}
	return nil
}

// decorate applies _headers. A header of several rules has all their values.
func (s *Site) decorate(u *url.URL, h http.Header) {
	seen := map[string]bool{}
	for _, r := range s.headers {
		values, ok := r.path.matchURL(u)
		if !ok {
			continue
		}
		for _, name := range r.unset {
			h.Del(name)
		}
		for _, kv := range r.set {
			name, value := http.CanonicalHeaderKey(kv[0]), fill(kv[1], values)
			if seen[name] {
				h.Add(name, value)
				continue
			}
			seen[name] = true
			h.Set(name, value)
		}
	}
}
