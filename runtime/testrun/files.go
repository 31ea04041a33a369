package testrun

import (
	"crypto/sha1"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// The defaults of vitest 4 (TEST-116).
var (
	DefaultInclude = []string{"**/*.{test,spec}.?(c|m)[jt]s?(x)"}
	DefaultExclude = []string{"**/node_modules/**", "**/.git/**"}
)

// Find lists the files below dir that match a glob of include and none of exclude, sorted.
func Find(dir string, include, exclude []string) ([]string, error) {
	include, exclude = plainGlobs(include), plainGlobs(exclude)
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if d.IsDir() {
			if d.Name() == "node_modules" || d.Name() == ".git" || name != "." && matches(exclude, name+"/x") {
				return filepath.SkipDir
			}
			return nil
		}
		if matches(include, name) && !matches(exclude, name) {
			files = append(files, path)
		}
		return nil
	})
	slices.Sort(files)
	return files, err
}

// FindSource lists the files that match a glob of include, and none of exclude, and have tests beside their code.
func FindSource(dir string, include, exclude []string) ([]string, error) {
	if len(include) == 0 {
		return nil, nil
	}
	files, err := Find(dir, include, exclude)
	var kept []string
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		if strings.Contains(string(text), "import.meta.vitest") {
			kept = append(kept, f)
		}
	}
	return kept, err
}

func matches(globs []string, name string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool {
		ok, err := doublestar.Match(strings.TrimPrefix(glob, "./"), name)
		return ok && err == nil
	})
}

// plainGlobs writes ?(a|b), one or none of them, as {,a,b}.
func plainGlobs(globs []string) []string {
	out := make([]string, len(globs))
	for i, glob := range globs {
		for {
			before, rest, found := strings.Cut(glob, "?(")
			inside, after, closed := strings.Cut(rest, ")")
			if !found || !closed {
				break
			}
			glob = before + "{," + strings.ReplaceAll(inside, "|", ",") + "}" + after
		}
		out[i] = glob
	}
	return out
}

// Choose keeps the files that a filter of the command line names: a part of the path, with :line behind it for the
// tests on that line (TEST-132). Without filters all are kept.
func Choose(dir string, files, filters []string) (kept []string, lines []int) {
	if len(filters) == 0 {
		return files, nil
	}
	for _, file := range files {
		name, err := filepath.Rel(dir, file)
		if err != nil {
			name = file
		}
		name = filepath.ToSlash(name)
		for _, filter := range filters {
			part, line, hasLine := cutLine(filter)
			part = strings.TrimPrefix(filepath.ToSlash(part), "./")
			if strings.Contains(name, part) || filepath.ToSlash(file) == part {
				kept = append(kept, file)
				if hasLine {
					lines = append(lines, line)
				}
				break
			}
		}
	}
	return kept, lines
}

func cutLine(filter string) (path string, line int, ok bool) {
	i := strings.LastIndexByte(filter, ':')
	if i < 0 {
		return filter, 0, false
	}
	n, err := strconv.Atoi(filter[i+1:])
	if _, missing := os.Stat(filter); err != nil || missing == nil {
		return filter, 0, false
	}
	return filter[:i], n, true
}

// Shard keeps the files of one part, as 2/3; "" keeps all. Which file goes where depends on the hash of its path
// relative to dir (TEST-133).
func Shard(dir string, files []string, part string) ([]string, error) {
	if part == "" {
		return files, nil
	}
	index, count, ok := strings.Cut(part, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(count)
	if !ok || err1 != nil || err2 != nil || i < 1 || i > n {
		return nil, errors.New("expected INDEX/COUNT, with an index from 1 to the count")
	}
	hash := func(file string) string {
		name, err := filepath.Rel(dir, file)
		if err != nil {
			name = file
		}
		sum := sha1.Sum([]byte(filepath.ToSlash(name)))
		return string(sum[:])
	}
	sorted := slices.Clone(files)
	slices.SortFunc(sorted, func(a, b string) int { return strings.Compare(hash(a), hash(b)) })
	size := (len(sorted) + n - 1) / n
	return sorted[min((i-1)*size, len(sorted)):min(i*size, len(sorted))], nil
}
