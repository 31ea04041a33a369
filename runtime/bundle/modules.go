package bundle

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"

	"eddy/runtime/lazyregexp"
)

// Modules builds a script in which the project's own files stay modules: each runs when it is first imported, can be
// replaced by a mock, and is the same for all who import it. That is what tests need. Files of node_modules become one
// bundle, each package of which runs when it is first imported.
//
// The script's contract is that of a Bundle, and it imports one host module more, ModulesName, of which it calls
//
//   - define(table): table has an entry for each module, by its id: the function of the calling contract, of which
//     __eddy_import returns a promise of a namespace and __eddy_export may be called again for `export * from`.
//   - standIns(table): the ids of files in __mocks__, by the ids of the modules that they stand for.
//   - packages(function): the function of the calling contract of the packages' bundle. Its exports are functions
//     that import a package, by the package's id.
//   - entry(name): an export of the entry module, which has run by then.
//
// An id is the URL of a file. One goroutine at a time uses a Modules.
type Modules struct {
	*Builder
	roots []string
	// Count says of which of the project's files the program counts what runs, nil for none. The host module has one
	// function more then: counters(id, n) gives the array of a module's counters.
	Count func(file string) bool
	// Hooks, if set, are those of the project's plugins.
	Hooks *Hooks
	// Counted is what is counted, by the ids of modules. Build sets it.
	Counted map[string]*Counted

	mu struct {
		sync.Mutex
		files    map[string]bool              // of the project, by path; true when it is built
		packages map[string]bool              // files of packages that the project imports
		mocks    map[string]string            // ids of files in __mocks__, by the ids of what they stand for
		named    map[string]map[string]string // ids of the specifiers in calls of vi, by file
		data     map[string]map[string]bool   // who imports a file that is no module, by its path
	}
	kept kept
}

// ModulesName is the host module that keeps the modules of a script.
const ModulesName = "eddy:modules"

// NewModules checks the options. Options.Entry is the Worker's, roots are the files beside it that shall be modules.
func NewModules(o Options, roots []string) (*Modules, error) {
	if o.Format == "" {
		o.Format = FormatModules
	}
	b, err := New(o)
	if err != nil {
		return nil, err
	}
	b.part = true
	m := &Modules{Builder: b}
	for _, root := range roots {
		m.roots = append(m.roots, absolute(b.options.Dir, root))
	}
	return m, nil
}

// ModuleID is the id of a file.
func ModuleID(file string) string { return "file://" + filepath.ToSlash(file) }

// moduleFile is the file of an id.
func moduleFile(id string) (string, bool) {
	path, ok := strings.CutPrefix(id, "file://")
	return filepath.FromSlash(path), ok
}

// Build builds the modules as they are on disk now. A mistake in the user's code gives a *BuildError.
func (m *Modules) Build() (*Bundle, error) {
	b := m.Builder
	b.assets.options.Format, b.virtual.format = FormatModules, FormatModules
	m.begin()
	out := &Bundle{Format: FormatModules, Warnings: append([]BuildMessage{}, b.warnings...)}
	s := &moduleScript{modules: map[string]*moduleCode{}}
	var failures []BuildMessage
	for {
		var next []string
		for file, built := range m.mu.files {
			switch {
			case built:
			case m.reuse(file, s):
				next = append(next, "")
			default:
				next = append(next, file)
			}
		}
		if len(next) == 0 {
			break
		}
		next = slices.DeleteFunc(next, func(file string) bool { return file == "" })
		slices.Sort(next)
		failures = append(failures, m.buildWhole(next, s, out)...)
		for _, file := range next {
			m.mu.files[file] = true
		}
	}
	packages, more := m.packages(out)
	failures = append(failures, more...)
	if len(failures) == 0 {
		failures = m.join(out, s, packages)
	}
	if len(failures) > 0 {
		err := &BuildError{Messages: b.explain(failures)}
		b.note(err.Messages)
		return nil, err
	}
	b.note(nil)
	for _, missing := range m.kept.broken {
		b.missing = append(b.missing, missing...)
	}
	b.last = b.inputs
	out.Inputs, out.Assets = b.inputs, b.assets.list()
	m.kept.script = s
	return out, nil
}

// buildWhole builds files of the project. One that cannot be built becomes a module that throws why when it is
// imported, so that only the tests that need it fail. A mistake of the Worker's entry, or of no file, is one of the
// build.
func (m *Modules) buildWhole(files []string, s *moduleScript, out *Bundle) []BuildMessage {
	files = slices.Clone(files)
	for len(files) > 0 {
		failures := m.buildFiles(files, s, out)
		if len(failures) == 0 {
			return nil
		}
		broken := map[string][]BuildMessage{}
		for _, f := range failures {
			if f.File == m.options.Entry || !slices.Contains(files, f.File) {
				return failures
			}
			broken[f.File] = append(broken[f.File], f)
		}
		for file, list := range broken {
			files = slices.DeleteFunc(files, func(f string) bool { return f == file })
			list = m.explain(list)
			m.kept.broken[file] = m.missingFiles(list)
			s.modules[ModuleID(file)] = brokenModule(&BuildError{Messages: list})
		}
	}
	return nil
}

// brokenModule is a module that throws.
func brokenModule(why error) *moduleCode {
	code := fmt.Sprintf("(async function (%s, %s, %s, %s, %s) { throw new Error(%s);\n})", importFunc, dynamicFunc,
		exportFunc, metaName, regexpFunc, quote(why.Error()))
	return &moduleCode{rewritten: rewritten{text: code}, of: &SourceMap{json: emptyMap}}
}

// buildFiles builds files of the project, each by itself.
func (m *Modules) buildFiles(files []string, s *moduleScript, out *Bundle) []BuildMessage {
	options := m.esbuildOptions()
	options.Outfile, options.EntryPoints = "", nil
	options.Outdir = m.options.Dir
	options.TreeShaking = api.TreeShakingFalse
	options.Plugins = []api.Plugin{{Name: "eddy-hooks", Setup: m.setupHooks},
		{Name: "eddy-modules", Setup: m.setupFiles}, {Name: "eddy", Setup: m.setup}}
	for i, file := range files {
		options.EntryPointsAdvanced = append(options.EntryPointsAdvanced,
			api.EntryPoint{InputPath: file, OutputPath: fmt.Sprintf("module%d", i)})
	}
	result := api.Build(options)
	out.Warnings = append(out.Warnings, messages(m.options.Dir, result.Warnings)...)
	if len(result.Errors) > 0 {
		return messages(m.options.Dir, result.Errors)
	}
	texts := map[string][]byte{}
	for _, f := range result.OutputFiles {
		texts[filepath.Base(f.Path)] = f.Contents
	}
	var failures []BuildMessage
	for i, file := range files {
		name := fmt.Sprintf("module%d.js", i)
		code, sourceMap := string(texts[name]), texts[name+".map"]
		id := ModuleID(file)
		module, list := m.module(id, code, sourceMap)
		s.modules[id] = module
		if len(list) == 0 {
			m.kept.modules[file] = module
		}
		failures = append(failures, list...)
	}
	return failures
}

// moduleCode is one module: the function of the calling contract and what is known of it.
type moduleCode struct {
	rewritten
	of *SourceMap
}

func (m *Modules) module(id, code string, sourceMap []byte) (*moduleCode, []BuildMessage) {
	place := m.place(code, sourceMap)
	made, err := rewrite(code, rewriteOptions{
		strict: true, live: true, keepRegExp: m.options.KeepRegExp, checkRegExp: m.options.CheckRegExp,
		referrer: func(int) string { return id },
	})
	if err != nil {
		var at *rewriteError
		if errors.As(err, &at) {
			return nil, []BuildMessage{place(at.offset, "The engine can't run this: "+at.Error())}
		}
		return nil, []BuildMessage{{Text: err.Error()}}
	}
	known := func(specifier string) bool {
		return m.assets.has(specifier) || strings.HasPrefix(specifier, "file://")
	}
	failures := m.virtual.checkImports(made.imports, known, func(use importUse, text string) BuildMessage {
		return place(use.offset, text)
	})
	for _, wrong := range made.refused {
		failures = append(failures, place(wrong.offset, wrong.Error()))
	}
	return &moduleCode{rewritten: made, of: &SourceMap{
		json: sourceMap, dir: m.options.Dir, shifts: made.shifts, lines: prologueLines,
	}}, failures
}

// rawNamespace has the files whose text is imported, with ?raw behind the path.
const rawNamespace = "eddy-raw"

// entryNamespace has the Workers that cloudflare.config.ts imports with { type: "cf-worker" }: their paths by default.
const entryNamespace = "eddy-entry"

// resolvingModule marks the own question to esbuild about where a file is.
type resolvingModule struct{}

// setupFiles leaves imports of other modules in the output, by their ids.
func (m *Modules) setupFiles(build api.PluginBuild) {
	build.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
		switch args.Kind {
		case api.ResolveJSImportStatement, api.ResolveJSDynamicImport:
		default:
			return api.OnResolveResult{}, nil
		}
		if args.PluginData != nil || inPackages(args.Importer) {
			return api.OnResolveResult{}, nil
		}
		return m.keep(build, args), nil
	})
	build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: rawNamespace},
		func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			m.see(args.Path)
			data, err := os.ReadFile(args.Path)
			text := string(data)
			return api.OnLoadResult{Contents: &text, Loader: api.LoaderText}, err
		})
	build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: entryNamespace},
		func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			return api.OnLoadResult{Contents: &args.Path, Loader: api.LoaderText}, nil
		})
	build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "file"},
		func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			if err := m.mocked(build, args.Path); err != nil {
				return api.OnLoadResult{}, err
			}
			return m.loadHooked(args.Path)
		})
}

// keep resolves an import and makes it external, unless it is no file of the project or of a package.
func (m *Modules) keep(build api.PluginBuild, args api.OnResolveArgs) api.OnResolveResult {
	path, raw := strings.CutSuffix(args.Path, "?raw")
	found := build.Resolve(path, api.ResolveOptions{
		Kind: args.Kind, Importer: args.Importer, Namespace: args.Namespace, ResolveDir: args.ResolveDir,
		PluginData: resolvingModule{}, With: args.With,
	})
	if raw && len(found.Errors) == 0 && filepath.IsAbs(found.Path) {
		m.uses(args.Importer, found.Path)
		return api.OnResolveResult{Path: found.Path, Namespace: rawNamespace, WatchFiles: []string{found.Path}}
	}
	if args.With["type"] == "cf-worker" && len(found.Errors) == 0 && found.Namespace == "file" {
		return api.OnResolveResult{Path: found.Path, Namespace: entryNamespace}
	}
	if file, ok := m.assets.file(found.Path); ok && found.External {
		m.uses(args.Importer, file)
	}
	if len(found.Errors) > 0 || found.External || found.Namespace != "file" {
		return api.OnResolveResult{
			Path: found.Path, External: found.External, Namespace: found.Namespace, Suffix: found.Suffix,
			Errors: found.Errors, Warnings: found.Warnings,
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if inPackages(found.Path) {
		m.mu.packages[found.Path] = true
	} else if !m.mu.files[found.Path] {
		m.mu.files[found.Path] = false
	}
	return api.OnResolveResult{Path: ModuleID(found.Path), External: true}
}

// inPackages tells files that a package manager put there.
func inPackages(file string) bool { return strings.Contains(filepath.ToSlash(file), "/node_modules/") }

// namesModule finds what calls of vi name as a module.
var namesModule = lazyregexp.New(
	`\bvi(?:test)?\s*\.\s*(?:mock|doMock|unmock|doUnmock|importActual|importMock)\s*(?:<[^(]*>)?\(\s*` +
		"(?:import\\(\\s*)?[\"'`]([^\"'`\n]+)[\"'`]")

// mocked notes which modules the calls of vi in a file mean.
func (m *Modules) mocked(build api.PluginBuild, file string) error {
	if inPackages(file) {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for _, match := range namesModule.FindAllSubmatch(text, -1) {
		specifier := string(match[1])
		found := m.keep(build, api.OnResolveArgs{
			Path: specifier, Kind: api.ResolveJSDynamicImport, Importer: file, ResolveDir: filepath.Dir(file),
		})
		if len(found.Errors) > 0 {
			continue // a mock may stand for a module that does not exist
		}
		m.mu.Lock()
		if m.mu.named[file] == nil {
			m.mu.named[file] = map[string]string{}
		}
		m.mu.named[file][specifier] = found.Path
		m.standIn(found.Path, specifier)
		m.mu.Unlock()
	}
	return nil
}

// standIn looks for the file of a __mocks__ folder that stands for a module: beside a file of the project, in the
// project's folder for a package (TEST-110). mu is held.
func (m *Modules) standIn(id, specifier string) {
	file, ok := moduleFile(id)
	if ok && !inPackages(file) {
		file = filepath.Join(filepath.Dir(file), "__mocks__", filepath.Base(file))
	} else {
		file = filepath.Join(m.options.Dir, "__mocks__", strings.TrimPrefix(specifier, "node:"))
	}
	base := strings.TrimSuffix(file, filepath.Ext(file))
	for _, name := range []string{file, base + ".ts", base + ".js", base + ".mts", base + ".mjs",
		file + ".ts", file + ".js", file + ".mjs"} {
		if st, err := os.Stat(name); err == nil && st.Mode().IsRegular() {
			if _, known := m.mu.files[name]; !known {
				m.mu.files[name] = false
			}
			m.mu.mocks[id] = ModuleID(name)
			return
		}
	}
}

// esbuildOptions are those of every build of modules: names without an ending are looked up as Vite does (TEST-56).
func (m *Modules) esbuildOptions() api.BuildOptions {
	options := m.esbuild(FormatModules)
	options.ResolveExtensions = []string{".mjs", ".js", ".mts", ".ts", ".jsx", ".tsx", ".json"}
	return options
}

// packagesEntry is the entry of the bundle of packages.
const packagesEntry = "eddy-packages"

// buildPackages bundles what the project imports from node_modules, nil if it imports nothing. What cannot be built
// throws why when it is imported, so that only the tests that need it fail.
func (m *Modules) buildPackages(out *Bundle) (*Bundle, []BuildMessage) {
	files := slices.Sorted(maps.Keys(m.mu.packages))
	if len(files) == 0 {
		return nil, nil
	}
	packages, failures := m.bundlePackages(files, nil, out)
	if len(failures) == 0 {
		return packages, nil
	}
	broken := map[string]string{}
	for _, file := range files {
		if _, own := m.bundlePackages([]string{file}, nil, &Bundle{}); len(own) > 0 {
			own = m.explain(own)
			m.kept.broken[file] = m.missingFiles(own)
			broken[file] = (&BuildError{Messages: own}).Error()
		}
	}
	if len(broken) == 0 {
		return nil, failures
	}
	return m.bundlePackages(files, broken, out)
}

// bundlePackages bundles files of packages; those that are broken throw the text that is given.
func (m *Modules) bundlePackages(files []string, broken map[string]string, out *Bundle) (*Bundle, []BuildMessage) {
	var entry strings.Builder
	for i, file := range files {
		load := fmt.Sprintf("import(%s)", quote(file))
		if why, ok := broken[file]; ok {
			load = fmt.Sprintf("{ throw new Error(%s); }", quote(why))
		}
		fmt.Fprintf(&entry, "const f%d = () => %s; export { f%d as %s };\n", i, load, i, quote(ModuleID(file)))
	}
	options := m.esbuildOptions()
	options.EntryPoints = []string{packagesEntry}
	options.Plugins = []api.Plugin{{Name: "eddy-packages", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: "^" + packagesEntry + "$"},
			func(args api.OnResolveArgs) (api.OnResolveResult, error) {
				return api.OnResolveResult{Path: packagesEntry, Namespace: packagesEntry}, nil
			})
		build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: packagesEntry},
			func(api.OnLoadArgs) (api.OnLoadResult, error) {
				text := entry.String()
				return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS, ResolveDir: m.options.Dir}, nil
			})
	}}, {Name: "eddy", Setup: m.setup}}
	result := api.Build(options)
	out.Warnings = append(out.Warnings, messages(m.options.Dir, result.Warnings)...)
	if len(result.Errors) > 0 {
		return nil, messages(m.options.Dir, result.Errors)
	}
	packages := &Bundle{Format: FormatModules}
	var code, sourceMap []byte
	for _, f := range result.OutputFiles {
		if strings.HasSuffix(f.Path, ".map") {
			sourceMap = f.Contents
		} else {
			code = f.Contents
		}
	}
	var failure *BuildError
	switch err := m.finish(packages, string(code), sourceMap, false); {
	case errors.As(err, &failure):
		return nil, failure.Messages
	case err != nil:
		return nil, []BuildMessage{{Text: err.Error()}}
	}
	return packages, nil
}
