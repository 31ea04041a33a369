package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// stamp is what a path looked like when a bundle was made of it, or of what lies beside it. A build depends on more
// than the files that went in: on package.json and tsconfig.json on the way up, on files that would be found before
// others, and on where links lead.
type stamp struct {
	Path string `json:"path"`
	// Size is -1 if there was nothing, -2 for a folder.
	Size int64 `json:"size"`
	// Time, Changed and Inode are when the file was written and when the system changed it, in nanoseconds, and what it
	// is on its disk. Package managers, archives and copies set the first, so that another version of the same size may
	// have it; nobody sets the second, which is 0 where the system has none.
	Time    int64  `json:"time,omitempty"`
	Changed int64  `json:"changed,omitempty"`
	Inode   uint64 `json:"inode,omitempty"`
	// Hash is a digest of a file: what was touched, copied or installed anew may be the same.
	Hash string `json:"hash,omitempty"`
	// Names is a digest of the names in a folder, with the targets of links, and of links that lead to it.
	Names string `json:"names,omitempty"`
}

// lookAt describes a file, or that there is none, without reading it. ok is false for a folder.
func lookAt(path string) (made stamp, ok bool) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return stamp{Path: path, Size: -1}, true
	case info.IsDir():
		return stamp{}, false
	}
	made = stamp{Path: path, Size: info.Size(), Time: info.ModTime().UnixNano()}
	if changed, inode, known := markOf(info); known {
		made.Changed, made.Inode = changed.UnixNano(), inode
	}
	return made, true
}

// stampFile describes a file, or that there is none.
func stampFile(path string) stamp {
	hash := hashOf(path) // before the times, so that settled sees what is written between the two
	made, ok := lookAt(path)
	if !ok {
		return stampFolder(path)
	}
	made.Hash = hash
	return made
}

// hashOf is a digest of a file, "" if it cannot be read.
func hashOf(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	digest := sha256.Sum256(text)
	return hex.EncodeToString(digest[:])
}

// stampFolder describes what is in a folder, without hidden files, which no import finds by itself and which eddy and
// editors write.
func stampFolder(path string) stamp {
	entries, err := os.ReadDir(path)
	if err != nil {
		return stamp{Path: path, Size: -1}
	}
	digest := sha256.New()
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
		digest.Write([]byte(real + "\x00"))
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		digest.Write([]byte(e.Name() + "\x00" + e.Type().String() + "\x00"))
		if e.Type()&fs.ModeSymlink != 0 {
			target, _ := os.Readlink(filepath.Join(path, e.Name())) // one that is gone has another digest
			digest.Write([]byte(target + "\x00"))
		}
	}
	return stamp{Path: path, Size: -2, Names: hex.EncodeToString(digest.Sum(nil)[:12])}
}

// stands tells whether the path looks as it did. A file that nobody has changed is not read.
func (s stamp) stands() bool {
	if s.Size == -2 {
		return s == stampFolder(s.Path)
	}
	now, ok := lookAt(s.Path)
	if !ok || s.Size != now.Size {
		return false
	}
	if s.Size < 0 {
		return true
	}
	if s.Changed != 0 && s.Changed == now.Changed && s.Inode == now.Inode && s.Time == now.Time {
		return true
	}
	return s.Hash != "" && s.Hash == hashOf(s.Path)
}

// dependencies are what a build depends on, by what it has met.
type dependencies struct {
	// inputs are the files that went in, importers the folders' files from which some of them are looked for.
	inputs, importers []string
	sought            sought
	// dir is the project's folder, tsconfig the file of its options, or "".
	dir, tsconfig string
}

// paths are what a build depends on, whether there is something or not.
type paths struct {
	files, folders map[string]bool
	sought         map[string]bool // what imports ask for, without extension or as folders
	configs        *tsconfigs
}

// paths reads tsconfig.json files and nothing else: it is asked in each reload.
func (d dependencies) paths() paths {
	files, folders := map[string]bool{}, map[string]bool{}
	configs := newTSConfigs()
	if d.tsconfig != "" {
		configs.read(d.tsconfig)
	}
	seen := map[string]bool{}
	up := func(dir string) {
		for ; !seen[dir]; dir = filepath.Dir(dir) {
			seen[dir] = true
			files[filepath.Join(dir, "package.json")] = true
			if !inPackages(dir + "/") {
				for _, name := range []string{"tsconfig.json", "jsconfig.json"} {
					configs.read(filepath.Join(dir, name))
				}
				for _, name := range []string{".pnp.cjs", ".pnp.data.json", ".pnp.js"} {
					files[filepath.Join(dir, name)] = true
				}
				if d.dir != "" && strings.HasPrefix(dir, d.dir+string(filepath.Separator)) {
					folders[dir] = true // import() of a computed path finds what is below
				}
			}
			if filepath.Base(dir) != "node_modules" {
				folders[filepath.Join(dir, "node_modules")] = true
			}
		}
	}
	for _, input := range d.inputs {
		files[input], folders[filepath.Dir(input)] = true, true
		up(filepath.Dir(input))
	}
	for _, importer := range d.importers {
		up(filepath.Dir(importer))
	}
	sought := d.sought.paths(configs)
	for path := range sought {
		folders[filepath.Dir(path)] = true
		files[filepath.Join(path, "package.json")] = true
	}
	for file := range configs.files {
		files[file] = true
	}
	return paths{files, folders, sought, configs}
}

// stamps describe all that is depended on. complete is false if that cannot be told.
func (d dependencies) stamps() (out []stamp, complete bool) {
	p := d.paths()
	complete = p.configs.complete
	for file := range p.files {
		out = append(out, stampFile(file))
	}
	for _, input := range d.inputs {
		if _, err := os.Stat(input); err != nil {
			complete = false // it is gone, or part of an archive
		}
	}
	for folder := range p.folders {
		made := stampFolder(folder)
		out = append(out, made)
		if made.Size != -2 || filepath.Base(folder) != "node_modules" {
			continue
		}
		scopes, _ := filepath.Glob(filepath.Join(folder, "@*")) // the pattern is well-formed
		for _, scope := range scopes {
			out = append(out, stampFolder(scope))
		}
	}
	slices.SortFunc(out, func(a, b stamp) int { return strings.Compare(a.Path, b.Path) })
	return out, complete
}

// unchanged tells whether all paths look as they did.
func unchanged(list []stamp) bool {
	for _, s := range list {
		if !s.stands() {
			return false
		}
	}
	return true
}

// tick is how coarse the times of a file system may be.
const tick = 20 * time.Millisecond

// configFiles are the files outside of packages that say how a build goes: those that there are, and those in the
// project that may come.
func (d dependencies) configFiles(p paths) (out []string) {
	for _, path := range slices.Sorted(maps.Keys(p.files)) {
		if inPackages(path) || slices.Contains(d.inputs, path) {
			continue
		}
		made, ok := lookAt(path)
		name := filepath.Base(path)
		mayCome := (name == "package.json" || name == "tsconfig.json") &&
			d.dir != "" && strings.HasPrefix(path, d.dir+string(filepath.Separator))
		if ok && (made.Size >= 0 || mayCome) {
			out = append(out, path)
		}
	}
	return out
}

// settled tells whether no file was written after a time or shortly before it.
func settled(list []stamp, began time.Time) bool {
	limit := began.Add(-tick).UnixNano()
	for _, s := range list {
		if s.Time > limit || s.Changed > limit {
			return false
		}
	}
	return true
}

// Moved tells whether one of the files may have been written since a time, or is gone.
func Moved(files []string, since time.Time) bool {
	for _, file := range files {
		made, ok := lookAt(file)
		if ok && (made.Size < 0 || !settled([]stamp{made}, since)) {
			return true
		}
	}
	return false
}
