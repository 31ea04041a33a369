package bundle

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"eddy/runtime/lazyregexp"
)

// see notes that a file takes part in the current build. esbuild calls it from several goroutines.
func (b *Builder) see(file string) {
	b.seen.Lock()
	defer b.seen.Unlock()
	b.seen.files[file] = true
}

// note keeps what a Watcher must look at after this build.
func (b *Builder) note(failures []BuildMessage) {
	b.seen.Lock()
	defer b.seen.Unlock()
	files := b.seen.files
	b.missing = nil
	if len(failures) > 0 {
		for _, f := range b.last {
			files[f] = true
		}
		b.missing = b.missingFiles(failures)
	}
	b.inputs = slices.Sorted(maps.Keys(files))
}

// Watch returns what the next build depends on, after a build that succeeded or failed.
func (b *Builder) Watch() WatchSet {
	d := dependencies{inputs: b.inputs, sought: b.seeking.taken(), dir: b.options.Dir, tsconfig: b.options.TSConfig}
	p := d.paths()
	return WatchSet{Missing: b.missing, Folders: b.more.folders, Files: slices.Concat(b.inputs, d.configFiles(p)),
		Sought: slices.Sorted(maps.Keys(p.sought))}
}

var notResolved = lazyregexp.New(`^Could not (?:resolve|read) "([^"]*)"`)

// missingFiles are the paths, with or without extension, of imports that were not found: files, and packages that may
// be installed later.
func (b *Builder) missingFiles(failures []BuildMessage) []string {
	var out []string
	for _, m := range failures {
		match := notResolved.FindStringSubmatch(m.Text)
		if match == nil || m.File == "" {
			continue
		}
		name := filepath.FromSlash(match[1])
		if strings.HasPrefix(name, ".") {
			out = append(out, filepath.Join(filepath.Dir(m.File), name))
			continue
		}
		for dir := filepath.Dir(m.File); ; dir = filepath.Dir(dir) {
			modules := filepath.Join(dir, "node_modules")
			if _, err := os.Stat(modules); err == nil || dir == b.options.Dir {
				out = append(out, filepath.Join(modules, name))
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return out
}
