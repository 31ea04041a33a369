package eddy

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// onewayPackages are the session's house: the door, the session, the front, the state directory, sharing and control.
// No two files of one of them refer to each other, fields aside: each file can be read with what is below it.
var onewayPackages = []string{"runtime", "runtime/session", "runtime/front", "runtime/statedir", "runtime/sharing",
	"runtime/sharing/peer", "runtime/control", "runtime/running", "runtime/report"}

// listed is what go list says of a package. Export is the file with its types.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

func TestFilesReferOneWay(t *testing.T) {
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles"}
	for _, p := range onewayPackages {
		args = append(args, "./"+p)
	}
	cmd := exec.Command("go", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := map[string]listed{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages[p.ImportPath] = p
	}
	// The types of what several packages use are read once.
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(packages[path].Export)
	})
	for _, name := range onewayPackages {
		p, ok := packages["eddy/"+name]
		if !ok {
			t.Errorf("%s: there is no such package", name)
			continue
		}
		refers := references(t, p, fset, imports)
		if len(refers) == 0 && len(p.GoFiles) > 2 {
			t.Errorf("%s: no file refers to another one, which cannot be", name)
		}
		for pair, what := range refers {
			if back, both := refers[[2]string{pair[1], pair[0]}]; both && pair[0] < pair[1] {
				t.Errorf("%s: %s uses %s of %s, which uses its %s", name, pair[0], what, pair[1], back)
			}
		}
	}
}

// references finds, for each two files of a package of which the first uses a name of the second, one such name.
func references(t *testing.T, p listed, fset *token.FileSet, imports types.Importer) map[[2]string]string {
	t.Helper()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: imports}
	pkg, err := conf.Check(p.ImportPath, fset, files, info)
	if err != nil {
		t.Fatal(err)
	}
	refers := map[[2]string]string{}
	for id, obj := range info.Uses {
		if v, ok := obj.(*types.Var); obj.Pkg() != pkg || ok && v.Parent() != pkg.Scope() {
			continue // another package's, a local variable or a field
		}
		from, to := filepath.Base(fset.Position(id.Pos()).Filename), filepath.Base(fset.Position(obj.Pos()).Filename)
		if from != to {
			refers[[2]string{from, to}] = obj.Name()
		}
	}
	return refers
}
