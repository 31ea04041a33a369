package testrun

import (
	_ "embed"
	"path"
	"slices"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/bundle"
	"eddy/runtime/worker"
)

//go:embed modules.js
var modulesSource string

// modulesModule keeps the modules of an isolate (bundle.ModulesName). entry is the id of the Worker's entry; tests, if
// set, tells the id of the file whose tests are collected, which has import.meta.vitest (TEST-118).
func modulesModule(entry string, tests func(id string) bool) worker.Module {
	return func(iso *worker.Isolate) (*goja.Object, error) {
		rt := iso.Runtime()
		args := iso.LoaderArguments()
		host := rt.NewObject()
		_ = host.Set("import", args[0])
		_ = host.Set("regexp", args[4])
		_ = host.Set("entry", entry)
		_ = host.Set("meta", iso.Realm.Function("meta", func(fc goja.FunctionCall) goja.Value {
			id := fc.Argument(0).String()
			meta := importMeta(rt, id)
			if tests != nil && tests(id) {
				ns, err := iso.Namespace("vitest")
				if err != nil {
					panic(iso.Realm.ErrorValue(err))
				}
				_ = meta.Set("vitest", ns)
			}
			return meta
		}))
		_ = host.Set("resolve", iso.Realm.Function("resolve", func(fc goja.FunctionCall) goja.Value {
			var known []string
			if err := rt.ExportTo(fc.Argument(2), &known); err != nil {
				panic(iso.Realm.ErrorValue(err))
			}
			return rt.ToValue(resolve(fc.Argument(0).String(), fc.Argument(1).String(), known))
		}))
		ns, err := iso.Internal(bundle.ModulesName, modulesSource, host)
		if err != nil {
			return nil, err
		}
		return ns.ToObject(rt), nil
	}
}

// importMeta is what vitest gives a module of the project (TEST-118).
func importMeta(rt *goja.Runtime, id string) *goja.Object {
	meta := rt.CreateObject(nil)
	file := strings.TrimPrefix(id, "file://")
	_ = meta.Set("url", id)
	_ = meta.Set("filename", file)
	_ = meta.Set("dirname", path.Dir(file))
	return meta
}

// resolve finds the module that a computed specifier means, by the extensions that a bundler tries.
func resolve(from, specifier string, known []string) string {
	base := "file://" + path.Join(path.Dir(strings.TrimPrefix(from, "file://")), specifier)
	for _, ext := range []string{"", ".ts", ".tsx", ".js", ".jsx", ".mts", ".mjs", ".json", "/index.ts", "/index.js"} {
		if slices.Contains(known, base+ext) {
			return base + ext
		}
	}
	return specifier
}
