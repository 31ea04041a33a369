package fetch

import (
	"net/http"
	"strings"
	"testing"
)

// RT12, RT10.
func TestHeaders(t *testing.T) {
	table(t, newRunner(t), [][2]string{
		{`[...new Headers({b: "1", A: "2", "Set-Cookie": "x"})].join("|")`, "a,2|b,1|set-cookie,x"},
		{`(h => { h.append("a", "1"); h.append("A", " 2 "); h.append("set-cookie", "c=1"); ` +
			`h.append("Set-Cookie", "d=2"); return [h.get("a"), h.get("set-cookie"), h.getSetCookie().length, ` +
			`h.getAll("Set-Cookie").length, [...h.keys()]].join("|") })(new Headers)`,
			"1, 2|c=1, d=2|2|2|a,set-cookie,set-cookie"},
		{`(h => { h.append("a", "1"); h.append("a", "2"); h.set("A", "3"); const v = h.get("a"); h.delete("a"); ` +
			`return v + h.has("a") + h.get("a") })(new Headers)`, "3falsenull"},
		{`new Headers([["a", "b"], new Set(["c", "d"])]).get("c")`, "d"},
		{`new Headers([["a"]])`, "throws TypeError: To initialize a Headers object from a sequence, each inner " +
			"sequence must have exactly two elements."},
		{`new Headers({"a b": "c"})`, "throws TypeError: Invalid header name."},
		{`new Headers({a: "b\nc"})`, "throws TypeError: Invalid header value."},
		{`new Headers().getAll("a")`, `throws TypeError: getAll() can only be used with the header name "Set-Cookie".`},
		{`new Headers().get("a b")`, "throws TypeError: Invalid header name."},
		{`new Headers(new Headers({a: "é"})).get("a")`, "é"},
		{`(h => { const seen = []; h.forEach((v, k, o) => seen.push(k + v + (o === h))); ` +
			`return seen.join() })(new Headers({b: 1, a: 2}))`, "a2true,b1true"},
		{`Object.prototype.toString.call(new Headers) + typeof new Headers()[Symbol.iterator]().next`,
			"[object Headers]function"},
	})
}

// The list keeps its order of first use and gives net/http what was put in.
func TestHeadersHTTP(t *testing.T) {
	h := NewHeaders(http.Header{"X-A": {"1", "2"}, "Cookie": {"a=1"}})
	if !h.Immutable() {
		t.Error("received headers can be changed")
	}
	c := h.Clone()
	c.Append("x-a", "3")
	c.Set("cookie", "b=2")
	if got := c.HTTP(); strings.Join(got["X-A"], ",") != "1,2,3" || got.Get("Cookie") != "b=2" ||
		h.HTTP().Get("Cookie") != "a=1" {
		t.Errorf("%v", got)
	}
}

// A value that was accepted cannot end its line, and trimming is idempotent; names are tokens.
func FuzzHeaderField(f *testing.F) {
	f.Add("Set-Cookie", " a=b; Path=/ ")
	f.Add("x", "\r\ninjected: 1")
	f.Fuzz(func(t *testing.T, name, value string) {
		v, ok := trimValue(value)
		if !ok || !validName(name) || name == "" || strings.ContainsFunc(name, func(r rune) bool { return r > 0x7f }) {
			return
		}
		if strings.ContainsAny(v, "\r\n\x00") || strings.ContainsAny(name, ": \t\r\n") {
			t.Fatalf("%q: %q", name, v)
		}
		if again, _ := trimValue(v); again != v {
			t.Fatalf("%q trimmed twice is %q", value, again)
		}
		h := &Headers{}
		h.Append(name, v)
		h.Append(strings.ToUpper(name), v)
		if got := h.Values(lowerName(name)); len(got) != 2 {
			t.Fatalf("%q: %q", name, got)
		}
	})
}
