package fetch

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A person hears why a connection failed, whatever the script does with the error, and hears nothing of a request that
// the script gave up itself.
func TestFailedFetchIsTold(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	s := upstream(t)
	r := newRunner(t)
	var told []string
	r.On(func() {
		r.Host.Outbound = plainTransport()
		r.Host.Notice = func(text string) { told = append(told, text) }
	})
	r.Expect(`
		const tried = await fetch("`+closed.URL+`/orders?key=secret").catch((e) => e.message);
		const stop = new AbortController();
		const given = fetch("`+s.URL+`/never", { signal: stop.signal }).catch((e) => e.name);
		stop.abort();
		return [tried, await given].join(" ")`, "Network connection lost. AbortError")
	want := "GET " + closed.URL + " failed: nobody listens there (connection refused)"
	if text := strings.Join(told, "\n"); text != want {
		t.Errorf("a person hears %q, want %q", text, want)
	}
}
