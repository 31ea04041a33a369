package script

import (
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"

	"eddy/runtime/engine/syntax"
)

// goja's parser reads a chain of relations from the right: a < b < c as a < (b < c). And of #x in o it keeps the token
// behind o as the operator.

// relation corrects both in a tree.
func (w *walker) relation(v *ast.BinaryExpression) {
	if _, private := v.Left.(*ast.PrivateIdentifier); private {
		v.Operator = token.IN
		return
	}
	for isRelation(v.Operator) {
		r, ok := v.Right.(*ast.BinaryExpression)
		if !ok || !isRelation(r.Operator) {
			return
		}
		if _, private := r.Left.(*ast.PrivateIdentifier); private {
			return // it stands in parentheses
		}
		source := w.file.Source()
		outer := behind(source, end(v.Left)-1, v.Operator)
		inner := behind(source, end(r.Left)-1, r.Operator)
		if outer < 0 || inner < outer {
			w.problem(v.Idx0(), "A chain of comparisons that can't be read; "+
				"put its first one into parentheses")
			return
		}
		if !syntax.Whole(source[outer : inner-len(r.Operator.String())]) {
			return // the second relation stands in parentheses
		}
		first := *v
		first.Right = r.Left
		v.Left, v.Operator, v.Comparison, v.Right = &first, r.Operator, r.Comparison, r.Right
	}
}

func isRelation(t token.Token) bool {
	switch t {
	case token.LESS, token.LESS_OR_EQUAL, token.GREATER, token.GREATER_OR_EQUAL, token.INSTANCEOF, token.IN:
		return true
	}
	return false
}

// end is where an operand of a relation ends. goja knows it, but not of new without arguments and of regular
// expressions.
func end(e ast.Expression) int {
	switch v := e.(type) {
	case *ast.BinaryExpression:
		return end(v.Right)
	case *ast.UnaryExpression:
		if !v.Postfix {
			return end(v.Operand)
		}
	case *ast.AwaitExpression:
		return end(v.Argument)
	case *ast.NewExpression:
		if v.RightParenthesis > 0 {
			return int(v.RightParenthesis) + 1
		}
		return end(v.Callee)
	case *ast.RegExpLiteral:
		return int(v.Idx) + len("//") + len(v.Pattern) + len(v.Flags)
	}
	return int(e.Idx1())
}

// behind is the offset behind an operator that follows an operand; -1 if there is something else.
func behind(source string, at int, operator token.Token) int {
	if at < len(source) && !strings.HasPrefix(source[at:], operator.String()) {
		for at < len(source) && (identifier(source[at:at+1]) || source[at] >= '0' && source[at] <= '9') {
			at++ // goja gives the end of a private name, and of one with escapes, too early
		}
	}
	for at < len(source) {
		rest := source[at:]
		switch {
		case strings.HasPrefix(rest, operator.String()):
			return at + len(operator.String())
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest, "*/")
			if end < 0 {
				return -1
			}
			at += end + 2
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexAny(rest, "\n\r\u2028\u2029")
			if end < 0 {
				return -1
			}
			at += end
		case strings.IndexByte(" \t\n\r\v\f)", rest[0]) >= 0:
			at++
		default:
			return -1
		}
	}
	return -1
}
