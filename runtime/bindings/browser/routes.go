package browser

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"time"
)

// ServeHTTP implements [http.Handler].
func (b *Browsers) ServeHTTP(w http.ResponseWriter, r *http.Request) { b.mux.ServeHTTP(w, r) }

// routes are those of the platform (BIND-81, BIND-82), with the reference's answers.
func (b *Browsers) routes() {
	b.mux = http.NewServeMux()
	route := func(pattern string, f func(r *http.Request) (any, error)) {
		b.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			v, err := f(r)
			if err != nil {
				fail(w, err)
				return
			}
			answer(w, v)
		})
	}
	acquire := func(r *http.Request) (any, error) {
		a, err := b.acquire(r.Context(), keepAlive(r))
		if err != nil {
			return nil, err
		}
		return map[string]string{"sessionId": a.id}, nil
	}
	route("GET /v1/acquire", acquire)
	route("POST /v1/devtools/browser", acquire)
	route("GET /v1/sessions", func(*http.Request) (any, error) { return map[string]any{"sessions": b.views()}, nil })
	route("GET /v1/devtools/session", func(*http.Request) (any, error) { return b.views(), nil })
	route("GET /v1/limits", func(*http.Request) (any, error) { return b.limits(), nil })
	route("GET /v1/history", func(*http.Request) (any, error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		return map[string]any{"history": append([]history{}, b.past...)}, nil
	})
	route("GET /v1/devtools/session/{id}", func(r *http.Request) (any, error) {
		for _, v := range b.views() {
			if v.SessionID == r.PathValue("id") {
				return v, nil
			}
		}
		return nil, refusal{http.StatusNotFound, "Session not found"}
	})
	route("DELETE /v1/devtools/browser/{id}", func(r *http.Request) (any, error) {
		b.close(r.PathValue("id"), 1, "NormalClosure")
		return map[string]string{"status": "closed"}, nil
	})
	b.mux.HandleFunc("GET /v1/devtools/browser", func(w http.ResponseWriter, r *http.Request) {
		a, err := b.acquire(r.Context(), keepAlive(r))
		if err != nil {
			fail(w, err)
			return
		}
		b.proxy(w, r, a.id, "", true)
	})
	b.mux.HandleFunc("GET /v1/devtools/browser/{id}", func(w http.ResponseWriter, r *http.Request) {
		b.proxy(w, r, r.PathValue("id"), "", true)
	})
	for pattern, path := range map[string]func(r *http.Request) string{
		"GET /v1/devtools/browser/{id}/json/version":  func(*http.Request) string { return "/json/version" },
		"GET /v1/devtools/browser/{id}/json/list":     func(*http.Request) string { return "/json/list" },
		"GET /v1/devtools/browser/{id}/json":          func(*http.Request) string { return "/json/list" },
		"GET /v1/devtools/browser/{id}/json/protocol": func(*http.Request) string { return "/json/protocol" },
		"PUT /v1/devtools/browser/{id}/json/new": func(r *http.Request) string {
			return "/json/new?" + url.QueryEscape(r.URL.Query().Get("url"))
		},
		"GET /v1/devtools/browser/{id}/json/activate/{target}": func(r *http.Request) string {
			return "/json/activate/" + url.PathEscape(r.PathValue("target"))
		},
		"GET /v1/devtools/browser/{id}/json/close/{target}": func(r *http.Request) string {
			return "/json/close/" + url.PathEscape(r.PathValue("target"))
		},
		"GET /v1/devtools/browser/{id}/page/{target}": func(r *http.Request) string {
			return "/devtools/page/" + url.PathEscape(r.PathValue("target"))
		},
	} {
		b.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			b.proxy(w, r, r.PathValue("id"), path(r), false)
		})
	}
	b.mux.HandleFunc("GET /v1/connectDevtools", b.connectDevtools)
	b.mux.HandleFunc("POST /v1/quick-action/{action}", b.quickAction)
}

// keepAlive is the idle time that a request asks for, in milliseconds.
func keepAlive(r *http.Request) time.Duration {
	ms, _ := strconv.Atoi(r.URL.Query().Get("keep_alive")) // none is the default
	return time.Duration(min(max(ms, 0), int(maxIdle/time.Millisecond))) * time.Millisecond
}

func (b *Browsers) limits() any {
	b.mu.Lock()
	defer b.mu.Unlock()
	active := []map[string]string{}
	for id := range b.sessions {
		active = append(active, map[string]string{"id": id})
	}
	return map[string]any{"activeSessions": active, "maxConcurrentSessions": maxSessions,
		"allowedBrowserAcquisitions":             max(maxSessions-len(b.sessions)-b.starting, 0),
		"timeUntilNextAllowedBrowserAcquisition": 0}
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // a client that is gone needs no answer
}

func fail(w http.ResponseWriter, err error) {
	var r refusal
	if errors.As(err, &r) && r.status == http.StatusNotFound {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(r.status)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": r.text}) // a client that is gone needs no answer
		return
	}
	status := http.StatusInternalServerError
	if r.status != 0 {
		status = r.status
	}
	http.Error(w, err.Error(), status)
}

// proxy carries a request, or a WebSocket, to the browser; path "" is that of the whole browser.
func (b *Browsers) proxy(w http.ResponseWriter, r *http.Request, id, path string, whole bool) {
	ctx, drop := context.WithCancel(r.Context())
	defer drop()
	a, leave, err := b.use(id, false, drop)
	if err != nil {
		fail(w, err)
		return
	}
	defer leave()
	target := &url.URL{Scheme: "http", Host: a.endpoint.Host, Path: a.endpoint.Path}
	if path != "" {
		p, query, _ := cutQuery(path)
		target.Path, target.RawQuery = p, query
	}
	p := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL, r.Out.Host = target, target.Host
			r.Out.Header.Del("Origin") // the browser lets in nobody with one
		},
		ModifyResponse: func(res *http.Response) error {
			if whole {
				res.Header.Set("Cf-Browser-Session-Id", id)
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) { fail(w, err) },
	}
	p.ServeHTTP(w, r.WithContext(ctx))
}

func cutQuery(path string) (before, query string, ok bool) {
	u, err := url.Parse(path)
	if err != nil {
		return path, "", false
	}
	return u.Path, u.RawQuery, true
}
