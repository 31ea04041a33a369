package loader

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/bindings/service"
	"eddy/runtime/bundle"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/rpc"
	"eddy/runtime/worker"
)

// Limits of the platform, in bytes (BIND-113).
const (
	maxEnv  = 1 << 20
	maxCode = 64 << 20
)

// Code is a Worker that a script has described.
type Code struct {
	// Date and Flags are the compatibility date and flags.
	Date  string
	Flags []string
	// Main is the name of the module that has the entrypoints.
	Main    string
	Modules []bundle.GivenModule
	// Env is the encoded env, nil for {}.
	Env []byte
	// Outbound is what fetch() goes to, nil for the network. Alone says that there is no way out at all.
	Outbound *rpc.Token
	Alone    bool
	// Tails are its tail consumers.
	Tails []*rpc.Token
	// CPULimit bounds each event; 0 is the caller's limit.
	CPULimit time.Duration
}

// reader reads a WorkerCode. Its methods throw.
type reader struct {
	iso *worker.Isolate
	o   *goja.Object
}

// read reads what a callback gave.
func read(iso *worker.Isolate, v goja.Value) *Code {
	o, ok := v.(*goja.Object)
	if !ok {
		// The platform's text has its own type's name in it.
		iso.Realm.ThrowType("Cannot initialize N7workerd3api12WorkerLoader10WorkerCodeE with required members from " +
			"an " +
			"undefined or null value.")
	}
	r := reader{iso, o}
	c := &Code{Date: r.text("compatibilityDate"), Main: r.text("mainModule")}
	if list := r.option("compatibilityFlags"); list != nil {
		iso.Runtime().ForOf(list, func(v goja.Value) bool {
			c.Flags = append(c.Flags, webidl.ToString(v))
			return true
		})
	}
	if v := r.option("allowExperimental"); v != nil && v.ToBoolean() && !iso.Flags.Enabled("experimental") {
		iso.Realm.ThrowError("Error", "'allowExperimental' is only allowed when the calling worker has the "+
			"'experimental' compat flag set.")
	}
	if _, err := time.Parse(time.DateOnly, c.Date); err != nil {
		iso.Realm.ThrowError("Error", "Invalid compatibility date: %s", c.Date)
	}
	r.limits(c)
	r.modules(c)
	r.bindings(c)
	return c
}

// option is a member that is given.
func (r reader) option(name string) goja.Value { return webidl.Option(r.o, name) }

// text is a required member. The platform takes "undefined" for one that is missing.
func (r reader) text(name string) string {
	if v := r.option(name); v != nil {
		return webidl.ToString(v)
	}
	return "undefined"
}

func (r reader) limits(c *Code) {
	if o, ok := r.option("limits").(*goja.Object); ok {
		if v := webidl.Option(o, "cpuMs"); v != nil {
			c.CPULimit = time.Duration(v.ToInteger()) * time.Millisecond
		}
	}
}

// bindings reads env, globalOutbound and tails.
func (r reader) bindings(c *Code) {
	kit := rpc.Of(r.iso.Host)
	if v := r.option("env"); v != nil {
		if _, ok := v.(*goja.Object); !ok {
			r.iso.Realm.ThrowType("Incorrect type for the 'env' field on 'WorkerCode': the provided value is not of " +
				"type " +
				"'Object'.")
		}
		c.Env = kit.EncodeProps(v)
		if len(c.Env) > maxEnv {
			r.iso.Realm.ThrowError("Error", "Dynamic Worker env size (%d bytes) exceeds the maximum allowed size of "+
				"%d bytes.", len(c.Env), maxEnv)
		}
	}
	switch v := r.o.Get("globalOutbound"); {
	case v == nil || goja.IsUndefined(v):
	case goja.IsNull(v):
		c.Alone = true
	default:
		c.Outbound = r.stub(v, "globalOutbound")
	}
	if v := r.option("tails"); v != nil {
		r.iso.Runtime().ForOf(v, func(v goja.Value) bool {
			c.Tails = append(c.Tails, r.stub(v, "tails"))
			return true
		})
	}
	if v, ok := r.option("streamingTails").(*goja.Object); ok && v.Get("length").ToInteger() > 0 {
		r.iso.Realm.ThrowError("Error", "Streaming tail workers are experimental. You must pass the option "+
			"'allowExperimental: true' to the worker loader to use them")
	}
}

// stub names what a service stub points at.
func (r reader) stub(v goja.Value, what string) *rpc.Token {
	f, ok := rpc.Of(r.iso.Host).FetcherOf(v)
	if !ok {
		r.iso.Realm.ThrowType("Incorrect type for the '%s' field on 'WorkerCode': the provided value is not of type "+
			"'Fetcher'.", what)
	}
	t := service.TokenOf(f)
	if t == nil || t.Class {
		r.iso.Realm.ThrowError("Error",
			"%s of a Worker Loader takes the stub of a Worker or an object; eddy serves no "+
				"other.", what)
	}
	return t
}

// moduleKinds are the members of a module, and what they make of it.
var moduleKinds = []struct {
	member string
	kind   bundle.RuleType
}{
	{"js", bundle.RuleESModule}, {"cjs", bundle.RuleCommonJS}, {"text", bundle.RuleText}, {"data", bundle.RuleData},
	{"json", bundle.RuleJSON}, {"py", "py"}, {"wasm", bundle.RuleCompiledWasm},
}

func (r reader) modules(c *Code) {
	throw := r.iso.Realm.ThrowType
	o, _ := r.option("modules").(*goja.Object)
	if o == nil || len(o.Keys()) == 0 {
		throw("Dynamic Worker code must contain at least one module.")
	}
	size, found := 0, false
	for _, name := range o.Keys() {
		m := bundle.GivenModule{Name: name}
		if v, ok := o.Get(name).(*goja.Object); ok {
			r.content(&m, v)
		} else {
			m.Content, m.Kind = []byte(webidl.ToString(o.Get(name))), kindByName(name, throw)
		}
		if m.Kind == "py" {
			r.iso.Realm.ThrowError("Error", "Module %q: Python Workers are not served by eddy.", name)
		}
		if name == c.Main {
			found = true
			if m.Kind != bundle.RuleESModule {
				r.iso.Realm.ThrowError("Error",
					"Failed to start Worker:\nUncaught TypeError: Main module must be an ES "+
						"module.")
			}
		}
		size += len(m.Content)
		c.Modules = append(c.Modules, m)
	}
	if size > maxCode {
		r.iso.Realm.ThrowError("Error", "Dynamic Worker code size (%d bytes) exceeds the maximum allowed size of %d "+
			"bytes.", size, maxCode)
	}
	if !found {
		r.iso.Realm.ThrowError("Error", "Failed to start Worker:\nUncaught Error: No such module: %s", c.Main)
	}
}

// kindByName is the kind of a module that is a string.
func kindByName(name string, throw func(string, ...any)) bundle.RuleType {
	switch {
	case strings.HasSuffix(name, ".js"):
		return bundle.RuleESModule
	case strings.HasSuffix(name, ".py"):
		return "py"
	}
	advice := ""
	for _, ext := range []string{".ts", ".tsx", ".jsx"} {
		if strings.HasSuffix(name, ext) {
			advice = ". If you're trying to load TypeScript, bundle it first with '@cloudflare/worker-bundler' and " +
				"pass " +
				"the generated JavaScript modules."
		}
	}
	throw("Module name must end with '.js' or '.py' (or the content must be an object indicating the type "+
		"explicitly). "+
		"Got: %s%s", name, advice)
	return ""
}

// content reads a module that is an object with one member for its kind.
func (r reader) content(m *bundle.GivenModule, o *goja.Object) {
	n := 0
	for _, k := range moduleKinds {
		v := webidl.Option(o, k.member)
		if v == nil {
			continue
		}
		n++
		m.Kind = k.kind
		switch k.member {
		case "json":
			text, err := r.iso.Runtime().RunString("JSON.stringify")
			if stringify, ok := goja.AssertFunction(text); ok && err == nil {
				text, err = stringify(nil, v)
			}
			if err != nil {
				panic(r.iso.Realm.ErrorValue(err))
			}
			m.Content = []byte(text.String())
		case "data", "wasm":
			b, ok := r.iso.Realm.Bytes(v)
			if !ok {
				r.iso.Realm.ThrowType("Module '%s': '%s' must be an ArrayBuffer or a view of one.", m.Name, k.member)
			}
			m.Content = bytes.Clone(b)
		default:
			m.Content = []byte(webidl.ToString(v))
		}
	}
	if n != 1 {
		r.iso.Realm.ThrowType("%s", fmt.Sprintf("Each module must contain exactly one of 'js', 'cjs', 'text', 'data', "+
			"'json', 'py', or 'wasm'. Module '%s' contained %d properties.", m.Name, n))
	}
}
