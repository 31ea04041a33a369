package testconfig

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"eddy/runtime/bundle"
	"eddy/runtime/worker"
)

// Tree is what the configuration of a run came to.
type Tree struct {
	// Base has the settings of the run as a whole: reporters, coverage and the like.
	Base *Project
	// Projects are those whose tests run, in the order in which they are listed.
	Projects []*Project
	// Warnings are for a person, each with its place.
	Warnings []string

	options  Options
	programs []*program
	// setups are the programs of global setups, in the order in which they ran.
	setups []*program
}

// Load evaluates a configuration file and all projects that it names; file may be "" if there is none. The Tree must be
// closed, unless there is an error.
func Load(ctx context.Context, o Options, file string) (_ *Tree, err error) {
	t := &Tree{options: o}
	defer func() {
		if err != nil {
			t.Close(ctx)
		}
	}()
	if file == "" {
		t.Base = &Project{Root: o.Root}
		if workspace := findWorkspace(o.Root); workspace != "" {
			return t, t.workspace(ctx, workspace)
		}
		t.Projects = append(t.Projects, t.Base) // as if the configuration said nothing
		return t, nil
	}
	// Paths start where the command was given, wherever --config is.
	p, d, err := t.evaluate(ctx, file, o.Root)
	if err != nil {
		return nil, err
	}
	t.Base = p
	switch workspace := d.Workspace; {
	case d.Projects != nil:
		err = t.members(ctx, p.program, file, p.Root, d.Projects)
	case workspace != "":
		err = t.workspace(ctx, filepath.Join(p.Root, workspace))
	default:
		if workspace = findWorkspace(p.Root); workspace != "" {
			err = t.workspace(ctx, workspace)
			break
		}
		t.Projects = append(t.Projects, p)
	}
	if err != nil {
		return nil, err
	}
	return t, t.checkNames()
}

// Files are what the configurations were made of.
func (t *Tree) Files() (files []string) {
	for _, p := range t.programs {
		files = append(files, p.files...)
	}
	return files
}

// evaluate runs a configuration file in a program of its own; root is that of its project if it names none.
func (t *Tree) evaluate(ctx context.Context, file, root string) (*Project, *described, error) {
	files := append([]string{file}, newConfigOf(file)...)
	prog, err := start(ctx, t.options, filepath.Dir(file), files)
	if err != nil {
		return nil, nil, t.failed(file, err)
	}
	t.programs = append(t.programs, prog)
	text, err := prog.ask(ctx, "read", bundle.ModuleID(file), root)
	if err != nil {
		return nil, nil, t.failed(file, err)
	}
	var d described
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return nil, nil, t.failed(file, err)
	}
	p, err := t.project(prog, file, &d)
	return p, &d, err
}

// workspace reads a file that lists projects.
func (t *Tree) workspace(ctx context.Context, file string) error {
	if filepath.Ext(file) == ".json" {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var globs []string
		if err := json.Unmarshal(data, &globs); err != nil {
			return fmt.Errorf("%s: expected a list of texts: %w", t.show(file), err)
		}
		var list []member
		for _, g := range globs {
			list = append(list, member{Glob: g})
		}
		return t.members(ctx, nil, file, filepath.Dir(file), list)
	}
	prog, err := start(ctx, t.options, filepath.Dir(file), []string{file})
	if err != nil {
		return t.failed(file, err)
	}
	t.programs = append(t.programs, prog)
	text, err := prog.ask(ctx, "workspace", bundle.ModuleID(file), filepath.Dir(file))
	if err != nil {
		return t.failed(file, err)
	}
	var list []member
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return t.failed(file, err)
	}
	return t.members(ctx, prog, file, filepath.Dir(file), list)
}

// members adds the projects of a list.
func (t *Tree) members(ctx context.Context, prog *program, file, root string, list []member) error {
	var wanted, unwanted []string
	for _, m := range list {
		switch {
		case m.Config != nil:
			p, err := t.project(prog, file, m.Config)
			if err != nil {
				return err
			}
			t.Projects = append(t.Projects, p)
		case m.Extends != "":
			return fmt.Errorf("%s: extends %q names a file, which eddy does not read; name the file as a project of "+
				"its own, or write extends: true", t.show(file), m.Extends)
		case strings.HasPrefix(m.Glob, "!"):
			unwanted = append(unwanted, m.Glob[1:])
		default:
			wanted = append(wanted, m.Glob)
		}
	}
	var found []string
	for _, glob := range wanted {
		files, err := t.matching(root, glob, unwanted)
		if err != nil {
			return t.failed(file, err)
		}
		for _, f := range files {
			if !slices.Contains(found, f) {
				found = append(found, f)
			}
		}
	}
	for _, f := range found {
		if f == file {
			continue
		}
		p, d, err := t.evaluate(ctx, f, filepath.Dir(f))
		if err != nil {
			return err
		}
		if p.Name == "" {
			p.Name = defaultName(filepath.Dir(f))
		}
		if d.Projects != nil {
			return fmt.Errorf("%s: a project of a project cannot have projects", t.show(f))
		}
		t.Projects = append(t.Projects, p)
	}
	return nil
}

// matching are the configuration files that a glob means: files, or directories with one.
func (t *Tree) matching(root, glob string, unwanted []string) ([]string, error) {
	glob = strings.TrimSuffix(strings.TrimPrefix(strings.ReplaceAll(glob, "<rootDir>/", ""), "./"), "/")
	var paths []string
	if filepath.IsAbs(glob) || !strings.ContainsAny(glob, "*?[{") {
		path := glob
		if !filepath.IsAbs(path) {
			path = filepath.Join(root, glob)
		}
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("Projects definition references a non-existing file or a directory: %s", path)
		}
		paths = []string{path}
	} else {
		names, err := doublestar.Glob(os.DirFS(root), filepath.ToSlash(glob))
		if err != nil {
			return nil, fmt.Errorf("projects: %q: %w", glob, err)
		}
		for _, name := range names {
			paths = append(paths, filepath.Join(root, filepath.FromSlash(name)))
		}
	}
	slices.Sort(paths)
	var files []string
	for _, path := range paths {
		name, err := filepath.Rel(root, path)
		if err != nil || strings.Contains("/"+filepath.ToSlash(name)+"/", "/node_modules/") {
			continue
		}
		if slices.ContainsFunc(unwanted, func(g string) bool {
			ok, err := doublestar.Match(strings.TrimPrefix(g, "./"), filepath.ToSlash(name))
			return ok && err == nil
		}) {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			if path = Find(path); path == "" {
				continue
			}
		}
		files = append(files, path)
	}
	return files, nil
}

// defaultName is what a project without a name is called: its package, or its directory.
func defaultName(dir string) string {
	var pkg struct{ Name string }
	if data, err := os.ReadFile(filepath.Join(dir, "package.json")); err == nil && json.Unmarshal(data, &pkg) == nil &&
		pkg.Name != "" {
		return pkg.Name
	}
	return filepath.Base(dir)
}

// checkNames refuses projects of one name.
func (t *Tree) checkNames() error {
	seen := map[string]*Project{}
	for _, p := range t.Projects {
		if len(t.Projects) > 1 && p.Name == "" {
			p.Name = fmt.Sprint(len(seen))
		}
		if other := seen[p.Name]; other != nil {
			return fmt.Errorf("Project name %q from %q is not unique. The project is already defined by %q. All "+
				"projects should have unique names", p.Name, t.show(p.File), t.show(other.File))
		}
		seen[p.Name] = p
	}
	return nil
}

// failed says what went wrong in a file, with the places of an exception.
func (t *Tree) failed(file string, err error) error {
	var ex *worker.Exception
	if !errors.As(err, &ex) {
		return fmt.Errorf("%s: %w", t.show(file), err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", t.show(file), ex.Error())
	for _, f := range ex.Frames {
		if f.File != "" && !strings.HasPrefix(f.File, "testconfig:") && !strings.HasPrefix(f.File, "node:") {
			fmt.Fprintf(&b, "\n    at %s:%d:%d", t.show(strings.TrimPrefix(f.File, "file://")), f.Line, f.Column)
		}
	}
	return errors.New(b.String())
}

// show is a path as a person wants to see it.
func (t *Tree) show(file string) string {
	if name, err := filepath.Rel(t.options.Root, file); err == nil && !strings.HasPrefix(name, "..") {
		return filepath.ToSlash(name)
	}
	return file
}

// Choose keeps the projects that patterns of the command line name: with * for any run of characters, and ! for those
// that are not wanted.
func (t *Tree) Choose(patterns []string) error {
	if len(patterns) == 0 {
		return nil
	}
	var kept []*Project
	for _, p := range t.Projects {
		if chosen(p.Name, patterns) {
			kept = append(kept, p)
		}
	}
	if len(kept) == 0 {
		var names []string
		for _, p := range t.Projects {
			names = append(names, p.Name)
		}
		return fmt.Errorf("No projects matched the filter %q; there are %s", strings.Join(patterns, `", "`),
			strings.Join(names, ", "))
	}
	t.Projects = kept
	return nil
}

func chosen(name string, patterns []string) bool {
	some, positive := false, false
	for _, pattern := range patterns {
		not := strings.HasPrefix(pattern, "!")
		ok := wildcard(strings.TrimPrefix(pattern, "!"), name)
		switch {
		case not && ok:
			return false
		case !not:
			positive = true
			some = some || ok
		}
	}
	return some || !positive
}

// wildcard matches a whole name, where * is any run of characters.
func wildcard(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == name
	}
	if !strings.HasPrefix(name, parts[0]) {
		return false
	}
	name = name[len(parts[0]):]
	for _, part := range parts[1 : len(parts)-1] {
		_, rest, ok := strings.Cut(name, part)
		if !ok {
			return false
		}
		name = rest
	}
	return strings.HasSuffix(name, parts[len(parts)-1])
}

// Setup runs the global setups of the run and of its projects, in order; Provided of each project has then what they
// provided.
func (t *Tree) Setup(ctx context.Context) error {
	base, err := t.setup(ctx, t.Base, nil)
	if err != nil {
		return err
	}
	for _, p := range t.Projects {
		if p == t.Base {
			p.provided = base
			continue
		}
		if p.provided, err = t.setup(ctx, p, base); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tree) setup(ctx context.Context, p *Project, before map[string]any) (map[string]any, error) {
	provided := map[string]any{}
	for _, m := range []map[string]any{before, p.Test.Provide} {
		for k, v := range m {
			provided[k] = v
		}
	}
	if len(p.Test.GlobalSetup) == 0 {
		return provided, nil
	}
	var files []string
	for _, f := range p.Test.GlobalSetup {
		files = append(files, p.abs(f))
	}
	prog, err := start(ctx, t.options, p.Root, files)
	if err != nil {
		return nil, t.failed(files[0], err)
	}
	t.setups = append(t.setups, prog)
	for i, file := range files {
		text, err := prog.ask(ctx, "setup", bundle.ModuleID(file), i)
		if err != nil {
			return nil, t.failed(file, err)
		}
		var out struct{ Provided map[string]any }
		if err := json.Unmarshal([]byte(text), &out); err != nil {
			return nil, t.failed(file, err)
		}
		for k, v := range out.Provided {
			provided[k] = v
		}
	}
	return provided, nil
}

// Close runs the teardowns of global setups, the last first, and ends everything.
func (t *Tree) Close(ctx context.Context) error {
	var errs []error
	for _, prog := range slices.Backward(t.setups) {
		if _, err := prog.ask(ctx, "teardown"); err != nil {
			errs = append(errs, fmt.Errorf("teardown: %w", err))
		}
		prog.close()
	}
	for _, prog := range t.programs {
		prog.close()
	}
	t.setups, t.programs = nil, nil
	return errors.Join(errs...)
}
