package declarations

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"eddy/runtime/bundle"
	"eddy/runtime/lazyregexp"
	"eddy/wrangler"
)

// Options say what to declare.
type Options struct {
	// Config is the configuration file, absolute; Others are those of Workers that it binds.
	Config string
	Others []string
	// Env is the environment, "" for the top level and all environments together. EnvFiles take the place of the usual
	// dotenv files; relative ones begin at the configuration.
	Env      string
	EnvFiles []string
	// Environ is that of the process, NAME=VALUE.
	Environ []string
	// Output is the file that will have the declarations, absolute: imports in it are relative to its folder.
	Output string
	// Interface is the name of the interface for env.
	Interface string
	// StrictVars declares vars by their values instead of by their types.
	StrictVars bool
	// MainModule declares the type of the main module, from which the types of ctx.exports are inferred.
	MainModule bool
}

// Mistakes are what is wrong with a configuration.
type Mistakes struct{ Diagnostics wrangler.Diagnostics }

func (m *Mistakes) Error() string {
	for _, d := range m.Diagnostics {
		if d.Severity == wrangler.Error {
			return d.Text
		}
	}
	return "the configuration has mistakes"
}

// Project is a configuration with the entries that it concerns.
type Project struct {
	options Options
	config  *wrangler.Config
	written wrangler.Written
	entry   *entry // nil without an entry file, or if it cannot be read
	others  map[string]*entry
	// Notes are for the person who asked.
	Notes []string
}

// entry is the entry file of a Worker.
type entry struct {
	name, file string
	format     bundle.EntryFormat
	exports    []string
}

// ValidInterface tells whether wrangler takes a name for the interface.
var ValidInterface = lazyregexp.New(`^[a-zA-Z][a-zA-Z0-9_]*$`)

// For reads the configurations and looks at their entry files. What is wrong with a configuration comes as *Mistakes.
func For(o Options) (*Project, error) {
	p := &Project{options: o, others: map[string]*entry{}}
	var err error
	p.config, err = load(o.Config, wrangler.Options{Env: o.Env, EnvFiles: o.EnvFiles, Environ: o.Environ})
	if err != nil {
		return nil, err
	}
	// The file as it stands: what was wrong with its syntax, Load has found.
	p.written, _ = wrangler.ReadWritten(o.Config)
	if o.Env != "" && !slices.Contains(p.config.Environments, o.Env) {
		return nil, fmt.Errorf("environment %q not found in %s", o.Env, o.Config)
	}
	if p.config.Main != "" {
		if p.entry, err = entryOf(p.config); err != nil {
			p.Notes = append(p.Notes, fmt.Sprintf("%s could not be read, so no type comes from it: %s", p.config.Main,
				err))
		}
	}
	for _, path := range o.Others {
		if err := p.beside(path); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func load(path string, o wrangler.Options) (*wrangler.Config, error) {
	cfg, found := wrangler.Load(path, o)
	if found.HasErrors() {
		return nil, &Mistakes{found}
	}
	return cfg, nil
}

func entryOf(cfg *wrangler.Config) (*entry, error) {
	format, exports, err := bundle.Entrypoint(cfg.Main, cfg.ProjectDir, cfg.Build.TSConfig)
	if err != nil {
		return nil, err
	}
	name := cfg.Name
	if name == "" {
		name = "worker"
	}
	return &entry{name: name, file: cfg.Main, format: format, exports: exports}, nil
}

// beside takes the Worker of another configuration to those whose classes can be imported, under the names that it has
// in its environments.
func (p *Project) beside(path string) error {
	cfg, err := load(path, wrangler.Options{})
	if err != nil {
		return err
	}
	if cfg.Main == "" {
		return fmt.Errorf("%s has no main, so there is nothing to take types from", path)
	}
	e, err := entryOf(cfg)
	if err != nil {
		return err
	}
	if p.others[e.name] != nil {
		p.Notes = append(p.Notes, fmt.Sprintf("the Worker %s is named by more than one configuration", e.name))
	}
	p.others[e.name] = e
	for _, env := range cfg.Environments {
		in, err := load(path, wrangler.Options{Env: env})
		if err != nil {
			return err
		}
		if in.Name != "" && in.Name != e.name && p.others[in.Name] == nil {
			p.others[in.Name] = e
		}
	}
	return nil
}

// format is modules if there is no entry.
func (p *Project) format() bundle.EntryFormat {
	if p.entry == nil {
		return bundle.FormatModules
	}
	return p.entry.format
}

// importOf is the path by which the declarations import an entry: relative to their folder, without extension.
func (p *Project) importOf(e *entry) string {
	dir, err := filepath.Rel(filepath.Dir(p.options.Output), filepath.Dir(e.file))
	if err != nil {
		dir = filepath.Dir(e.file) // on another drive
	}
	dir = filepath.ToSlash(dir)
	base := filepath.Base(e.file)
	base = strings.TrimSuffix(base, filepath.Ext(base))
	switch {
	case dir == ".":
		return "./" + base
	case strings.HasPrefix(dir, ".."):
		return dir + "/" + base
	}
	return "./" + dir + "/" + base
}

// imported is what names an export of a Worker in the declarations, "" if the Worker or its export is not known.
func (p *Project) imported(e *entry, export string) string {
	if e == nil || !slices.Contains(e.exports, export) {
		return ""
	}
	return fmt.Sprintf("import(%q).%s", p.importOf(e), export)
}

// CompatibilityDate is the configuration's, "" if it has none.
func (p *Project) CompatibilityDate() string {
	if date := p.written.Get("env").Get(p.options.Env).Get("compatibility_date"); p.options.Env != "" && date.Exists() {
		return date.Text()
	}
	return p.written.Get("compatibility_date").Text()
}

// CompatibilityFlags are the configuration's.
func (p *Project) CompatibilityFlags() []string { return p.config.CompatibilityFlags }

// Dir is the project's folder.
func (p *Project) Dir() string { return p.config.ProjectDir }
