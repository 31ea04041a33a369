package nodecompat

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestFileSystemInMemory(t *testing.T) {
	const f = `const fs = require("fs");`
	cases{
		{f + `fs.writeFileSync("/tmp/a", "one"); fs.appendFileSync("/tmp/a", "two"); ` +
			`return [fs.readFileSync("/tmp/a", "utf8"), fs.statSync("/tmp/a").size, ` +
			`fs.statSync("/tmp").isDirectory(), fs.existsSync("/no"), fs.readdirSync("/")]`,
			"onetwo,6,true,false,bundle,dev,tmp"},
		{f + `try { fs.readFileSync("/no/file") } catch (e) { return [e.code, e.errno, e.syscall, e.message] }`,
			"ENOENT,-2,open,ENOENT: no such file or directory, open '/no/file'"},
		{f + `try { fs.writeFileSync("/bundle/x", "") } catch (e) { return e.code }`, "EPERM"},
		{f + `await fs.promises.mkdir("/tmp/d/e", { recursive: true }); ` +
			`await fs.promises.writeFile("/tmp/d/e/f", "x"); const all = ` +
			`await fs.promises.readdir("/tmp/d", { recursive: true }); fs.renameSync("/tmp/d/e/f", "/tmp/g"); ` +
			`fs.rmSync("/tmp/d", { recursive: true }); return [...all, fs.existsSync("/tmp/d"), ` +
			`fs.readFileSync("/tmp/g")]`, "e,e/f,false,x"},
		{f + `const fd = fs.openSync("/tmp/h", "w+"); fs.writeSync(fd, "abcdef"); const b = Buffer.alloc(3); ` +
			`fs.readSync(fd, b, 0, 3, 2); fs.closeSync(fd); try { fs.closeSync(fd) } catch (e) { return b + e.code }`,
			"cdeEBADF"},
		{f + `fs.writeFileSync("/tmp/t", "target"); fs.symlinkSync("t", "/tmp/link"); ` +
			`return [fs.readFileSync("/tmp/link", "utf8"), fs.readlinkSync("/tmp/link"), ` +
			`fs.lstatSync("/tmp/link").isSymbolicLink(), fs.realpathSync("/tmp/link")]`, "target,t,true,/tmp/t"},
		{f + `fs.symlinkSync("/tmp/q", "/tmp/q"); try { fs.readFileSync("/tmp/q") } catch (e) { return e.code }`,
			"ELOOP"},
		{f + `const w = fs.createWriteStream("/tmp/s"); w.write("str"); w.end("eam"); ` +
			`await require("stream/promises").finished(w); ` +
			`return require("stream/consumers").text(fs.createReadStream("/tmp/s", { start: 1, end: 4 }))`, "trea"},
		{f + `return new Promise((r) => fs.readFile("/none", (e, d) => r([e.code, d].map(String))))`,
			"ENOENT,undefined"},
	}.run(t)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestHTTPClientGoesThroughFetch(t *testing.T) {
	r := newRunner(t)
	r.On(func() {
		r.Host.Outbound = roundTrip(func(req *http.Request) (*http.Response, error) {
			body := []byte{}
			if req.Body != nil {
				body, _ = io.ReadAll(req.Body)
			}
			text := strings.Join([]string{req.Method, req.URL.String(), req.Header.Get("X-A"), string(body)}, " ")
			return &http.Response{
				StatusCode: 201, Header: http.Header{"X-R": {"1"}, "Set-Cookie": {"a=1", "b=2"}},
				Body: io.NopCloser(strings.NewReader(text)), ContentLength: int64(len(text)), Request: req}, nil
		})
	})
	r.Expect(`const req = require("http").request(
			{ host: "h.test", port: 81, path: "/p?q=1", method: "POST", headers: { "X-A": "v" } }); req.write("bo");
			req.end("dy");
		const [res] = await require("events").once(req, "response");
			return [res.statusCode, res.headers["x-r"], res.headers["set-cookie"].length,
			await require("stream/consumers").text(res)]`,
		"201,1,2,POST http://h.test:81/p?q=1 v body")
	r.Expect(`return new Promise((done) => require("https").get("https://s.test/x", `+
		`(res) => { res.resume(); res.on("end", () => done(res.complete)) }))`, "true")
	r.Expect(`require("https").get("http://plain.test/")`,
		`throws TypeError: Protocol "http:" not supported. Expected "https:"`)
	r.Expect(`const req = require("http").request("http://h.test/"); req.setHeader("bad name", "x")`,
		`throws TypeError: Header name must be a valid HTTP token ["bad name"]`)
}

func TestAddressesAndNames(t *testing.T) {
	cases{
		{`const n = require("net"); return [n.isIP("1.2.3.4"), n.isIP("::1"), n.isIP("1.2.3.256"), ` +
			`n.isIPv6("fe80::1%eth0"), n.isIP("::ffff:1.2.3.4"), n.isIP("1::2::3")]`, "4,6,0,true,6,0"},
		{`const dns = require("dns"); return [Array.isArray(dns.getServers()), ` +
			`(await dns.promises.lookup("127.0.0.1")).family, new dns.promises.Resolver().getServers().length > 0]`,
			"true,4,true"},
	}.run(t)
}
