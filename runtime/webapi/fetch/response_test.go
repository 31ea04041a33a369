package fetch

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/webapi/events"
	"eddy/runtime/webapi/streams"
	"eddy/runtime/webapi/url"
	"eddy/runtime/webapi/webapitest"
)

func newRunner(t testing.TB) *webapitest.Runner {
	return webapitest.New(t, events.Install, url.Install, streams.Install, Install)
}

// table runs one expression per line; the result is what String() makes of its value, or the error it throws.
func table(t *testing.T, r *webapitest.Runner, cases [][2]string) {
	t.Helper()
	for _, c := range cases {
		r.Expect("return "+c[0], c[1])
	}
}

// RT12, RT10.
func TestResponse(t *testing.T) {
	table(t, newRunner(t), [][2]string{
		{`(r => [r.status, r.statusText, r.ok, r.type, r.url, r.redirected, r.webSocket, r.cf, ` +
			`[...r.headers]].join())(new Response("x"))`,
			"200,,true,default,,false,,,content-type,text/plain;charset=UTF-8"},
		{`await new Response(5).text() + await new Response({}).text() + await new Response(null).text()`,
			"5[object Object]"},
		{`await Response.json({a: [1]}, {status: 201, headers: {x: "y"}}).text()`, `{"a":[1]}`},
		{`Response.json(1).headers.get("content-type") + Response.json(1, ` +
			`{headers: {"Content-Type": "x/y"}}).headers.get("content-type")`, "application/jsonx/y"},
		{`new Response(new URLSearchParams("a=b c")).headers.get("content-type")`,
			"application/x-www-form-urlencoded;charset=UTF-8"},
		{`await new Response(new URLSearchParams("a=b c")).text()`, "a=b+c"},
		{`new Response(new Uint8Array(2)).headers.has("content-type")`, "false"},
		{`(await new Response(new Uint8Array([1,2,3]).subarray(1)).bytes()).join()`, "2,3"},
		{`await new Response(new Blob(["b"], {type: "T/x"})).headers.get("content-type")`, "t/x"},
		{`(await new Response('{"a":1}').json()).a`, "1"},
		{`await new Response("\uFEFFa\uD800").text()`, "a\uFFFD"},
		{`(await (await new Response("ab", {headers: {"content-type": "A/B ; x=1"}}).blob()).text()) + ` +
			`(await new Response("", {headers: {"content-type": "A/B ; x=1"}}).blob()).type`, "aba/b;x=1"},
		{`new Response("x", {status: 600})`,
			"throws RangeError: Responses may only be constructed with status codes in the range 200 to 599, " +
				"inclusive."},
		{`new Response(null, {status: 101})`,
			"throws RangeError: Responses may only be constructed with status codes in the range 200 to 599, " +
				"inclusive."},
		{`new Response("x", {status: 204})`,
			"throws TypeError: Response with null body status (101, 204, 205, or 304) cannot have a body."},
		{`new Response("", {status: 204}).body`, "null"},
		{`new Response("x", {statusText: "a\nb"})`, "throws TypeError: Invalid statusText"},
		{`new Response("x", {status: 299}).statusText`, ""},
		{`(r => [r.status, r.type, r.ok].join())(Response.error())`, "0,error,false"},
		{`(r => r.status + r.headers.get("location"))(Response.redirect("https://a.b/c d", 307))`,
			"307https://a.b/c%20d"},
		{`Response.redirect("https://a.b").headers.set("a", "b")`, "throws TypeError: Can't modify immutable headers."},
		{`Response.redirect("https://a.b", 200)`,
			"throws RangeError: 200 is not a redirect status code. It must be one of: 301, 302, 303, 307, or 308."},
		{`Response.redirect("nope")`, "throws TypeError: Unable to parse URL: nope"},
		{`Object.prototype.toString.call(new Response) + Response.prototype.__proto__.constructor.name`,
			"[object Response]Body"},
		{`new Response("a", new Response("b", {status: 202, statusText: "Fine", headers: {q: "r"}})).statusText`,
			"Fine"},
	})
}

func TestBodyUse(t *testing.T) {
	table(t, newRunner(t), [][2]string{
		{`(async r => { await r.text(); return r.bodyUsed + await r.text() })(new Response("x"))`,
			"throws TypeError: Body has already been used. It can only be used once. Use tee() first if you need to " +
				"read it twice."},
		{`(async r => { await r.text(); await r.text(); return r.bodyUsed })(new Response(null))`, "false"},
		{`(async r => { const c = r.clone(); return await r.text() + await c.text() })(new Response("x"))`, "xx"},
		{`(async r => { r.body; const c = r.clone(); return await r.text() + await c.text() })(new Response("x"))`,
			"xx"},
		{`(async r => { const rd = r.body.getReader(); const {value} = await rd.read(); ` +
			`return value.length + "" + r.bodyUsed })(new Response("xyz"))`, "3true"},
		{`(async r => { await r.text(); return r.body.locked + "" + r.bodyUsed })(new Response("xyz"))`, "falsetrue"},
		{`(async r => { r.body.getReader(); return r.text() })(new Response("xyz"))`,
			"throws TypeError: This ReadableStream is currently locked to a reader."},
		{`(async s => { await s.getReader().read(); return new Response(s) })(new Response("xyz").body)`,
			"throws TypeError: This ReadableStream is disturbed (has already been read from), and cannot be used as " +
				"a body."},
		{`await new Response([new Uint8Array([97]), new Uint8Array([98])]).text()`, "ab"},
		{`await new Response(new ReadableStream({start(c) { c.enqueue(new Uint8Array([104])); c.close() }})).text()`,
			"h"},
		{`await new Response("nope").json().catch(e => e.name)`, "SyntaxError"},
		{`new Response("nope").text.call({})`, "throws TypeError: Illegal invocation: function called with incorrect " +
			"`this` reference. See https://developers.cloudflare.com/workers/observability/errors/" +
			"#illegal-invocation-errors for details."},
	})
}

// RT10 for requests, and what init overrides.
func TestRequest(t *testing.T) {
	table(t, newRunner(t), [][2]string{
		{`(q => [q.method, q.url, q.redirect, q.signal.aborted, q.cf, q.cache, q.integrity, q.keepalive, q.body, ` +
			`q.fetcher].join("|"))(new Request("http://A.b"))`,
			"GET|http://a.b/|follow|false||||false||"},
		{`new Request("/x")`, "throws TypeError: Invalid URL: /x"},
		{`new Request()`, "throws TypeError: Failed to construct 'Request': constructor parameter 1 is not of type " +
			"'Request or string'."},
		{`new Request("http://a", {body: "b"})`,
			"throws TypeError: Request with a GET or HEAD method cannot have a body."},
		{`new Request("http://a", {method: "foo"})`, "throws TypeError: Invalid HTTP method string: foo"},
		{`new Request("http://a", {method: "patch"}).method`, "PATCH"},
		{`new Request("http://a", {redirect: "error"})`,
			`throws TypeError: Invalid redirect value, must be one of "follow" or "manual" ("error" won't be ` +
				`implemented since it does not make sense at the edge; use "manual" and check the response status ` +
				`code).`},
		{`new Request("http://a", {integrity: "sha256-x"})`,
			"throws TypeError: Subrequest integrity checking is not implemented. The integrity option must be either " +
				"undefined or an empty string."},
		{`new Request("http://a", {cache: "default"})`, "throws TypeError: Unsupported cache mode: default"},
		{`new Request("http://a", {cache: "no-store"}).cache`, "no-store"},
		{`new Request("http://a", {headers: {"a b": "c"}})`, "throws TypeError: Invalid header name."},
		{`new Request(new URL("http://a/?q")).url`, "http://a/?q"},
		{`(async q => { const n = new Request(q, {headers: {x: "y"}}); ` +
			`return [q.bodyUsed, n.method, n.headers.get("x"), await n.text()].join() })(new Request("http://a", ` +
			`{method: "POST", body: "b"}))`, "true,POST,y,b"},
		{`(async q => { await q.text(); return new Request(q) })(new Request("http://a", ` +
			`{method: "POST", body: "b"}))`, "throws TypeError: Cannot reconstruct a Request with a used body."},
		{`(q => new Request(q, {method: "GET", body: null}).body)(new Request("http://a", ` +
			`{method: "POST", body: "b"}))`, "null"},
		{`(q => new Request("http://b", q).url + new Request("http://b", q).method)(new Request("http://a", ` +
			`{method: "PUT"}))`, "http://b/PUT"},
		{`(async q => { const n = new Request(q); return [q.bodyUsed, q.body.locked, ` +
			`await n.text()].join() })(new Request("http://a", {method: "POST", body: "b"}))`, "true,true,b"},
		{`new Request("http://a", {cf: {a: {b: 1}}}).clone().cf.a.b`, "1"},
		{`new Request("http://a", {cf: {cacheControl: "x", cacheTtl: 1}})`,
			"throws TypeError: The 'cacheControl' and 'cacheTtl' options on cf are mutually exclusive. Use " +
				"'cacheControl' for explicit Cache-Control header directives, or 'cacheTtl' for a simplified TTL, " +
				"but not both."},
		{`(c => { const q = new Request(new Request("http://a", {signal: c.signal})); c.abort(); ` +
			`return q.signal.aborted })(new AbortController)`, "true"},
		{`new Request("http://a", {method: "POST", body: "x"}).clone().headers.get("content-type")`,
			"text/plain;charset=UTF-8"},
	})
}

// An incoming request is lazy, immutable, and its body is read off the loop (RT9, RT10).
func TestIncomingRequest(t *testing.T) {
	r := newRunner(t)
	made := 0
	r.On(func() {
		q := NewRequest(r.Host, Incoming{
			Method: "POST", URL: "http://localhost:8787/p?q",
			Header: http.Header{"Host": {"localhost:8787"}, "Cookie": {"a=1", "b=2"}},
			Body:   io.NopCloser(strings.NewReader(`{"n":7}`)), Length: 7, Manual: true,
			CF: func() goja.Value { made++; return r.Host.Runtime().ToValue("cf") },
		})
		_ = r.Host.Runtime().Set("incoming", q)
	})
	r.Expect(`
		const q = incoming;
		let refused;
		try { q.headers.set("a", "b") } catch (e) { refused = e.message }
		return [q.method, q.url, q.redirect, q.cf, q.headers.get("COOKIE"), q.headers === q.headers, refused,
			(await q.json()).n, q.bodyUsed].join("|")`,
		"POST|http://localhost:8787/p?q|manual|cf|a=1, b=2|true|Can't modify immutable headers.|7|true")
	if made != 1 {
		t.Errorf("cf made %d times", made)
	}
}

func TestOutgoing(t *testing.T) {
	r := newRunner(t)
	out := func(expr string) (*OutResponse, string) {
		var o *OutResponse
		failure := ""
		r.On(func() {
			v, err := r.Host.Runtime().RunString(expr)
			if err != nil {
				t.Fatal(err)
			}
			var f goja.Value
			if o, f = Outgoing(r.Host, v); f != nil {
				failure = f.String()
			}
		})
		return o, failure
	}
	o, _ := out(`new Response("hi", ` +
		`{status: 201, headers: [["set-cookie", "a=1"], ["Set-Cookie", "b=2"], ["x-a", "1"], ["x-a", "2"]]})`)
	if o.Status != 201 || o.StatusText != "Created" || string(o.Body.Bytes) != "hi" ||
		len(o.Header["Set-Cookie"]) != 2 || len(o.Header["X-A"]) != 2 ||
		o.Header.Get("Content-Type") != "text/plain;charset=UTF-8" {
		t.Errorf("%+v", o)
	}
	if o, _ = out(`new Response("hi", {headers: {"content-encoding": "gzip"}})`); o.Encode != "gzip" {
		t.Errorf("automatic: %+v", o)
	}
	if o, _ = out(`new Response("hi", {encodeBody: "manual", headers: {"content-encoding": ` +
		`"gzip"}})`); o.Encode != "" || o.Body.Encoding != "gzip" {
		t.Errorf("manual: %+v", o)
	}
	if o, _ = out(`new Response(null, {status: 304})`); !o.Body.Null {
		t.Errorf("null: %+v", o)
	}
	if o, _ = out(`var r = new Response("hi"); r.body; r`); string(o.Body.Bytes) != "hi" {
		t.Errorf("touched: %+v", o)
	}
	if o, _ = out(`new Response(new ReadableStream)`); o.Body.Stream == nil || o.Body.Length != -1 {
		t.Errorf("stream: %+v", o)
	}
	if _, f := out(`r`); !strings.Contains(f, "Body has already been used") {
		t.Errorf("used: %q", f)
	}
	r.On(func() {
		if IsResponse(r.Host, r.Host.Runtime().ToValue("x")) {
			t.Error("a string is no Response")
		}
	})
}

// The hot path: wrap a request, call a handler that looks at the URL, take the text answer apart.
func BenchmarkRequestResponse(b *testing.B) {
	r := newRunner(b)
	r.On(func() {
		v, err := r.Host.Runtime().RunString(`(function (request) { return new Response("x") })`)
		if err != nil {
			b.Fatal(err)
		}
		f, _ := goja.AssertFunction(v)
		hdr := http.Header{"Host": {"localhost"}, "User-Agent": {"b"}, "Accept": {"*/*"}}
		b.ReportAllocs()
		b.ResetTimer()
		for range b.N {
			q := NewRequest(r.Host, Incoming{Method: "GET", URL: "http://localhost/", Header: hdr})
			v, err := f(nil, q)
			if err != nil {
				b.Fatal(err)
			}
			if o, _ := Outgoing(r.Host, v); string(o.Body.Bytes) != "x" {
				b.Fatal("wrong answer")
			}
		}
	})
}
