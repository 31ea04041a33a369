package eddy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// unsafeHomes are the packages that may import unsafe, or ask reflection for fields of goja's, each with its reason.
var unsafeHomes = map[string]string{
	"runtime/engine/gojainternals": "reaches goja's unexported fields behind functions with types, and proves them " +
		"when it starts",
	"runtime/engine/native": "shows a part of the address space to WebAssembly as its memory",
	"runtime/sqlite":        "C's memory: what SQLite is given and what it points to",
}

// Memory is reached past the type system in a few packages only, tests included.
func TestUnsafeHasOneHome(t *testing.T) {
	lived := map[string]bool{}
	eachFile(t, func(p string, text []byte) {
		pkg := filepath.ToSlash(filepath.Dir(p))
		file, err := parser.ParseFile(token.NewFileSet(), p, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		imports := map[string]bool{}
		for _, imp := range file.Imports {
			imports[strings.Trim(imp.Path.Value, `"`)] = true
		}
		lived[pkg] = lived[pkg] || imports["unsafe"]
		for _, group := range file.Comments {
			for _, c := range group.List {
				if strings.HasPrefix(c.Text, "//go:linkname") {
					t.Errorf("%s: %s", p, c.Text)
				}
			}
		}
		if unsafeHomes[pkg] != "" {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			from, _ := sel.X.(*ast.Ident)
			switch sel.Sel.Name {
			case "Sizeof": // which reaches nothing
			case "FieldByName", "FieldByIndex", "NewAt", "UnsafeAddr", "UnsafePointer":
				if imports["reflect"] && imports["github.com/dop251/goja"] {
					t.Errorf("%s: reflect's %s beside goja: what is unexported there is reached by gojainternals", p,
						sel.Sel.Name)
				}
			default:
				if imports["unsafe"] && from != nil && from.Name == "unsafe" {
					t.Errorf("%s: unsafe.%s is at home in few packages, of which this is none", p, sel.Sel.Name)
				}
			}
			return true
		})
	})
	for pkg := range unsafeHomes {
		if !lived[pkg] {
			t.Errorf("%s does not import unsafe any more: take it out of the table", pkg)
		}
	}
}

// eachFile calls f for every Go file.
func eachFile(t *testing.T, f func(p string, text []byte)) {
	t.Helper()
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && (name == "testdata" || name == "node_modules" ||
			len(name) > 1 && name[0] == '.') {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(p, ".go") {
			return nil
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		f(p, text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
