package worker

import (
	"sort"

	"github.com/dop251/goja"

	"eddy/runtime/bundle"
)

// exports are the script's exports. They are read through getters, each time anew, because a module may assign to
// what it exports.
type exports struct {
	iso        *Isolate
	getters    map[string]goja.Callable
	names      []string
	namespaces []*goja.Object
}

// LoaderArguments are the arguments with which the bundle's function is called, see package bundle.
func (iso *Isolate) LoaderArguments() []goja.Value {
	rt := iso.Runtime()
	return []goja.Value{
		iso.Realm.Function("import", func(fc goja.FunctionCall) goja.Value {
			return iso.importModule(fc.Argument(0).String(), fc.Argument(1))
		}),
		iso.Realm.Function("import", func(fc goja.FunctionCall) goja.Value {
			return iso.Realm.Promised(func() goja.Value { return iso.importModule(fc.Argument(1).String(), nil) })
		}),
		iso.Realm.Function("export", func(fc goja.FunctionCall) goja.Value {
			iso.announce(fc.Argument(0).ToObject(rt), fc.Argument(1))
			return goja.Undefined()
		}),
		iso.importMeta(),
		iso.Realm.Function("regexp", func(fc goja.FunctionCall) goja.Value {
			re, err := rt.New(rt.Get("RegExp"), fc.Argument(0), fc.Argument(1))
			if err != nil {
				panic(iso.Realm.ErrorValue(err))
			}
			return re
		}),
	}
}

// importMeta is empty, as on the platform, unless the new module registry is asked for.
func (iso *Isolate) importMeta() goja.Value {
	meta := iso.Runtime().CreateObject(nil)
	if !iso.Flags.Enabled("new_module_registry") {
		return meta
	}
	_ = meta.Set("url", "file:///worker.js")
	_ = meta.Set("main", true)
	return meta
}

func (iso *Isolate) importModule(specifier string, names goja.Value) goja.Value {
	ns, err := iso.Namespace(specifier)
	if err != nil {
		panic(iso.Realm.ErrorValue(err))
	}
	if ns == nil {
		if ns, err = iso.asset(specifier); err != nil {
			panic(iso.Realm.ErrorValue(err))
		}
	}
	if ns == nil {
		iso.Realm.ThrowError("Error", "%s", bundle.NoSuchModule(specifier))
	}
	if list, ok := names.(*goja.Object); ok {
		iso.Runtime().ForOf(list, func(name goja.Value) bool {
			if !hasProperty(ns, name.String()) {
				iso.Realm.ThrowError("SyntaxError", "%s", bundle.MissingExport(specifier, name.String()))
			}
			return true
		})
	}
	return ns
}

func hasProperty(o *goja.Object, name string) bool {
	for p := o; p != nil; p = p.Prototype() {
		for _, k := range p.GetOwnPropertyNames() {
			if k == name {
				return true
			}
		}
	}
	return false
}

// asset makes the namespace of an imported file: default is the text, the ArrayBuffer or the WebAssembly.Module.
func (iso *Isolate) asset(specifier string) (*goja.Object, error) {
	for _, a := range iso.opts.Script.Bundle.Assets {
		if a.Name != specifier {
			continue
		}
		v, err := iso.assetValue(a)
		if err != nil {
			return nil, err
		}
		ns := iso.Runtime().NewObject()
		_ = ns.Set("default", v)
		iso.modules[specifier] = ns
		return ns, nil
	}
	return nil, nil
}

func (iso *Isolate) announce(getters *goja.Object, namespaces goja.Value) {
	e := &exports{iso: iso, getters: map[string]goja.Callable{}}
	for _, name := range getters.Keys() {
		if fn, ok := goja.AssertFunction(getters.Get(name)); ok {
			e.getters[name] = fn
			e.names = append(e.names, name)
		}
	}
	sort.Strings(e.names)
	if list, ok := namespaces.(*goja.Object); ok {
		iso.Runtime().ForOf(list, func(ns goja.Value) bool {
			e.namespaces = append(e.namespaces, ns.ToObject(iso.Runtime()))
			return true
		})
	}
	iso.exports = e
}

// Export is the present value of an export of the entry module, nil if it has none of that name.
func (iso *Isolate) Export(name string) goja.Value {
	if iso.exports == nil {
		return nil
	}
	if fn, ok := iso.exports.getters[name]; ok {
		v, err := fn(goja.Undefined())
		if err != nil {
			panic(iso.Realm.ErrorValue(err))
		}
		return v
	}
	for _, ns := range iso.exports.namespaces {
		if v := ns.Get(name); v != nil && name != "default" {
			return v
		}
	}
	return nil
}

// ExportNames are the names of the entry module's exports, sorted.
func (iso *Isolate) ExportNames() []string {
	if iso.exports == nil {
		return nil
	}
	return iso.exports.names
}

// AddCtxExports adds a source of entries for ctx.exports (CL12), which is made on first use.
func (iso *Isolate) AddCtxExports(f func(iso *Isolate, into *goja.Object)) {
	iso.ctxExports = append(iso.ctxExports, f)
}

// CtxExports is ctx.exports: one object per isolate.
func (iso *Isolate) CtxExports() *goja.Object {
	if iso.ctxExportObj == nil {
		iso.ctxExportObj = iso.Runtime().NewObject()
		for _, f := range iso.ctxExports {
			f(iso, iso.ctxExportObj)
		}
		if missing, ok := iso.Value(missingExport{}).(func(name string)); ok {
			iso.tellMissing(missing)
		}
	}
	return iso.ctxExportObj
}

type missingExport struct{}

// OnMissingExport lets f hear of members of ctx.exports that are read and do not exist. Only before the script runs.
func (iso *Isolate) OnMissingExport(f func(name string)) { iso.SetValue(missingExport{}, f) }

// tellMissing puts an object behind ctx.exports that is asked for what it lacks.
func (iso *Isolate) tellMissing(f func(name string)) {
	rt := iso.Runtime()
	base := rt.Get("Object").ToObject(rt).Get("prototype").ToObject(rt)
	behind := rt.NewProxy(rt.NewObject(), &goja.ProxyTrapConfig{
		Get: func(_ *goja.Object, name string, _ goja.Value) goja.Value {
			if v := base.Get(name); v != nil {
				return v
			}
			if name != "then" && name != "toJSON" {
				f(name)
			}
			return goja.Undefined()
		},
	})
	_ = iso.ctxExportObj.SetPrototype(rt.ToValue(behind).ToObject(rt))
}
