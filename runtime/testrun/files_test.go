package testrun

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFind: which files are tests when nothing says so (TEST-116).
func TestFind(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{
		"a.test.ts", "src/b.spec.js", "src/c.test.mts", "d.test.cjs", "e.test.tsx", "f.test.go", "testing.ts",
		"g.test.ts.snap",
		"node_modules/p/h.test.js", "deep/node_modules/p/i.test.js", ".git/j.test.ts", "old/k.test.ts",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	files, err := Find(dir, DefaultInclude, append(slices.Clone(DefaultExclude), "old/**"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, filepath.ToSlash(strings.TrimPrefix(f, dir+string(filepath.Separator))))
	}
	if want := []string{"a.test.ts", "d.test.cjs", "e.test.tsx", "src/b.spec.js",
		"src/c.test.mts"}; !slices.Equal(names, want) {
		t.Errorf("found %v, want %v", names, want)
	}
	if kept, lines := Choose(dir, files, []string{"src/", "a.test.ts:7"}); len(kept) != 3 ||
		!slices.Equal(lines, []int{7}) {
		t.Errorf("chosen %v, lines %v", kept, lines)
	}
	seen := map[string]bool{}
	for _, part := range []string{"1/3", "2/3", "3/3"} {
		shard, err := Shard(dir, files, part)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range shard {
			if seen[f] {
				t.Errorf("%s is in two parts", f)
			}
			seen[f] = true
		}
	}
	if len(seen) != len(files) {
		t.Errorf("the parts have %d files, want %d", len(seen), len(files))
	}
	for _, bad := range []string{"0/3", "4/3", "1", "a/b"} {
		if _, err := Shard(dir, files, bad); err == nil {
			t.Errorf("part %q is taken", bad)
		}
	}
}
