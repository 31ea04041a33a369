package script

import (
	"github.com/dop251/goja/ast"
)

// enter notes that the walk goes into a function; the result notes that it comes out again.
func (w *walker) enter(arrow bool) func() {
	outer := w.inArrow
	w.inArrow = arrow
	return func() { w.inArrow = outer }
}

// arguments returns an expression for the name arguments. goja keeps the arguments of a function on the stack, where an
// arrow function within it does not find them, unless it meets the name a second time: the compiler looks for closures
// only then. So one mention in an arrow function becomes two.
func (w *walker) arguments(id *ast.Identifier) ast.Expression {
	if !w.inArrow || id.Name != "arguments" {
		return id
	}
	again := *id
	return &ast.SequenceExpression{Sequence: []ast.Expression{id, &again}}
}
