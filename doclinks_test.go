package eddy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"strings"
	"testing"
)

// docLink finds what a comment writes in brackets to name a declaration: [Name], [Type.Member], [package.Name]. What
// stands in quotes, in two brackets, or behind a name is no link.
var docLink = regexp.MustCompile(`(?:^|[\s(])\[\*?((?:[a-z][a-z0-9]*\.)?[A-Z]\w*(?:\.[A-Za-z]\w*)?)\](?:$|[^\[(:\]\w])`)

// What a comment links to exists: a name in brackets is declared in the package, or in the package that it names.
func TestDocLinks(t *testing.T) {
	declared := map[string]map[string]bool{} // by package: Name, and Type.Member
	files := map[string]*ast.File{}
	fset := token.NewFileSet()
	eachSource(t, func(file, pkg string) {
		f, err := parser.ParseFile(fset, file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files[file] = f
		if declared[pkg] == nil {
			declared[pkg] = map[string]bool{}
		}
		for _, d := range f.Decls {
			declare(d, declared[pkg])
		}
	})
	links := 0
	for file, f := range files {
		imports := importsOf(f)
		for _, group := range f.Comments {
			for _, m := range docLink.FindAllStringSubmatch(group.Text(), -1) {
				name, pkg := m[1], path.Dir(file)
				if first, rest, ok := strings.Cut(name, "."); ok && first == strings.ToLower(first) {
					p, known := imports[first]
					if !known {
						p, known = sibling(declared, first)
					}
					if !known {
						continue // of the standard library, or of somebody else
					}
					name, pkg = rest, p
				}
				if links++; !declared[pkg][name] {
					t.Errorf("%s: the comment links to [%s]: %s declares no %s", fset.Position(group.Pos()),
						m[1], pkg, name)
				}
			}
		}
	}
	if links < 500 {
		t.Errorf("only %d links were found", links)
	}
}

// declare notes what a declaration declares.
func declare(d ast.Decl, names map[string]bool) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			name = receiverName(d.Recv.List[0].Type) + "." + name
		}
		names[name] = true
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names[n.Name] = true
				}
			case *ast.TypeSpec:
				names[s.Name.Name] = true
				var fields *ast.FieldList
				switch u := s.Type.(type) {
				case *ast.StructType:
					fields = u.Fields
				case *ast.InterfaceType:
					fields = u.Methods
				default:
					continue
				}
				for _, f := range fields.List {
					for _, n := range f.Names {
						names[s.Name.Name+"."+n.Name] = true
					}
				}
			}
		}
	}
}

// receiverName is the type of a receiver without pointer and type parameters.
func receiverName(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// importsOf are the packages of this module that a file imports, by the name that it uses for each.
func importsOf(f *ast.File) map[string]string {
	out := map[string]string{}
	for _, imp := range f.Imports {
		p := strings.Trim(imp.Path.Value, `"`)
		name := path.Base(p)
		if imp.Name != nil {
			name = imp.Name.Name
		}
		if rest, own := strings.CutPrefix(p, "eddy/"); own {
			out[name] = rest
		}
	}
	return out
}

// sibling finds the one package of this module of that name: a comment may link to a package that its file does not
// import.
func sibling(packages map[string]map[string]bool, name string) (found string, ok bool) {
	for p := range packages {
		if path.Base(p) == name {
			if ok {
				return "", false
			}
			found, ok = p, true
		}
	}
	return found, ok
}
