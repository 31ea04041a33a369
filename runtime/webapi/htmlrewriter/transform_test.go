package htmlrewriter

import (
	"testing"

	"eddy/runtime/webapi/encoding"
	"eddy/runtime/webapi/events"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/streams"
	"eddy/runtime/webapi/timers"
	"eddy/runtime/webapi/url"
	"eddy/runtime/webapi/webapitest"
)

func newRunner(t testing.TB) *webapitest.Runner {
	t.Helper()
	r := webapitest.New(
		t, timers.Install, events.Install, url.Install, encoding.Install, streams.Install, fetch.Install, Install)
	r.Eval(`
		globalThis.sleep = ms => new Promise(f => setTimeout(f, ms));
		globalThis.rewrite = (html, selector, handlers) =>
			new HTMLRewriter().on(selector, handlers).transform(new Response(html)).text();
		globalThis.failure = async f => { try { return await f() } catch (e) { return e.name + ": " + e.message } };`)
	return r
}

func TestTransform(t *testing.T) {
	r := newRunner(t)
	for _, c := range []struct{ name, js, want string }{
		{"headers and status", `const a = new Response("<p>", {status: 201, headers: {foo: "bar"}});
			const b = new HTMLRewriter().transform(a);
			return [b !== a, b.status, b.headers.get("foo"), await b.text()].join()`, "true,201,bar,<p>"},
		{"length", `const a = new Response("<p>", {headers: {"content-length": "3"}}); ` +
			`return new HTMLRewriter().transform(a).headers.has("content-length")`, "false"},
		{"no body", `const a = new Response(null); return new HTMLRewriter().transform(a) === a`, "true"},
		{"async handlers", `return rewrite("<p>x</p>", "p", {async element(e) { ` +
			`await sleep(50); e.setInnerContent("y"); await sleep(50); e.before("!") }})`, "!<p>y</p>"},
		{"in order", `let open = 0; return rewrite("<p></p>".repeat(3), "p", ` +
			`{async element(e) { open++; await sleep(5); e.append(String(open)); open-- }})`,
			"<p>1</p><p>1</p><p>1</p>"},
		{"this", `return rewrite("<p></p>", "p", {n: 3, element(e) { e.append(String(this.n)); e.after("x") }})`,
			"<p>3</p>x"},
		{"stream as content", `return rewrite("<p>", "p", ` +
			`{element(e) { e.before(new Response("<a>").body, {html: true}); e.before(new Response("&")); ` +
			`e.before(new Response(null)) }})`, "<a>&amp;<p>"},
		{"streamed input", `const {readable, writable} = new TransformStream(); const w = writable.getWriter(),
			enc = new TextEncoder();
			const res = new HTMLRewriter().on("b", {element(e) { e.setAttribute("x", "1") }}).transform(
				new Response(readable));
			const text = res.text(); for (const c of "a<b y='>'>c</b>") {
				await w.write(enc.encode(c)); await sleep(1) } await w.close(); return text`,
			`a<b y='>' x="1">c</b>`},
		{"handler throws", `return failure(() => rewrite("<p>", "p", {element() { throw new RangeError("boom") }}))`,
			"RangeError: boom"},
		{"writes under way", `const {readable, writable} =
			new TransformStream(undefined, undefined, {highWaterMark: 10}), w = writable.getWriter();
			const res = new HTMLRewriter().on("p", {async element() { await null; throw new Error("boom") }}).transform(
				new Response(readable));
			const enc = new TextEncoder(); await w.write(enc.encode("<p>")); await w.write(enc.encode("x"));
				await w.close(); return failure(() => res.text())`,
			"Error: boom"},
		{"handler rejects",
			`return failure(() => ` +
				`rewrite("<p>", "p", {async element() { await sleep(1); throw new Error("boom") }}))`, "Error: boom"},
		{"input fails", `const body = new ReadableStream({start(c) { c.error(new Error("gone")) }}); ` +
			`return failure(() => new HTMLRewriter().transform(new Response(body)).text())`, "Error: gone"},
		{"cancelled", `let why; const body =
			new ReadableStream({pull(c) { c.enqueue(new Uint8Array(3)) }, cancel(r) { why = r }}, {highWaterMark: 0});
			const res = new HTMLRewriter().transform(new Response(body)); await res.body.cancel("enough");
				await sleep(1); return why`,
			"enough"},
		{"backpressure", `let n = 0; const body =
			new ReadableStream({pull(c) { n++; c.enqueue(new Uint8Array(10)) }}, {highWaterMark: 0});
			const reader = new HTMLRewriter().transform(new Response(body)).body.getReader(); await sleep(10);
				const before = n; await reader.read(); await sleep(10); return before <= 2 && n <= before + 2`,
			"true"},
		{"encoding", `const res = new Response(
			new Uint8Array([60, 112, 62, 0xe9]), {headers: {"content-type": "text/html; charset=iso-8859-1"}});
			let seen = "";
			await new HTMLRewriter().on("p", {text(t) { seen += t.text }}).transform(res).text(); return seen`, "é"},
		{"bad encoding", `return failure(() => new HTMLRewriter().transform(new Response("x", ` +
			`{headers: {"content-type": "text/html;charset=nonsense"}})))`,
			"TypeError: Parser error: Unknown character encoding has been provided."},
		{"bad selector", `return failure(() => new HTMLRewriter().on("a:hover", {}))`,
			"TypeError: Parser error: Unsupported pseudo-class or pseudo-element in selector."},
		{"bad handler", `return failure(() => new HTMLRewriter().on("a", {element: 1}))`,
			"TypeError: Incorrect type for the 'element' field on 'ElementContentHandlers': the provided value is " +
				"not of type 'function'."},
		{"bad tag name", `return rewrite("<p></p>", "p", ` +
			`{element(e) { try { e.tagName = "a/b" } catch (x) { e.after(x.message) } }})`,
			"<p></p>Parser error: `/` character is forbidden in the tag name"},
		{"error response", `return failure(() => new HTMLRewriter().transform(Response.error()))`,
			"TypeError: HTMLRewriter cannot transform an error response"},
		{"no response", `return failure(() => new HTMLRewriter().transform("x"))`,
			"TypeError: Failed to execute 'transform' on 'HTMLRewriter': parameter 1 is not of type 'Response'."},
		{"comment and stream",
			`return failure(() => rewrite("<p><!--x-->", "p", {comments(c) { c.before(new Response("x")) }}))`,
			"TypeError: Replacing content in HTML comments using a ReadableStream or Response object is not " +
				"implemented. You must provide a string."},
		{"document", `return new HTMLRewriter().onDocument({doctype(d) { ` +
			`this.d = d.name + d.publicId + d.systemId }, end(e) { ` +
			`e.append(this.d) }}).transform(new Response("<!DOCTYPE html>x")).text()`, "<!DOCTYPE html>xhtmlnullnull"},
		{"end tag", `return rewrite("<p>x</p>", "p", ` +
			`{element(e) { e.onEndTag(async t => { await sleep(1); t.before(t.name) }) }})`, "<p>xp</p>"},
		{"chained", `return rewrite("<p>", "p", ` +
			`{element(e) { e.setAttribute("a", "1").removeAttribute("b").before("x").remove() }})`, "x"},
	} {
		if got := r.Eval(c.js); got != c.want {
			t.Errorf("%s\n got: %s\nwant: %s", c.name, got, c.want)
		}
	}
	if len(r.Uncaught) > 0 {
		t.Errorf("uncaught: %v", r.Uncaught)
	}
}

// A token lives as long as its handler, and every handler gets its own object.
func TestTokensDie(t *testing.T) {
	r := newRunner(t)
	const dead = "TypeError: This content token is no longer valid. Content tokens are only valid during the " +
		"execution of the relevant content handler."
	for _, c := range []struct{ js, want string }{
		{`let kept; await rewrite("<p>", "p", {element(e) { kept = e }}); return failure(() => kept.tagName)`, dead},
		{`let kept; await rewrite("<p a=1>", "p", {element(e) { kept = e.attributes }}); ` +
			`return failure(() => kept.next())`, dead},
		{`let kept; await rewrite("<p>x", "p", {async text(t) { kept = kept ?? t; await sleep(1); t.text }}); ` +
			`return failure(() => kept.text)`, dead},
		{`const seen = new Set; await new HTMLRewriter().on("*", {element(e) { e.mine = 1; seen.add(e) }}).on("p", ` +
			`{element(e) { seen.add(e.mine); seen.add(e) }}).transform(new Response("<p>")).text(); return seen.size`,
			"3"},
		{`let got; await rewrite("<p a=1 b=2>", "p", {async element(e) { ` +
			`const it = e.attributes; it.next(); e.setAttribute("c", "3"); ` +
			`got = await failure(() => it.next()) + JSON.stringify([...e.attributes]) }}); return got`,
			`Error: The attributes of this element have been modified during iteration. You must create a new ` +
				`iterator after modifying attributes.[["a","1"],["b","2"],["c","3"]]`},
		{`let got; await rewrite("<p a=1>", "p", ` +
			`{element(e) { const it = e.attributes; [...it]; got = JSON.stringify([it.next(), it.next()]) + ` +
			`(Object.getPrototypeOf(Object.getPrototypeOf(it)) === ` +
			`Object.getPrototypeOf(Object.getPrototypeOf([].values()))) }}); return got`,
			`[{"done":true},{"done":true}]true`},
	} {
		r.Expect(c.js, c.want)
	}
}
