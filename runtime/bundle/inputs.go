package bundle

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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
	return WatchSet{Files: b.inputs, Missing: b.missing, Folders: b.more.folders}
}

var notResolved = regexp.MustCompile(`^Could not (?:resolve|read) "([^"]*)"`)

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
		out = append(out, filepath.Join(b.options.Dir, "node_modules", name))
	}
	return out
}
