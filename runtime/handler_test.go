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

// A body is read from outside when no script runs: what is wrong with it is shown where it is awaited, as in V8.
func TestWrongBodyIsShownWhereItIsAwaited(t *testing.T) {
	s := newProject(t, "wrangler.jsonc", plainConfig, "index.js", `
async function order(request) {
  const { sku } = await request.json();
  return sku;
}
export default { async fetch(request) { return new Response(await order(request)) } };`).serve()
	if res, _ := s.ask("POST", "/", "nope"); res.StatusCode != 500 {
		t.Errorf("status %d", res.StatusCode)
	}
	s.wantLines("✘ Uncaught SyntaxError: Unexpected token 'o', \"nope\" is not valid JSON",
		"at async order (index.js:3:19)", "at async Object.fetch (index.js:6:61)",
		"const { sku } = await request.json();")
}

// A connection that fails rejects with the platform's error, which tells who awaits it; the reason is told to a person.
func TestFailedFetchIsAwaited(t *testing.T) {
	s := newProject(t, "wrangler.jsonc", plainConfig, "index.js", `
async function ask() {
  const answer = await fetch("http://127.0.0.1:1/");
  return answer;
}
export default { async fetch() {
  new Response("", { status: 204 });
  return ask().catch((e) => new Response([Object.keys(e), "cause" in e, e.stack.replace(/\(.*\//, "(")].join("|")));
} };`).serve()
	s.expect("/", "remote,retryable|false|Error: Network connection lost.\n    at async ask (index.js:3:18)")
	s.wantLines("GET http://127.0.0.1:1 failed: nobody listens there (connection refused)",
		"Constructing a Response with a null body status (204) and a non-null, zero-length body.")
}
