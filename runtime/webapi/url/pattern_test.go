package url

import (
	"testing"

	"eddy/runtime/webapi/webapitest"
)

// https://urlpattern.spec.whatwg.org/
func TestPattern(t *testing.T) {
	r := webapitest.New(t, Install)
	r.Eval(`globalThis.show = p => ` +
		`["protocol","username","password","hostname","port","pathname","search","hash"].map(k => p[k]).join(" ")`)
	for _, c := range []struct{ js, want string }{
		{`return show(new URLPattern())`, "* * * * * * * *"},
		{`return show(new URLPattern("https://*.example.com/:id/x?q=*#h"))`, "https * * *.example.com  /:id/x q=* h"},
		{`return show(new URLPattern("https://u\\:p@example.com:443/"))`, "https u p example.com  / * *"},
		{`return show(new URLPattern("http{s}?://a.com:8080/foo"))`, "http{s}? * * a.com 8080 /foo * *"},
		{`return show(new URLPattern("/foo/:x?", "https://example.com/b?c"))`, "https * * example.com  /foo/:x? * *"},
		{`return show(new URLPattern("data\\:foobar"))`, "data * *   foobar * *"},
		{`return show(new URLPattern({pathname: "bar", baseURL: "https://example.com/x/y"}))`,
			"https * * example.com  /x/bar * *"},
		{`return show(new URLPattern("http://[\\:\\:1]/"))`, `http * * [\:\:1]  / * *`},
		{`return show(new URLPattern({pathname: "/a/../b é"}))`, "* * * * * /b%20%C3%A9 * *"},
		{`return new URLPattern({pathname: "/{a/}:b(x)c*(\\d+)"}).pathname`, `/a/{:b(x)}c*(\d+)`},
		{`return new URLPattern("relative")`, "throws TypeError: Failed to construct URLPattern"},
		{`return new URLPattern({pathname: "/:a/:a"})`, "throws TypeError: Failed to construct URLPattern"},
		{`return new URLPattern({pathname: "/(a"})`, "throws TypeError: Failed to construct URLPattern"},
		{`return new URLPattern({pathname: "/((a))"})`, "throws TypeError: Failed to construct URLPattern"},
		{`return new URLPattern({hostname: "a#b"})`, "throws TypeError: Failed to construct URLPattern"},
		{`return new URLPattern({port: "x"})`, "throws TypeError: Failed to construct URLPattern"},
		{`return new URLPattern({pathname: "/([)"})`, "throws TypeError: Failed to construct URLPattern"},
		{`return new URLPattern({}, "https://a")`, "throws TypeError: Failed to construct URLPattern"},
		{`return [new URLPattern({pathname: "/:a"}).hasRegExpGroups, ` +
			`new URLPattern({pathname: "/(a)"}).hasRegExpGroups].join()`, "false,true"},
		{`const p = new URLPattern("https://example.com/:a/*"); const m = p.exec("https://example.com/x/y/z?q"); ` +
			`return JSON.stringify([m.inputs, m.pathname, m.search, m.hostname])`,
			`[["https://example.com/x/y/z?q"],{"input":"/x/y/z","groups":{"0":"y/z","a":"x"}},{"input":"q",` +
				`"groups":{"0":"q"}},{"input":"example.com","groups":{}}]`},
		{`return new URLPattern({pathname: "/a/:b?"}).exec({pathname: "/a"}).pathname.groups.b`, "undefined"},
		{`return new URLPattern({pathname: "/a/:b+"}).exec({pathname: "/a/1/2"}).pathname.groups.b`, "1/2"},
		{`return new URLPattern({pathname: "/A"}, {ignoreCase: true}).test({pathname: "/a"})`, "true"},
		{`return new URLPattern({pathname: "/A"}).test({pathname: "/a"})`, "false"},
		{`return new URLPattern({pathname: "/x/y"}).test("y", "https://a/x/z")`, "true"},
		{`return new URLPattern({hostname: "{*.}?example.com"}).test("https://a.b.example.com")`, "true"},
		{`return new URLPattern({hostname: ":sub.example.com"}).test("https://a.b.example.com")`, "false"},
		{`return new URLPattern({pathname: "/x"}).test("not a url")`, "false"},
		{`return new URLPattern({pathname: "/x"}).exec({pathname: "/y"})`, "null"},
		{`return new URLPattern({}).test({}, "https://a")`, "throws TypeError: Failed to exec URLPattern"},
		{`return new URLPattern({protocol: "http", port: "80"}).port + ` +
			`new URLPattern({protocol: "http", port: "81"}).port`, "81"},
	} {
		r.Expect(c.js, c.want)
	}
}

// A script's own RegExp.prototype.exec is asked, and what it answers is not trusted.
func TestPatternExecReplaced(t *testing.T) {
	r := webapitest.New(t, Install)
	r.Expect(`
		const p = new URLPattern({pathname: "/(x)"}), real = RegExp.prototype.exec, seen = [];
		for (const answer of [{0: "a", 1: "b", length: 2}, [], ["a", "b", "c", "d"], null]) {
			RegExp.prototype.exec = () => answer;
			const m = p.exec({pathname: "/x"});
			RegExp.prototype.exec = real;
			seen.push(m && JSON.stringify(m.pathname.groups));
		}
		return seen.join(" ")`, ` {} {"0":"b"} `)
}

func FuzzPatternParts(f *testing.F) {
	for _, s := range []string{"/:a/*", "{a:b(c)d}+", "(\\(", "\\", "{", ":a(b)", "{:a}?{:b}*x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		encode := func(s string) (string, error) { return s, nil }
		parts, err := parseParts(s, pathDialect, encode)
		if err != nil {
			return
		}
		text := patternString(parts, pathDialect)
		again, err := parseParts(text, pathDialect, encode)
		if err != nil {
			t.Fatalf("%q is written as %q, which is refused", s, text)
		}
		if got := patternString(again, pathDialect); got != text {
			t.Fatalf("%q is written as %q, then as %q", s, text, got)
		}
	})
}
