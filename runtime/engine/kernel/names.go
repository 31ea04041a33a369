package kernel

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// Scope is a part of a script that has names of its own. Its lists belong to the tree; the names are read when somebody
// asks.
type Scope struct {
	outer  *Scope
	params *ast.ParameterList
	vars   []*ast.VariableDeclaration
	list   []ast.Statement // whose functions, classes, let and const are the scope's
	extra  []ast.Node      // more patterns and identifiers
	fixed  bool            // the extra ones cannot be assigned

	names map[string]*function // nil for what is no function
	all   map[string]bool
	picks map[string]*ast.ConditionalExpression // what chooses a variable's first value
	reads map[string]string                     // the property that it is
	fast  map[string]bool                       // those that cannot be assigned
}

// function is one whose body kernels may take in.
type function struct {
	params []*ast.Binding
	rest   *ast.Identifier // of the arguments behind those
	list   []ast.Statement
	result ast.Expression // of an arrow function without a block
	vars   []*ast.VariableDeclaration
	source string
	outer  *Scope // where it is made; nil until the walk was there
	arrow  bool   // its this is that around it
	fits   bool   // it neither takes rest parameters apart nor waits

	refused bool     // its body has something that no kernel has
	why     ast.Node // which that is, if somebody asks
}

// restLength tells whether the test of a loop looks for the last argument.
func (fn *function) restLength(test ast.Expression) bool {
	b, ok := test.(*ast.BinaryExpression)
	if !ok || fn.rest == nil {
		return false
	}
	d, ok := b.Right.(*ast.DotExpression)
	if !ok {
		return false
	}
	id, ok := d.Left.(*ast.Identifier)
	return ok && id.Name == fn.rest.Name
}

// patternNames calls f with the names that a pattern declares.
func patternNames(n ast.Node, f func(string)) {
	switch p := n.(type) {
	case *ast.Identifier:
		if p != nil {
			f(p.Name.String())
		}
	case *ast.Binding:
		patternNames(p.Target, f)
	case *ast.AssignExpression:
		patternNames(p.Left, f)
	case *ast.ObjectPattern:
		for _, prop := range p.Properties {
			switch k := prop.(type) {
			case *ast.PropertyShort:
				f(k.Name.Name.String())
			case *ast.PropertyKeyed:
				patternNames(k.Value, f)
			}
		}
		patternNames(p.Rest, f)
	case *ast.ArrayPattern:
		for _, e := range p.Elements {
			patternNames(e, f)
		}
		patternNames(p.Rest, f)
	}
}

func (s *Scope) declare(name string, fn *function) {
	if s.all[name] {
		fn = nil // of two that share a name nobody knows which it is
	}
	s.all[name], s.names[name] = true, fn
}

// read fills the scope's names. functions are those that the walk has met.
func (s *Scope) read(functions map[ast.Node]*function) {
	s.names, s.all, s.fast = map[string]*function{}, map[string]bool{}, map[string]bool{}
	s.picks, s.reads = map[string]*ast.ConditionalExpression{}, map[string]string{}
	plain := func(name string) { s.declare(name, nil) }
	bindings := func(list []*ast.Binding) {
		for _, b := range list {
			if id, ok := b.Target.(*ast.Identifier); ok && b.Initializer != nil {
				s.declare(id.Name.String(), functions[b.Initializer])
				switch x := b.Initializer.(type) {
				case *ast.ConditionalExpression:
					s.picks[id.Name.String()] = x
				case *ast.DotExpression:
					s.reads[id.Name.String()] = x.Identifier.Name.String()
				}
			} else {
				patternNames(b.Target, plain)
			}
		}
	}
	if s.params != nil {
		plain("arguments")
		for _, b := range s.params.List {
			patternNames(b.Target, plain)
		}
		patternNames(s.params.Rest, plain)
	}
	for _, d := range s.vars {
		bindings(d.List)
	}
	for _, n := range s.extra {
		patternNames(n, func(name string) {
			plain(name)
			s.fast[name] = s.fixed
		})
	}
	for _, st := range s.list {
		switch d := st.(type) {
		case *ast.LexicalDeclaration:
			bindings(d.List)
			for _, b := range d.List {
				patternNames(b.Target, func(name string) { s.fast[name] = d.Token == token.CONST })
			}
		case *ast.FunctionDeclaration:
			if d.Function != nil && d.Function.Name != nil {
				s.declare(d.Function.Name.Name.String(), functions[d.Function])
			}
		case *ast.ClassDeclaration:
			if d.Class != nil && d.Class.Name != nil {
				plain(d.Class.Name.Name.String())
			}
		}
	}
}

// find is the scope that a name belongs to, nil for a global one, and the function that it probably means.
func (s *Scope) find(name string, functions map[ast.Node]*function) (*Scope, *function) {
	for ; s != nil; s = s.outer {
		if s.all == nil {
			s.read(functions)
		}
		if s.all[name] {
			return s, s.names[name]
		}
	}
	return nil, nil
}

// parameter tells whether a name is a function's parameter.
func (s *Scope) parameter(name string, functions map[ast.Node]*function) bool {
	s, _ = s.find(name, functions)
	if s == nil || s.params == nil {
		return false
	}
	found := false
	for _, b := range s.params.List {
		patternNames(b.Target, func(n string) { found = found || n == name })
	}
	return found
}

// choices are the functions between which the declaration of a name chooses: const swap = little ? (x) => x : reversed.
func (s *Scope) choices(name string, functions map[ast.Node]*function) (list []*function) {
	s, _ = s.find(name, functions)
	if s == nil || s.picks[name] == nil {
		return nil
	}
	for _, e := range []ast.Expression{s.picks[name].Consequent, s.picks[name].Alternate} {
		fn := functions[e]
		if id, ok := e.(*ast.Identifier); ok {
			_, fn = s.find(id.Name.String(), functions)
		}
		if fn != nil {
			list = append(list, fn)
		}
	}
	return list
}
