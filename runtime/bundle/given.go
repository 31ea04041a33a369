package bundle

import (
	"path"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

// RuleJSON is the kind of a given module that holds JSON; its default export is the value.
const RuleJSON RuleType = "JSON"

// GivenModule is a module of a Worker whose code is no file: it comes from a script, at run time.
type GivenModule struct {
	// Name is what imports call it, relative to the importing module or to the root.
	Name string
	// Kind is one of the rules' or RuleJSON.
	Kind    RuleType
	Content []byte
}

// GivenRoot is the folder that given modules seem to lie in. Nothing is read from it.
const GivenRoot = "/worker"

// Given are the options to build modules that are no files. main is the name of the entry.
func Given(modules []GivenModule, main string) Options {
	return Options{Dir: filepath.FromSlash(GivenRoot), Entry: path.Clean("/" + main)[1:], Format: FormatModules,
		NoBundle: true, FindAdditionalModules: true, PreserveFileNames: true, Modules: modules}
}

// givenFile is where a given module seems to lie.
func (o Options) givenFile(name string) string {
	return filepath.Join(o.Dir, filepath.FromSlash(path.Clean("/"+name)))
}

// takeGiven puts the given modules in the place of those that a search of files would find.
func (a *additionalModules) takeGiven() {
	for i, m := range a.options.Modules {
		file := a.options.givenFile(m.Name)
		module := additionalModule{name: path.Clean("/" + m.Name)[1:], file: file, kind: m.Kind,
			given: &a.options.Modules[i]}
		if file != a.options.Entry {
			a.found = append(a.found, module)
		}
		a.byFile[file] = module
	}
}

// loadGiven gives esbuild the text of a given module.
func (b *Builder) loadGiven(file string) (api.OnLoadResult, bool) {
	module, ok := b.more.byFile[file]
	if !ok || module.given == nil {
		return api.OnLoadResult{}, false
	}
	if wrong := checkDepth(file, module.given.Content); wrong != nil {
		return api.OnLoadResult{Errors: []api.Message{*wrong}}, true
	}
	text, loader := string(module.given.Content), api.LoaderJS
	if module.kind == RuleJSON {
		loader = api.LoaderJSON
	}
	return api.OnLoadResult{Contents: &text, Loader: loader, ResolveDir: filepath.Dir(file)}, true
}

// isScript tells whether a module becomes part of the script, rather than a file beside it.
func (m additionalModule) isScript() bool {
	return m.kind == RuleESModule || m.kind == RuleCommonJS || m.kind == RuleJSON
}
