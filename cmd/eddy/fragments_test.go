package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestGoFragments compiles every fragment of Go in README.md and the pages of docs, within what
// testdata/fragments.txtar puts around it. A fragment that is a whole file is left to TestGoExample.
func TestGoFragments(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	archive, err := txtar.ParseFile(filepath.Join("testdata", "fragments.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	around := map[string]string{}
	for _, f := range archive.Files {
		around[f.Name] = string(f.Data)
	}
	// The compiler sees the files below a folder of the module that does not exist.
	const folder = "fragments"
	dir, overlay, packages := t.TempDir(), map[string]string{}, []string{}
	for _, page := range pagesWithGo(t, root) {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range strings.Split(string(text), "\n```go\n")[1:] {
			block, _, _ = strings.Cut(block, "```")
			if strings.HasPrefix(block, "package ") {
				continue
			}
			name := fmt.Sprintf("%s %d", page, i+1)
			file, found := around[name]
			if !found {
				t.Errorf("testdata/fragments.txtar lacks %q", name)
				continue
			}
			delete(around, name)
			imports := ""
			if strings.HasPrefix(block, "import (") {
				imports, block, _ = strings.Cut(block, "\n)\n")
				imports += "\n)\n"
			}
			file = strings.Replace(file, "// IMPORTS", imports, 1)
			file = strings.Replace(file, "// FRAGMENT", block, 1)
			n := fmt.Sprint(len(packages) + 1)
			real := filepath.Join(dir, n+".go")
			if err := os.WriteFile(real, []byte(file), 0o600); err != nil {
				t.Fatal(err)
			}
			overlay[filepath.Join(root, folder, n, "fragment.go")] = real
			packages = append(packages, "./"+folder+"/"+n)
		}
	}
	for name := range around {
		t.Errorf("testdata/fragments.txtar has %q, which no page has", name)
	}
	if len(packages) < 3 {
		t.Fatalf("%d fragments: are the pages read rightly?", len(packages))
	}
	list, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(config, list, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", append([]string{"build", "-overlay", config}, packages...)...)
	cmd.Dir = root // in the environment of the tests, for which the packages are built already
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
}

// pagesWithGo are the Markdown files of the repository that show Go, by their paths from its root.
func pagesWithGo(t *testing.T, root string) (pages []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || path != "." && d.Name()[0] == '.'):
			return fs.SkipDir
		case filepath.Ext(path) != ".md":
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, path))
		if strings.Contains(string(text), "\n```go\n") {
			pages = append(pages, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}
