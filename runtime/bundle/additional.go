package bundle

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Additional modules are files under the base folder that match a module rule. They can be imported by a name that is
// only known at run time. In the reference each is a module of its own beside the bundle; here they are part of the
// bundle, run at their first import, and the script holds a table from their names to them. A file that is also
// imported statically is therefore still one module.

const (
	// additionalPath is the injected file that holds the table.
	additionalPath      = "eddy-additional-modules"
	additionalNamespace = "eddy-additional"
	// tableFunc and findFunc are local to the script.
	tableName = "__eddy_modules"
	findFunc  = "__eddy_find"
)

// findCode is put in the prologue when there are additional modules. A specifier is tried relative to the file that
// imports it and then relative to the root; what isn't in the table is the host's.
const findCode = `const __eddy_modules = { __proto__: null }; ` +
	`const __eddy_join = (base, name) => { const out = base.split("/").slice(0, -1); ` +
	`for (const part of name.split("/")) { if (part === "..") out.pop(); ` +
	`else if (part !== "." && part !== "") out.push(part); } return out.join("/"); }; ` +
	`const __eddy_find = async (referrer, specifier, options) => { const name = String(specifier); ` +
	`const load = __eddy_modules[__eddy_join(referrer, name)] ?? __eddy_modules[__eddy_join("", name)]; ` +
	`return load === undefined ? __eddy_import_dynamic(referrer, name, options) : load(); }; `

// additionalModule is one file found; name is its path below the base folder, with slashes.
type additionalModule struct {
	name, file string
	kind       RuleType
	// given has the content of a module that is no file.
	given *GivenModule
}

type additionalModules struct {
	options Options
	rules   []compiledRule
	// found is set at the start of each build and read by esbuild's goroutines afterwards.
	found  []additionalModule
	byFile map[string]additionalModule
	// folders are those that were searched; a new file in one of them may be a new module.
	folders []string
}

// search walks the base folder. Hidden state folders and node_modules are skipped.
func (a *additionalModules) search() error {
	a.found, a.folders, a.byFile = nil, nil, map[string]additionalModule{}
	if !a.options.FindAdditionalModules {
		return nil
	}
	if a.options.Modules != nil {
		a.takeGiven()
		return nil
	}
	if a.options.Format == FormatServiceWorker && a.options.NoBundle {
		return nil // a script imports nothing
	}
	if a.options.Format == FormatServiceWorker {
		return &BuildError{Messages: []BuildMessage{{
			File: a.options.Entry, Text: "find_additional_modules can only be used with an entry that is an ES module",
			Suggestion: "remove find_additional_modules, or export a default handler from the entry",
		}}}
	}
	root := a.options.BaseDir
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch d.Name() {
			case "node_modules", ".git", ".wrangler":
				if file != root {
					return filepath.SkipDir
				}
			}
			a.folders = append(a.folders, file)
			return nil
		}
		if file == a.options.Entry {
			return nil
		}
		relative, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(relative)
		for _, rule := range a.rules {
			if rule.path.MatchString(name) {
				module := additionalModule{name: name, file: file, kind: rule.kind}
				a.found = append(a.found, module)
				a.byFile[file] = module
				break
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("search additional modules: %w", err)
	}
	return nil
}

// resolve answers for the table's imports, and without bundling for all imports of files.
func (a *additionalModules) resolve(l *assetLoader, args api.OnResolveArgs) (api.OnResolveResult, error) {
	switch {
	case args.Path == additionalPath:
		return api.OnResolveResult{Path: additionalPath, Namespace: additionalNamespace}, nil
	case args.Namespace == additionalNamespace:
		for _, module := range a.found {
			if module.name == args.Path {
				return a.use(l, args, module)
			}
		}
	case a.options.NoBundle && args.Namespace != requireNamespace:
		return a.resolveUnbundled(l, args)
	}
	return api.OnResolveResult{}, nil
}

// resolveUnbundled resolves like the runtime's own module table: relative to the importing file, by the exact name.
func (a *additionalModules) resolveUnbundled(l *assetLoader, args api.OnResolveArgs) (api.OnResolveResult, error) {
	file := filepath.Join(filepath.Dir(args.Importer), filepath.FromSlash(args.Path))
	module, ok := a.byFile[file]
	if file == a.options.Entry {
		return api.OnResolveResult{Path: file}, nil
	}
	if ok {
		return a.use(l, args, module)
	}
	if a.options.Modules != nil {
		name := func(file string) string { return strings.TrimPrefix(filepath.ToSlash(file), GivenRoot+"/") }
		return api.OnResolveResult{Errors: []api.Message{{
			Text: fmt.Sprintf("No such module %q.\n  imported from %q", name(file), name(args.Importer))}}}, nil
	}
	note := "Without bundling (no_bundle) only files that match a module rule can be imported, by their exact name."
	if _, err := os.Stat(file); err == nil && strings.HasPrefix(args.Path, ".") {
		note = fmt.Sprintf("%s exists, but no module rule matches it; add one to rules.", file)
	}
	return api.OnResolveResult{Errors: []api.Message{{
		Text: NoSuchModule(args.Path), Notes: []api.Note{{Text: note}},
	}}}, nil
}

func (a *additionalModules) use(l *assetLoader, args api.OnResolveArgs, module additionalModule) (
	api.OnResolveResult, error) {
	if module.isScript() {
		return api.OnResolveResult{Path: module.file}, nil
	}
	data, err := module.content()
	if err != nil {
		return api.OnResolveResult{}, err
	}
	name := assetName(module.name, data, a.options.PreserveFileNames)
	l.add(Asset{Name: name, Kind: module.kind, File: module.file, Bytes: data})
	result := api.OnResolveResult{Path: name, WatchFiles: []string{module.file}}
	if args.Kind == api.ResolveJSRequireCall {
		result.Namespace = requireNamespace
	} else {
		result.External = true
	}
	return result, nil
}

func (m additionalModule) content() ([]byte, error) {
	if m.given != nil {
		return m.given.Content, nil
	}
	return os.ReadFile(m.file)
}

// load writes the table.
func (a *additionalModules) load(api.OnLoadArgs) (api.OnLoadResult, error) {
	var b strings.Builder
	for _, module := range a.found {
		fmt.Fprintf(&b, "%s[%s] = () => import(%s);\n", tableName, quote(module.name), quote(module.name))
	}
	code := b.String()
	return api.OnLoadResult{Contents: &code, Loader: api.LoaderJS, ResolveDir: a.options.BaseDir}, nil
}

// loadUnbundled gives esbuild a file that is no script, without bundling. It asks for one when an import() is of a name
// that begins with a folder: then it takes all files of that folder, by its own idea of what they are.
func (a *additionalModules) loadUnbundled(file string) api.OnLoadResult {
	module, ok := a.byFile[file]
	if !a.options.NoBundle || !ok || module.isScript() {
		return api.OnLoadResult{}
	}
	code := fmt.Sprintf("export { default } from %s;\n", quote("./"+filepath.Base(file)))
	return api.OnLoadResult{Contents: &code, Loader: api.LoaderJS, ResolveDir: filepath.Dir(file)}
}

// referrer is the name that import() in a file resolves relative to.
func (a *additionalModules) referrer(file string) string {
	relative, err := filepath.Rel(a.options.BaseDir, file)
	if err != nil || strings.HasPrefix(relative, "..") {
		relative, err = filepath.Rel(a.options.BaseDir, a.options.Entry)
		if err != nil || strings.HasPrefix(relative, "..") {
			return ScriptName
		}
	}
	return path.Clean(filepath.ToSlash(relative))
}
