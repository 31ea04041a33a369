package bundle

import (
	"sort"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	op "github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// Stops is what a debugger knows of a script that was built with [Options.Stops]. In such a script every statement of a
// user's file tells the host that it is about to run, and gives it a way to the variables that can be seen there. The
// host has these global functions for it; f is what the first has returned for the call that goes on:
//
//   - __eddy_enter(function): a function is called; its value stands for this call.
//   - __eddy_at(f, stop, scope, value): a statement is about to run, or the call to return a value; returns value.
//   - __eddy_back(f, value): the call goes on after an await or a yield; returns value.
//   - __eddy_caught(f, error): the script has caught an error.
//   - __eddy_threw(f, error): the call ends with an error, which goes on to the caller.
//   - __eddy_leave(f): the call ends.
//
// A scope is a function: scope(key) is the value of a variable, scope(key, true, value) sets it. The keys are those of
// [ScopeVariable]; "this" is the value of this.
type Stops struct {
	Files     []StopFile
	Stops     []Stop
	Functions []StopFunction
	Scopes    []StopScope
}

// StopFile is a file in which a script can stop.
type StopFile struct {
	Name, URL string
	Text      string
	// Renamed are the names of top-level variables in the script, by the names that the file has for them: esbuild
	// renames what two files call alike, and what is imported has the name that its own file gives it.
	Renamed map[string]string
	// scope is the index of its top-level variables; -1 is none.
	scope int
}

// Stop is a place at which a script can stop: the begin of a statement. Line and Column count from 1.
type Stop struct {
	File, Function int
	Line, Column   int
	// Scope is an index of Scopes, the innermost.
	Scope int
	// Guarded says that an error is caught by the function itself.
	Guarded bool
	// Return says that it is behind the value that a function returns: steps end there, breakpoints do not stand there.
	Return bool
	// Debugger says that it is a debugger statement.
	Debugger bool
}

// StopFunction is a function of a user's file.
type StopFunction struct {
	Name         string // "" for one without
	File         int
	Line, Column int
	// Brief says that the host does not hear when its calls end.
	Brief bool
}

// ScopeKind is what a scope belongs to.
type ScopeKind string

// The kinds of scopes.
const (
	ScopeModule   ScopeKind = "module"
	ScopeFunction ScopeKind = "function"
	ScopeBlock    ScopeKind = "block"
	ScopeCatch    ScopeKind = "catch"
)

// StopScope is a list of variables that are declared together.
type StopScope struct {
	Kind   ScopeKind
	Parent int // -1 for none
	// Function is the one to which it belongs.
	Function  int
	Variables []ScopeVariable
	// whole says that it is that of a whole bundle, of which each file shows its own part.
	whole bool
}

// ScopeVariable is a variable that can be seen at a stop.
type ScopeVariable struct {
	Name string // that of the user
	Key  string // for the scope's function
	// Imported says that it cannot be assigned.
	Imported bool
}

// File is the index of a file, -1 if the script cannot stop in it.
func (s *Stops) File(name string) int {
	for i, f := range s.Files {
		if f.Name == name {
			return i
		}
	}
	return -1
}

// Visible is the list of scopes that can be seen at a stop, from the inside to the outside. The last one has the
// top-level variables of the stop's file.
func (s *Stops) Visible(stop Stop) (list []*StopScope) {
	for i := stop.Scope; i >= 0; i = s.Scopes[i].Parent {
		if !s.Scopes[i].whole {
			list = append(list, &s.Scopes[i])
		} else if own := s.Files[stop.File].scope; own >= 0 {
			list = append(list, &s.Scopes[own])
		}
	}
	return list
}

// stopper adds stops to the tree of a script.
type stopper struct {
	of    *SourceMap
	src   string
	lines []int
	out   *Stops
	files map[string]int // indexes of out.Files, -1 for files that are none of the user
	// tops are the keys of top-level variables by their names in the script.
	tops map[string]string
	// open are the scopes of which the syntax tree is being visited.
	open []*openScope
	// calls are the functions of which the syntax tree is being visited.
	calls []*openFunction
	// links are the module's imports, by the script's names.
	links map[unistring.String]liveImport
}

// openScope is a scope that is being visited.
type openScope struct {
	index  int
	name   string // of its constant, "" if its variables are part of each function of a scope within it: a switch
	script []scriptVariable
}

// scriptVariable is a variable as the script reads it.
type scriptVariable struct {
	key, read string
	fixed     bool
}

// openFunction is a function that is being visited.
type openFunction struct {
	index   int
	arrow   bool
	guarded int  // try statements with catch around what is visited
	usesArg bool // names arguments
	first   int  // the index in open of its own scope
}

// newStopper prepares for a script whose positions are those of a map.
func newStopper(of *SourceMap, source string) *stopper {
	return &stopper{
		of: of, src: source, lines: lineOffsets(source), out: &Stops{}, files: map[string]int{},
		tops: map[string]string{},
	}
}

// add adds stops to the outermost function of a script, or to that of a module with its imports.
func (s *stopper) add(f *ast.FunctionLiteral, links map[unistring.String]liveImport) {
	s.links, s.tops = links, map[string]string{}
	s.literal(f)
}

// place is the file and the position of an offset of the script, false if nobody wrote it.
func (s *stopper) place(at file.Idx) (index int, p Position, ok bool) {
	offset := int(at) - 1
	if offset < 0 || offset > len(s.src) {
		return 0, p, false
	}
	line := sort.SearchInts(s.lines, offset+1) - 1
	if p, ok = s.of.Lookup(line+1, offset-s.lines[line]+1); !ok {
		return 0, p, false
	}
	index, known := s.files[p.File]
	if !known {
		index = -1
		if text, ok := s.of.Text(p.File); ok && !strings.Contains(p.URL(), "://eddy") && p.URL() != p.File {
			index = len(s.out.Files)
			s.out.Files = append(s.out.Files, StopFile{Name: p.File, URL: p.URL(), Text: text, scope: -1,
				Renamed: map[string]string{}})
		}
		s.files[p.File] = index
	}
	return index, p, index >= 0
}

// userName is the user's name of an identifier, and the file in which it stands.
func (s *stopper) userName(id *ast.Identifier) (name string, index int, ok bool) {
	index, p, ok := s.place(id.Idx)
	name = id.Name.String()
	if ok && p.Name != "" {
		name = p.Name
	}
	return name, index, ok
}

// statementBegin is where a statement begins. The engine's parser does not say where an if stands: before its test.
func (s *stopper) statementBegin(n ast.Node) file.Idx {
	in := instrumenter{source: s.src}
	return in.begin(n)
}

func ident(name string, at file.Idx) *ast.Identifier {
	return &ast.Identifier{Name: uni(name), Idx: at}
}

func number(n int, at file.Idx) ast.Expression {
	return &ast.NumberLiteral{Idx: at, Literal: itoa(n), Value: int64(n)}
}

// hostCall is a call of a function of the host.
func hostCall(name string, at file.Idx, args ...ast.Expression) ast.Expression {
	return &ast.CallExpression{
		Callee: ident(name, at), LeftParenthesis: at, RightParenthesis: at, ArgumentList: args}
}

func constant(name string, at file.Idx, value ast.Expression) ast.Statement {
	return &ast.LexicalDeclaration{Idx: at, Token: op.CONST,
		List: []*ast.Binding{{Target: ident(name, at), Initializer: value}}}
}

// frameName is the constant that stands for a call in the function that was called.
const frameName = "__eddy_f"
