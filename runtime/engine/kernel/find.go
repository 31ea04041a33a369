package kernel

import (
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"

	"eddy/runtime/engine/native"
)

// Finder collects a script's scopes, functions and lists of statements while somebody walks over its tree, and looks
// for kernels in the end.
type Finder struct {
	scope     *Scope
	inside    *place
	functions map[ast.Node]*function
	starts    []int                  // where they begin, in order
	methods   map[string][]*function // by the names of properties
	idle      map[string][]*function // that do nothing, by the names of variables
	cores     map[int][]*function    // that a parameter may stand for, by how many parameters they have
	lists     []candidate
	ownNames  map[string][]*function // by their own names
	kernels   []*Kernel
	taken     []span // of the kernels
	dynamic   bool   // names may change their meaning while the script runs
	file      *file.File
	refusals  map[ast.Statement]ast.Node // what keeps statements out, if somebody asks
}

// place is the function that the walk is in.
type place struct {
	promising bool // its text has something that kernels do
	returns   bool // a kernel at its end may return
	from, to  file.Idx
	params    *ast.ParameterList
	vars      []*ast.VariableDeclaration
}

// candidate is a list of statements.
type candidate struct {
	list  *[]ast.Statement
	scope *Scope
	in    *place
	body  bool // it is the whole body of the function
}

// maxKernels bounds the kernels of a script, so that a start is not held up.
const maxKernels = 2000

// NewFinder begins with the script's own scope.
func NewFinder(tree *ast.Program) *Finder {
	f := &Finder{functions: map[ast.Node]*function{}, methods: map[string][]*function{},
		idle: map[string][]*function{}, inside: &place{}, file: tree.File}
	f.scope = &Scope{vars: tree.DeclarationList, list: tree.Body}
	return f
}

// Function enters a function; the result leaves it. Its body's list follows by [Finder.List]. plain is false for one
// that does not return as it is written: a generator, an async function, a constructor.
func (f *Finder) Function(node ast.Node, params *ast.ParameterList, vars []*ast.VariableDeclaration, body ast.Node,
	source string, plain bool) func() {
	scope, inside := f.scope, f.inside
	fn := &function{vars: vars, source: source, outer: scope, fits: plain}
	if params != nil {
		rest, plain := params.Rest.(*ast.Identifier)
		fn.params, fn.rest, fn.fits = params.List, rest, fn.fits && (plain || params.Rest == nil)
	}
	switch b := body.(type) {
	case *ast.BlockStatement:
		fn.list = b.List
	case *ast.ExpressionBody:
		fn.result = b.Expression
	}
	_, fn.arrow = node.(*ast.ArrowFunctionLiteral)
	f.functions[node] = fn
	f.core(fn)
	f.named(node, fn)
	f.starts = append(f.starts, int(node.Idx0()))
	f.scope = &Scope{outer: scope, params: params, vars: vars}
	f.inside = &place{promising: promising(source), returns: plain}
	if f.inside.promising {
		f.inside.from, f.inside.to, f.inside.params, f.inside.vars = node.Idx0(), node.Idx1(), params, vars
	}
	return func() { f.scope, f.inside = scope, inside }
}

// Method notes that a property gets a function; the walk has been there.
func (f *Finder) Method(name string, node ast.Node) {
	if fn := f.functions[node]; fn != nil && name != "" && len(f.methods[name]) < maxMethods {
		f.methods[name] = append(f.methods[name], fn)
	}
}

// Variable notes that a variable gets a function; the walk has been there. Those that do nothing stand for callbacks
// that nobody gave, also where a variable of that name gets them in a way that nobody can follow.
func (f *Finder) Variable(name string, node ast.Node) {
	fn := f.functions[node]
	if fn == nil || name == "" {
		return
	}
	if fn.idles() && len(f.idle[name]) < maxMethods {
		f.idle[name] = append(f.idle[name], fn)
	}
	f.called(name, fn)
}

// core notes a function that others may get as an argument and call for each of their blocks, as ciphers do. It is
// known by the number of its parameters, which few functions have as many of, and has neither texts nor properties.
func (f *Finder) core(fn *function) {
	n := len(fn.params)
	if n < coreParameters || !fn.fits || fn.rest != nil || len(f.cores[n]) >= maxMethods || !bare(fn.source) {
		return
	}
	if f.cores == nil {
		f.cores = map[int][]*function{}
	}
	f.cores[n] = append(f.cores[n], fn)
}

// bare tells whether the text of a function has nothing but numbers and elements.
func bare(text string) bool {
	return !strings.ContainsAny(text, "\"'`") && !strings.Contains(text, "new ") &&
		strings.Count(text, ".") == strings.Count(text, "Math.")
}

// coreParameters is how many parameters such a function has at least.
const coreParameters = 5

// idles tells whether a function does nothing.
func (fn *function) idles() bool {
	return fn.fits && fn.rest == nil && fn.result == nil && len(fn.list) == 0 && len(fn.vars) == 0 &&
		!slices.ContainsFunc(fn.params, func(b *ast.Binding) bool {
			_, plain := b.Target.(*ast.Identifier)
			return !plain || b.Initializer != nil
		})
}

// List enters a block of statements; the result leaves it. body is true for the body of a function.
func (f *Finder) List(list *[]ast.Statement, body bool) func() {
	scope := f.scope
	f.scope = &Scope{outer: scope, list: *list}
	if f.inside.promising {
		f.lists = append(f.lists, candidate{list, f.scope, f.inside, body})
	}
	return func() { f.scope = scope }
}

// Names enters a scope that has nothing but these names: those of a loop's head, a catch clause, a class. fixed ones
// cannot be assigned.
func (f *Finder) Names(fixed bool, nodes ...ast.Node) func() {
	scope := f.scope
	f.scope = &Scope{outer: scope, extra: nodes, fixed: fixed}
	return func() { f.scope = scope }
}

// promising says whether the text of a function is worth a look: it has a loop or many elements.
func promising(text string) bool {
	brackets := 0
	for i := range len(text) {
		switch text[i] {
		case '[':
			if brackets++; brackets >= 12 {
				return true
			}
		case 'f':
			if len(text) > i+4 && text[i:i+3] == "for" && !part(text[i+3]) {
				return true
			}
		case 'w':
			if len(text) > i+6 && text[i:i+5] == "while" && !part(text[i+5]) {
				return true
			}
		}
	}
	return false
}

// part tells whether a byte can be part of a name; those above ASCII count as such.
func part(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// Dynamic notes that the script has what gives names another meaning while it runs: with, or a call of eval by its
// name.
func (f *Finder) Dynamic() { f.dynamic = true }

// Kernels looks for kernels and puts their marks into the tree. The walk is over.
func (f *Finder) Kernels() []*Kernel {
	if Off || len(f.lists) == 0 || !native.Supported() {
		return nil
	}
	slices.Sort(f.starts)
	for _, c := range f.lists {
		if list := *c.list; len(list) > 0 && c.worth() {
			*c.list = f.marked(c, list)
		}
	}
	f.explain()
	for _, fn := range f.functions {
		fn.outer = nil // which would keep the tree of the whole script
	}
	Seen(f.kernels)
	return f.kernels
}

// begins is where a statement stands. goja's parser does not note where an if does.
func begins(s ast.Statement) file.Idx {
	if v, ok := s.(*ast.IfStatement); ok {
		return v.Test.Idx0()
	}
	return s.Idx0()
}

// marked is a list of statements with the marks of its kernels.
func (f *Finder) marked(c candidate, list []ast.Statement) []ast.Statement {
	outer := f.around(int(begins(list[0])))
	out := make([]ast.Statement, 0, len(list))
	for i := 0; i < len(list); {
		n, plan := 0, (*plan)(nil)
		if len(f.kernels) < maxKernels {
			n, plan = f.run(c, list, i)
		}
		if plan == nil {
			n = max(n, 1) // what begins among these ends before the same statement
			out = append(out, list[i:i+n]...)
			i += n
			continue
		}
		f.unseen(c, plan, i)
		k := f.kernel(plan, outer, list[i:i+n])
		out = append(out, k.begin(begins(list[i])))
		for j := i; j < i+n; j++ {
			out = append(out, f.alone(c, k, list, j, n)...)
			if n == 1 {
				f.again(c, list[j], k)
			}
		}
		out = append(out, k.end(begins(list[i+n-1])))
		i += n
	}
	return out
}

// alone is a statement among the n of a kernel, with the marks of a kernel of its own where it has a loop: for the case
// that the whole does not fit to what there is.
func (f *Finder) alone(c candidate, outer *Kernel, list []ast.Statement, j, n int) []ast.Statement {
	one := list[j : j+1 : j+1]
	if n == 1 || !hasLoop(list[j]) || len(f.kernels) >= maxKernels {
		return one
	}
	alone := c
	alone.body = false
	_, plan := f.run(alone, one, 0)
	if plan == nil {
		return one
	}
	f.unseen(c, plan, -1)
	k := f.kernel(plan, outer, one)
	f.again(alone, list[j], k, outer)
	return []ast.Statement{k.begin(begins(list[j])), list[j], k.end(begins(list[j]))}
}

func (f *Finder) kernel(p *plan, outer *Kernel, list []ast.Statement) *Kernel {
	k := &Kernel{plan: p, id: len(f.kernels), outer: outer}
	p.lookedAt()
	f.kernels = append(f.kernels, k)
	k.markExits()
	f.taken = append(f.taken, span{int(begins(list[0])), int(list[len(list)-1].Idx1()), k})
	return k
}

type span struct {
	from, to int
	kernel   *Kernel
}

// around is the innermost kernel around a place.
func (f *Finder) around(at int) *Kernel {
	for i := len(f.taken) - 1; i >= 0; i-- {
		if s := f.taken[i]; s.from <= at && at < s.to {
			return s.kernel
		}
	}
	return nil
}

// worth tells whether a list has a loop, or is a body with many elements.
func (c candidate) worth() bool {
	return c.body && c.in.returns || slices.ContainsFunc(*c.list, hasLoop)
}

func hasLoop(s ast.Statement) bool {
	switch v := s.(type) {
	case *ast.ForStatement, *ast.WhileStatement, *ast.DoWhileStatement, *rounds:
		return true
	case *ast.IfStatement:
		return hasLoop(v.Consequent) || v.Alternate != nil && hasLoop(v.Alternate)
	case *ast.BlockStatement:
		return slices.ContainsFunc(v.List, hasLoop)
	case *ast.LabelledStatement:
		return hasLoop(v.Statement)
	case *ast.SwitchStatement:
		return slices.ContainsFunc(v.Body, func(c *ast.CaseStatement) bool {
			return slices.ContainsFunc(c.Consequent, hasLoop)
		})
	}
	return false
}

func isLoop(s ast.Statement) bool {
	switch s.(type) {
	case *ast.ForStatement, *ast.WhileStatement, *ast.DoWhileStatement:
		return true
	}
	return false
}
