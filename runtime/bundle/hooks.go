package bundle

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Hooks are what plugins of a project have to say of its modules, as rollup's hooks of the same names. They are asked
// for the project's own files, not for those of packages. An error names the plugin.
type Hooks struct {
	// Resolve is the id of the module that an import means, "" if no plugin knows it.
	Resolve func(specifier, importer string) (id string, external bool, err error)
	// Load is the code of an id, if a plugin has it. Transform is what plugins make of code; changed is false if
	// nothing.
	Load      func(id string) (code string, ok bool, err error)
	Transform func(id, code string, before bool) (out string, changed bool, err error)
}

// madeNamespace has the modules that exist only through plugins.
const madeNamespace = "eddy-made"

// madePrefix begins the paths that stand for their ids.
const madePrefix = "/@id/"

// madePath is what a module that is no file is called where others have their path. A NUL, with which plugins mark
// their ids, cannot stand in a URL.
func madePath(id string) string { return madePrefix + strings.ReplaceAll(id, "\x00", "__x00__") }

func madeID(path string) (id string, ok bool) {
	id, ok = strings.CutPrefix(path, madePrefix)
	return strings.ReplaceAll(id, "__x00__", "\x00"), ok
}

// setupHooks asks the plugins before anybody else.
func (m *Modules) setupHooks(build api.PluginBuild) {
	if m.Hooks == nil {
		return
	}
	build.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
		if args.Kind == api.ResolveEntryPoint {
			if _, ok := madeID(args.Path); ok {
				return api.OnResolveResult{Path: args.Path, Namespace: madeNamespace}, nil
			}
			return api.OnResolveResult{}, nil
		}
		return m.hooked(args)
	})
	build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: madeNamespace}, func(args api.OnLoadArgs) (
		api.OnLoadResult, error,
	) {
		id, _ := madeID(args.Path)
		code, ok, err := m.Hooks.Load(id)
		if err == nil && !ok {
			err = fmt.Errorf("a plugin resolves %q, but none loads it", id)
		}
		if err == nil {
			code, _, err = m.transformed(id, code)
		}
		return api.OnLoadResult{Contents: &code, Loader: loaderOf(id), ResolveDir: m.options.Dir}, err
	})
}

// hooked asks which module an import of the project means.
func (m *Modules) hooked(args api.OnResolveArgs) (api.OnResolveResult, error) {
	switch args.Kind {
	case api.ResolveJSImportStatement, api.ResolveJSDynamicImport:
	default:
		return api.OnResolveResult{}, nil
	}
	if args.PluginData != nil || inPackages(args.Importer) {
		return api.OnResolveResult{}, nil
	}
	importer := args.Importer
	if id, ok := madeID(importer); ok {
		importer = id
	}
	id, external, err := m.Hooks.Resolve(args.Path, importer)
	if err != nil || id == "" {
		return api.OnResolveResult{}, err
	}
	if external {
		return api.OnResolveResult{Path: id, External: true}, nil
	}
	path := id
	if st, err := os.Stat(path); err != nil || !filepath.IsAbs(path) || !st.Mode().IsRegular() {
		path = madePath(id)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if inPackages(path) {
		m.mu.packages[path] = true
	} else if !m.mu.files[path] {
		m.mu.files[path] = false
	}
	return api.OnResolveResult{Path: ModuleID(path), External: true}, nil
}

// loadHooked is what plugins make of a file of the project; Contents is nil if nothing.
func (m *Modules) loadHooked(file string) (api.OnLoadResult, error) {
	if m.Hooks == nil || inPackages(file) {
		return api.OnLoadResult{}, nil
	}
	code, loaded, err := m.Hooks.Load(file)
	if err == nil && !loaded {
		var data []byte
		data, err = os.ReadFile(file)
		code = string(data)
	}
	if err != nil {
		return api.OnLoadResult{}, err
	}
	code, changed, err := m.transformed(file, code)
	if err != nil || !loaded && !changed {
		return api.OnLoadResult{}, err
	}
	m.see(file)
	return api.OnLoadResult{Contents: &code, Loader: loaderOf(file), ResolveDir: filepath.Dir(file)}, nil
}

// transformed asks the plugins that come before Vite's own, does what Vite's own does with TypeScript, and asks the
// others.
func (m *Modules) transformed(id, code string) (out string, changed bool, err error) {
	out, changed, err = m.Hooks.Transform(id, code, true)
	if err != nil {
		return "", false, err
	}
	plain := out
	switch loader := loaderOf(id); loader {
	case api.LoaderTS, api.LoaderTSX, api.LoaderJSX:
		result := api.Transform(out, api.TransformOptions{Loader: loader, Sourcemap: api.SourceMapInline,
			SourcesContent: api.SourcesContentExclude, Sourcefile: id, Target: api.ESNext})
		if len(result.Errors) > 0 {
			return code, changed, nil // the build says where
		}
		plain = string(result.Code)
	}
	after, more, err := m.Hooks.Transform(id, plain, false)
	if err != nil || !more {
		return out, changed, err
	}
	return after, true, nil
}

// loaderOf says how the code of a module is read. What is no script was made one by a plugin.
func loaderOf(id string) api.Loader {
	id, _, _ = strings.Cut(id, "?")
	switch filepath.Ext(id) {
	case ".ts", ".mts", ".cts":
		return api.LoaderTS
	case ".tsx":
		return api.LoaderTSX
	case ".jsx":
		return api.LoaderJSX
	}
	return api.LoaderJS
}
