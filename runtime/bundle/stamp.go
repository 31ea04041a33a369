package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// stamp is what a path looked like when a bundle was made of it, or of what lies beside it. A build depends on more
// than the files that went in: on package.json and tsconfig.json on the way up, on files that would be found before
// others, and on where links in node_modules lead.
type stamp struct {
	Path string `json:"path"`
	// Size is -1 if there was nothing, -2 for a folder.
	Size int64 `json:"size"`
	Time int64 `json:"time,omitempty"` // of the last change, in nanoseconds; not for folders
	// Hash is a digest of a file outside of node_modules: editors and version control write files that stay the same.
	Hash string `json:"hash,omitempty"`
	// Names is a digest of the names in a folder, with the targets of links.
	Names string `json:"names,omitempty"`
}

// stampFile describes a file, or that there is none.
func stampFile(path string) stamp {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return stamp{Path: path, Size: -1}
	case info.IsDir():
		return stampFolder(path)
	}
	made := stamp{Path: path, Size: info.Size(), Time: info.ModTime().UnixNano()}
	if !inPackages(path) {
		if text, err := os.ReadFile(path); err == nil {
			digest := sha256.Sum256(text)
			made.Hash = hex.EncodeToString(digest[:])
		}
	}
	return made
}

// same tells whether a path looks as it did.
func (s stamp) same(o stamp) bool {
	if s.Hash != "" {
		s.Time, o.Time = 0, 0
	}
	return s == o
}

// stampFolder describes what is in a folder, without hidden files, which no import finds by itself and which eddy and
// editors write.
func stampFolder(path string) stamp {
	entries, err := os.ReadDir(path)
	if err != nil {
		return stamp{Path: path, Size: -1}
	}
	digest := sha256.New()
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

// again looks at the path once more.
func (s stamp) again() stamp {
	if s.Size == -2 {
		return stampFolder(s.Path)
	}
	return stampFile(s.Path)
}

// stamps describe what a build of inputs depended on.
func stamps(inputs []string, tsconfig string) []stamp {
	return stampAll(inputs, nil, tsconfig)
}

// stampAll describes what a build depends on that finds inputs, some of them from the folders of importers.
func stampAll(inputs, importers []string, tsconfig string) []stamp {
	files, folders := map[string]bool{}, map[string]bool{}
	if tsconfig != "" {
		files[tsconfig] = true
	}
	seen := map[string]bool{}
	for i, input := range slices.Concat(inputs, importers) {
		dir := filepath.Dir(input)
		if i < len(inputs) {
			files[input] = true
			folders[dir] = true
		}
		for ; !seen[dir]; dir = filepath.Dir(dir) {
			seen[dir] = true
			files[filepath.Join(dir, "package.json")] = true
			if !inPackages(dir + "/") {
				files[filepath.Join(dir, "tsconfig.json")] = true
				files[filepath.Join(dir, "jsconfig.json")] = true
			}
			if filepath.Base(dir) != "node_modules" {
				folders[filepath.Join(dir, "node_modules")] = true
			}
		}
	}
	var out []stamp
	for file := range files {
		out = append(out, stampFile(file))
	}
	for folder := range folders {
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
	return out
}

// unchanged tells whether all paths look as they did.
func unchanged(list []stamp) bool {
	for _, s := range list {
		if !s.same(s.again()) {
			return false
		}
	}
	return true
}

// settled tells whether no file was written after a time or shortly before it: the tick of a file system may be coarse.
func settled(list []stamp, began time.Time) bool {
	limit := began.Add(-20 * time.Millisecond).UnixNano()
	for _, s := range list {
		if s.Time > limit {
			return false
		}
	}
	return true
}
