package nodecompat

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"eddy/runtime/engine/host"
)

func TestProcess(t *testing.T) {
	cases{
		{`return [process.env.TEXT, process.env.DATA, process.env.BINDING, Object.keys(process.env)].map(String)`,
			`value,{"n":1},undefined,TEXT,DATA`},
		{`process.env.N = 5; delete process.env.TEXT; return typeof process.env.N + ("TEXT" in process.env)`,
			"stringfalse"},
		{`const got = []; process.nextTick((x) => got.push(x), "tick"); ` +
			`Promise.resolve().then(() => got.push("promise")); await null; await null; return got`, "tick,promise"},
		{`return [process.platform, process.cwd(), process.argv0, process.hrtime().length, ` +
			`typeof process.hrtime.bigint(), /^v\d+/.test(process.version), process.pid]`,
			"linux,/bundle,workerd,2,bigint,true,1"},
		{`const w = new Promise((r) => process.once("warning", r)); ` +
			`process.emitWarning("careful", "DeprecationWarning", "DEP1"); const x = await w; ` +
			`return [x.name, x.message, x.code]`, "DeprecationWarning,careful,DEP1"},
		{`process.exit(3)`, "throws Error: The Node.js process.exit(3) API was called. Canceling the request."},
		{`return [typeof Buffer, global === globalThis, typeof setImmediate, process[Symbol.toStringTag]]`,
			"function,true,function,process"},
		{`return require("os").EOL + require("os").type() + require("os").constants.signals.SIGTERM`, "\nLinux15"},
	}.run(t)
}

// Under nodejs_compat before 2026-02-19 process is unenv's: a plain object that programs do not take for Node's.
func TestProcessBeforeV2(t *testing.T) {
	for _, without := range []string{"enable_nodejs_process_v2", "fetch_iterable_type_support"} {
		r := newRunner(t)
		r.On(func() { r.Host.Flag = func(f string) bool { return f != without } })
		for code, want := range map[string]string{
			`return [Object.prototype.toString.call(process), String(process), process.argv.length, ` +
				`JSON.stringify(process.release)]`: "[object Object],[object Object],0,{}",
			`return [process.version, process.cwd(), process.pid, process.title, process.platform, ` +
				`typeof process.getuid]`: "v22.14.0,/,200,,linux,undefined",
			`let n = 0; const e = process.on("x", () => n++); process.emit("x"); ` +
				`return [n, e === process, namespace("node:process").default === process]`: "1,false,true",
			`process.umask()`: "throws Error: [unenv] process.umask is not implemented yet!",
			`return [process.env.TEXT, typeof process.hrtime.bigint(), process.stdout.fd]`: "value,bigint,1",
		} {
			r.Expect(code, want)
		}
	}
}

func TestStandardOutputGoesToTheConsole(t *testing.T) {
	r := newRunner(t)
	r.Expect(`process.stdout.write("one\ntw"); process.stdout.write("o\n"); process.stderr.write("bad"); `+
		`await scheduler.wait(1); return 1`, "1")
	if diff := cmp.Diff([]string{"log: one", "log: two", "error: bad"}, r.Logs); diff != "" {
		t.Error(diff)
	}
}

// Without nodejs_compat_populate_process_env nothing of the bindings is seen.
func TestEnvironmentStaysEmptyWithoutTheFlag(t *testing.T) {
	r := newRunner(t)
	r.On(func() { r.Host.Flag = func(f string) bool { return f != "nodejs_compat_populate_process_env" } })
	r.Expect(`return Object.keys(process.env).length`, "0")
}

func TestGlobalsNeedTheFlag(t *testing.T) {
	r := newRunner(t)
	r.On(func() {
		h := &host.Host{Loop: r.Loop, Realm: r.Host.Realm}
		_ = r.Loop.Runtime().GlobalObject().Delete("Buffer")
		InstallGlobals(h, func(string) bool { return false }, nil)
	})
	r.Expect(`return typeof Buffer`, "undefined")
}

func TestTimers(t *testing.T) {
	cases{
		{`const t = setTimeout(() => {}, 10); const before = [typeof t, t.hasRef(), t.unref().hasRef(), +t > 0]; ` +
			`clearTimeout(t); return before`, "object,true,false,true"},
		{`const { setTimeout: wait, setImmediate: soon } = require("timers/promises"); ` +
			`return [await wait(5, "a"), await soon("b")]`, "a,b"},
		{`const c = new AbortController(); const p = require("timers/promises").setTimeout(1000, 1, ` +
			`{ signal: c.signal }); c.abort(); return p`, "throws AbortError: The operation was aborted"},
		{`const got = []; setImmediate((x) => got.push(x), "i"); const no = setImmediate(() => got.push("no")); ` +
			`clearImmediate(no); queueMicrotask(() => got.push("m")); await scheduler.wait(2); return got`, "m,i"},
		{`let n = 0; await new Promise((d) => { ` +
			`const t = setInterval(() => { if (++n === 3) { clearInterval(t); d() } }, 10) }); return n`, "3"},
		{`let n = 0; const t = setTimeout(() => n++, 10); await scheduler.wait(6); t.refresh(); ` +
			`await scheduler.wait(6); const early = n; await scheduler.wait(6); return [early, n]`, "0,1"},
		{`const it = require("timers/promises").setInterval(3, "v"); const a = await it.next(); await it.return(); ` +
			`return [a.value, (await it.next()).done]`, "v,true"},
		{`return require("util").promisify(setTimeout)(1, "p")`, "p"},
	}.run(t)
}
