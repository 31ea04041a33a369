package fetch

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
)

// upstream is a server whose paths are named after what they do.
func upstream(t *testing.T) *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		ua, hasUA := r.Header["User-Agent"]
		w.Header().Set("X-Seen",
			fmt.Sprint(r.ContentLength, " ", r.Header.Get("Content-Type"), " ", r.Header.Get("Authorization"), " ",
				hasUA, ua, r.Header.Get("Accept-Encoding")))
		w.Header().Add("Set-Cookie", "a=1")
		w.Header().Add("Set-Cookie", "b=2")
		fmt.Fprintf(w, "%s %s %s", r.Method, r.URL, b)
	})
	mux.HandleFunc("/to", func(w http.ResponseWriter, r *http.Request) {
		code := 302
		_, _ = fmt.Sscan(r.URL.Query().Get("code"), &code)
		w.Header().Set("Location", r.URL.Query().Get("u"))
		w.WriteHeader(code)
	})
	mux.HandleFunc("/loop",
		func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) })
	mux.HandleFunc("/gzip", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, strings.Repeat("g", 1000))
		_ = z.Close()
	})
	mux.HandleFunc("/br", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "br")
		z := brotli.NewWriter(w)
		_, _ = io.WriteString(z, "brotli")
		_ = z.Close()
	})
	mux.HandleFunc("/cut", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "short")
		w.(http.Flusher).Flush()
		c, _, _ := w.(http.Hijacker).Hijack()
		_ = c.Close()
	})
	mux.HandleFunc("/hang", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "first")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	mux.HandleFunc("/never", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func TestFetch(t *testing.T) {
	s := upstream(t)
	r := newRunner(t)
	other := upstream(t)
	r.On(func() {
		_ = r.Host.Runtime().Set("U", s.URL)
		_ = r.Host.Runtime().Set("V", other.URL)
		r.Host.Outbound = plainTransport()
	})
	const text = `.then(async r => [r.status, r.statusText, r.redirected, r.url.replace(U, "").replace(V, "other"), ` +
		`await r.text()].join("|"))`
	table(t, r, [][2]string{
		{`fetch(U + "/echo?a#f")` + text, "200|OK|false|/echo?a|GET /echo?a "},
		{`fetch(U + "/echo", {method: "POST", body: "hi"})` + text, "200|OK|false|/echo|POST /echo hi"},
		{`fetch(U + "/echo", {method: "POST", body: "hi"}).then(r => r.headers.get("x-seen") + ` +
			`r.headers.getSetCookie())`, "2 text/plain;charset=UTF-8  false []a=1,b=2"},
		{`fetch(U + "/echo", ` +
			`{method: "POST", ` +
			`body: new ReadableStream({start(c) { c.enqueue(new Uint8Array([97, 98])); c.close() }})})` + text,
			"200|OK|false|/echo|POST /echo ab"},
		{`fetch(U + "/echo", {method: "POST", body: ""}).then(r => r.headers.get("x-seen").slice(0, 1))`, "0"},
		{`fetch(U + "/nowhere").then(r => r.status + r.statusText)`, "404Not Found"},
		{`fetch(U + "/echo", {method: "HEAD"}).then(r => r.body)`, "null"},
		{`fetch(U + "/echo").then(r => r.headers.set("a", "b"))`, "throws TypeError: Can't modify immutable headers."},
		// redirects: method rewriting, bodies, limits, other origins
		{`fetch(U + "/to?u=/echo")` + text, "200|OK|true|/echo|GET /echo "},
		{`fetch(U + "/to?u=/echo", {redirect: "manual"}).then(r => r.status + r.headers.get("location"))`, "302/echo"},
		{`fetch(U + "/to?u=/echo", {method: "POST", body: "b"})` + text, "200|OK|true|/echo|GET /echo "},
		{`fetch(U + "/to?u=/echo&code=307", {method: "POST", body: "b"})` + text, "200|OK|true|/echo|POST /echo b"},
		{`fetch(U + "/to?u=/echo&code=303", {method: "PUT", body: "b"})` + text, "200|OK|true|/echo|GET /echo "},
		{`fetch(U + "/to?u=/echo&code=307", {method: "POST", body: new Blob(["b"]).stream()})`,
			"throws TypeError: A request with a one-time-use body (it was initialized from a stream, not a buffer) " +
				"encountered a redirect requiring the body to be retransmitted. To avoid this error in the future, " +
				"construct this request from a buffer-like body initializer."},
		{`fetch(U + "/loop")`, "throws TypeError: Too many redirects."},
		{`fetch(U + "/to?u=http://%5B")`, "throws TypeError: Invalid Location header; unable to follow redirect."},
		{`fetch(U + "/to?u=/echo", {headers: {authorization: "A"}}).then(r => r.headers.get("x-seen"))`,
			"0  A false []"},
		{`fetch(U + "/to?u=" + V + "/echo", {headers: {authorization: "A"}}).then(r => r.headers.get("x-seen"))`,
			"0   false []"},
		// content codings
		{`fetch(U + "/gzip").then(async r => r.headers.get("content-encoding") + (await r.text()).length)`, "gzip1000"},
		{`fetch(U + "/br").then(r => r.text())`, "brotli"},
		{`fetch(U + "/gzip", {encodeResponseBody: "manual"}).then(async r => (await r.bytes())[0])`, "31"},
		// RT10
		{`fetch("/x")`, "throws TypeError: Invalid URL: /x"},
		{`fetch()`, "throws TypeError: Failed to execute 'fetch' on 'ServiceWorkerGlobalScope': parameter 1 is not " +
			"of type 'Request or string'."},
		{`fetch("ftp://a/")`, "throws TypeError: Fetch API cannot load: ftp://a/"},
		{`fetch(U + "/cut").then(r => r.text()).catch(e => e.message + e.retryable + e.remote)`,
			"Network connection lost.truetrue"},
		{`fetch("data:text/html;base64,YSBi").then(async r => r.headers.get("content-type") + await r.text())`,
			"text/htmla b"},
		{`fetch("data:,a%20b").then(async r => r.headers.get("content-type") + await r.text())`,
			"text/plain;charset=US-ASCIIa b"},
		{`fetch("data:text/plain").catch(e => e.message)`, "Fetch API cannot load: data:text/plain"},
		// abort: before, while waiting, while reading
		{`fetch(U + "/echo", {signal: AbortSignal.abort()})`, "throws AbortError: The operation was aborted"},
		{`(async c => { const p = fetch(U + "/never", {signal: c.signal}); c.abort("why"); ` +
			`return p.catch(e => e) })(new AbortController)`, "why"},
		{`(async c => { const r = await fetch(U + "/hang", {signal: c.signal}); const rd = r.body.getReader();
			const first = await rd.read(); c.abort();
			return rd.read().catch(e => first.value.length + e.name) })(new AbortController)`, "5AbortError"},
	})
}

// A script that takes time to write a body has it sent piece by piece. The request does not hold the clock meanwhile,
// and holds it afterwards.
func TestUploadWaitsForTheClock(t *testing.T) {
	s := upstream(t)
	r := newRunner(t)
	r.On(func() { _ = r.Host.Runtime().Set("U", s.URL) })
	const slow = `const slow = (...parts) => new ReadableStream({ async pull(c) {
			await new Promise((r) => AbortSignal.timeout(1000).addEventListener("abort", r));
			if (parts.length) c.enqueue(parts.shift()); else c.close() } });
		let late = false; AbortSignal.timeout(3500).addEventListener("abort", () => { late = true });`
	r.Expect(slow+`const res = await fetch(U + "/echo", { method: "POST", body: slow("a", "b") }); `+
		`return await res.text() + late`, "POST /echo abfalse")
	r.Expect(slow+`return fetch(U + "/echo", { method: "POST", body: slow("c"), signal: AbortSignal.timeout(1500) })`,
		"throws TimeoutError: The operation was aborted due to timeout")
}

func TestFetchRefused(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	r := newRunner(t)
	r.On(func() { _ = r.Host.Runtime().Set("U", s.URL) })
	r.Expect(`return fetch(U).catch(e => e.constructor.name + e.message + e.retryable + e.remote)`,
		"ErrorNetwork connection lost.truetrue")
}
