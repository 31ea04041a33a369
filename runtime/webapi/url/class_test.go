package url

import (
	"testing"

	"eddy/runtime/webapi/webapitest"
)

func TestURLClass(t *testing.T) {
	r := webapitest.New(t, Install)
	for _, c := range []struct{ js, want string }{
		{`return new URL("foo")`, "throws TypeError: Invalid URL string."}, // RT10
		{`return new URL("x", "foo")`, "throws TypeError: Invalid URL string."},
		{`return new URL()`,
			"throws TypeError: Failed to construct 'URL': constructor parameter 1 is not of type 'string'."},
		{`const u = new URL("http://a"); u.href = "x"`, "throws TypeError: Failed to set the 'href' property on " +
			"'URL': the provided value is not of type 'valid URL string'."},
		{`return new URL("../x?y", new URL("http://a/b/c/d"))`, "http://a/b/x?y"},
		{`return [URL.canParse("x"), URL.canParse("x", "http://a"), URL.parse("x"), ` +
			`URL.parse("x", "http://a").href].join()`, "false,true,,http://a/x"},
		{`return new URL("http://a/\ud800?\ud800").href`, "http://a/%EF%BF%BD?%EF%BF%BD"},
		{`const u = new URL("http://u:p@a:81/p?q#h"); ` +
			`return [u.origin,u.protocol,u.username,u.password,u.host,u.hostname,u.port,u.pathname,u.search,u.hash]` +
			`.join(" ")`,
			"http://a:81 http: u p a:81 a 81 /p ?q #h"},
		{`return JSON.stringify(new URL("http://a")) + Object.prototype.toString.call(new URL("http://a"))`,
			`"http://a/"[object URL]`},
		{`return URL.createObjectURL({})`, "throws Error: URL.createObjectURL() is not implemented"},
	} {
		r.Expect(c.js, c.want)
	}
}

func TestSetters(t *testing.T) {
	r := webapitest.New(t, Install)
	r.Eval(`globalThis.set = (href, name, value) => { const u = new URL(href); u[name] = value; return u.href }`)
	for _, c := range []struct{ href, name, value, want string }{
		{"http://a/", "protocol", "https:foo", "https://a/"},
		{"http://a/", "protocol", "mailto", "http://a/"},
		{"http://a:443/", "protocol", "https", "https://a/"},
		{"http://u@a/", "protocol", "file", "http://u@a/"},
		{"http://a/", "username", "ü:", "http://%C3%BC%3A@a/"},
		{"file:///x", "username", "u", "file:///x"},
		{"http://a:8/x", "host", "b:9/y", "http://b:9/x"},
		{"http://a:8/x", "host", "b", "http://b:8/x"},
		{"http://a:8/x", "hostname", "b:9", "http://a:8/x"},
		{"http://a/", "host", "", "http://a/"},
		{"http://a/", "host", "b:x", "http://b/"},
		{"x://u@a/", "host", "", "x://u@a/"},
		{"file:///x", "host", "localhost", "file:///x"},
		{"http://a/", "port", "8080abc", "http://a:8080/"},
		{"http://a:8/", "port", "", "http://a/"},
		{"http://a:8/", "port", "65536", "http://a:8/"},
		{"http://a:8/", "port", "80", "http://a/"},
		{"http://a/b", "pathname", "c?d#e/../f", "http://a/f"},
		{"http://a/b", "pathname", "c?d#e", "http://a/c%3Fd%23e"},
		{"mailto:x", "pathname", "y", "mailto:x"},
		{"x:/a", "pathname", "//b", "x:/.//b"},
		{"http://a/?x", "search", "", "http://a/"},
		{"http://a/", "search", "??#", "http://a/??%23"},
		{"http://a/#x", "hash", "", "http://a/"},
		{"http://a/", "hash", "##`", "http://a/##%60"},
	} {
		r.Expect(`return set(`+quote(c.href)+`,`+quote(c.name)+`,`+quote(c.value)+`)`, c.want)
	}
}

func quote(s string) string { return "String.raw`" + escapeTick(s) + "`" }

func escapeTick(s string) string {
	out := ""
	for _, c := range s {
		if c == '`' {
			out += "${'`'}"
			continue
		}
		out += string(c)
	}
	return out
}

func TestSearchParams(t *testing.T) {
	r := webapitest.New(t, Install)
	for _, c := range []struct{ js, want string }{
		{`return new URLSearchParams("?a=1&b=2&a=3").getAll("a")`, "1,3"},
		{`return new URLSearchParams([["a","1"],["b","2"]]) + "|" + new URLSearchParams({c:3,d:"é ~"}) + "|" + ` +
			`new URLSearchParams(new URLSearchParams("x=y"))`, "a=1&b=2|c=3&d=%C3%A9+%7E|x=y"},
		{`return new URLSearchParams([["a"]])`, "throws TypeError: Invalid URL search params sequence."},
		{`return new URLSearchParams("a=1&a=2").has("a","2") + "," + new URLSearchParams("a=1").get("b")`, "true,null"},
		{`const p = new URLSearchParams("a=1&b=2&a=3"); p.delete("a", "3"); p.append("c", "\ud800"); return p`,
			"a=1&b=2&c=%EF%BF%BD"},
		{`const p = new URLSearchParams("z=1&\ufb03=2&🌈=3&a=4&z=0"); p.sort(); return [...p.keys()].join()`,
			"a,z,z,🌈,\ufb03"},
		{`const p = new URLSearchParams("a=%FF&b=%E4%B8&c=%2"); return p.get("a") + p.get("b") + p.get("c")`,
			"\ufffd\ufffd%2"},
		{`const seen = []; new URLSearchParams("a=1").forEach(function (v, k, o) { ` +
			`seen.push(v, k, o instanceof URLSearchParams, this.x) }, {x: 5}); return seen`, "1,a,true,5"},
		{`return [...new URLSearchParams("a=1&b=2")].map(String) + new URLSearchParams("a&b").size`, "a,1,b,22"},
		{`return Object.prototype.toString.call(new URLSearchParams().keys()[Symbol.iterator]().next())`,
			"[object Object]"},
	} {
		r.Expect(c.js, c.want)
	}
}

// The two sides of the link see each other's changes, whichever was read or written last.
func TestLiveLink(t *testing.T) {
	r := webapitest.New(t, Install)
	for _, c := range []struct{ js, want string }{
		{`const u = new URL("http://a/?x=1#h"); const p = u.searchParams; p.append("y", "2 3"); ` +
			`return u.href + u.search`, "http://a/?x=1&y=2+3#h?x=1&y=2+3"},
		{`const u = new URL("http://a/?x=1"); const p = u.searchParams; u.search = "z=9"; ` +
			`return p + "," + (p === u.searchParams)`, "z=9,true"},
		{`const u = new URL("http://a/?x=1"); const p = u.searchParams; p.set("x", "2"); u.search = "q=1"; ` +
			`p.append("r", "s"); return u.href`, "http://a/?q=1&r=s"},
		{`const u = new URL("http://a/?x=1"); u.searchParams.delete("x"); return u.href`, "http://a/"},
		{`const u = new URL("http://a/?x=1"); const p = u.searchParams; u.href = "http://b/?k=v"; ` +
			`return p.get("k") + u.href`, "vhttp://b/?k=v"},
		{`const u = new URL("http://a/?a=~"); u.searchParams; return u.href`, "http://a/?a=~"},
	} {
		r.Expect(c.js, c.want)
	}
}

// An iterator reads the list as it stands; code that runs inside next can't change what next hands out.
func TestIteratorUnderMutation(t *testing.T) {
	r := webapitest.New(t, Install)
	for _, c := range []struct{ js, want string }{
		{`const p = new URLSearchParams("a=1&b=2&c=3"), seen = []; ` +
			`for (const [k] of p) { seen.push(k); p.delete(k) } return seen`, "a,c"},
		{`const p = new URLSearchParams("a=1"), seen = []; for (const k of p.keys()) { ` +
			`seen.push(k); if (seen.length < 3) p.append("b" + seen.length, "") } return seen`, "a,b1,b2"},
		{`const p = new URLSearchParams("a=1&b=2"); const it = p.entries();
		  Object.defineProperty(Object.prototype, "done", { configurable: true, set() { p.delete("a") } });
		  try { return it.next().value } finally { delete Object.prototype.done }`, "a,1"},
		{`const p = new URLSearchParams("a=1"); const it = p.keys(); it.next(); it.next(); p.append("b", ""); ` +
			`return it.next().value`, "b"},
	} {
		r.Expect(c.js, c.want)
	}
}

func BenchmarkAppendThroughLink(b *testing.B) {
	r := webapitest.New(b, Install)
	b.ReportAllocs()
	for b.Loop() {
		r.Expect(`const u = new URL("http://a/"); for (let i = 0; i < 1000; i++) u.searchParams.append("k", "v"); `+
			`return u.href.length`, "4010")
	}
}
