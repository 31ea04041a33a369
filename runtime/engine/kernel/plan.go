package kernel

import (
	"slices"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"
)

// plan is what is known of a kernel before anything runs: its statements, and what every name in them means that is not
// their own.
type plan struct {
	list    []ast.Statement
	inputs  []*input
	slots   []string // the names that its mark reads; "this" is no name
	free    map[*function]map[string]*input
	this    *input // what this is, if it is used
	returns bool
	math    []string        // functions of Math that it uses
	fills   []string        // methods of typed arrays that it uses
	views   map[string]bool // methods of DataViews that it uses
	lengths bool            // it uses lengths
	texts   bool            // it uses charCodeAt

	tables   bool // it has rows of tables
	iterates bool // it has loops over lists

	loops, brackets int
	calls           int // bodies of functions that were looked at

	exits   map[ast.Statement]int  // by their numbers
	anchors map[ast.Statement]bool // those of them that are the kernel's, and go back to their start
	inlined map[ast.Statement]bool // those of functions that are taken in
	trials  map[ast.Statement]bool // those that are lowered, and left to goja where that fails
	single  map[ast.Statement]bool // that may be no exits
	scoped  map[int][]string       // what scopes around an exit declare, by its number
	named   int                    // how many names that are

	file *file.File // where somebody asks for reasons
}

// input is a variable around the kernel, this, or a property of an object that is an input itself.
type input struct {
	name     string
	index    int // among the plan's inputs
	scope    *Scope
	slot     int    // of a variable
	parent   *input // of a property, with its name
	prop     string
	children map[string]*input
	twins    []*input // earlier properties of the same name, whose objects may be the same
	holds    *input   // what it is made to be by the kernel itself, as far as that can be told
	callees  []*function
	guards   []*guard // one of them must hold for it to be used; nil: always
	free     bool     // a callee uses names of its surroundings
	assigned bool
	declared bool // by one of the kernel's own statements
	exit     int  // 1 and above for a name around that exit, where it has a value; slot is its place in the exit's mark
	constant bool
	table    bool // its rows are read
	fresh    bool // nothing when the kernel begins
	unseen   bool // nobody reads it behind the kernel
}

// guard says which of a method's callees must be called for an input to be used, with those around it.
type guard struct {
	method *input
	callee int
	outer  *guard
}

// checker looks whether statements can be a kernel's.
type checker struct {
	finder *Finder
	plan   *plan
	region *Scope
	scope  *Scope // around the function that is looked at
	fn     *function
	stack  []*function
	locals []map[string]*own
	this   *input
	guard  *guard
	loops  int
	breaks int             // loops and switches
	labels map[string]bool // true for a loop's
	global bool            // names may mean something else while the script runs
	fails  bool
	stays  bool // the kernel's own statements must not return

	branches int // around the statement, in its function
	named    int // names that scopes within the kernel declare, in its own function
	hidden   int // how many of them nobody can give a value to, and of each scope
	hides    []int
	nested   bool     // the function is called in a loop of one that is taken in
	can      bool     // the kernel's own statement may be gone back to
	why      ast.Node // what the look failed at, if somebody asks
	inList   bool     // in the body of a loop over a list
	wants    bool     // a function taken in has an exit, which needs a statement to go back to

	elsewhere bool // what it failed at may be an exit where another statement calls the function
}

// own is a name of the kernel's own, and what object it probably stands for.
type own struct{ object *input }

// run is how many statements from the i-th on hang together, and their plan if they are a kernel.
func (f *Finder) run(c candidate, list []ast.Statement, i int) (int, *plan) {
	if !startsKernel(list[i]) && !(i == 0 && c.body && c.in.returns) {
		return 0, nil
	}
	stays := !c.body || !c.in.returns
	best, n := f.attempt(c, list[i:], stays)
	for end := len(list) - i; n > 0 && n < end; { // what did not fit has left inputs behind, and nothing returns
		end = n
		best, n = f.attempt(c, list[i:i+n], true)
	}
	if n == 0 {
		return 0, nil
	}
	if best.loops == 0 && (best.brackets < 16 || n < len(list)-i) {
		return n, nil
	}
	if len(best.exits) > len(best.trials) && best.brackets < minExitBrackets {
		return n, nil
	}
	if best.tables && !slices.ContainsFunc(list[i:i+n], manyRounds) {
		return n, nil // it would rest anyway
	}
	best.list = list[i : i+n : i+n]
	best.addScoped()
	return n, best
}

// lookedAt lets go of what only the look at the script needs.
func (p *plan) lookedAt() {
	for _, in := range p.inputs {
		in.scope, in.holds = nil, nil
	}
	// What failed looks have left behind the list, and the list that the statements are of, may have the whole script.
	clear(p.inputs[len(p.inputs):cap(p.inputs)])
	p.list = slices.Clone(p.list)
}

// attempt makes a plan of as many statements as fit. stays is for one whose statements must not return.
func (f *Finder) attempt(c candidate, list []ast.Statement, stays bool) (*plan, int) {
	p := &plan{free: map[*function]map[string]*input{}, views: map[string]bool{}}
	k := &checker{finder: f, plan: p, region: c.scope, scope: c.scope, global: f.dynamic, stays: stays,
		locals: []map[string]*own{nil}}
	for _, st := range list {
		k.declares(st)
	}
	for n, st := range list {
		k.statement(st)
		if k.fails {
			f.refuses(list[n], k.why)
			return p, n
		}
	}
	return p, len(list)
}

// startsKernel tells whether a kernel may begin with a statement: one before it would only have to hand over more.
func startsKernel(s ast.Statement) bool {
	switch v := s.(type) {
	case *ast.ForStatement, *ast.WhileStatement, *ast.DoWhileStatement, *ast.BlockStatement, *ast.IfStatement,
		*ast.LabelledStatement, *ast.SwitchStatement, *rounds:
		return true
	case *ast.ExpressionStatement:
		_, is := v.Expression.(*ast.AssignExpression)
		return is
	case *ast.LexicalDeclaration, *ast.VariableStatement:
		return true
	}
	return false
}

// declares notes the names that a statement of the kernel itself declares: they are its own and everybody's around.
func (k *checker) declares(s ast.Statement) {
	d, ok := s.(*ast.LexicalDeclaration)
	if !ok {
		return
	}
	for _, b := range d.List {
		patternNames(b.Target, func(name string) {
			in := k.input(name, k.region)
			in.declared, in.constant = true, d.Token == token.CONST
		})
	}
}

// input is the input of a name that belongs to a scope.
func (k *checker) input(name string, scope *Scope) *input {
	names := k.plan.free[k.fn]
	if names == nil {
		names = map[string]*input{}
		k.plan.free[k.fn] = names
	}
	if in := names[name]; in != nil {
		return in
	}
	for _, in := range k.plan.inputs {
		if in.prop == "" && in.name == name && in.scope == scope {
			names[name] = in
			return in
		}
	}
	in := k.add(&input{name: name, scope: scope, slot: k.slot(name)})
	names[name] = in
	return in
}

// add notes a new input.
func (k *checker) add(in *input) *input {
	in.index = len(k.plan.inputs)
	if k.guard != nil {
		in.guards = []*guard{k.guard}
	}
	k.plan.inputs = append(k.plan.inputs, in)
	k.fails = k.fails || len(k.plan.inputs) > maxInputs
	return in
}

// maxInputs bounds what a kernel looks at when it begins.
const maxInputs = 200

// used lets an input be read wherever the place that is looked at is reached.
func (k *checker) used(in *input) *input {
	if in.guards == nil || k.guard.within(in.guards) {
		return in
	}
	in.guards = append(in.guards, k.guard)
	if k.guard == nil || len(in.guards) > maxGuards {
		in.guards = nil
	}
	for g := k.guard; g != nil; g = g.outer {
		if g.method.index > in.index { // it is looked at later
			in.guards = nil
		}
	}
	return in
}

// maxGuards bounds the cases in which an input is used, before it is read in any case.
const maxGuards = 16

// within tells whether a guard holds only where one of a list does.
func (g *guard) within(list []*guard) bool {
	return slices.ContainsFunc(list, func(o *guard) bool {
		for ; o != nil; o = o.outer {
			found := false
			for h := g; h != nil && !found; h = h.outer {
				found = h.method == o.method && h.callee == o.callee
			}
			if !found {
				return false
			}
		}
		return true
	})
}

func (k *checker) slot(name string) int {
	for i, s := range k.plan.slots {
		if s == name {
			return i
		}
	}
	k.plan.slots = append(k.plan.slots, name)
	return len(k.plan.slots) - 1
}

// property is the input of a property of another one.
func (k *checker) property(o *input, name string) *input {
	if in := o.children[name]; in != nil {
		return k.used(in)
	}
	in := k.add(&input{name: o.name, prop: name, parent: o})
	for _, other := range k.plan.inputs[:in.index] {
		if other.prop == name {
			in.twins = append(in.twins, other)
		}
	}
	if o.children == nil {
		o.children = map[string]*input{}
	}
	o.children[name] = in
	return in
}

// object is the input whose properties are those of an expression; nil if that cannot be told.
func (k *checker) object(e ast.Expression) *input {
	switch v := e.(type) {
	case *ast.ThisExpression:
		if k.fn == nil && k.this == nil {
			if k.plan.this == nil {
				k.plan.this = k.add(&input{name: "this", slot: k.slot("this")})
			}
			k.this = k.plan.this
		}
		return k.this
	case *ast.Identifier:
		name := v.Name.String()
		if own := k.local(name); own != nil {
			return own.object
		}
		in := k.name(name, false)
		if in != nil && in.holds != nil {
			return in.holds
		}
		return in
	case *ast.DotExpression:
		if o := k.object(v.Left); o != nil {
			return k.property(o, v.Identifier.Name.String())
		}
	}
	return nil
}

// becomes notes what object a name stands for from now on.
func (k *checker) becomes(name string, value ast.Expression) {
	switch value.(type) {
	case *ast.ThisExpression, *ast.Identifier, *ast.DotExpression:
	default:
		return
	}
	o := k.object(value)
	if own := k.local(name); own != nil {
		own.object = o
	} else if in := k.name(name, false); in != nil && in != o {
		in.holds = o
	}
}

func (k *checker) local(name string) *own {
	for i := len(k.locals) - 1; i >= 0; i-- {
		if o := k.locals[i][name]; o != nil {
			return o
		}
	}
	return nil
}

// name is the input that a name means; nil for one of the kernel's own and for constants of the language.
func (k *checker) name(name string, written bool) *input {
	if k.local(name) != nil {
		return nil
	}
	scope, callee := k.scope.find(name, k.finder.functions)
	if scope == nil {
		switch name {
		case "undefined", "NaN", "Infinity":
			k.fails = k.fails || written || k.global
		default:
			k.fails = true
		}
		return nil
	}
	if name == "arguments" {
		k.fails = true
		return nil
	}
	if seen, _ := k.region.find(name, k.finder.functions); seen != scope {
		k.fails = true // something between hides it from the kernel's place
		return nil
	}
	in := k.used(k.input(name, scope))
	if callee != nil && in.callees == nil {
		in.callees = []*function{callee}
	}
	in.assigned = in.assigned || written
	if written && (in.constant || scope.fast[name]) {
		k.fails = true
	}
	return in
}

// call is the function that a name means, whose body is looked at too.
func (k *checker) call(name string, args []ast.Expression) {
	in := k.name(name, false)
	if in != nil && in.callees == nil {
		if in.callees = k.scope.choices(name, k.finder.functions); in.callees == nil {
			in.callees = k.finder.idle[name]
		}
		if in.callees == nil && k.scope.parameter(name, k.finder.functions) {
			in.callees = k.finder.cores[len(args)]
		}
		if in.callees == nil {
			in.callees = k.finder.likely(k.scope, name, len(args))
		}
	}
	switch {
	case in == nil || in.callees == nil:
		k.fails = true
		return
	case in.callees[0].idles():
		return
	case len(in.callees) > 1:
		k.oneOf(in, nil, args)
		return
	}
	k.inline(in, in.callees[0], nil, args)
}
