package bundle

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dop251/goja/ast"
	"github.com/evanw/esbuild/pkg/api"

	"eddy/runtime/lazyregexp"
)

// Bundle is the result of a build. It is immutable.
type Bundle struct {
	// Source is the function expression of the calling contract (see the package comment).
	Source string
	Map    *SourceMap
	Format EntryFormat
	// Exports are the names that the script gives to __eddy_export, sorted. With Stars there may be more.
	Exports []string
	// Stars are the virtual modules whose exports are exported again.
	Stars []string
	// Imports are the specifiers that the script imports statically from the host, sorted, without assets.
	Imports []string
	Assets  []Asset
	// Inputs are the absolute paths of all files that went in, sorted.
	Inputs   []string
	Warnings []BuildMessage
	// Stops is what a debugger knows of the script, nil without [Options.Stops].
	Stops *Stops
	// Packages is the script of the packages, nil if they are part of this one.
	Packages *Packages
	// Leading is how many units of the Packages run before anything else of the script that could notice it.
	Leading int

	sought  sought   // by the user's files
	stamps  []stamp  // of one from a shelf
	learned *learned // of imports of the packages, nil for none

	program struct {
		sync.Mutex
		tree *ast.Program // of Source, until it is taken
	}
}

// TakeProgram hands over Source as the engine's parser read it, under the name ScriptName, for goja.CompileAST. Whoever
// compiles it may change it, and it is large: the second call gives nil, and Source must be parsed again.
func (b *Bundle) TakeProgram() *ast.Program {
	b.program.Lock()
	defer b.program.Unlock()
	tree := b.program.tree
	b.program.tree = nil
	return tree
}

// Builder builds one Worker again and again. One goroutine at a time uses it. Between two builds it keeps nothing of
// esbuild's: its trees are the better part of what would be alive in a small session, so that every garbage collection
// would cost twice as much, and esbuild parses files of packages with a "type" in package.json anew all the same.
type Builder struct {
	options  Options
	virtual  *virtualModules
	assets   *assetLoader
	more     *additionalModules
	warnings []BuildMessage // about the options
	closed   bool
	canceled atomic.Bool

	seen struct {
		sync.Mutex
		files map[string]bool // files of the current build; written by esbuild's goroutines
	}
	seeking seeking
	depths  depths
	apart   apart
	// part says that what is built becomes a part of another script.
	part bool
	last []string // inputs of the last build that succeeded
	// inputs are those of the last build, failed or not, with what it looked for and didn't find.
	inputs, missing []string
}

// Build builds once. It is New, Build and Close in one.
func Build(o Options) (*Bundle, error) {
	b, err := New(o)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	return b.Build()
}

// New checks the options. The files are not read before Build.
func New(o Options) (*Builder, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if ext := strings.ToLower(filepath.Ext(o.Entry)); ext == ".py" {
		return nil, &BuildError{Messages: []BuildMessage{{
			File: o.Entry, Text: "Python Workers are not supported",
			Suggestion: "set main to a JavaScript or TypeScript file",
		}}}
	}
	rules, warnings, err := effectiveRules(o.Rules)
	if err != nil {
		return nil, err
	}
	compiled, err := compileRules(rules)
	if err != nil {
		return nil, err
	}
	return &Builder{
		options:  o,
		virtual:  newVirtualModules(o),
		assets:   &assetLoader{options: o, rules: compiled},
		more:     &additionalModules{options: o, rules: compiled},
		warnings: warnings,
	}, nil
}

// Close ends the Builder: it can't be used afterwards.
func (b *Builder) Close() { b.closed = true }

// Build bundles the entry as it is on disk now. A mistake in the user's code gives a *BuildError.
func (b *Builder) Build() (*Bundle, error) {
	if b.closed {
		return nil, errors.New("bundle: Build after Close")
	}
	b.seen.Lock()
	b.seen.files = map[string]bool{b.options.Entry: true}
	b.seen.Unlock()
	b.seeking.reset()
	format, err := b.guessFormat()
	if err != nil {
		b.note(nil)
		return nil, err
	}
	bundle, err := b.buildAs(format)
	if err == nil && format == FormatModules && b.options.Format == "" && len(bundle.Exports) == 0 &&
		len(bundle.Stars) == 0 {
		bundle, err = b.buildAs(FormatServiceWorker)
	}
	var failure *BuildError
	if errors.As(err, &failure) {
		b.note(failure.Messages)
	} else {
		b.note(nil)
	}
	if b.canceled.Load() {
		err = ErrCanceled
	}
	if err != nil {
		return nil, err
	}
	b.last = b.inputs
	bundle.Inputs, bundle.sought = b.inputs, b.seeking.taken()
	return bundle, nil
}

var listens = lazyregexp.New(`(?m)^(?:(?:self|globalThis)\.)?addEventListener\(`)

// guessFormat looks at the entry. Without the word export it can only be a service worker. With exports but without a
// default export it is a service worker if it listens to events. In all other cases the exports of the build decide.
func (b *Builder) guessFormat() (EntryFormat, error) {
	if b.options.Format != "" {
		return b.options.Format, nil
	}
	text, err := os.ReadFile(b.options.Entry)
	if err != nil {
		return "", &BuildError{Messages: []BuildMessage{{
			File: b.options.Entry, Text: "The entry file can't be read: " + rootCause(err),
			Suggestion: "check main in the configuration",
		}}}
	}
	if !strings.Contains(string(text), "export") {
		return FormatServiceWorker, nil
	}
	if listens.Match(text) && !strings.Contains(string(text), "default") {
		return FormatServiceWorker, nil
	}
	return FormatModules, nil
}

func rootCause(err error) string {
	var pathError *os.PathError
	if errors.As(err, &pathError) {
		return pathError.Err.Error()
	}
	return err.Error()
}

// buildAs runs esbuild and all stages behind it.
func (b *Builder) buildAs(format EntryFormat) (*Bundle, error) {
	b.assets.options.Format, b.more.options.Format, b.virtual.format = format, format, format
	if err := b.more.search(); err != nil {
		return nil, err
	}
	tried := b.apart.tries(b.options, format)
	if tried {
		if bundle, err := b.buildApart(); bundle != nil || err != nil {
			b.apart.refused = 0
			return bundle, err
		}
	}
	options := b.esbuild(format)
	if b.options.FindAdditionalModules && format == FormatModules {
		options.Inject = []string{additionalPath}
	}
	b.assets.reset()
	result, err := b.run(options)
	if err != nil {
		return nil, err
	}
	if tried && len(result.Errors) == 0 {
		b.apart.refused++
	}
	warnings := append(append([]BuildMessage{}, b.warnings...), messages(b.options.Dir, result.Warnings)...)
	if len(result.Errors) > 0 {
		return nil, &BuildError{Messages: b.explain(messages(b.options.Dir, result.Errors))}
	}
	var code, sourceMap []byte
	for _, file := range result.OutputFiles {
		switch filepath.Ext(file.Path) {
		case ".map":
			sourceMap = file.Contents
		case ".js":
			code = file.Contents
		}
	}
	if code == nil || sourceMap == nil {
		return nil, fmt.Errorf("bundle: esbuild gave %d files, expected a script and its map", len(result.OutputFiles))
	}
	bundle := &Bundle{Format: format, Warnings: warnings}
	if err := b.finish(bundle, string(code), sourceMap, false); err != nil {
		return nil, err
	}
	return bundle, nil
}

// finish makes the script out of esbuild's output and checks it. packages makes the one of the packages.
func (b *Builder) finish(bundle *Bundle, code string, sourceMap []byte, packages bool) error {
	if b.canceled.Load() {
		return ErrCanceled
	}
	place := b.place(code, sourceMap)
	out, err := rewrite(code, rewriteOptions{
		strict:     bundle.Format == FormatModules,
		keepRegExp: b.options.KeepRegExp, checkRegExp: b.options.CheckRegExp,
		find: len(b.more.found) > 0, packages: bundle.Packages != nil, generator: packages,
		referrer: func(offset int) string {
			return b.more.referrer(place(offset, "").File)
		},
	})
	if err != nil {
		var at *rewriteError
		if errors.As(err, &at) {
			return &BuildError{Messages: []BuildMessage{place(at.offset, "The engine can't run this: "+at.Error())}}
		}
		return err
	}
	bundle.Source = out.text
	bundle.Map = &SourceMap{json: sourceMap, dir: b.options.Dir, shifts: out.shifts, lines: prologueLines}
	if p := bundle.Packages; p != nil {
		bundle.Source, bundle.Map = p.before(bundle.Source, bundle.Map)
	}
	bundle.Assets = b.assets.list()
	bundle.Exports, bundle.Stars = out.exports, out.stars
	slices.Sort(bundle.Exports)
	for _, use := range out.imports {
		if !b.assets.has(use.Specifier) && !slices.Contains(bundle.Imports, use.Specifier) {
			bundle.Imports = append(bundle.Imports, use.Specifier)
		}
	}
	slices.Sort(bundle.Imports)
	failures := b.virtual.checkImports(out.imports, b.assets.has, func(use importUse, text string) BuildMessage {
		return place(use.offset, text)
	})
	for _, wrong := range out.refused {
		failures = append(failures, place(wrong.offset, wrong.Error()))
	}
	program, syntax := check(bundle.Source, bundle.Map)
	if failures = append(failures, syntax...); len(failures) > 0 {
		return &BuildError{Messages: failures}
	}
	if bundle.Packages != nil {
		bundle.Leading = leading(program)
	}
	if b.options.Stops && !b.part {
		stops := newStopper(bundle.Map, bundle.Source)
		stops.add(program.Body[0].(*ast.ExpressionStatement).Expression.(*ast.FunctionLiteral), nil)
		bundle.Stops = stops.out
	}
	bundle.program.tree = program
	return nil
}

// place makes messages about offsets in esbuild's output, before prologue and changes.
func (b *Builder) place(code string, sourceMap []byte) func(offset int, text string) BuildMessage {
	raw := &SourceMap{json: sourceMap, dir: b.options.Dir}
	return func(offset int, text string) BuildMessage {
		line := strings.Count(code[:offset], "\n")
		column := offset - (strings.LastIndexByte(code[:offset], '\n') + 1)
		return raw.Message(line+1, column+1, text)
	}
}

// esbuild are the options of esbuild for a format, apart from what only one kind of build needs.
func (b *Builder) esbuild(format EntryFormat) api.BuildOptions {
	o := b.options
	env := quote(o.NodeEnv)
	define := map[string]string{
		"process.env.NODE_ENV":            env,
		"global.process.env.NODE_ENV":     env,
		"globalThis.process.env.NODE_ENV": env,
		"navigator.userAgent":             `"Cloudflare-Workers"`,
	}
	for name, value := range o.Define {
		define[name] = value
	}
	options := api.BuildOptions{
		AbsWorkingDir: o.Dir,
		EntryPoints:   []string{o.Entry},
		Outfile:       filepath.Join(o.Dir, ScriptName),
		Outbase:       o.Dir, // names of anonymous classes have the folder of an index file, as in wrangler dev
		Bundle:        true,
		Format:        api.FormatESModule,
		Target:        api.ESNext,
		Supported:     lowering,
		Platform:      api.PlatformBrowser,
		Conditions:    o.Conditions,
		Loader:        loaders(),
		Define:        define,
		Tsconfig:      o.TSConfig,
		JSXFactory:    o.JSXFactory,
		JSXFragment:   o.JSXFragment,
		KeepNames:     !o.DropNames,
		Sourcemap:     api.SourceMapExternal,
		LegalComments: api.LegalCommentsNone,
		LogLevel:      api.LogLevelSilent,
		External:      []string{"__STATIC_CONTENT_MANIFEST"},
		Plugins:       []api.Plugin{{Name: "eddy", Setup: b.setup}},

		MinifyWhitespace:  o.Minify,
		MinifyIdentifiers: o.Minify,
		MinifySyntax:      o.Minify,
	}
	if format == FormatServiceWorker {
		options.Format = api.FormatIIFE
	}
	return options
}

// setup connects the stages to esbuild.
func (b *Builder) setup(build api.PluginBuild) {
	build.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
		b.seeking.note(args)
		if target, dir, ok := b.aliased(args); ok {
			found := build.Resolve(target, api.ResolveOptions{
				Kind: args.Kind, Importer: args.Importer, ResolveDir: dir, PluginData: aliased{},
			})
			return api.OnResolveResult{
				Path: found.Path, External: found.External, Namespace: found.Namespace, Suffix: found.Suffix,
				Errors: found.Errors, Warnings: found.Warnings,
			}, nil
		}
		if args.Kind == api.ResolveEntryPoint && args.Path != additionalPath {
			if b.options.Modules != nil {
				return api.OnResolveResult{Path: args.Path, Namespace: "file"}, nil
			}
			return api.OnResolveResult{}, nil
		}
		if result, err := b.virtual.resolve(args); err != nil || result.Path != "" || len(result.Errors) > 0 {
			return result, err
		}
		if result, err := b.more.resolve(b.assets, args); err != nil || result.Path != "" || len(result.Errors) > 0 {
			return result, err
		}
		if result, ok := b.asNode(build, args); ok {
			return result, nil
		}
		result, err := b.assets.resolve(build, args)
		for _, file := range result.WatchFiles {
			b.see(file)
		}
		return result, err
	})
	build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "file"},
		func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			if given, ok := b.loadGiven(args.Path); ok {
				return given, nil
			}
			if b.canceled.Load() {
				return api.OnLoadResult{}, ErrCanceled
			}
			b.see(args.Path)
			if wrong := b.depths.check(args.Path); wrong != nil {
				return api.OnLoadResult{Errors: []api.Message{*wrong}}, nil
			}
			return b.more.loadUnbundled(args.Path), nil
		})
	build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: requireNamespace}, b.virtual.loadRequire)
	build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: assetNamespace}, b.virtual.loadAsset)
	build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: additionalNamespace}, b.more.load)
}

// aliased marks the look-up of an alias's target, so that an alias of itself does not loop.
type aliased struct{}

// aliased is what stands for the specifier of an import, and the directory in which it is looked up.
func (b *Builder) aliased(args api.OnResolveArgs) (target, dir string, ok bool) {
	if _, own := args.PluginData.(aliased); own || args.Kind == api.ResolveEntryPoint {
		return "", "", false
	}
	if b.options.Rename != nil {
		if target, ok := b.options.Rename(args.Path); ok {
			return target, args.ResolveDir, true
		}
	}
	target, ok = b.options.Alias[args.Path]
	return target, b.options.Dir, ok
}

// explain replaces esbuild's advice, which is about its own options, by what a user of Workers can do.
func (b *Builder) explain(list []BuildMessage) []BuildMessage {
	for i := range list {
		m := &list[i]
		if m.Suggestion == "" {
			m.Suggestion = ruleFor(m.Text)
		}
		for j := range m.Notes {
			n := &m.Notes[j]
			switch {
			case strings.Contains(n.Text, "is built into node"):
				n.Text = "This package is not in node_modules, but Node has a module of that name."
				if !b.options.NodeCompat {
					m.Suggestion = `add "nodejs_compat" to compatibility_flags, or prefix the name with "node:"`
				}
			case strings.HasPrefix(n.Text, "You can mark the path"):
				name, _, _ := strings.Cut(strings.TrimPrefix(n.Text, "You can mark the path "), " as external")
				n.Text = b.howToInstall(packageName(name))
			}
		}
	}
	return list
}

// packageName is the package of a quoted import path: its first segment, or two where the first is a scope.
func packageName(quoted string) string {
	segments := strings.SplitN(strings.Trim(quoted, `"`), "/", 3)
	if strings.HasPrefix(segments[0], "@") && len(segments) > 1 {
		return segments[0] + "/" + segments[1]
	}
	return segments[0]
}
