package caches

import (
	"net/http"
	"testing"
	"time"

	"eddy/runtime/webapi/events"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/streams"
	"eddy/runtime/webapi/timers"
	"eddy/runtime/webapi/url"
	"eddy/runtime/webapi/webapitest"
)

// RT13.
func TestCaches(t *testing.T) {
	r := newRunner(t)
	table(t, r, [][2]string{
		{`(async c => { await c.put("http://a/x#f",
			new Response("body", {headers: {"cache-control": "max-age=10", "x-y": "z"}}));
			const hit = await c.match("http://a/x");
				return [hit.status, hit.headers.get("cf-cache-status"), hit.headers.get("x-y"), await hit.text()].join(
				) })(caches.default)`,
			"200,HIT,z,body"},
		{`caches.default.match("http://a/other")`, "undefined"},
		{`caches.open("named").then(c => c.match("http://a/x"))`, "undefined"},
		{`scheduler.wait(9999).then(() => caches.default.match("http://a/x")).then(r => r.status)`, "200"},
		{`scheduler.wait(1).then(() => caches.default.match("http://a/x"))`, "undefined"},
		{`(async c => { await c.put("http://a/d",
			new Response("1", {headers: {expires: new Date(Date.now() + 60000).toUTCString()}}));
			return [await c.delete("http://a/d"), await c.delete("http://a/d"), await c.match("http://a/d")].join() })(
				caches.default)`,
			"true,false,"},
		{`caches.default.put("http://a", new Response("x")).then(() => caches.default.match("http://a"))`, "undefined"},
		{`caches.default.put("http://a", ` +
			`new Response("x", {headers: {"cache-control": "max-age=9", "set-cookie": "a=b"}})).then(() => ` +
			`caches.default.match("http://a"))`, "undefined"},
		{`caches.default.put(new Request("http://a", {method: "POST"}), new Response("x"))`,
			"throws TypeError: Cannot cache response to non-GET request."},
		{`caches.default.put("http://a", new Response("x", {status: 206}))`,
			"throws TypeError: Cannot cache response to a range request (206 Partial Content)."},
		{`caches.default.put("http://a", new Response("x", {headers: {vary: "a, *"}}))`,
			"throws TypeError: Cannot cache response with 'Vary: *' header."},
		{`caches.default.put("http://a", 1)`,
			"throws TypeError: Failed to execute 'put' on 'Cache': parameter 2 is not of type 'Response'."},
		{`caches.default.match("/x")`, "throws TypeError: Invalid URL: /x"},
		{`caches.default.keys()`, "throws Error: Failed to execute 'keys' on 'Cache': the method is not implemented."},
		{`caches.open("x".repeat(1024))`, "throws TypeError: Cache name is too long."},
		{`(async c => { await c.put("http://a/r",
			new Response("0123456789", {headers: {"cache-control": "max-age=9", etag: '"t"'}}));
			const part = await c.match(new Request("http://a/r", {headers: {range: "bytes=2-4"}}));
			const same = await c.match(new Request("http://a/r", {headers: {"if-none-match": 'W/"t"'}}));
			const none = await c.match(new Request("http://a/r", {headers: {range: "bytes=20-"}}));
			return [part.status, part.headers.get("content-range"), await part.text(), same.status, none.status].join(
				) })(caches.default)`,
			"206,bytes 2-4/10,234,304,416"},
		{`(async r => { await caches.default.put("http://a/u", r); return r.bodyUsed })(new Response("x", ` +
			`{headers: {"cache-control": "max-age=9"}}))`, "true"},
	})
}

func TestLifetime(t *testing.T) {
	now := time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)
	at := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	for _, c := range []struct {
		status   int
		header   http.Header
		d        time.Duration
		storable bool
	}{
		{200, http.Header{}, 0, true},
		{200, http.Header{"Cache-Control": {"max-age=5"}}, 5 * time.Second, true},
		{200, http.Header{"Cache-Control": {"max-age=5, S-MaxAge=7"}}, 7 * time.Second, true},
		{200, http.Header{"Cache-Control": {"private"}}, 0, false},
		{200, http.Header{"Cache-Control": {"no-store"}}, 0, false},
		{200, http.Header{"Cache-Control": {"no-cache, max-age=5"}}, 0, true},
		{200, http.Header{"Cache-Control": {"max-age=5"}, "Set-Cookie": {"a=b"}}, 0, false},
		{200, http.Header{"Cache-Control": {"private=set-cookie, max-age=5"}, "Set-Cookie": {"a=b"}}, 5 * time.Second,
			true},
		{200, http.Header{"Expires": {at(time.Minute)}}, time.Minute, true},
		{200, http.Header{"Expires": {at(time.Minute)}, "Date": {at(-time.Minute)}}, 2 * time.Minute, true},
		{200, http.Header{"Last-Modified": {at(-100 * time.Second)}}, 10 * time.Second, true},
		{302, http.Header{}, 0, false},
		{302, http.Header{"Cache-Control": {"max-age=5"}}, 5 * time.Second, true},
		{500, http.Header{"Cache-Control": {"max-age=5"}}, 0, false},
	} {
		if d, storable := lifetime(c.status, c.header.Clone(), now); d != c.d || storable != c.storable {
			t.Errorf("%d %v: %v %v", c.status, c.header, d, storable)
		}
	}
}

func TestByteRange(t *testing.T) {
	for _, c := range []struct {
		in         string
		start, end int
		ok         bool
	}{
		{"bytes=0-3", 0, 4, true}, {"bytes=5-", 5, 10, true}, {"bytes=-3", 7, 10, true}, {"bytes=-30", 0, 10, true},
		{"bytes=8-99", 8, 10, true}, {"bytes=10-", 10, 10, true}, {"bytes=3-1", 0, 0, false},
		{"bytes=0-1,3-4", 0, 0, false},
		{"lines=1-2", 0, 0, false}, {"bytes=a-", 0, 0, false},
	} {
		if s, e, ok := byteRange(c.in, 10); s != c.start || e != c.end || ok != c.ok {
			t.Errorf("%s: %d %d %v", c.in, s, e, ok)
		}
	}
}

func newRunner(t testing.TB) *webapitest.Runner {
	return webapitest.New(t, timers.Install, events.Install, url.Install, streams.Install, fetch.Install, Install)
}

// table runs one expression per line; the result is what String() makes of its value, or the error it throws.
func table(t *testing.T, r *webapitest.Runner, cases [][2]string) {
	t.Helper()
	for _, c := range cases {
		r.Expect("return "+c[0], c[1])
	}
}
