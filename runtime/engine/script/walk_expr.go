package script

import (
	"math/big"
	"strings"
	"unicode"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"
)

func (w *walker) list(l []ast.Expression) {
	for i, e := range l {
		if e != nil {
			l[i] = w.expression(e)
		}
	}
}

func (w *walker) iterate(e ast.Expression) {
	w.site(Site{At: reported(e), Pos: off(e.Idx0()), Start: off(e.Idx0()), End: off(e.Idx1()), Kind: Iterate})
}

// v8Position is where V8 says a call stands: at the last name of its callee, else at the parenthesis.
func v8Position(callee ast.Expression, paren file.Idx) int32 {
	switch c := callee.(type) {
	case *ast.Identifier:
		return off(c.Idx)
	case *ast.DotExpression:
		return off(c.Identifier.Idx)
	case *ast.PrivateDotExpression:
		return off(c.Identifier.Idx)
	case *ast.Optional:
		return v8Position(c.Expression, paren)
	case *ast.SuperExpression:
		return off(c.Idx)
	}
	return off(paren)
}

func (w *walker) expression(e ast.Expression) ast.Expression {
	if e == nil {
		return nil
	}
	hint, kind := w.takeHint()
	if w.super != nil {
		if replaced, ok := w.superExpression(e); ok {
			return replaced
		}
	}
	switch v := e.(type) {
	case *ast.RegExpLiteral:
		return w.regexp(v)
	case *ast.Identifier:
		return w.arguments(v)
	case *ast.NumberLiteral, *ast.StringLiteral, *ast.BooleanLiteral, *ast.NullLiteral,
		*ast.ThisExpression, *ast.SuperExpression, *ast.MetaProperty, *ast.BadExpression:
	case *ast.DotExpression:
		v.Left = w.expression(v.Left)
	case *ast.PrivateDotExpression:
		v.Left = w.expression(v.Left)
	case *ast.BracketExpression:
		v.Left = w.expression(v.Left)
		v.Member = w.expression(v.Member)
	case *ast.CallExpression:
		w.site(Site{At: off(v.LeftParenthesis), Pos: v8Position(v.Callee, v.LeftParenthesis),
			Start: off(v.Callee.Idx0()), End: off(v.Callee.Idx1()), Kind: Call})
		w.meetsEval(v.Callee)
		v.Callee = w.expression(v.Callee)
		w.list(v.ArgumentList)
	case *ast.NewExpression:
		w.site(Site{At: off(v.New), Pos: off(v.New), Start: off(v.Callee.Idx0()), End: off(v.Callee.Idx1()),
			Kind: New})
		v.Callee = w.expression(v.Callee)
		w.list(v.ArgumentList)
	case *ast.AssignExpression:
		w.assign(v)
	case *ast.BinaryExpression:
		w.relation(v)
		v.Left = w.expression(v.Left)
		v.Right = w.expression(v.Right)
		if n, ok := v.Left.(*ast.NumberLiteral); ok {
			if _, big := n.Value.(*big.Int); big {
				// goja carries out operators on literals when it compiles, where nothing bounds them.
				v.Left = &ast.SequenceExpression{Sequence: []ast.Expression{v.Left}}
			}
		}
	case *ast.UnaryExpression:
		switch v.Operator {
		case token.INCREMENT, token.DECREMENT, token.DELETE: // the operand of these is a place: a name must stay a name
			if _, named := v.Operand.(*ast.Identifier); named {
				return e
			}
		}
		v.Operand = w.expression(v.Operand)
	case *ast.ConditionalExpression:
		v.Test = w.expression(v.Test)
		v.Consequent = w.named(v.Consequent, hint, kind)
		v.Alternate = w.named(v.Alternate, hint, kind)
	case *ast.SequenceExpression:
		w.list(v.Sequence)
	case *ast.ArrayLiteral:
		w.list(v.Value)
	case *ast.SpreadElement:
		w.iterate(v.Expression)
		v.Expression = w.expression(v.Expression)
	case *ast.ObjectLiteral:
		w.objectLiteral(v)
	case *ast.TemplateLiteral:
		if v.Tag != nil {
			w.site(Site{At: off(v.OpenQuote), Pos: v8Position(v.Tag, v.OpenQuote), Start: off(v.Tag.Idx0()),
				End: off(v.Tag.Idx1()), Kind: Call})
			v.Tag = w.expression(v.Tag)
		}
		w.list(v.Expressions)
	case *ast.FunctionLiteral:
		if v.Name != nil || kind == hintNone {
			hint = ""
		}
		hint = memberName(hint, kind)
		w.functionLiteral(v, hint)
	case *ast.ArrowFunctionLiteral:
		hint = memberName(hint, kind)
		w.function(off(v.Start), off(v.Idx1()), hint, false, v.Async, v.ParameterList)
		inBody, rewrites, evals := w.inBody, len(w.rewrites), w.evals
		w.inBody = false
		defer w.enter(true)()
		if b, ok := v.Body.(*ast.ExpressionBody); ok {
			v.Source = wholeArrow(w.file.Source(), v, b)
		}
		defer w.kernels.Function(v, v.ParameterList, v.DeclarationList, v.Body, v.Source, !v.Async)()
		w.params(v.ParameterList)
		switch b := v.Body.(type) {
		case *ast.BlockStatement:
			w.block(&b.List, true)
			b.List = w.declaring(v.ParameterList, b.List, b.LeftBrace, evals)
		case *ast.ExpressionBody:
			b.Expression = w.expression(b.Expression)
			result := []ast.Statement{&ast.ReturnStatement{Return: b.Expression.Idx0(), Argument: b.Expression}}
			if list := w.declaring(v.ParameterList, result, b.Expression.Idx0(), evals); len(list) > 1 {
				v.Body = &ast.BlockStatement{LeftBrace: b.Expression.Idx0(), List: list,
					RightBrace: b.Expression.Idx1() - 1}
			}
		}
		w.inBody = inBody
		v.Source = w.original(v.Source, v.Start, rewrites)
	case *ast.ClassLiteral:
		w.classLiteral(v, hint)
	case *ast.YieldExpression:
		w.wasAwait(v)
		if iterable, ok := w.loweredInVain(v); ok {
			v.Argument = iterable
		}
		v.Argument = w.expression(v.Argument)
	case *ast.AwaitExpression:
		w.site(Site{At: off(v.Await), Pos: off(v.Await), Start: off(v.Await), End: off(v.Idx1()), Kind: Await})
		v.Argument = w.expression(v.Argument)
	case *ast.OptionalChain:
		v.Expression = w.expression(v.Expression)
	case *ast.Optional:
		v.Expression = w.expression(v.Expression)
	case *ast.ObjectPattern, *ast.ArrayPattern:
		w.pattern(v)
	case *ast.Binding:
		w.binding(v)
	case *ast.PropertyKeyed, *ast.PropertyShort:
	}
	return e
}

func (w *walker) assign(v *ast.AssignExpression) {
	name, kind := "", hintNone
	switch l := v.Left.(type) {
	case *ast.Identifier:
		name, kind = l.Name.String(), hintPlain
	case *ast.DotExpression:
		// V8 names a function assigned to a property after the object's text: "at obj.fn".
		name, kind = dotted(l), hintPlain
		l.Left = w.expression(l.Left)
	case *ast.ObjectPattern, *ast.ArrayPattern:
		w.destructureSite(l, v.Right, false)
		w.pattern(l)
	default:
		v.Left = w.expression(v.Left)
	}
	made := v.Right
	v.Right = w.named(v.Right, name, kind)
	switch l := v.Left.(type) {
	case *ast.DotExpression:
		w.kernels.Method(l.Identifier.Name.String(), made)
	case *ast.Identifier:
		w.kernels.Variable(l.Name.String(), made)
	}
}

func dotted(e ast.Expression) string {
	switch v := e.(type) {
	case *ast.Identifier:
		return v.Name.String()
	case *ast.ThisExpression:
		return ""
	case *ast.DotExpression:
		left := dotted(v.Left)
		if left == "" {
			return v.Identifier.Name.String()
		}
		return left + "." + v.Identifier.Name.String()
	}
	return ""
}

func (w *walker) objectLiteral(o *ast.ObjectLiteral) {
	for i, p := range o.Value {
		switch k := p.(type) {
		case *ast.PropertyShort:
			if k.Initializer != nil {
				k.Initializer = w.expression(k.Initializer)
			} else if v := w.arguments(&k.Name); v != ast.Expression(&k.Name) {
				at := k.Name.Idx
				o.Value[i] = &ast.PropertyKeyed{
					Key:  &ast.StringLiteral{Idx: at, Literal: `"arguments"`, Value: "arguments"},
					Kind: ast.PropertyKindValue, Value: v,
				}
			}
		case *ast.PropertyKeyed:
			if k.Computed {
				k.Key = w.expression(k.Key)
			}
			name := keyText(k.Key, k.Computed)
			if name != "" && k.Kind == ast.PropertyKindGet {
				name = "get " + name
			} else if name != "" && k.Kind == ast.PropertyKindSet {
				name = "set " + name
			}
			if k.Kind == ast.PropertyKindMethod {
				w.member, _ = k.Value.(*ast.FunctionLiteral)
			}
			made := k.Value
			k.Value = w.named(k.Value, name, hintObjectMember)
			w.kernels.Method(name, made)
		case *ast.SpreadElement:
			k.Expression = w.expression(k.Expression)
		default:
			if e, ok := p.(ast.Expression); ok {
				if r, ok := w.expression(e).(ast.Property); ok {
					o.Value[i] = r
				}
			}
		}
	}
	defined(o)
}

// memberName is how V8 shows a function that stands as a member of an object literal: with its receiver, if the key is
// a name.
func memberName(hint string, kind hintKind) string {
	if kind != hintObjectMember || hint == "" || strings.HasPrefix(hint, "get ") || strings.HasPrefix(hint, "set ") ||
		!identifier(hint) {
		return hint
	}
	return "Object." + hint
}

// identifier tells whether a key could stand after a dot.
func identifier(key string) bool {
	for i, c := range key {
		if c != '_' && c != '$' && !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c)) {
			return false
		}
	}
	return key != ""
}
