package bundle

import (
	"maps"
	"os"
	"slices"
	"strings"
)

// kept is what a build of Modules leaves for the next one. It belongs to who uses the Modules, as they do.
type kept struct {
	modules  map[string]*moduleCode // those that could be built, by file
	script   *moduleScript          // of the last build that succeeded
	packages *Bundle
	of       []string            // the files of packages
	broken   map[string][]string // what files that could not be built miss, perhaps without extension
	// use says that the next build may take what is kept: Changed was called since the last one.
	use bool
}

// Changed tells which files have changed since the last build, so that the next one builds those only. If it cannot be
// told what depends on one of them, or if no file is named, the next build builds everything.
func (m *Modules) Changed(files []string) {
	m.kept.use = len(files) > 0
	for _, file := range files {
		users := m.mu.data[file]
		if _, err := os.Stat(file); err != nil || m.kept.modules[file] == nil && len(users) == 0 {
			m.kept.use = false
			return
		}
		delete(m.kept.modules, file)
		for user := range users {
			delete(m.kept.modules, user)
		}
	}
}

// Unchanged tells that no file has changed since the last build, so that the next one builds new roots only.
func (m *Modules) Unchanged() { m.kept.use = true }

// begin forgets the last build, apart from what may be kept of it.
func (m *Modules) begin() {
	b := m.Builder
	if !m.kept.use {
		b.seen.files = map[string]bool{b.options.Entry: true}
		b.assets.reset()
		m.kept = kept{modules: map[string]*moduleCode{}}
		m.mu.named, m.mu.mocks = map[string]map[string]string{}, map[string]string{}
		m.mu.data = map[string]map[string]bool{}
	}
	m.kept.use, m.kept.broken = false, map[string][]string{}
	for file := range m.kept.modules {
		if _, made := madeID(file); made {
			delete(m.kept.modules, file) // nobody knows what it was made of
		}
	}
	m.mu.files, m.mu.packages = map[string]bool{}, map[string]bool{}
	for _, root := range append([]string{b.options.Entry}, m.roots...) {
		m.mu.files[root] = false
	}
}

// SetRoots replaces the files beside the entry that shall be modules, from the next build on.
func (m *Modules) SetRoots(roots []string) {
	m.roots = nil
	for _, root := range roots {
		m.roots = append(m.roots, absolute(m.options.Dir, root))
	}
}

// reuse takes a module of the last build, and what it imports.
func (m *Modules) reuse(file string, s *moduleScript) bool {
	module := m.kept.modules[file]
	if module == nil {
		delete(m.mu.named, file)
		return false
	}
	s.modules[ModuleID(file)] = module
	m.mu.files[file] = true
	for imported := range m.importedBy(file, module) {
		if inPackages(imported) {
			m.mu.packages[imported] = true
		} else if !m.mu.files[imported] {
			m.mu.files[imported] = false
		}
	}
	return true
}

// importedBy are the files that a module imports or mocks.
func (m *Modules) importedBy(file string, module *moduleCode) map[string]bool {
	out := map[string]bool{}
	add := func(id string) {
		if path, ok := moduleFile(id); ok {
			out[path] = true
		}
	}
	for _, use := range slices.Concat(module.imports, module.dynamic) {
		add(use.Specifier)
	}
	for _, star := range module.stars {
		add(star)
	}
	for _, id := range m.mu.named[file] {
		add(id)
		add(m.mu.mocks[id])
	}
	return out
}

// uses notes that a module imports a file that is none.
func (m *Modules) uses(importer, file string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.mu.data[file] == nil {
		m.mu.data[file] = map[string]bool{}
	}
	m.mu.data[file][importer] = true
}

// packages is the bundle of what the project imports from node_modules, that of the last build if it is the same.
func (m *Modules) packages(out *Bundle) (*Bundle, []BuildMessage) {
	files := slices.Sorted(maps.Keys(m.mu.packages))
	if m.kept.packages != nil && slices.Equal(files, m.kept.of) {
		return m.kept.packages, nil
	}
	whole := len(m.kept.broken)
	b, failures := m.buildPackages(out)
	if m.kept.packages, m.kept.of = b, files; len(m.kept.broken) > whole {
		m.kept.packages = nil // the next build tries again
	}
	return b, failures
}

// platform are the modules through which a test reaches the Worker without an import of it.
func platform(specifier string) bool {
	return strings.HasPrefix(specifier, "cloudflare:") || specifier == "eddy:test"
}

// Users are the roots on which files have an influence, by what the last build that succeeded knows: those that import
// one, directly or through others, and if the Worker's entry does, those that use the Worker. all says that it cannot
// be told of one of the files, so that every root may be meant.
func (m *Modules) Users(files []string) (roots []string, all bool) {
	s := m.kept.script
	if s == nil {
		return nil, true
	}
	wanted := map[string]bool{}
	for _, file := range files {
		users := m.mu.data[file]
		missed := m.missed(file)
		if s.modules[ModuleID(file)] == nil && len(users) == 0 && len(missed) == 0 {
			return nil, true
		}
		wanted[file] = true
		for _, broken := range missed {
			wanted[broken] = true
		}
		for user := range users {
			wanted[user] = true
		}
	}
	worker := m.reaches(s, m.options.Entry, wanted, false)
	for _, root := range m.roots {
		if m.reaches(s, root, wanted, worker) {
			roots = append(roots, root)
		}
	}
	return roots, false
}

// missed are the files that could not be built because another one was not there.
func (m *Modules) missed(file string) (broken []string) {
	for name, missing := range m.kept.broken {
		if slices.ContainsFunc(missing, func(path string) bool {
			return file == path || strings.HasPrefix(file, path+".") || strings.HasPrefix(file, path+"/") ||
				strings.HasPrefix(path, file+"/")
		}) {
			broken = append(broken, name)
		}
	}
	return broken
}

// Concerns tells whether the last build depends on a file, or would if the file were there.
func (m *Modules) Concerns(file string) bool {
	return slices.Contains(m.inputs, file) || len(m.missed(file)) > 0 || slices.Contains(m.missing, file)
}

// reaches tells whether a module imports one of the wanted, or, if worker is set, the platform.
func (m *Modules) reaches(s *moduleScript, from string, wanted map[string]bool, worker bool) bool {
	seen := map[string]bool{}
	var visit func(file string) bool
	visit = func(file string) bool {
		if wanted[file] {
			return true
		}
		module := s.modules[ModuleID(file)]
		if seen[file] || module == nil {
			return false
		}
		seen[file] = true
		for _, use := range slices.Concat(module.imports, module.dynamic) {
			if worker && platform(use.Specifier) {
				return true
			}
		}
		for imported := range m.importedBy(file, module) {
			if visit(imported) {
				return true
			}
		}
		return false
	}
	return visit(from)
}
