package bundle

import (
	"fmt"
	"path/filepath"
)

// EntryFormat is the kind of entry file.
type EntryFormat string

const (
	// FormatModules has exports; it is the usual one.
	FormatModules EntryFormat = "modules"
	// FormatServiceWorker has none and calls addEventListener.
	FormatServiceWorker EntryFormat = "service-worker"
)

// VirtualModule is a module that the host provides.
type VirtualModule struct {
	// Name is the full specifier: "cloudflare:workers", "node:fs".
	Name string
	// Exports are its names, "default" included. If they are given, an import of another name fails at build time; nil
	// leaves it to the host at run time.
	Exports []string
}

// Options describe one Worker to build. The zero value of each field is wrangler's default.
type Options struct {
	// Dir is the project's folder, the one of its configuration file. Absolute.
	Dir string
	// Entry is the main file, absolute or relative to Dir.
	Entry string
	// Format is found out from the entry's exports if it is "".
	Format EntryFormat

	// Virtual are the modules that the host has for this Worker, compatibility flags already considered.
	Virtual []VirtualModule
	// NodeCompat says that the nodejs_compat flag is on: then "fs" means "node:fs" if there is such a virtual module.
	NodeCompat bool

	// Rules are the user's module rules; wrangler's default rules follow them.
	Rules []Rule
	// PreserveFileNames keeps the import path as the name of an asset instead of ./<sha1>-<base name>.
	PreserveFileNames bool
	// NoBundle resolves no packages: the modules are those that FindAdditionalModules would find.
	NoBundle bool
	// FindAdditionalModules adds all files under BaseDir that match a rule; import() of a computed name finds them.
	FindAdditionalModules bool
	// Modules take the place of files, with NoBundle and FindAdditionalModules; see [Given].
	Modules []GivenModule
	// BaseDir is the root of names of additional modules; the entry's folder by default.
	BaseDir string

	// Alias replaces specifiers as a whole.
	Alias map[string]string
	// Rename, if set, gives the specifier that stands for another one in imports. It is asked before Alias.
	Rename func(specifier string) (string, bool)
	// Define replaces identifiers by JavaScript expressions.
	Define map[string]string
	// TSConfig is the path of tsconfig.json; by default it is searched.
	TSConfig                string
	JSXFactory, JSXFragment string
	Minify                  bool
	// DropNames gives up the original names of functions and classes that had to be renamed.
	DropNames bool
	// Conditions for package exports; workerd, worker, browser by default.
	Conditions []string
	// NodePackages resolves packages that do not want to be in a browser as Node does, instead of failing.
	NodePackages bool
	// NodeEnv is the value of process.env.NODE_ENV; "development" by default.
	NodeEnv string

	// Apart lets what is imported from node_modules become a script of its own, which the next builds keep; see
	// [Packages].
	Apart bool
	// Stops makes a script in which a debugger can stop; see [Stops]. It is several times as large, and slower.
	Stops bool

	// KeepRegExp leaves all regular expression literals to a host whose compiler translates them by itself; otherwise
	// those that the engine gets wrong become calls of __eddy_regexp.
	KeepRegExp bool
	// CheckRegExp, if set, tells whether the host can build a literal that would become such a call; an error says that
	// no engine can, and fails the build with its text. It is called on the goroutine of the build.
	CheckRegExp func(source, flags string) error
}

func (o Options) withDefaults() (Options, error) {
	if !filepath.IsAbs(o.Dir) {
		return o, fmt.Errorf("bundle: Options.Dir %q is not an absolute path", o.Dir)
	}
	if o.Entry == "" {
		return o, fmt.Errorf("bundle: Options.Entry is empty")
	}
	o.Dir = filepath.Clean(o.Dir)
	o.Entry = absolute(o.Dir, o.Entry)
	if o.BaseDir == "" {
		o.BaseDir = filepath.Dir(o.Entry)
	}
	o.BaseDir = absolute(o.Dir, o.BaseDir)
	if o.TSConfig != "" {
		o.TSConfig = absolute(o.Dir, o.TSConfig)
	}
	if len(o.Conditions) == 0 {
		o.Conditions = []string{"workerd", "worker", "browser"}
	}
	if o.NodeEnv == "" {
		o.NodeEnv = "development"
	}
	switch o.Format {
	case "", FormatModules, FormatServiceWorker:
	default:
		return o, fmt.Errorf("bundle: unknown format %q", o.Format)
	}
	return o, nil
}
