package bundle

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/unistring"
)

// liveImport is the export that an import names: a property of a namespace object.
type liveImport struct {
	space, name unistring.String
}

// liveBinder replaces each reference to an import in a syntax tree by the property of the namespace that it stands
// for, so that the program sees what the exporting module, or a mock, puts there later. The tree keeps its positions.
//
// scopes are the names of imports that a scope around the present node declares anew, innermost last.
type liveBinder struct {
	imports map[unistring.String]liveImport
	called  func(*ast.CallExpression)
	scopes  []map[unistring.String]bool
}

// bindLive does it for the statements of a module's function, and tells called of each call before.
func bindLive(body []ast.Statement, imports map[unistring.String]liveImport, called func(*ast.CallExpression)) {
	b := &liveBinder{imports: imports, called: called}
	b.statements(body)
}

// in visits with the names of a scope declared.
func (b *liveBinder) in(names []unistring.String, visit func()) {
	var scope map[unistring.String]bool
	for _, name := range names {
		if _, ok := b.imports[name]; ok {
			if scope == nil {
				scope = map[unistring.String]bool{}
			}
			scope[name] = true
		}
	}
	if scope == nil {
		visit()
		return
	}
	b.scopes = append(b.scopes, scope)
	visit()
	b.scopes = b.scopes[:len(b.scopes)-1]
}

// reference is what an identifier that is read stands for, nil if it is no import.
func (b *liveBinder) reference(id *ast.Identifier) *ast.DotExpression {
	target, ok := b.imports[id.Name]
	if !ok {
		return nil
	}
	for _, scope := range b.scopes {
		if scope[id.Name] {
			return nil
		}
	}
	return &ast.DotExpression{
		Left:       &ast.Identifier{Name: target.space, Idx: id.Idx},
		Identifier: ast.Identifier{Name: target.name, Idx: id.Idx},
	}
}

// expression visits an expression and returns what stands in its place.
func (b *liveBinder) expression(e ast.Expression) ast.Expression {
	switch e := e.(type) {
	case nil:
		return nil
	case *ast.Identifier:
		if to := b.reference(e); to != nil {
			return to
		}
	case *ast.CallExpression:
		b.call(e)
	case *ast.ObjectLiteral:
		b.properties(e.Value)
	case *ast.ObjectPattern:
		b.properties(e.Properties)
		e.Rest = b.expression(e.Rest)
	case *ast.ArrayPattern:
		b.list(e.Elements)
		e.Rest = b.expression(e.Rest)
	case *ast.FunctionLiteral:
		b.function(e)
	case *ast.ArrowFunctionLiteral:
		b.arrow(e)
	case *ast.ClassLiteral:
		b.class(e)
	default:
		b.operands(e)
	}
	return e
}

// operands visits what has expressions inside and needs no more.
func (b *liveBinder) operands(e ast.Expression) {
	switch e := e.(type) {
	case *ast.ArrayLiteral:
		b.list(e.Value)
	case *ast.AssignExpression:
		e.Left, e.Right = b.expression(e.Left), b.expression(e.Right)
	case *ast.AwaitExpression:
		e.Argument = b.expression(e.Argument)
	case *ast.YieldExpression:
		e.Argument = b.expression(e.Argument)
	case *ast.BinaryExpression:
		e.Left, e.Right = b.expression(e.Left), b.expression(e.Right)
	case *ast.BracketExpression:
		e.Left, e.Member = b.expression(e.Left), b.expression(e.Member)
	case *ast.ConditionalExpression:
		e.Test, e.Consequent = b.expression(e.Test), b.expression(e.Consequent)
		e.Alternate = b.expression(e.Alternate)
	case *ast.DotExpression:
		e.Left = b.expression(e.Left)
	case *ast.PrivateDotExpression:
		e.Left = b.expression(e.Left)
	case *ast.OptionalChain:
		e.Expression = b.expression(e.Expression)
	case *ast.Optional:
		e.Expression = b.expression(e.Expression)
	case *ast.NewExpression:
		e.Callee = b.expression(e.Callee)
		b.list(e.ArgumentList)
	case *ast.SequenceExpression:
		b.list(e.Sequence)
	case *ast.SpreadElement:
		e.Expression = b.expression(e.Expression)
	case *ast.TemplateLiteral:
		e.Tag = b.expression(e.Tag)
		b.list(e.Expressions)
	case *ast.UnaryExpression:
		e.Operand = b.expression(e.Operand)
	case *ast.Binding:
		e.Initializer = b.expression(e.Initializer)
		b.target(e.Target)
	}
}

// call keeps the this of a call undefined where a plain name becomes a property.
func (b *liveBinder) call(e *ast.CallExpression) {
	b.called(e)
	callee, optional := e.Callee, false
	if o, ok := callee.(*ast.Optional); ok {
		callee, optional = o.Expression, true
	}
	if id, ok := callee.(*ast.Identifier); ok {
		if to := b.reference(id); to != nil {
			var plain ast.Expression = &ast.SequenceExpression{Sequence: []ast.Expression{
				&ast.NumberLiteral{Idx: id.Idx, Literal: "0", Value: int64(0)}, to,
			}}
			if optional {
				plain = &ast.Optional{Expression: plain}
			}
			e.Callee = plain
		}
	} else {
		e.Callee = b.expression(e.Callee)
	}
	b.list(e.ArgumentList)
}

func (b *liveBinder) list(list []ast.Expression) {
	for i, e := range list {
		list[i] = b.expression(e)
	}
}

// properties visits those of an object literal, or of a pattern that is assigned to.
func (b *liveBinder) properties(list []ast.Property) {
	for i, p := range list {
		switch p := p.(type) {
		case *ast.PropertyShort:
			p.Initializer = b.expression(p.Initializer)
			if to := b.reference(&p.Name); to != nil && p.Initializer == nil {
				list[i] = &ast.PropertyKeyed{
					Key:  &ast.StringLiteral{Idx: p.Name.Idx, Literal: p.Name.Name.String(), Value: p.Name.Name},
					Kind: ast.PropertyKindValue, Value: to,
				}
			}
		case *ast.PropertyKeyed:
			if p.Computed {
				p.Key = b.expression(p.Key)
			}
			p.Value = b.expression(p.Value)
		case *ast.SpreadElement:
			p.Expression = b.expression(p.Expression)
		}
	}
}

// target visits what is declared: its names stay, its defaults and computed keys are expressions.
func (b *liveBinder) target(t ast.Expression) {
	switch t := t.(type) {
	case *ast.Binding:
		t.Initializer = b.expression(t.Initializer)
		b.target(t.Target)
	case *ast.AssignExpression: // with a default
		b.target(t.Left)
		t.Right = b.expression(t.Right)
	case *ast.ArrayPattern:
		for _, e := range t.Elements {
			b.target(e)
		}
		b.target(t.Rest)
	case *ast.ObjectPattern:
		for _, p := range t.Properties {
			switch p := p.(type) {
			case *ast.PropertyShort:
				p.Initializer = b.expression(p.Initializer)
			case *ast.PropertyKeyed:
				if p.Computed {
					p.Key = b.expression(p.Key)
				}
				b.target(p.Value)
			}
		}
		b.target(t.Rest)
	}
}

func (b *liveBinder) function(f *ast.FunctionLiteral) {
	var names []unistring.String
	if f.Name != nil {
		names = append(names, f.Name.Name)
	}
	names = append(names, variables(f.DeclarationList)...)
	b.in(append(names, lexical(f.Body.List)...), func() {
		b.parameters(f.ParameterList, func() { b.inner(f.Body.List) })
	})
}

func (b *liveBinder) arrow(f *ast.ArrowFunctionLiteral) {
	names := variables(f.DeclarationList)
	body, isBlock := f.Body.(*ast.BlockStatement)
	if isBlock {
		names = append(names, lexical(body.List)...)
	}
	b.in(names, func() {
		b.parameters(f.ParameterList, func() {
			if isBlock {
				b.inner(body.List)
			} else if e, ok := f.Body.(*ast.ExpressionBody); ok {
				e.Expression = b.expression(e.Expression)
			}
		})
	})
}

func (b *liveBinder) parameters(list *ast.ParameterList, visit func()) {
	var names []unistring.String
	for _, p := range list.List {
		names = append(names, bound(p.Target)...)
	}
	names = append(names, bound(list.Rest)...)
	b.in(names, func() {
		for _, p := range list.List {
			b.target(p)
		}
		b.target(list.Rest)
		visit()
	})
}

func (b *liveBinder) class(c *ast.ClassLiteral) {
	var names []unistring.String
	if c.Name != nil {
		names = append(names, c.Name.Name)
	}
	b.in(names, func() {
		c.SuperClass = b.expression(c.SuperClass)
		for _, element := range c.Body {
			switch e := element.(type) {
			case *ast.FieldDefinition:
				if e.Computed {
					e.Key = b.expression(e.Key)
				}
				e.Initializer = b.expression(e.Initializer)
			case *ast.MethodDefinition:
				if e.Computed {
					e.Key = b.expression(e.Key)
				}
				b.function(e.Body)
			case *ast.ClassStaticBlock:
				b.in(append(variables(e.DeclarationList), lexical(e.Block.List)...), func() { b.inner(e.Block.List) })
			}
		}
	})
}

// bound are the names that a pattern declares.
func bound(t ast.Node) []unistring.String {
	var names []unistring.String
	switch t := t.(type) {
	case *ast.Identifier:
		return []unistring.String{t.Name}
	case *ast.Binding:
		return bound(t.Target)
	case *ast.AssignExpression:
		return bound(t.Left)
	case *ast.SpreadElement:
		return bound(t.Expression)
	case *ast.ArrayPattern:
		for _, e := range t.Elements {
			names = append(names, bound(e)...)
		}
		names = append(names, bound(t.Rest)...)
	case *ast.ObjectPattern:
		for _, p := range t.Properties {
			switch p := p.(type) {
			case *ast.PropertyShort:
				names = append(names, p.Name.Name)
			case *ast.PropertyKeyed:
				names = append(names, bound(p.Value)...)
			}
		}
		names = append(names, bound(t.Rest)...)
	}
	return names
}

// variables are the names that var declares anywhere in a function.
func variables(list []*ast.VariableDeclaration) []unistring.String {
	var names []unistring.String
	for _, d := range list {
		for _, binding := range d.List {
			names = append(names, bound(binding.Target)...)
		}
	}
	return names
}

// lexical are the names that let, const, class and function declare in a list of statements.
func lexical(list []ast.Statement) []unistring.String {
	var names []unistring.String
	for _, s := range list {
		switch s := s.(type) {
		case *ast.LexicalDeclaration:
			for _, binding := range s.List {
				names = append(names, bound(binding.Target)...)
			}
		case *ast.ClassDeclaration:
			names = append(names, s.Class.Name.Name)
		case *ast.FunctionDeclaration:
			names = append(names, s.Function.Name.Name)
		}
	}
	return names
}
