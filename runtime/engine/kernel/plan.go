package kernel

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// plan is what is known of a kernel before anything runs: its statements, and what every name in them means that is not
// their own.
type plan struct {
	list    []ast.Statement
	inputs  []*input
	slots   []string // the names that its mark reads; "this" is no name
	free    map[*function]map[string]*input
	props   map[string]*input // of this
	returns bool
	math    []string        // functions of Math that it uses
	views   map[string]bool // methods of DataViews that it uses
	lengths bool            // it uses lengths

	loops, brackets int
}

// input is a variable around the kernel, or a property of its this.
type input struct {
	name     string
	scope    *Scope
	prop     string
	slot     int
	callee   *function
	free     bool // the callee uses names of its surroundings
	assigned bool
	declared bool // by one of the kernel's own statements
	constant bool
}

// checker looks whether statements can be a kernel's.
type checker struct {
	finder *Finder
	plan   *plan
	region *Scope
	scope  *Scope // around the function that is looked at
	fn     *function
	stack  []*function
	locals []map[string]bool
	loops  int
	global bool // names may mean something else while the script runs
	fails  bool
}

// run is how many statements from the i-th on hang together, and their plan if they are a kernel.
func (f *Finder) run(c candidate, list []ast.Statement, i int) (int, *plan) {
	if !startsKernel(list[i]) && !(i == 0 && c.body && c.in.returns) {
		return 0, nil
	}
	best, n := f.attempt(c, list[i:])
	if n > 0 && n < len(list)-i { // what did not fit has left inputs behind
		fits := n
		if best, n = f.attempt(c, list[i:i+n]); n < fits {
			return n, nil
		}
	}
	if n == 0 {
		return 0, nil
	}
	if best.returns && i+n != len(list) || best.loops == 0 && (best.brackets < 16 || n < len(list)-i) {
		return n, nil
	}
	best.list = list[i : i+n : i+n]
	for _, in := range best.inputs {
		in.scope = nil
	}
	return n, best
}

// attempt makes a plan of as many statements as fit.
func (f *Finder) attempt(c candidate, list []ast.Statement) (*plan, int) {
	p := &plan{free: map[*function]map[string]*input{}, props: map[string]*input{}, views: map[string]bool{}}
	k := &checker{finder: f, plan: p, region: c.scope, scope: c.scope, global: f.dynamic,
		locals: []map[string]bool{nil}}
	for _, st := range list {
		k.declares(st)
	}
	for n, st := range list {
		k.statement(st)
		if k.fails || p.returns && !(c.body && c.in.returns) {
			return p, n
		}
	}
	return p, len(list)
}

// startsKernel tells whether a kernel may begin with a statement: one before it would only have to hand over more.
func startsKernel(s ast.Statement) bool {
	switch v := s.(type) {
	case *ast.ForStatement, *ast.WhileStatement, *ast.DoWhileStatement, *ast.BlockStatement, *ast.IfStatement:
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
	in := &input{name: name, scope: scope, slot: k.slot(name)}
	k.plan.inputs = append(k.plan.inputs, in)
	names[name] = in
	return in
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

// property is the input of a property of this.
func (k *checker) property(name string) *input {
	if k.fn != nil {
		k.fails = true // a function that is taken in has a this of its own
		return nil
	}
	if in := k.plan.props[name]; in != nil {
		return in
	}
	in := &input{name: "this", prop: name, slot: k.slot("this")}
	k.plan.inputs = append(k.plan.inputs, in)
	k.plan.props[name] = in
	return in
}

func (k *checker) local(name string) bool {
	for i := len(k.locals) - 1; i >= 0; i-- {
		if k.locals[i][name] {
			return true
		}
	}
	return false
}

// name is the input that a name means; nil for one of the kernel's own and for constants of the language.
func (k *checker) name(name string, written bool) *input {
	if k.local(name) {
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
	if name == "arguments" || len(k.plan.inputs) > 60 {
		k.fails = true
		return nil
	}
	if seen, _ := k.region.find(name, k.finder.functions); seen != scope {
		k.fails = true // something between hides it from the kernel's place
		return nil
	}
	in := k.input(name, scope)
	in.callee = callee
	in.assigned = in.assigned || written
	if written && (in.constant || scope.fast[name]) {
		k.fails = true
	}
	return in
}

// call is the function that a name means, whose body is looked at too.
func (k *checker) call(name string) {
	in := k.name(name, false)
	if in == nil || in.callee == nil || !in.callee.fits || in.callee.refused || in.callee.outer == nil ||
		len(k.stack) > 12 {
		k.fails = true
		return
	}
	fn := in.callee
	for _, other := range k.stack {
		if other == fn {
			k.fails = true
			return
		}
	}
	outer := *k
	defer func() {
		fn.refused = fn.refused || k.fails
		k.fn, k.scope, k.stack, k.locals, k.loops = outer.fn, outer.scope, outer.stack, outer.locals, outer.loops
	}()
	k.fn, k.scope, k.stack = fn, fn.outer, append(k.stack, fn)
	k.loops = 0
	names := map[string]bool{}
	k.locals = []map[string]bool{names}
	for _, b := range fn.params {
		id, ok := b.Target.(*ast.Identifier)
		if !ok || b.Initializer != nil || names[id.Name.String()] {
			k.fails = true
			return
		}
		names[id.Name.String()] = true
	}
	for _, d := range fn.vars {
		for _, b := range d.List {
			patternNames(b.Target, func(n string) { names[n] = true })
		}
	}
	if fn.result != nil {
		k.expression(fn.result)
	} else {
		returns := k.plan.returns
		k.block(fn.list)
		k.plan.returns = returns
	}
	in.free = in.free || len(k.plan.free[fn]) > 0
}
