package bundle

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"

	"eddy/runtime/lazyregexp"
)

// apart builds a Worker of modules as two scripts: the user's files, and the packages that they import, which are built
// again only when the user's files import something else, or a package has changed.
//
// The user's script is built with a stand-in for each package, which asks the host for what is imported:
//
//	var { Hono } = __eddy_packages(0);
//
// Which names that are is what the last build knows. Where that is not enough, two builds find it out: one leaves the
// imports of packages in the output, which says the names, and one has the stand-ins at their places, which says the
// order.
type apart struct {
	// refused counts the builds one after the other for which it did not do and one script did: packages are
	// imported by import() or require(), or by files that are; a package awaits at its top level, imports the
	// project's files, or assigns to an export later on. After two no other is tried; one may have met a file that
	// was being written.
	refused  int
	packages *Packages // of the last build
	units    []*unit   // those that the packages were built for, in order
	adopted  *Packages // of a bundle that another process has built
	borrowed bool      // packages are such, and were not built here

	mu struct {
		sync.Mutex
		known map[string]*unit // by label
		new   bool             // the build has met one that was not known
		lazy  bool             // a package is imported in another way than by an import statement
	}
}

// unit is an import of a package by a file of the user.
type unit struct {
	importer, specifier string
	label               string   // both, as esbuild shows it
	number              int      // while the names are not known
	names               []string // sorted
	unused              []string // imported, but the output has nothing of them
	live                []string // those of names whose values may change; see live.go
	found               string   // the file that is imported
}

// tries tells whether the options allow to build like this, as far as is known.
func (a *apart) tries(o Options, format EntryFormat) bool {
	return o.Apart && a.refused < 2 && format == FormatModules && o.Modules == nil && !o.NoBundle &&
		!o.FindAdditionalModules && !o.Minify && !o.Stops
}

// Adopt lets the next build use what is compiled of a bundle of the same options that another process has built, if it
// comes to the same.
func (b *Builder) Adopt(kept *Bundle) { b.apart.adopted = kept.Packages }

// buildApart builds two scripts. Nil without an error says that one must be built, because the Worker can't be built
// like this, or for the error's sake.
func (b *Builder) buildApart() (*Bundle, error) {
	a := &b.apart
	fresh := make(chan bool, 1)
	if a.packages != nil {
		list := a.packages.stamps // which may be others before all is looked at
		go func() { fresh <- list != nil && unchanged(list) }()
	}
	var out *usersCode
	var order []*unit
	if a.packages != nil {
		out, order = b.buildUsers(false)
	}
	if out == nil || a.mu.new || !slices.Equal(order, a.units) {
		if out, order = b.learn(); out == nil {
			return nil, nil
		}
	}
	if len(order) == 0 {
		// Nothing is imported from packages.
		made := &Bundle{Format: FormatModules, Warnings: out.warnings}
		a.packages, a.units = nil, nil
		return made, b.finish(made, out.code, out.sourceMap, false)
	}
	assets := b.assets.list()
	if a.packages == nil || a.packages.units != describe(order) || !<-fresh {
		p, err := b.buildUnits(order)
		if p == nil || err != nil {
			a.packages, a.units = nil, nil
			return nil, err
		}
		for _, before := range []*Packages{a.packages, a.adopted} {
			if before != nil && before.same(p) {
				before.become(p)
				p = before // it may be compiled
			}
		}
		a.packages, a.units, a.adopted, a.borrowed = p, order, nil, false
	}
	p := a.packages
	if setLive(order, p.live) {
		var again []*unit
		if out, again = b.buildUsers(false); out == nil || !slices.Equal(again, order) {
			a.packages, a.units = nil, nil
			return nil, nil
		}
		assets = b.assets.list()
	}
	b.assets.reset()
	for _, asset := range slices.Concat(assets, p.assets) {
		b.assets.add(asset)
	}
	made := &Bundle{Format: FormatModules, Packages: p, Warnings: append(out.warnings, p.warnings...)}
	if err := b.finish(made, out.code, out.sourceMap, false); err != nil {
		return nil, err
	}
	for _, name := range p.imports {
		if !slices.Contains(made.Imports, name) {
			made.Imports = append(made.Imports, name)
		}
	}
	slices.Sort(made.Imports)
	for _, file := range p.inputs {
		b.see(file)
	}
	made.learned = a.learned()
	return made, nil
}

// learn finds out what the user's files import from packages.
func (b *Builder) learn() (*usersCode, []*unit) {
	a := &b.apart
	a.mu.known = map[string]*unit{}
	out, _ := b.buildUsers(true)
	if out == nil {
		return nil, nil
	}
	if len(a.mu.known) == 0 {
		return out, nil
	}
	if !b.learnNames(out.code) {
		return nil, nil
	}
	for range 2 {
		// The first time tells what is imported and not used.
		if out, order := b.buildUsers(false); out != nil {
			return out, order
		}
	}
	return nil, nil
}

// lacks finds in esbuild's message the name of a stand-in and the export that it lacks.
var lacks = lazyregexp.New(`^No matching export in "` + packagesNamespace + `:(.*)" for import "(.*)"$`)

// unusedFunc is called in the output if something is used after all that was not when the names were found out.
const unusedFunc = "__eddy_unused"

// usersCode is the output of esbuild for the user's files.
type usersCode struct {
	code      string
	sourceMap []byte
	warnings  []BuildMessage
}

// buildUsers builds the user's files. open leaves the imports of packages in the output. Nil says that it failed.
func (b *Builder) buildUsers(open bool) (*usersCode, []*unit) {
	a := &b.apart
	a.mu.new, a.mu.lazy = false, false
	options := b.esbuild(FormatModules)
	options.Plugins = []api.Plugin{{Name: "eddy-apart", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			return b.standsApart(build, args, open), nil
		})
		build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: packagesNamespace},
			func(args api.OnLoadArgs) (api.OnLoadResult, error) {
				a.mu.Lock()
				defer a.mu.Unlock()
				text := a.mu.known[args.Path].standsFor()
				return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS}, nil
			})
		build.OnLoad(api.OnLoadOptions{Filter: "node_modules", Namespace: "file"},
			func(args api.OnLoadArgs) (api.OnLoadResult, error) {
				if inPackages(args.Path) {
					a.mu.Lock()
					a.mu.lazy = true
					a.mu.Unlock()
				}
				return api.OnLoadResult{}, nil
			})
	}}, {Name: "eddy", Setup: b.setup}}
	b.assets.reset()
	result, err := b.run(options)
	if err != nil {
		return nil, nil
	}
	for _, m := range slices.Concat(result.Errors, result.Warnings) {
		if missing := lacks.FindStringSubmatch(m.Text); missing != nil && a.mu.known[missing[1]] != nil {
			u := a.mu.known[missing[1]]
			u.unused = append(u.unused, missing[2])
		}
		a.mu.new = a.mu.new || strings.Contains(m.Text, `"`+packagesNamespace+":")
	}
	if len(result.Errors) > 0 || a.mu.new && !open {
		return nil, nil
	}
	out := &usersCode{warnings: append(slices.Clone(b.warnings), messages(b.options.Dir, result.Warnings)...)}
	out.code, out.sourceMap = outputs(result)
	if a.mu.lazy || strings.Contains(out.code, unusedFunc+"(") {
		return nil, nil
	}
	if open {
		return out, nil
	}
	asked := asksFor.FindAllString(out.code, -1)
	if len(asked) != strings.Count(out.code, packagesFunc+"(") {
		return nil, nil // those in a function run later, or never
	}
	byNumber := map[string]*unit{}
	for _, u := range a.mu.known {
		byNumber[strconv.Itoa(u.number)] = u
	}
	var order []*unit
	out.code = asksFor.ReplaceAllStringFunc(out.code, func(line string) string {
		start := strings.LastIndexByte(line, '(')
		order = append(order, byNumber[line[start+1:len(line)-2]])
		return fmt.Sprintf("%s(%d);", line[:start], len(order)-1)
	})
	if slices.Contains(order, nil) {
		return nil, nil
	}
	var ok bool
	if out.code, ok = readLive(out.code); !ok {
		return nil, nil
	}
	return out, order
}

// asksFor finds the stand-ins in the output. Nothing that has a place in the user's files is on their lines.
var asksFor = lazyregexp.New(`(?m)^(?:var (?:\{[^\n]*\}|` + liveObject + `\d+) = )?` + packagesFunc + `\(\d+\);$`)

// resolvingApart marks the own question to esbuild about where a file is.
type resolvingApart struct{}

// standsApart puts a stand-in in the place of a package.
func (b *Builder) standsApart(build api.PluginBuild, args api.OnResolveArgs, open bool) api.OnResolveResult {
	switch args.PluginData.(type) {
	case resolvingApart, aliased:
		return api.OnResolveResult{}
	}
	if args.Namespace != "file" || args.Kind == api.ResolveEntryPoint {
		return api.OnResolveResult{}
	}
	if relative(args.Path) && !strings.Contains(args.Path, "node_modules") {
		return api.OnResolveResult{} // a file of the user, or the build fails
	}
	found := build.Resolve(args.Path, api.ResolveOptions{
		Kind: args.Kind, Importer: args.Importer, Namespace: args.Namespace, ResolveDir: args.ResolveDir,
		PluginData: resolvingApart{}, With: args.With,
	})
	if len(found.Errors) > 0 || found.External || found.Namespace != "file" || !inPackages(found.Path) {
		return api.OnResolveResult{}
	}
	a := &b.apart
	a.mu.Lock()
	defer a.mu.Unlock()
	if args.Kind != api.ResolveJSImportStatement || len(args.With) > 0 {
		a.mu.lazy = true
		return api.OnResolveResult{}
	}
	label := args.Importer
	if short, err := filepath.Rel(b.options.Dir, label); err == nil {
		label = filepath.ToSlash(short)
	}
	label += " " + args.Path
	u := a.mu.known[label]
	if u != nil && u.found != found.Path {
		a.mu.new = true // it is another file now
	}
	if u == nil {
		a.mu.new = true
		u = &unit{
			importer: args.Importer, specifier: args.Path, label: label, number: len(a.mu.known), found: found.Path,
		}
		a.mu.known[label] = u
	}
	out := api.OnResolveResult{Path: label, Namespace: packagesNamespace}
	if open {
		out = api.OnResolveResult{Path: fmt.Sprintf("%s:%d", packagesNamespace, u.number), External: true}
	}
	if !found.SideEffects {
		out.SideEffects = api.SideEffectsFalse
	}
	return out
}

// relative tells specifiers of files from those of packages.
func relative(specifier string) bool {
	return strings.HasPrefix(specifier, "./") || strings.HasPrefix(specifier, "../") ||
		specifier == "." || specifier == ".."
}

// learnNames reads from output with open imports which names each unit has. It returns false if one is used as a
// whole.
func (b *Builder) learnNames(code string) bool {
	a := &b.apart
	out, err := rewrite(code, rewriteOptions{strict: true, keepRegExp: true, referrer: func(int) string { return "" }})
	if err != nil {
		return false
	}
	names := map[string]map[string]bool{}
	spaces := map[string]string{}
	for _, star := range out.stars {
		if strings.HasPrefix(star, packagesNamespace+":") {
			return false
		}
	}
	for _, use := range out.imports {
		number, ok := strings.CutPrefix(use.Specifier, packagesNamespace+":")
		if !ok {
			continue
		}
		if names[number] == nil {
			names[number] = map[string]bool{}
		}
		for _, name := range use.Names {
			names[number][name] = true
		}
		if use.space == "*" {
			return false
		}
		if use.space != "" {
			spaces[use.space] = number
		}
	}
	if !readSpaces(code, spaces, names) {
		return false
	}
	for i, label := range slices.Sorted(maps.Keys(a.mu.known)) {
		u := a.mu.known[label]
		u.names = nil
		defer func() { u.number = i }() // so that two builds of the same files are the same
		for name := range names[strconv.Itoa(u.number)] {
			u.names = append(u.names, name)
		}
		slices.Sort(u.names)
	}
	return true
}

// readSpaces notes which properties of namespaces a script reads. It returns false if it does anything else with one.
func readSpaces(code string, spaces map[string]string, names map[string]map[string]bool) bool {
	if len(spaces) == 0 {
		return true
	}
	s := newScanner(code)
	var before token
	for {
		t := s.next()
		if t.kind == tokenEOF {
			return true
		}
		number, ok := spaces[s.textOf(t)]
		if t.kind == tokenName && ok && before.op != "." && before.op != "?." {
			if before.kind == tokenName && s.textOf(before) == "as" {
				before = t
				continue // of the import statement
			}
			dot := s.next()
			name := s.next()
			if dot.op != "." || name.kind != tokenName {
				return false
			}
			names[number][s.textOf(name)] = true
			t = name
		}
		before = t
	}
}

// outputs are the script and the map of a build.
func outputs(result api.BuildResult) (code string, sourceMap []byte) {
	for _, file := range result.OutputFiles {
		if strings.HasSuffix(file.Path, ".map") {
			sourceMap = file.Contents
		} else {
			code = string(file.Contents)
		}
	}
	return code, sourceMap
}
