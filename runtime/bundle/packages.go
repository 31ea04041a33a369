package bundle

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dop251/goja/ast"
	"github.com/evanw/esbuild/pkg/api"
)

// Packages is the script of what a Worker imports from node_modules. It stays when the user's files change, so that
// a reload neither builds nor compiles it again. Source and Map are immutable, and any goroutine may use a Packages.
//
// Source is one expression, a generator function with the parameters of the calling contract. Each import of a package
// by one of the user's files is a unit, with a number from 0 in the order in which the user's script comes to them.
// The generator yields once for each, after what the unit imports has run, an object with what is imported, by name.
// The script of the user's files gets a function as its last parameter, __eddy_packages(unit), which lets the
// generator go on as far as that unit and returns the object. So all modules run in the order of one script.
type Packages struct {
	Source string
	Map    *SourceMap

	// These belong to the builder.
	assets   []Asset
	imports  []string // of host modules
	warnings []BuildMessage
	inputs   []string
	stamps   []stamp    // nil if the files may have changed while they were read
	units    string     // what was asked for
	live     [][]string // names whose values may change, by unit; see live.go

	once  sync.Once
	tree  *ast.Program // of Source, until it is taken
	made  any
	err   error
	panic any // what making it has panicked with
}

// Once makes something of the script, the first time, and returns it to everybody. tree is Source as the engine's
// parser read it, under the name ScriptName, nil if Source must be parsed. If making panics, so does each call.
func (p *Packages) Once(make func(tree *ast.Program) (any, error)) (any, error) {
	p.once.Do(func() {
		defer func() { p.panic = recover() }()
		tree := p.tree
		p.tree = nil
		p.made, p.err = make(tree)
	})
	if p.panic != nil {
		panic(p.panic)
	}
	return p.made, p.err
}

// same tells whether two scripts of packages run alike and show the same places.
func (p *Packages) same(o *Packages) bool { return p.Source == o.Source && p.Map.same(o.Map) }

// before puts the lines of the packages before a script and its map, as empty ones: what has a place in the one script
// has no place in the other.
func (p *Packages) before(script string, of *SourceMap) (string, *SourceMap) {
	lines := strings.Count(p.Source, "\n") + 1
	return strings.Repeat("\n", lines) + script, &SourceMap{sections: []mapSection{{0, p.Map}, {lines, of}}}
}

const (
	// packagesNamespace has what stands for an import of a package in the user's script.
	packagesNamespace = "eddy-package"
	// unitsEntry imports the units, unitSuffix marks the stand-in of a user's file that imports one.
	unitsEntry = "eddy-units"
	unitSuffix = "?eddy-unit"
	// unitMark is written at the end of a unit, and becomes a yield.
	unitMark, unitYield = "__eddy_unit({ ", "yield ({ "
)

// buildUnits builds the script of units. Nil without an error says that it can't be a script of its own.
func (b *Builder) buildUnits(units []*unit) (*Packages, error) {
	began := time.Now()
	p := &Packages{units: describe(units)}
	var entry strings.Builder
	for i, u := range units {
		fmt.Fprintf(&entry, "import %s;\n", quote(fmt.Sprintf("%s%s%d", u.importer, unitSuffix, i)))
	}
	foreign := false
	options := b.esbuild(FormatModules)
	options.EntryPoints = []string{unitsEntry}
	options.Supported = maps.Clone(options.Supported)
	options.Supported["top-level-await"] = false // a generator has none
	options.Plugins = []api.Plugin{{Name: "eddy-units", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: "^" + unitsEntry + "$"},
			func(api.OnResolveArgs) (api.OnResolveResult, error) {
				return api.OnResolveResult{Path: unitsEntry, Namespace: unitsEntry}, nil
			})
		build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: unitsEntry},
			func(api.OnLoadArgs) (api.OnLoadResult, error) {
				text := entry.String()
				return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS, ResolveDir: b.options.Dir}, nil
			})
		build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "file"},
			func(args api.OnLoadArgs) (api.OnLoadResult, error) {
				var i int
				if _, err := fmt.Sscanf(args.Suffix, unitSuffix+"%d", &i); err == nil && i < len(units) {
					text := units[i].standIn(i)
					return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS}, nil
				}
				if !inPackages(args.Path) {
					b.apart.mu.Lock()
					foreign = true
					b.apart.mu.Unlock()
				}
				return api.OnLoadResult{}, nil
			})
	}}, {Name: "eddy", Setup: b.setup}}
	users := b.swapSeen(map[string]bool{})
	b.assets.reset()
	result, err := b.run(options)
	if err != nil {
		return nil, err
	}
	seen := b.swapSeen(users)
	if len(result.Errors) > 0 || foreign {
		return nil, nil
	}
	code, sourceMap := outputs(result)
	code, given, live, ok := liveUnits(code, units)
	if !ok || reassigns(code, given) {
		return nil, nil
	}
	p.live = live
	made := &Bundle{Format: FormatModules}
	switch err := b.finish(made, code, sourceMap, true); {
	case errors.As(err, new(*BuildError)):
		return nil, nil
	case err != nil:
		return nil, err
	}
	tree := made.TakeProgram()
	p.Source, p.Map, p.tree = made.Source, made.Map, tree
	p.assets, p.imports = made.Assets, made.Imports
	p.warnings = messages(b.options.Dir, result.Warnings)
	for file := range seen {
		p.inputs = append(p.inputs, file)
	}
	slices.Sort(p.inputs)
	importers := make([]string, len(units))
	for i, u := range units {
		importers[i] = u.importer
	}
	// Where the user's files find a package is asked in each build.
	list, _ := dependencies{inputs: p.inputs, importers: importers, tsconfig: b.options.TSConfig}.stamps()
	if settled(list, began) {
		p.stamps = list
	}
	return p, nil
}

// describe says what units ask for.
func describe(units []*unit) string {
	var b strings.Builder
	for _, u := range units {
		fmt.Fprintf(&b, "%q %q %q %q\n", u.importer, u.specifier, u.found, u.names)
	}
	return b.String()
}

// swapSeen puts other files in the place of those that the build has seen.
func (b *Builder) swapSeen(files map[string]bool) map[string]bool {
	b.seen.Lock()
	defer b.seen.Unlock()
	before := b.seen.files
	b.seen.files = files
	return before
}
