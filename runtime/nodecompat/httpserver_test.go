package nodecompat

import (
	"testing"

	"eddy/runtime/webapi/webapitest"
)

// newServerRunner has cloudflare:node as the global node, and ask(handler, path, init) that serves one request.
func newServerRunner(t *testing.T) *webapitest.Runner {
	r := newRunner(t)
	r.On(func() {
		ns, err := CloudflareNode(r.Host)
		if err != nil {
			t.Fatal(err)
		}
		rt := r.Host.Runtime()
		_ = rt.Set("node", ns)
		if _, err := rt.RunString(`
			globalThis.ask = async (listener, path = "/", init) => {
				const server = require("http").createServer(listener).listen(0);
				const res = await node.httpServerHandler(server).fetch(
					new Request("http://host.test" + path, init), { E: 1 }, {});
				return { res, text: await res.text(), server };
			}`); err != nil {
			t.Fatal(err)
		}
	})
	return r
}

// What a handler of http.createServer sees and how its answer becomes a Response, as on the platform.
func TestHTTPServer(t *testing.T) {
	r := newServerRunner(t)
	for _, x := range [][2]string{
		{`const { text } = await ask((req, res) => {
			let b = ""; req.setEncoding("utf8"); req.on("data", (c) => b += c);
			req.on("end", () => res.end(JSON.stringify(
			[req.method, req.url, req.headers["x-a"], req.headers.from, b, req.cloudflare.env.E,
			req.socket.remoteAddress]))) },
			"/p?q=1", { method: "POST", body: "in",
				headers: [["x-a", "1"], ["x-a", "2"], ["from", "a"], ["from", "b"], ["cf-connecting-ip", "1.2.3.4"]] });
				return text`,
			`["POST","/p?q=1","1, 2","a","in",1,"1.2.3.4"]`},
		{`const { res, text } = await ask((req, res) => res.end("whole")); ` +
			`return [res.status, res.headers.get("content-length"), text].join()`, "200,5,whole"},
		{`const { res, text } = await ask(
			(req, res) => { res.writeHead(201, "Made", { "X-A": ["1", "2"] }); res.write("a");
			setTimeout(() => res.end("b"), 5) });
			return [res.status, res.statusText, res.headers.get("x-a"), text].join()`, "201,Made,1, 2,ab"},
		{`const { res, text } = await ask((req, res) => res.writeHead(200, ["a", "1", "b", "2"]).end("x")); ` +
			`return res.headers.get("a") + res.headers.get("b") + text`, "12x"},
		{`const { res } = await ask((req, res) => { res.statusCode = 204; res.end() }); ` +
			`return [res.status, res.body].join()`, "204,"},
		{`const { res, text } = await ask((req, res) => res.end("unseen"), "/", { method: "HEAD" }); ` +
			`return [res.body, text].join()`, ","},
		{`const seen = []; const { text } =
			await ask((req, res) => { res.on("finish", () => seen.push("finish")).on("close", () => seen.push("close"));
			seen.push(res.headersSent); res.end("x"); seen.push(res.headersSent, res.finished) });
			await new Promise((r) => setTimeout(r)); return seen.join()`, "false,true,true,finish,close"},
		// A slow reader is not overrun: write() says false, drain follows when it has read.
		{`const { text } = await ask((req, res) => { let n = 0; ` +
			`const more = () => { ` +
			`while (n++ < 40) if (!res.write("x".repeat(4096))) return void res.once("drain", more); res.end() }; ` +
			`more() }); return String(text.length)`, "163840"},
		{`return ask(() => { throw new RangeError("in the handler") })`, "throws RangeError: in the handler"},
		{`return ask((req, res) => res.destroy(new Error("gone")))`, "throws Error: gone"},
		{`return ask((req, res) => { res.end("x"); res.setHeader("a", "b") })`,
			"throws Error: Cannot set headers after they are sent to the client"},
		{`return ask((req, res) => res.writeHead(99))`, "throws RangeError: Invalid status code: 99"},
	} {
		r.Expect(x[0], x[1])
	}
}

func TestHTTPServerPorts(t *testing.T) {
	r := newServerRunner(t)
	for _, x := range [][2]string{
		{`const s = require("http").createServer(); const order = []; s.listen(8080, () => order.push("listening")); ` +
			`order.push(s.listening, s.address().port); await 1; return order.join()`, "true,8080,listening"},
		{`require("http").createServer().listen(8080)`,
			"throws Error: Listen method has been called more than once without closing."},
		{`return node.handleAsNodeRequest(81, new Request("http://x/"))`,
			"throws Error: Http server with port 81 not found. This is likely a bug with your code. You should check " +
				"if server.listen() was called with the same port (81)"},
		{`node.httpServerHandler(null)`, "throws Error: Server descriptor cannot be null or undefined"},
		{`node.httpServerHandler({})`, "throws Error: Failed to determine port for server"},
		{`const s = require("http").createServer((q, a) => a.end("late")); const h = node.httpServerHandler(s); ` +
			`const text = await (await h.fetch(new Request("http://x/"))).text(); ` +
			`await new Promise((r) => s.close(r)); return [text, s.listening, s.address()].join()`, "late,false,"},
		{`const https = require("https"), http = require("http"); ` +
			`return [https.createServer === http.createServer, new https.Server() instanceof http.Server].join()`,
			"true,true"},
	} {
		r.Expect(x[0], x[1])
	}
}

func TestCloudflareNodeNeedsItsFlag(t *testing.T) {
	r := newRunner(t)
	r.On(func() {
		r.Host.Flag = func(string) bool { return false }
		if _, err := CloudflareNode(r.Host); err == nil || err.Error() != `No such module "cloudflare:node".` {
			t.Errorf("got %v", err)
		}
	})
}
