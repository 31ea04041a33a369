package bundle

import (
	"strings"

	"github.com/dop251/goja/ast"
)

// leading is how many units a user's script asks for before it does anything that a package could notice, or that
// could notice a package: what stands before them declares functions, takes names from modules of the host, or keeps
// functions of Object for esbuild's helpers.
func leading(tree *ast.Program) (units int) {
	script, ok := tree.Body[0].(*ast.ExpressionStatement)
	if !ok {
		return 0
	}
	f, ok := script.Expression.(*ast.FunctionLiteral)
	if !ok {
		return 0
	}
	for _, s := range f.Body.List {
		var list []*ast.Binding
		switch s := s.(type) {
		case *ast.FunctionDeclaration, *ast.EmptyStatement:
			continue
		case *ast.VariableStatement:
			list = s.List
		case *ast.LexicalDeclaration:
			list = s.List
		case *ast.ExpressionStatement:
			list = []*ast.Binding{{Initializer: s.Expression}}
		default:
			return units
		}
		for _, b := range list {
			_, plain := b.Target.(*ast.Identifier)
			switch {
			case isUnit(b.Initializer):
				units++
			case !given(b.Initializer) && !(unnoticed(b.Initializer) && (plain || b.Target == nil)):
				return units
			}
		}
	}
	return units
}

// isUnit tells whether an expression asks for a unit.
func isUnit(e ast.Expression) bool {
	call, ok := e.(*ast.CallExpression)
	return ok && isName(call.Callee, packagesFunc)
}

func isName(e ast.Expression, name string) bool {
	id, ok := e.(*ast.Identifier)
	return ok && id.Name.String() == name
}

// unnoticed tells whether nobody notices when an expression is evaluated.
func unnoticed(e ast.Expression) bool {
	switch e := e.(type) {
	case nil, *ast.FunctionLiteral, *ast.ArrowFunctionLiteral, *ast.StringLiteral, *ast.NumberLiteral,
		*ast.BooleanLiteral, *ast.NullLiteral:
		return true
	case *ast.DotExpression: // Object.prototype.hasOwnProperty
		return isName(e.Left, "Object") || unnoticed(e.Left)
	case *ast.CallExpression:
		return isName(e.Callee, exportFunc)
	}
	return false
}

// given tells whether an expression imports a module of the host, or is the object of a unit that has run.
func given(e ast.Expression) bool {
	switch e := e.(type) {
	case *ast.CallExpression:
		return isName(e.Callee, importFunc)
	case *ast.Identifier:
		return strings.HasPrefix(e.Name.String(), liveObject)
	}
	return false
}
