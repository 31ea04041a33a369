package fetch

import (
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/webapi/webapitest"
)

// bind makes stub.fetch: a Transport that calls the function `serve` of the same isolate, as a service binding calls
// another Worker's handler.
func bind(r *webapitest.Runner) {
	h := r.Host
	send := func(_ *eventloop.Scope, q *OutRequest, answer func(TransportAnswer)) func() {
		in := Incoming{Method: q.Method, URL: q.URL, Header: q.Header, Length: q.Body.Length, Manual: true}
		in.Body = q.Body.Open(h, nil)
		serve, _ := goja.AssertFunction(h.Runtime().Get("serve"))
		v, err := serve(nil, NewRequest(h, in), h.Runtime().ToValue(q.CF))
		if err != nil {
			answer(TransportAnswer{Failure: h.Realm.ErrorValue(err)})
			return nil
		}
		h.Realm.Then(v, func(v goja.Value) {
			out, failure := Outgoing(h, v)
			if failure != nil {
				answer(TransportAnswer{Failure: failure})
				return
			}
			answer(TransportAnswer{Parts: &Parts{
				Status: out.Status, StatusText: out.StatusText, Header: out.Header, Body: out.Body.Open(h, nil),
				Length: out.Body.Length, Encoding: out.Body.Encoding}})
		}, func(v goja.Value) { answer(TransportAnswer{Failure: v}) })
		return nil
	}
	stub := h.Runtime().NewObject()
	_ = stub.Set("fetch", func(fc goja.FunctionCall) goja.Value { return Do(h, fc.Argument(0), fc.Argument(1), send) })
	_ = h.Runtime().Set("stub", stub)
}

// RPC20, RPC21.
func TestSender(t *testing.T) {
	r := newRunner(t)
	r.On(func() {
		bind(r)
		if _, err := r.Host.Runtime().RunString(`
			var serve = async (request, cf) => {
				const u = new URL(request.url);
				if (u.pathname === "/to") return Response.redirect(u.searchParams.get("u"));
				if (u.pathname === "/throw") throw new RangeError("inside");
				if (u.pathname === "/error") return Response.error();
				if (u.pathname === "/gzip") return new Response(
					request.body, {encodeBody: "manual", headers: {"content-encoding": "gzip"}});
				return new Response([request.method, request.url, [...request.headers].join(";"), request.redirect,
					await request.text(), cf].join("|"), {status: 201});
			};`); err != nil {
			t.Fatal(err)
		}
	})
	table(t, r, [][2]string{
		{`stub.fetch("http://any/x?y#z", {headers: {a: "b"}}).then(async r => r.status + r.statusText + ` +
			`await r.text())`, "201CreatedGET|http://any/x?y|a,b|manual||"},
		{`stub.fetch("/foo")`, "throws TypeError: Invalid URL: /foo"},
		{`stub.fetch("http://any/", {method: "POST", body: "hi"}).then(r => r.text())`,
			"POST|http://any/|content-type,text/plain;charset=UTF-8|manual|hi|"},
		{`stub.fetch("http://any/", {method: "POST", body: ""}).then(r => r.text())`,
			"POST|http://any/|content-length,0;content-type,text/plain;charset=UTF-8|manual||"},
		{`stub.fetch("http://any/to?u=http://any/y").then(async r => ` +
			`[r.redirected, r.url, (await r.text()).slice(0, 16)].join())`, "true,http://any/y,GET|http://any/y"},
		{`stub.fetch("http://any/to?u=http://any/y", {redirect: "manual"}).then(r => r.status + ` +
			`r.headers.get("location"))`, "302http://any/y"},
		{`stub.fetch("http://any/to?u=http://other/y", {headers: {Authorization: "s"}}).then(async r => ` +
			`(await r.text()).includes("authorization"))`, "false"},
		{`stub.fetch("http://any/to?u=http://any/y", {headers: {Authorization: "s"}}).then(async r => ` +
			`(await r.text()).includes("authorization"))`, "true"},
		{`stub.fetch("http://any/throw")`, "throws RangeError: inside"},
		{`stub.fetch("http://any/error")`,
			"throws TypeError: Return value from serve handler must not be an error response (like Response.error())"},
		{`stub.fetch(new Request("http://any/q", {headers: {c: "d"}, cf: {cacheTtl: 5}})).then(r => r.text())`,
			`GET|http://any/q|c,d|manual||{"cacheTtl":5,"cacheControl":"max-age=5"}`},
		{`stub.fetch("http://any/", {cache: "no-store", cf: {cacheTtl: 5}})`,
			"throws TypeError: CacheTtl: 5, is not compatible with cache: no-store header."},
		{`stub.fetch("http://any/", {cache: "no-store"}).then(r => r.text())`,
			`GET|http://any/|cache-control,no-cache;pragma,no-cache|manual||{"cacheTtl":-1,"cacheLevel":"bypass",` +
				`"cacheControl":"no-store"}`},
		{`fetch("http://any/z", {fetcher: stub}).then(r => r.text())`, "GET|http://any/z||manual||"},
		// A body that its sender has compressed is read plain by its receiver.
		{`(async () => {
			const gz = Uint8Array.from([31,139,8,0,0,0,0,0,2,255,203,200,4,0,172,42,147,216,2,0,0,0]);
			return (await stub.fetch("http://any/gzip", {method: "POST", body: gz})).text() })()`, "hi"},
	})
}

// Before 2024-06-03 a request keeps its URL as it was given. If that has no path, the request is sent without one.
func TestLegacyURL(t *testing.T) {
	r := newRunner(t)
	r.Host.Flag = func(name string) bool { return name == "fetch_legacy_url" }
	r.On(func() {
		bind(r)
		if _, err := r.Host.Runtime().RunString(
			`var serve = async (request) => new Response(request.url);`); err != nil {
			t.Fatal(err)
		}
	})
	table(t, r, [][2]string{
		{`stub.fetch("http://foo").then((r) => r.text())`, "http://foo"},
		{`stub.fetch("http://foo#x").then((r) => r.text())`, "http://foo"},
		{`stub.fetch("http://foo/").then((r) => r.text())`, "http://foo/"},
		{`new Request("http://foo").url`, "http://foo"},
	})
}
