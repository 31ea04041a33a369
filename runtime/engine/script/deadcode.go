package script

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// goja compiles what a constant condition excludes into a program that it throws away. The places of a break or
// continue in it are noted at the statement around all the same, where they are places of the real program: it is
// overwritten there, or the compiler ends outside of it. A condition that goja does not take for constant has both its
// branches compiled.

// ifTest is the test of an if statement, not constant if a branch may leave the statement.
func ifTest(test ast.Expression, branches ...ast.Statement) ast.Expression {
	if !constant(test) {
		return test
	}
	for _, s := range branches {
		if jumps(s) {
			return inconstant(test)
		}
	}
	return test
}

// loopTest is the test of a loop. Of a loop without end nothing is excluded.
func loopTest(test ast.Expression, body ast.Statement) ast.Expression {
	switch v := test.(type) {
	case *ast.BooleanLiteral:
		if v.Value {
			return test
		}
	case *ast.NumberLiteral:
		if v.Literal == "1" {
			return test
		}
	}
	return ifTest(test, body)
}

func inconstant(e ast.Expression) ast.Expression {
	return &ast.SequenceExpression{Sequence: []ast.Expression{e}}
}

// constant tells what goja may take for constant.
func constant(e ast.Expression) bool {
	switch v := e.(type) {
	case *ast.NumberLiteral, *ast.StringLiteral, *ast.BooleanLiteral, *ast.NullLiteral:
		return true
	case *ast.UnaryExpression:
		return constant(v.Operand)
	case *ast.BinaryExpression:
		switch v.Operator {
		case token.LOGICAL_AND, token.LOGICAL_OR, token.COALESCE:
			return constant(v.Left)
		}
		return constant(v.Left) && constant(v.Right)
	}
	return false
}

// jumps tells whether a statement has a break or continue in it, not counting functions.
func jumps(s ast.Statement) bool {
	switch v := s.(type) {
	case *ast.BranchStatement:
		return true
	case *ast.BlockStatement:
		return v != nil && anyJumps(v.List)
	case *ast.IfStatement:
		return jumps(v.Consequent) || jumps(v.Alternate)
	case *ast.ForStatement:
		return jumps(v.Body)
	case *ast.ForInStatement:
		return jumps(v.Body)
	case *ast.ForOfStatement:
		return jumps(v.Body)
	case *ast.WhileStatement:
		return jumps(v.Body)
	case *ast.DoWhileStatement:
		return jumps(v.Body)
	case *ast.LabelledStatement:
		return jumps(v.Statement)
	case *ast.WithStatement:
		return jumps(v.Body)
	case *ast.SwitchStatement:
		for _, c := range v.Body {
			if anyJumps(c.Consequent) {
				return true
			}
		}
	case *ast.TryStatement:
		return jumps(v.Body) || v.Catch != nil && jumps(v.Catch.Body) || v.Finally != nil && jumps(v.Finally)
	}
	return false
}

func anyJumps(list []ast.Statement) bool {
	for _, s := range list {
		if jumps(s) {
			return true
		}
	}
	return false
}
