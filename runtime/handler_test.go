package runtime

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// A handler that is called by a Go program, without a connection, does to it nothing that a server would not: its
// headers stay as they are, a body that fails is told and does not panic, and /cdn-cgi/ takes the program for the
// developer.
func TestHandlerWithoutConnection(t *testing.T) {
	s := newProject(t, "wrangler.jsonc", plainConfig, "index.js", script("../front/testdata/front", "front.js")).serve()
	h, err := s.Handler("")
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("GET", "/seen", nil)
	r.Header.Set("Accept-Encoding", "identity")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != 200 || len(r.Header) != 1 || r.Header.Get("Accept-Encoding") != "identity" {
		t.Errorf("%d, the caller's header is %v", w.Code, r.Header)
	}
	w = httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/breaks", nil))
	if w.Body.String() != "first" {
		t.Errorf("a body that breaks off: %q", w.Body)
	}
	s.wantLines("GET /breaks: response body: ")
	w = httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/cdn-cgi/eddy/metrics", nil))
	if w.Code != http.StatusOK {
		t.Errorf("/cdn-cgi/eddy/metrics: %d %s", w.Code, w.Body)
	}
}

// "" is the first Worker everywhere, and a name that is not there is told of with those that are.
func TestNames(t *testing.T) {
	s := newProject(t, "wrangler.jsonc", plainConfig, "index.js", script("../front/testdata/front", "front.js")).serve()
	if s.Worker("") == nil || s.Worker("") != s.Worker("w") || s.Worker("nobody") != nil {
		t.Error("Worker: the first one, by name, and nobody")
	}
	if err := s.Reload(t.Context(), ""); err != nil {
		t.Error(err)
	}
	_, handlerErr := s.Handler("nobody")
	const want = `no Worker "nobody" in this session; there are w`
	for _, err := range []error{handlerErr, s.Reload(t.Context(), "nobody")} {
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
