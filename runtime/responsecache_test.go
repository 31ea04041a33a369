package runtime

import (
	"strings"
	"testing"
	"time"
)

// With cache.enabled a cache is in front of each entrypoint. It answers GET requests with what the Worker has answered
// and allowed to be kept, by path, query, ctx.props and the headers of Vary, and says so in Cf-Cache-Status. A purge
// takes away by tag, by path or everything, of the entrypoint that asks. A reload begins with an empty cache unless
// cross_version_cache is set (BIND-164).
func TestResponseCache(t *testing.T) {
	for _, across := range []string{"false", "true"} {
		config := `{ "name": "w", "main": "main.js", "compatibility_date": "2026-04-01", "compatibility_flags":
			["enable_ctx_exports"], "cache": { "enabled": true, "cross_version_cache": ` + across + ` } }`
		p := newProject(t, "wrangler.jsonc", config, "main.js", script("responsecache", "main.js"))
		s := p.serve()
		ask := func(path, want, status string, header ...string) {
			t.Helper()
			res, got := s.ask("GET", path, "", header...)
			if got != want || res.Header.Get("Cf-Cache-Status") != status || res.Header.Get("Cache-Tag") != "" {
				t.Errorf("%s: %q %q, want %q %q", path, got, res.Header.Get("Cf-Cache-Status"), want, status)
			}
		}
		ask("/a?tags=one,Two", "/a 1", "MISS")
		ask("/a?tags=one,Two", "/a 1", "HIT")
		ask("/a?tags=two", "/a 2", "MISS")
		ask("/blog/x", "/blog/x 3", "MISS")
		ask("/purge?o="+`{"tags":["two"]}`, `{"success":true,"errors":[]}`, "DYNAMIC")
		ask("/a?tags=two", "/a 4", "MISS")
		ask("/a?tags=one,Two", "/a 5", "MISS")
		ask("/blog/x", "/blog/x 3", "HIT")
		ask("/purge?o="+`{"pathPrefixes":["blog/"]}`, `{"success":true,"errors":[]}`, "DYNAMIC")
		ask("/blog/x", "/blog/x 6", "MISS")
		ask("/private", "private 7", "BYPASS")
		ask("/silent", "silent 8", "DYNAMIC")
		ask("/cookie", "cookie 9", "BYPASS")
		ask("/vary", "vary de 10", "MISS", "X-Lang", "de")
		ask("/vary", "vary en 11", "MISS", "X-Lang", "en")
		ask("/vary", "vary de 10", "HIT", "X-Lang", "de")
		ask("/cdn", "cdn 12", "MISS")
		ask("/cdn", "cdn 12", "HIT")
		ask("/missing", "missing 13", "MISS")
		s.clock.Advance(t.Context(), 6*time.Second)
		ask("/missing", "missing 14", "EXPIRED")
		ask("/stream", "stream 15", "MISS")
		ask("/stream", "stream 15", "HIT")
		ask("/a", "/a 16", "MISS", "Authorization", "x") // public
		// Loopback requests are cached by props, and purged by their own entrypoint only.
		ask("/data?t=a", "data a 17", "MISS")
		ask("/module", `{"success":true,"errors":[]}`, "DYNAMIC")
		ask("/data?t=a&again", "data a 17", "MISS") // of the outer entrypoint; the inner one was not asked
		ask("/data?t=b", "data b 18", "MISS")
		ask("/purge-data", `{"success":true,"errors":[]}`, "DYNAMIC")
		ask("/data?t=a&more", "data a 19", "MISS")
		ask("/stream", "stream 20", "MISS") // the module's purge was of everything
		ask("/bad", "TypeError: Incorrect type for the 'tags' field on 'CachePurgeOptions': the provided value is not "+
			"of type 'Array'.", "DYNAMIC")
		_, got := s.ask("GET", "/bad?n", "")
		if !strings.HasSuffix(got, "parameter 1 is not of type 'CachePurgeOptions'.") {
			t.Error(got)
		}
		if res, _ := s.ask("POST", "/stream", ""); res.Header.Get("Cf-Cache-Status") != "" {
			t.Error("a POST went through the cache")
		}
		if err := s.Reload(t.Context(), "w"); err != nil {
			t.Fatal(err)
		}
		if across == "true" {
			ask("/stream", "stream 20", "HIT")
		} else {
			ask("/stream", "stream 1", "MISS")
		}
		s.end()
	}
}
