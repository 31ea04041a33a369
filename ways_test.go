package eddy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// maxClimbs is how often a way may go up the house.
const maxClimbs = 2

// waysFollowed are the ways that ARCHITECTURE.md must follow.
var waysFollowed = []string{"a request", "a message", "an alarm", "a key of the configuration"}

// wayLine is one call of a way: file and function, what it is called through, and who put it there.
var wayLine = regexp.MustCompile(`^( *)(\S+\.go) (\S+)(?: (via|takes) (\S+) of (\S+\.go) (\S+))?( ↑)?$`)

// Each way of ARCHITECTURE.md is what the code does: every function is there, its caller names it, the call goes down
// the house or is marked as a climb, and a way has two climbs at most.
func TestWaysClimbTwice(t *testing.T) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "```ways\n")
	block, _, end := strings.Cut(rest, "\n```\n")
	if !ok || !end {
		t.Fatal("ARCHITECTURE.md has no block ```ways")
	}
	h := &house{t: t, files: map[string]*ast.File{}, imports: map[string]map[string]bool{}}
	eachImport(t, func(_, pkg, imported string) {
		if h.imports[pkg] == nil {
			h.imports[pkg] = map[string]bool{}
		}
		h.imports[pkg][strings.TrimPrefix(imported, "eddy/")] = true
	})
	var names []string
	for way := range strings.SplitSeq(block, "\n\n") {
		name, tree, _ := strings.Cut(way, "\n")
		names = append(names, name)
		if climbs := h.walk(name, strings.Split(tree, "\n")); climbs > maxClimbs {
			t.Errorf("%s climbs %d times, %d are allowed: let it go down", name, climbs, maxClimbs)
		}
	}
	if got, want := strings.Join(names, "; "), strings.Join(waysFollowed, "; "); got != want {
		t.Errorf("ARCHITECTURE.md follows %s; expected %s", got, want)
	}
}

// house is what the ways are held against.
type house struct {
	t       *testing.T
	files   map[string]*ast.File
	imports map[string]map[string]bool // by package, both without the module's name
}

// place is a function in the house.
type place struct {
	file, name string
	body       map[string]bool // the identifiers that it uses
	makes      map[string]bool // the types of which it makes a value
}

func (p place) pkg() string { return path.Dir(p.file) }

// names tells whether the function uses another one, or hands down a value whose method that is.
func (p place) names(callee place) bool {
	typ, method, ok := strings.Cut(callee.name, ".")
	if !ok {
		return p.body[typ]
	}
	return p.body[method] || p.makes[typ]
}

// walk holds one tree of calls against the code, and returns how often it climbs.
func (h *house) walk(way string, lines []string) (climbs int) {
	var above []place // the callers, by indentation
	for i, line := range lines {
		m := wayLine.FindStringSubmatch(line)
		if m == nil {
			h.t.Errorf("%s: %q: expected FILE FUNCTION [via NAME of FILE FUNCTION] [↑]", way, line)
			return climbs
		}
		depth, here := len(m[1])/2, h.find(way, m[2], m[3])
		how, seam, up := m[4], m[5], m[8] != ""
		if depth > len(above) || len(m[1])%2 != 0 || depth == 0 && (i == 0) != (how == "") {
			h.t.Errorf("%s: %q: nobody calls it", way, line)
			return climbs
		}
		var caller, wired place
		if how != "" {
			wired = h.find(way, m[6], m[7])
		}
		if depth > 0 {
			caller = above[depth-1]
		}
		above = append(above[:depth], here)
		switch {
		case how == "takes":
			if !here.body[seam] || !wired.body[seam] {
				h.t.Errorf("%s: %s: %s and %s do not both use %s", way, line, here.name, wired.name, seam)
			}
		case how == "via":
			if !caller.body[seam] || !wired.body[seam] && !wired.names(here) {
				h.t.Errorf("%s: %s: %s does not use %s, or %s does not put it there", way, line, caller.name, seam,
					wired.name)
			}
		case depth > 0:
			if !caller.names(here) {
				h.t.Errorf("%s: %s: %s does not name it", way, line, caller.name)
			}
			if a, b := caller.pkg(), here.pkg(); !h.reaches(a, b) {
				h.t.Errorf("%s: %s: %s imports %s nowhere below it: say what it is called via", way, line, a, b)
			}
		}
		if depth == 0 {
			continue
		}
		from, _ := levelOf(caller.pkg())
		to, _ := levelOf(here.pkg())
		if up != (to > from) {
			h.t.Errorf("%s: %s: level %d calls level %d; ↑ marks a call that goes up, and no other", way, line, from,
				to)
		}
		if to > from {
			climbs++
		}
	}
	return climbs
}

// reaches tells whether a package is another one, or imports it, directly or through what it imports.
func (h *house) reaches(from, to string) bool {
	if from == to {
		return true
	}
	for next := range h.imports[from] {
		if h.reaches(next, to) {
			return true
		}
	}
	return false
}

// find looks a function up in its file.
func (h *house) find(way, file, name string) place {
	h.t.Helper()
	p := place{file: file, name: name, body: map[string]bool{}, makes: map[string]bool{}}
	parsed := h.files[file]
	if parsed == nil {
		var err error
		if parsed, err = parser.ParseFile(token.NewFileSet(), file, nil, 0); err != nil {
			h.t.Errorf("%s: %v", way, err)
			return p
		}
		h.files[file] = parsed
	}
	for _, decl := range parsed.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		full := f.Name.Name
		if f.Recv != nil {
			full = receiver(f.Recv.List[0].Type) + "." + full
		}
		if full != name {
			continue
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				p.body[n.Name] = true
			case *ast.CompositeLit:
				switch typ := n.Type.(type) {
				case *ast.Ident:
					p.makes[typ.Name] = true
				case *ast.SelectorExpr:
					p.makes[typ.Sel.Name] = true
				}
			}
			return true
		})
		return p
	}
	h.t.Errorf("%s: %s has no function %s", way, file, name)
	return p
}
