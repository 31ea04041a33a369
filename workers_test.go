package eddy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// longestWorker is how long a Worker may be that stands in a string of a test; a longer one is a file under testdata.
const longestWorker = 300

// workerText is what tells a Worker from other scripts.
var workerText = regexp.MustCompile(`\bexport default\b|\bexport class\b|\bcreateDOQueue\(\{|addEventListener\("fetch"`)

func TestWorkersAreFiles(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if name := d.Name(); name == "testdata" || name == "node_modules" || len(name) > 1 && name[0] == '.' {
				return filepath.SkipDir
			}
			return nil
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			text := constantText(e)
			if !workerText.MatchString(text) {
				return true
			}
			seen++
			if len(text) > longestWorker {
				t.Errorf("%s: a Worker of %d characters: make it a file under testdata", files.Position(n.Pos()),
					len(text))
			}
			return false
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 50 {
		t.Errorf("only %d Workers were found in strings, short ones included", seen)
	}
}

// constantText is the text of a string, or of several that + joins, without what is not constant; "" for all else.
func constantText(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, _ := strconv.Unquote(e.Value)
			return text
		}
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return constantText(e.X) + constantText(e.Y)
		}
	case *ast.ParenExpr:
		return constantText(e.X)
	}
	return ""
}
