package nodecompat

import (
	"strings"
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/engine/ecma"
	"eddy/runtime/engine/host"
	"eddy/runtime/webapi"
	"eddy/runtime/webapi/webapitest"
)

// all is a Worker with every flag on.
func all(string) bool { return true }

// newRunner makes an isolate with the platform's APIs, the globals of nodejs_compat and require().
func newRunner(t testing.TB) *webapitest.Runner {
	t.Helper()
	return webapitest.New(t, func(h *host.Host) {
		if _, err := ecma.Install(h.Runtime(), ecma.Options{}); err != nil {
			t.Fatal(err)
		}
		h.Flag = all
		webapi.Install(h)
		env := h.Runtime().NewObject()
		_ = env.Set("TEXT", "value")
		_ = env.Set("DATA", map[string]any{"n": 1})
		_ = env.Set("BINDING", func() {})
		InstallGlobals(h, all, func() goja.Value { return env })
		_ = h.Runtime().Set("require", func(fc goja.FunctionCall) goja.Value {
			ns, err := Namespace(h, fc.Argument(0).String())
			if err != nil {
				panic(h.Realm.ErrorValue(err))
			}
			return ns.Get("default")
		})
		_ = h.Runtime().Set("namespace", func(fc goja.FunctionCall) goja.Value {
			ns, err := Namespace(h, fc.Argument(0).String())
			if err != nil {
				panic(h.Realm.ErrorValue(err))
			}
			return ns
		})
	})
}

// cases is a table of async function bodies and what they must return.
type cases [][2]string

func (c cases) run(t *testing.T) {
	t.Helper()
	r := newRunner(t)
	for _, x := range c {
		r.Expect(x[0], x[1])
	}
	for _, u := range r.Uncaught {
		t.Errorf("uncaught: %s", u)
	}
}

// Every module evaluates, whatever the order (RT8).
func TestEveryModuleLoads(t *testing.T) {
	for _, name := range Names(all) {
		r := newRunner(t)
		if got := r.Eval(`return typeof require("` + name + `")`); got != "object" && got != "function" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestNamesFollowTheFlags(t *testing.T) {
	only := func(flag string) func(string) bool { return func(f string) bool { return f == flag } }
	if got := Names(only("nodejs_als")); len(got) != 1 || got[0] != "node:async_hooks" {
		t.Errorf("nodejs_als: %v", got)
	}
	if got := Names(only("")); got != nil {
		t.Errorf("no flag: %v", got)
	}
	have := strings.Join(Names(only("nodejs_compat")), " ") + " "
	// The list of RT8.
	for _, n := range strings.Fields("assert async_hooks buffer child_process cluster console constants crypto dgram " +
		"diagnostics_channel dns domain events fs http http2 https inspector module net os path perf_hooks process " +
		"punycode querystring readline repl sqlite stream string_decoder sys test timers tls trace_events tty url " +
		"util v8 vm wasi worker_threads zlib fs/promises dns/promises stream/promises stream/web timers/promises " +
		"path/posix path/win32 util/types assert/strict readline/promises stream/consumers") {
		if !strings.Contains(have, "node:"+n+" ") {
			t.Errorf("node:%s is missing", n)
		}
	}
	if strings.Contains(have, "internal/") {
		t.Error("internal modules are named")
	}
}

func TestNamespaceHasExportsAndDefault(t *testing.T) {
	cases{
		{`const ns = namespace("node:path"); return [ns.default === require("path"), typeof ns.join, ` +
			`Object.keys(ns).includes("sep")]`, "true,function,true"},
		{`return namespace("node:process").env === process.env`, "true"},
		{`return namespace("node:nope")`, `throws Error: No such module "node:nope".`},
	}.run(t)
}

// What the platform lacks says so, with its name.
func TestMissingFunctionsAreLoud(t *testing.T) {
	cases{
		{`require("child_process").spawn("ls")`, "throws Error: The child_process.spawn method is not implemented"},
		{`new (require("worker_threads").Worker)("x.js")`,
			"throws Error: The worker_threads.Worker method is not implemented"},
		{`require("vm").runInThisContext("1")`, "throws Error: The vm.runInThisContext method is not implemented"},
		{`new (require("net").Server)().listen(80)`,
			"throws Error: The net.Server.prototype.listen method is not implemented"},
		{`try { require("http2").connect("x") } catch (e) { return e.code }`, "ERR_METHOD_NOT_IMPLEMENTED"},
	}.run(t)
}

func TestModuleCreateRequire(t *testing.T) {
	cases{
		{`const req = require("module").createRequire("/bundle/x.js"); return req("node:path") === req("path")`,
			"true"},
		{`const req = require("module").createRequire("/bundle/x.js"); ` +
			`try { req("lodash") } catch (e) { return e.code }`, "MODULE_NOT_FOUND"},
		{`return [require("module").isBuiltin("node:fs"), require("module").isBuiltin("left-pad"), ` +
			`require("module").builtinModules.includes("buffer")]`, "true,false,true"},
		{`return process.getBuiltinModule("node:os").EOL + process.getBuiltinModule("none")`, "\nundefined"},
	}.run(t)
}

// Making the globals must cost an isolate next to nothing: nothing is evaluated before its first use.
func BenchmarkInstallGlobals(b *testing.B) {
	r := newRunner(b)
	b.ReportAllocs()
	r.On(func() {
		for b.Loop() {
			InstallGlobals(r.Host, all, nil)
		}
	})
}
