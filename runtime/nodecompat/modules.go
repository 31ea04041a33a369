package nodecompat

import (
	"embed"
	"fmt"
	"io/fs"
	"sort"
	"strings"
	"sync"

	"github.com/dop251/goja"

	"eddy/runtime/engine/ecma"
	"eddy/runtime/engine/host"
	"eddy/runtime/nodecompat/bridge"
	"eddy/runtime/nodecompat/nodecrypto"
)

//go:embed all:js
var sources embed.FS

var programs sync.Map // name → func() (*goja.Program, error)

// program compiles the module's file once per process.
func program(name string) (*goja.Program, error) {
	once, _ := programs.LoadOrStore(name, sync.OnceValues(func() (*goja.Program, error) {
		src, err := sources.ReadFile("js/" + name + ".js")
		if err != nil {
			return nil, err
		}
		return ecma.Compile("node:"+name, string(src), true)
	}))
	return once.(func() (*goja.Program, error))()
}

// Names are the specifiers that can be imported under the given flags, sorted: with nodejs_compat all of them, with
// nodejs_als only node:async_hooks (RT8).
func Names(enabled func(flag string) bool) []string {
	if !enabled("nodejs_compat") && !enabled("nodejs_compat_v2") {
		if enabled("nodejs_als") {
			return []string{"node:async_hooks"}
		}
		return nil
	}
	return allNames()
}

var allNames = sync.OnceValue(func() []string {
	var names []string
	_ = fs.WalkDir(sources, "js", func(p string, d fs.DirEntry, err error) error {
		if name, ok := strings.CutSuffix(strings.TrimPrefix(p, "js/"), ".js"); ok && err == nil &&
			!strings.HasPrefix(name, "internal/") {
			names = append(names, "node:"+name)
		}
		return err
	})
	sort.Strings(names)
	return names
})

var _ = register("crypto", nodecrypto.Functions)

// loader holds the modules of one isolate.
type loader struct {
	h          *host.Host
	exports    map[string]goja.Value
	namespaces map[string]*goja.Object
	bridge     *goja.Object
}

type loaderKey struct{}

func of(h *host.Host) *loader {
	l, ok := h.Value(loaderKey{}).(*loader)
	if !ok {
		l = &loader{h: h, exports: map[string]goja.Value{}, namespaces: map[string]*goja.Object{}}
		h.SetValue(loaderKey{}, l)
	}
	return l
}

// Namespace is the namespace object of a module ("node:buffer").
func Namespace(h *host.Host, specifier string) (*goja.Object, error) {
	l := of(h)
	name := strings.TrimPrefix(specifier, "node:")
	if ns, ok := l.namespaces[name]; ok {
		return ns, nil
	}
	v, err := l.require(name)
	if err != nil {
		return nil, err
	}
	ns := h.Runtime().CreateObject(nil)
	if obj, ok := v.(*goja.Object); ok {
		l.copyExports(ns, obj)
	}
	_ = ns.DefineDataProperty("default", v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	l.namespaces[name] = ns
	return ns, nil
}

// copyExports puts the own properties of module.exports on the namespace; accessors stay accessors, so that what is
// made on first use is not made by the import.
func (l *loader) copyExports(ns, exports *goja.Object) {
	rt := l.h.Runtime()
	describe, _ := goja.AssertFunction(rt.Get("Object").ToObject(rt).Get("getOwnPropertyDescriptor"))
	for _, k := range exports.Keys() {
		if k == "default" {
			continue
		}
		if d, ok := bridge.Call(describe, goja.Undefined(), exports, rt.ToValue(k)).(*goja.Object); ok &&
			d.Get("get") != nil && !goja.IsUndefined(d.Get("get")) {
			get := l.h.Realm.Function(
				"get "+k, func(goja.FunctionCall) goja.Value { return bridge.Given(exports.Get(k)) })
			_ = ns.DefineAccessorProperty(k, get, nil, goja.FLAG_TRUE, goja.FLAG_TRUE)
			continue
		}
		_ = ns.DefineDataProperty(k, exports.Get(k), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
}

// require evaluates a module on first use and gives its module.exports.
func (l *loader) require(name string) (goja.Value, error) {
	if v, ok := l.exports[name]; ok {
		return v, nil
	}
	prg, err := program(name)
	if err != nil {
		return nil, fmt.Errorf("No such module %q.", "node:"+name) // the platform's text
	}
	rt := l.h.Runtime()
	fnValue, err := rt.RunProgram(prg)
	if err != nil {
		return nil, fmt.Errorf("node:%s: %w", name, err)
	}
	fn, ok := goja.AssertFunction(fnValue)
	if !ok {
		return nil, fmt.Errorf("node:%s is no function", name)
	}
	module, exports := rt.NewObject(), rt.NewObject()
	_ = module.Set("exports", exports)
	// Set before it runs: modules may require each other in a circle.
	l.exports[name] = exports
	require := l.h.Realm.Function("require", func(fc goja.FunctionCall) goja.Value {
		v, err := l.require(strings.TrimPrefix(fc.Argument(0).String(), "node:"))
		if err != nil {
			panic(l.h.Realm.ErrorValue(err))
		}
		return v
	})
	if _, err := fn(goja.Undefined(), require, module, exports, l.host()); err != nil {
		delete(l.exports, name)
		return nil, err
	}
	v := module.Get("exports")
	l.exports[name] = v
	return v, nil
}

// registrations are what Go offers to modules, by name; filled by init-time variables of this package's files.
var registrations = map[string]func(h *host.Host) goja.Value{}

// register adds one. It returns a value so that a package variable can hold it: the compiler then runs register before
// anything uses registrations.
func register(name string, make func(h *host.Host) goja.Value) struct{} {
	registrations[name] = make
	return struct{}{}
}

// host is the object of Go functions, made on first use: each entry is a getter that makes its part.
func (l *loader) host() *goja.Object {
	if l.bridge != nil {
		return l.bridge
	}
	l.bridge = l.h.Runtime().NewObject()
	for name, make := range registrations {
		var made goja.Value
		get := l.h.Realm.Function(name, func(goja.FunctionCall) goja.Value {
			if made == nil {
				made = make(l.h)
			}
			return made
		})
		_ = l.bridge.DefineAccessorProperty(name, get, nil, goja.FLAG_FALSE, goja.FLAG_TRUE)
	}
	return l.bridge
}

// CloudflareNode is the namespace of cloudflare:node, through which a Worker serves requests with node:http servers. It
// is there with the flag enable_nodejs_http_server_modules.
func CloudflareNode(h *host.Host) (*goja.Object, error) {
	if h.Flag == nil || !h.Flag("enable_nodejs_http_server_modules") {
		return nil, fmt.Errorf("No such module %q.", "cloudflare:node") // the platform's text
	}
	v, err := of(h).require("internal/http_server")
	if err != nil {
		return nil, err
	}
	exports, ns := v.ToObject(h.Runtime()), h.Runtime().NewObject()
	for _, name := range []string{"handleAsNodeRequest", "httpServerHandler"} {
		if err := ns.Set(name, exports.Get(name)); err != nil {
			return nil, err
		}
	}
	return ns, nil
}
