package coverage

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// pack are the files of one directory, as istanbul's reports group them.
type pack struct {
	// name is the directory below the one that all files have in common; where that has files itself, its own name
	// comes first. "" is the only directory of all.
	name  string
	files []*FileCoverage
}

// packages groups files by their directories, sorted by name.
func packages(files []*FileCoverage) (out []pack) {
	byDir := map[string][]*FileCoverage{}
	var dirs []string
	for _, f := range files {
		dir := path.Dir(filepath.ToSlash(f.Path))
		if byDir[dir] == nil {
			dirs = append(dirs, dir)
		}
		byDir[dir] = append(byDir[dir], f)
	}
	common, first := commonDir(dirs), ""
	if len(dirs) > 1 && slices.Contains(dirs, common) {
		first = path.Base(common)
	}
	for _, dir := range dirs {
		name := path.Join(first, strings.TrimPrefix(strings.TrimPrefix(dir, common), "/"))
		out = append(out, pack{name, byDir[dir]})
	}
	slices.SortFunc(out, func(x, y pack) int { return strings.Compare(x.name, y.name) })
	return out
}

// dotted is the name as that of a package of Java.
func (p pack) dotted() string { return strings.ReplaceAll(p.name, "/", ".") }

// conditions are how many ways the branches of a line have, and how many of them were taken.
type conditions struct{ total, covered int }

// conditions are those of the file, by line.
func (f *FileCoverage) conditions() map[int]conditions {
	out := map[int]conditions{}
	for i, b := range f.Branches {
		c := out[b.Line]
		for _, count := range f.BranchCounts[i] {
			c.total++
			if count > 0 {
				c.covered++
			}
		}
		out[b.Line] = c
	}
	return out
}
