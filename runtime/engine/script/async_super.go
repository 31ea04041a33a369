package script

import (
	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"
	"github.com/dop251/goja/unistring"

	"eddy/runtime/engine/builtin"
)

// The body of a lowered async generator method is a function of its own, in which super is a syntax error: the bundler
// leaves it there. It becomes a call of one of two arrow functions, which the method declares before it returns.

const (
	superGet  = "%super%"     // (key) => super[key]
	superCall = "%superCall%" // (key, ...args) => super[key](...args)
)

// superUse tells which of the two a body needs.
type superUse struct{ get, call bool }

// insideLowered walks a function with what super means in it: in the body of a lowered function it is to be replaced,
// in any other function it is that function's own.
func (w *walker) insideLowered(f *ast.FunctionLiteral, member bool, walk func()) {
	old, oldBody, oldInside := w.super, w.loweredBody, w.inBody
	defer func() { w.super, w.loweredBody, w.inBody = old, oldBody, oldInside }()
	if f == oldBody && f != nil {
		// The body uses super as the method around it does.
		w.inBody = true
		walk()
		return
	}
	before, body, use := len(w.rewrites), w.lowering(f), &superUse{}
	w.super, w.loweredBody, w.inBody = nil, body, false
	if body != nil {
		w.super = use
	}
	walk()
	if body != nil {
		w.wasGenerator(f, body, member)
	}
	f.Source = w.original(f.Source, f.Function, before)
	if body == nil {
		return
	}
	w.noteLowered(f)
	if !use.get && !use.call {
		return
	}
	tree, err := goja.Parse(
		builtin.Prefix+"super.js",
		"({ m() { const get = (key) => super[key], call = (key, ...args) => super[key](...args); } })",
		parser.WithDisableSourceMaps)
	if err != nil {
		panic(err)
	}
	object := tree.Body[0].(*ast.ExpressionStatement).Expression.(*ast.ObjectLiteral)
	method := object.Value[0].(*ast.PropertyKeyed).Value.(*ast.FunctionLiteral)
	declaration := method.Body.List[0].(*ast.LexicalDeclaration)
	for i, name := range []unistring.String{superGet, superCall} {
		declaration.List[i].Target.(*ast.Identifier).Name = name
	}
	f.Body.List = append([]ast.Statement{declaration}, f.Body.List...)
}

// superMember returns the key if e is a property of super that has to be replaced.
func (w *walker) superMember(e ast.Expression) (ast.Expression, bool) {
	if w.super == nil {
		return nil, false
	}
	switch v := e.(type) {
	case *ast.DotExpression:
		if _, ok := v.Left.(*ast.SuperExpression); ok {
			return &ast.StringLiteral{
				Idx: v.Identifier.Idx, Literal: quoteKey(v.Identifier.Name), Value: v.Identifier.Name}, true
		}
	case *ast.BracketExpression:
		if _, ok := v.Left.(*ast.SuperExpression); ok {
			return w.expression(v.Member), true
		}
	}
	return nil, false
}

func quoteKey(name unistring.String) string { return `"` + name.String() + `"` }

// superExpression replaces the reading of a property of super, or the call of a method of it.
func (w *walker) superExpression(e ast.Expression) (ast.Expression, bool) {
	if call, ok := e.(*ast.CallExpression); ok {
		key, ok := w.superMember(call.Callee)
		if !ok {
			return nil, false
		}
		w.super.call = true
		w.list(call.ArgumentList)
		at := call.Callee.Idx0()
		return &ast.CallExpression{
			Callee: &ast.Identifier{Name: superCall, Idx: at}, LeftParenthesis: call.LeftParenthesis,
			RightParenthesis: call.RightParenthesis,
			ArgumentList:     append([]ast.Expression{key}, call.ArgumentList...),
		}, true
	}
	key, ok := w.superMember(e)
	if !ok {
		return nil, false
	}
	w.super.get = true
	at := e.Idx0()
	return &ast.CallExpression{
		Callee: &ast.Identifier{Name: superGet, Idx: at}, LeftParenthesis: at, RightParenthesis: at,
		ArgumentList: []ast.Expression{key},
	}, true
}
