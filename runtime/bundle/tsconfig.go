package bundle

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/tailscale/hujson"
)

// tsconfigs are what is known of the tsconfig.json files of a project: esbuild does not say which others they extend.
type tsconfigs struct {
	files map[string]bool // that were read or looked for
	// complete is false if one of them cannot be understood, or extends something that is not found.
	complete bool
	// paths are patterns of specifiers, roots are folders in which all are looked for.
	paths []tsPath
	roots []string
}

// tsPath is what a pattern means, as seen from the folder of its tsconfig.json or from a root.
type tsPath struct{ pattern, dir, target string }

func newTSConfigs() *tsconfigs {
	return &tsconfigs{files: map[string]bool{}, complete: true}
}

// read reads a file, if there is one, and those that it extends.
func (t *tsconfigs) read(file string) { t.follow(file, filepath.Dir(file)) }

// follow reads a file of a chain that begins in a folder. It tells whether there is one.
func (t *tsconfigs) follow(file, begin string) bool {
	known := t.files[file]
	t.files[file] = true
	if real, err := filepath.EvalSymlinks(file); err == nil {
		known = known || real != file && t.files[real]
		file, t.files[real] = real, true
	}
	if known {
		_, err := os.Stat(file)
		return err == nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	var is struct {
		Extends         any
		CompilerOptions struct {
			BaseURL *string
			Paths   map[string][]string
		}
	}
	plain, err := hujson.Standardize(text)
	if err != nil || json.Unmarshal(plain, &is) != nil {
		t.complete = false
		return true
	}
	dir := filepath.Dir(file)
	place := func(base, path string) string {
		return absolute(base, filepath.FromSlash(strings.ReplaceAll(path, "${configDir}", begin)))
	}
	if base := is.CompilerOptions.BaseURL; base != nil {
		t.roots = append(t.roots, place(dir, *base))
	}
	for pattern, targets := range is.CompilerOptions.Paths {
		for _, target := range targets {
			target = strings.ReplaceAll(target, "${configDir}", begin)
			t.paths = append(t.paths, tsPath{pattern, dir, filepath.FromSlash(target)})
		}
	}
	list, several := is.Extends.([]any)
	if !several && is.Extends != nil {
		list = []any{is.Extends}
	}
	for _, each := range list {
		if name, ok := each.(string); !ok || !t.extends(dir, name, begin) {
			t.complete = false
		}
	}
	return true
}

// extends follows what a file in dir extends, and tells whether it was found.
func (t *tsconfigs) extends(dir, name, begin string) bool {
	name = strings.ReplaceAll(name, "${configDir}", begin)
	if name == "." || name == ".." {
		name += "/tsconfig.json"
	}
	if path := filepath.FromSlash(name); relative(name) || filepath.IsAbs(path) {
		path = absolute(dir, path)
		return t.follow(path, begin) || t.follow(path+".json", begin)
	}
	for ; ; dir = filepath.Dir(dir) {
		modules := filepath.Join(dir, "node_modules")
		base := filepath.Join(modules, filepath.FromSlash(name))
		about := filepath.Join(modules, filepath.FromSlash(packageName(name)), "package.json")
		t.files[about] = true
		if text, err := os.ReadFile(about); err == nil {
			var says struct{ TSConfig, Exports any } // either may name the file
			if json.Unmarshal(text, &says) != nil || says.TSConfig != nil || says.Exports != nil {
				return false
			}
		}
		if info, err := os.Stat(base); err == nil && info.IsDir() {
			base = filepath.Join(base, "tsconfig.json")
		}
		if t.follow(base, begin) || t.follow(base+".json", begin) {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// mapped are the files that a specifier may mean by these, without extension.
func (t *tsconfigs) mapped(specifier string) (out []string) {
	for _, root := range t.roots {
		out = append(out, filepath.Join(root, filepath.FromSlash(specifier)))
	}
	for _, p := range t.paths {
		before, after, star := strings.Cut(p.pattern, "*")
		middle, ok := strings.CutPrefix(specifier, before)
		if ok && star {
			middle, ok = strings.CutSuffix(middle, after)
		} else {
			ok = ok && middle == ""
		}
		if !ok {
			continue
		}
		target := strings.ReplaceAll(p.target, "*", filepath.FromSlash(middle))
		for _, base := range append([]string{p.dir}, t.roots...) {
			out = append(out, absolute(base, target))
		}
	}
	return out
}
