package kernel

import (
	"github.com/dop251/goja/ast"
)

// parameters says which parameters of a function are arrays: those whose elements it uses, and those it gives on as
// arrays. It looks at what kernels may have only; ok is false where it meets something else.
func (s *scope) parameters(fn *ast.FunctionLiteral) (arrays []bool, ok bool) {
	if u, known := s.uses[fn]; known {
		return u.arrays, u.ok
	}
	u := &use{} // not ok: a function that calls itself is none
	s.uses[fn] = u
	u.arrays, u.ok = s.usesOf(fn)
	return u.arrays, u.ok
}

func (s *scope) usesOf(fn *ast.FunctionLiteral) (arrays []bool, ok bool) {
	names := map[string]int{}
	for i, b := range fn.ParameterList.List {
		id, plain := b.Target.(*ast.Identifier)
		if !plain {
			return nil, false
		}
		names[id.Name.String()] = i
	}
	p := &arrayUse{scope: s, fn: fn, names: names, arrays: make([]bool, len(fn.ParameterList.List))}
	p.statements(fn.Body.List)
	return p.arrays, !p.strange
}

// arrayUse looks for elements of parameters. A local variable of the same name does no harm: the function will not fit
// when an array meets a number.
type arrayUse struct {
	scope   *scope
	fn      *ast.FunctionLiteral
	names   map[string]int
	arrays  []bool
	strange bool
}

func (u *arrayUse) statements(list []ast.Statement) {
	for _, s := range list {
		u.statement(s)
	}
}

func (u *arrayUse) bindings(list []*ast.Binding) {
	for _, b := range list {
		if b.Initializer != nil {
			u.expression(b.Initializer)
		}
	}
}

func (u *arrayUse) statement(s ast.Statement) {
	if u.strange {
		return
	}
	switch v := s.(type) {
	case nil, *ast.EmptyStatement, *ast.BranchStatement:
	case *ast.BlockStatement:
		u.statements(v.List)
	case *ast.ExpressionStatement:
		u.expression(v.Expression)
	case *ast.LexicalDeclaration:
		u.bindings(v.List)
	case *ast.VariableStatement:
		u.bindings(v.List)
	case *ast.IfStatement:
		u.expression(v.Test)
		u.statement(v.Consequent)
		u.statement(v.Alternate)
	case *ast.ForStatement:
		switch i := v.Initializer.(type) {
		case nil:
		case *ast.ForLoopInitializerExpression:
			u.expression(i.Expression)
		case *ast.ForLoopInitializerVarDeclList:
			u.bindings(i.List)
		case *ast.ForLoopInitializerLexicalDecl:
			u.bindings(i.LexicalDeclaration.List)
		}
		u.expression(v.Test)
		u.expression(v.Update)
		u.statement(v.Body)
	case *ast.WhileStatement:
		u.expression(v.Test)
		u.statement(v.Body)
	case *ast.ReturnStatement:
		u.expression(v.Argument)
	default:
		u.strange = true
	}
}

func (u *arrayUse) expression(e ast.Expression) {
	if u.strange {
		return
	}
	switch v := e.(type) {
	case nil, *ast.Identifier, *ast.NumberLiteral:
	case *ast.BracketExpression:
		if id, ok := v.Left.(*ast.Identifier); ok {
			if i, known := u.names[id.Name.String()]; known {
				u.arrays[i] = true
			}
		} else {
			u.strange = true
		}
		u.expression(v.Member)
	case *ast.BinaryExpression:
		u.expression(v.Left)
		u.expression(v.Right)
	case *ast.AssignExpression:
		u.expression(v.Left)
		u.expression(v.Right)
	case *ast.UnaryExpression:
		u.expression(v.Operand)
	case *ast.ConditionalExpression:
		u.expression(v.Test)
		u.expression(v.Consequent)
		u.expression(v.Alternate)
	case *ast.SequenceExpression:
		for _, x := range v.Sequence {
			u.expression(x)
		}
	case *ast.CallExpression:
		u.call(v)
	default:
		u.strange = true
	}
}

func (u *arrayUse) call(v *ast.CallExpression) {
	id, ok := v.Callee.(*ast.Identifier)
	if !ok {
		u.strange = true
		return
	}
	d, ok := u.scope.find(id.Name.String(), u.fn)
	if !ok {
		u.strange = true
		return
	}
	theirs, ok := u.scope.parameters(d.Function)
	u.strange = u.strange || !ok || len(v.ArgumentList) < len(theirs)
	for i, arg := range v.ArgumentList {
		if id, plain := arg.(*ast.Identifier); plain && i < len(theirs) && theirs[i] {
			if at, known := u.names[id.Name.String()]; known {
				u.arrays[at] = true
			}
			continue
		}
		u.expression(arg)
	}
}
