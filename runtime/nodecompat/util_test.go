package nodecompat

import "testing"

func TestUtil(t *testing.T) {
	const u = `const util = require("util");`
	cases{
		{u + `return util.inspect({ a: 1, b: [1, { c: { d: {} } }] }) + util.inspect(new Map([["k", 1]])) + ` +
			`util.inspect("s")`, "{ a: 1, b: [ 1, { c: [Object] } ] }Map(1) { 'k' => 1 }'s'"},
		{u + `return util.inspect({ [util.inspect.custom](depth, o, inspect) { ` +
			`return inspect === util.inspect ? "mine" : "?" } })`, "mine"},
		{u + `return util.format("%s %d %i %j %% %o", "a", 1.5, 2.7, { x: 1 }, [])`,
			`a 1.5 2 {"x":1} % [ [length]: 0 ]`},
		{u + `return util.promisify((a, cb) => cb(null, a * 2))(4)`, "8"},
		{u + `return util.promisify((cb) => cb(new Error("cb")))()`, "throws Error: cb"},
		{u + `return new Promise((r) => util.callbackify(async (x) => x + 1)(1, (e, v) => r([e, v].map(String))))`,
			"null,2"},
		{u + `const { values, positionals } = util.parseArgs({ args: ["-vf", "x", "--name=n", "--", "rest"], ` +
			`allowPositionals: true, options: { verbose: { type: "boolean", short: "v" }, ` +
			`file: { type: "string", short: "f", multiple: true }, name: { type: "string" }, ` +
			`deft: { type: "string", default: "d" } } }); return [values.verbose, values.file[0], values.name, ` +
			`values.deft, ...positionals]`, "true,x,n,d,rest"},
		{u + `try { util.parseArgs({ args: ["--nope"], options: {} }) } catch (e) { return e.code }`,
			"ERR_PARSE_ARGS_UNKNOWN_OPTION"},
		{u + `return JSON.stringify(util.styleText(["bold", "red"], "x")) + ` +
			`util.stripVTControlCharacters("\u001b[31mred\u001b[39m")`,
			`"\u001b[1m\u001b[31mx\u001b[39m\u001b[22m"red`},
		{u + `const { types: y } = util; return [y.isPromise(Promise.resolve()), y.isPromise({ then() {} }), ` +
			`y.isProxy(new Proxy({}, {})), y.isRegExp(/x/), y.isDate(new Date()), y.isMap(new Map()), ` +
			`y.isUint8Array(Buffer.alloc(1)), y.isAsyncFunction(async () => {}), ` +
			`y.isGeneratorFunction(function* () {}), y.isNativeError(new TypeError()), ` +
			`y.isBoxedPrimitive(Object(1)), y.isAnyArrayBuffer(new ArrayBuffer(1))]`,
			"true,false,true,true,true,true,true,true,true,true,true,true"},
		{u + `return [util.isDeepStrictEqual({ a: [1, new Set([1])] }, { a: [1, new Set([1])] }), ` +
			`util.isDeepStrictEqual([1], ["1"])]`, "true,false"},
		{u + `const m = new util.MIMEType("Text/HTML; charset=\"utf-8\" ;q=1"); m.params.set("x", "a b"); ` +
			`return m.essence + " " + m`, `text/html text/html;charset=utf-8;q=1;x="a b"`},
		{u + `new util.MIMEType("nonsense")`, `throws TypeError: The MIME syntax for a type in "nonsense" is invalid`},
		{u + `return JSON.stringify(util.parseEnv("A=1\nB='two words'\n# no\nexport C=\"x\\ny\" # tail"))`,
			`{"A":"1","B":"two words","C":"x\ny"}`},
		{u + `function A() {} function B() {} util.inherits(A, B); return new A() instanceof B && A.super_ === B`,
			"true"},
		{u + `return [util.getSystemErrorName(-2), util.toUSVString("a\ud800")]`, "ENOENT,a�"},
		{`const assert = require("assert"); try { assert.deepStrictEqual({ a: 1 }, { a: 2 }) } catch (e) { ` +
			`return [e.name, e.code, e.operator, e.generatedMessage] }`,
			"AssertionError,ERR_ASSERTION,deepStrictEqual,true"},
		{`const assert = require("assert"); assert.throws(() => { throw new TypeError("bad x") }, ` +
			`{ name: "TypeError", message: /x$/ }); await assert.rejects(Promise.reject(new RangeError("r")), ` +
			`RangeError); assert.match("abc", /b/); return "ok"`, "ok"},
	}.run(t)
}

func TestPath(t *testing.T) {
	const p = `const p = require("path");`
	cases{
		{p + `return [p.join("/a", "..", "b", "./c.txt"), p.join(""), p.normalize("/a//b/../"), ` +
			`p.resolve("/x", "y", "../z"), p.isAbsolute("a")]`, "/b/c.txt,.,/a/,/x/z,false"},
		{p + `return [p.relative("/a/b/c", "/a/d"), p.dirname("/a/b/"), p.dirname("a"), ` +
			`p.basename("/q/x.tar.gz", ".gz"), p.extname(".bashrc"), p.extname("a.b."), p.dirname("/")]`,
			"../../d,/a,.,x.tar,,.,/"},
		{p + `const o = p.parse("/home/u/f.txt"); return [o.root, o.dir, o.base, o.ext, o.name, p.format(o)]`,
			"/,/home/u,f.txt,.txt,f,/home/u/f.txt"},
		{p + `const w = p.win32; return [w.join("C:\\a", "..", "b"), w.normalize("C:/x//y"), ` +
			`w.basename("C:\\d\\f.e"), w.isAbsolute("C:\\"), w.dirname("C:\\a\\b"), w.sep, w.relative("C:\\a\\b", ` +
			`"C:\\a\\c"), w.resolve("C:\\a", "..\\b")]`, `C:\b,C:\x\y,f.e,true,C:\a,\,..\c,C:\b`},
		{p + `return [p.posix === p, p.matchesGlob("/a/b/c.js", "/a/**/*.js"), p.matchesGlob("x.ts", "*.{js,ts}")]`,
			"true,true,true"},
		{p + `p.join(1)`, `throws TypeError: The "path" argument must be of type string. Received type number (1)`},
	}.run(t)
}

func TestURLAndQuery(t *testing.T) {
	cases{
		{`const u = require("url").parse("http://u:p@Host.com:80/p/a?q=1#h", true); ` +
			`return [u.auth, u.host, u.port, u.pathname, u.query.q, u.hash, u.href]`,
			"u:p,host.com:80,80,/p/a,1,#h,http://u:p@host.com:80/p/a?q=1#h"},
		{`const { resolve } = require("url"); return [resolve("http://a.com/b/c", "../d"), ` +
			`resolve("/one/two", "three"), resolve("http://a.com/", "//b.com/x"), resolve("http://a.com/b?x", "?y")]`,
			"http://a.com/d,/one/three,http://b.com/x,http://a.com/b?y"},
		{`const u = require("url"); ` +
			`return [u.format({ protocol: "https", hostname: "h", pathname: "p", query: { a: 1 } }), ` +
			`u.fileURLToPath("file:///a%20b"), u.pathToFileURL("/a#b").href, u.domainToASCII("español.com"), ` +
			`u.domainToUnicode("xn--espaol-zwa.com")]`,
			"https://h/p?a=1,/a b,file:///a%23b,xn--espaol-zwa.com,español.com"},
		{`require("url").fileURLToPath("http://x")`, "throws TypeError: The URL must be of scheme file"},
		{`return require("url").urlToHttpOptions(new URL("http://a:b@h:8/p?q")).auth`, "a:b"},
		{`const q = require("querystring"); return [JSON.stringify(q.parse("a=1&b=%20x+y&a=2&c")), ` +
			`q.stringify({ a: [1, 2], b: "x y", c: null, d: true })]`,
			`{"a":["1","2"],"b":" x y","c":""},a=1&a=2&b=x%20y&c=&d=true`},
		{`const p = require("punycode"); return [p.encode("mañana"), p.decode("maana-pta"), p.toASCII("☃.net"), ` +
			`p.ucs2.decode("a👍").length]`, "maana-pta,mañana,xn--n3h.net,2"},
	}.run(t)
}
