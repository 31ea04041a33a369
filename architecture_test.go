package eddy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// notGo are the names in ARCHITECTURE.md that JavaScript, the platform or the command line has.
var notGo = strings.Fields(`ack retry alarm() fetch() queue() send() get waitUntil env ctx.storage
	ctx.storage.setAlarm() env.QUEUE.send() Response Intl JSON RegExp net/http node: node:crypto dev`)

// declarations are the names that the Go files declare: f, T, T.method, T.field, and each with its package before it.
func declarations(t *testing.T) (names, files map[string]bool) {
	t.Helper()
	names, files = map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if d.Name() == "testdata" || d.Name() == "node_modules" || len(d.Name()) > 1 && d.Name()[0] == '.' {
				return filepath.SkipDir
			}
			return nil
		case !strings.HasSuffix(p, ".go"):
			return nil
		}
		files[d.Name()] = true
		file, err := parser.ParseFile(token.NewFileSet(), p, nil, 0)
		if err != nil {
			return err
		}
		pkg := file.Name.Name
		names[pkg] = true
		add := func(path ...string) {
			for i := range path {
				names[strings.Join(path[i:], ".")] = true
			}
		}
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil {
					add(pkg, decl.Name.Name)
				} else {
					add(pkg, receiver(decl.Recv.List[0].Type), decl.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					addSpec(spec, func(path ...string) { add(append([]string{pkg}, path...)...) })
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names, files
}

func addSpec(spec ast.Spec, add func(path ...string)) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, n := range spec.Names {
			add(n.Name)
		}
	case *ast.TypeSpec:
		add(spec.Name.Name)
		var members *ast.FieldList
		switch typ := spec.Type.(type) {
		case *ast.StructType:
			members = typ.Fields
		case *ast.InterfaceType:
			members = typ.Methods
		default:
			return
		}
		for _, m := range members.List {
			for _, n := range m.Names {
				add(spec.Name.Name, n.Name)
			}
		}
	}
}

// receiver is the name of a receiver's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// Every file, folder, function, method, type and field that ARCHITECTURE.md names is there.
func TestArchitectureNamesWhatExists(t *testing.T) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	names, files := declarations(t)
	foreign := map[string]bool{}
	for _, name := range notGo {
		foreign[name] = false
	}
	fence := regexp.MustCompile("(?s)```.*?```")
	prose := fence.ReplaceAllString(string(text), "")
	seen := 0
	for _, m := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(prose, -1) {
		name := m[1]
		if _, ok := foreign[name]; ok {
			foreign[name] = true
			continue
		}
		top, _, isPath := strings.Cut(name, "/")
		switch {
		case strings.HasPrefix(name, "-"), strings.HasPrefix(name, "/"), strings.HasPrefix(name, "eddy "):
			continue // flags, paths of requests, commands
		case isPath:
			pattern := strings.NewReplacer("<name>", "*", "…", "*").Replace(strings.TrimSuffix(name, "/"))
			found, err := filepath.Glob(pattern)
			if err != nil {
				t.Fatal(name, err)
			}
			if nested, err := filepath.Glob("*/" + pattern); err == nil {
				found = append(found, nested...)
			}
			if len(found) == 0 {
				t.Errorf("ARCHITECTURE.md names %s: there is no such path below %s", name, top)
			}
		case strings.HasSuffix(name, ".go"):
			if !files[name] {
				t.Errorf("ARCHITECTURE.md names %s: there is no such file", name)
			}
		case !names[name]:
			if _, err := os.Stat(name); err != nil {
				t.Errorf("ARCHITECTURE.md names %s: nothing is declared by that name", name)
			}
		}
		seen++
	}
	if seen < 200 {
		t.Errorf("only %d names were looked up", seen)
	}
	for name, used := range foreign {
		if !used {
			t.Errorf("ARCHITECTURE.md does not name %s any more: take it out of notGo", name)
		}
	}
}
