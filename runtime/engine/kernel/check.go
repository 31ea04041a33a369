package kernel

import (
	"slices"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// block looks at statements with names of their own.
func (k *checker) block(list []ast.Statement) {
	names := map[string]*own{}
	for _, s := range list {
		if d, ok := s.(*ast.LexicalDeclaration); ok {
			for _, b := range d.List {
				patternNames(b.Target, func(n string) { names[n] = &own{} })
			}
		}
	}
	k.enters(names, list...)
	for _, s := range list {
		if k.statement(s); k.fails {
			break
		}
	}
	k.leaves()
}

func (k *checker) statement(s ast.Statement) {
	if k.fails {
		return
	}
	before, can := k.state(), k.can
	if k.fn == nil {
		k.can = k.mayAnchor(s)
	}
	defer func() { k.can = can }()
	if k.look(s); k.fails {
		k.failsAt(s)
		k.exit(s, before)
	}
	k.anchored(s)
}

func (k *checker) look(s ast.Statement) {
	switch v := s.(type) {
	case nil, *ast.EmptyStatement:
	case *ast.BlockStatement:
		k.block(v.List)
	case *ast.ExpressionStatement:
		if !isMark(v) {
			k.expression(v.Expression)
		}
	case *ast.LexicalDeclaration:
		k.bindings(v.List)
	case *ast.VariableStatement:
		k.bindings(v.List)
	case *ast.IfStatement:
		k.expression(v.Test)
		k.tested(s)
		k.branches++
		k.trial(v.Consequent)
		if v.Alternate != nil {
			k.trial(v.Alternate)
		}
		k.branches--
	case *ast.ForStatement:
		k.forLoop(v)
	case *ast.ForOfStatement:
		k.unrolls(v)
	case *rounds:
		k.furtherRounds(v)
	case *ast.WhileStatement:
		k.expression(v.Test)
		k.loop(v.Body)
	case *ast.DoWhileStatement:
		k.loop(v.Body)
		k.expression(v.Test)
	case *ast.BranchStatement:
		k.branch(v)
	case *ast.SwitchStatement:
		k.switchStatement(v)
	case *ast.LabelledStatement:
		if !isAgain(v) {
			k.labelled(v)
		}
	case *ast.ReturnStatement:
		if k.fn == nil && k.stays || k.inList {
			k.fails = true
			return
		}
		k.plan.returns = true
		if o, ok := v.Argument.(*ast.ObjectLiteral); ok && k.fn != nil {
			k.given(o)
		} else if v.Argument != nil {
			k.expression(v.Argument)
		}
	default:
		k.fails = true
	}
}

func (k *checker) loop(body ast.Statement) {
	k.fails = k.fails || k.wants && k.fn == nil // its test cannot be gone back to
	k.plan.loops++
	k.loops++
	k.breaks++
	k.block([]ast.Statement{body})
	k.loops--
	k.breaks--
}

func (k *checker) forLoop(v *ast.ForStatement) {
	names := map[string]*own{}
	if i, ok := v.Initializer.(*ast.ForLoopInitializerLexicalDecl); ok {
		for _, b := range i.LexicalDeclaration.List {
			patternNames(b.Target, func(n string) { names[n] = &own{} })
		}
	}
	k.enters(names, v)
	switch i := v.Initializer.(type) {
	case nil:
	case *ast.ForLoopInitializerExpression:
		k.expression(i.Expression)
	case *ast.ForLoopInitializerLexicalDecl:
		k.bindings(i.LexicalDeclaration.List)
	case *ast.ForLoopInitializerVarDeclList:
		k.bindings(i.List)
	default:
		k.fails = true
	}
	k.maybe(v.Test)
	k.maybe(v.Update)
	loops := k.plan.loops
	if k.loop(v.Body); k.fn != nil && k.fn.restLength(v.Test) {
		k.plan.loops = loops // a few arguments are no reason for a kernel
	}
	k.leaves()
}

func (k *checker) maybe(e ast.Expression) {
	if e != nil {
		k.expression(e)
	}
}

func (k *checker) bindings(list []*ast.Binding) {
	for _, b := range list {
		switch t := b.Target.(type) {
		case *ast.Identifier:
			if b.Initializer == nil {
				k.name(t.Name.String(), k.local(t.Name.String()) == nil && k.declaredHere(t.Name.String()))
				continue
			}
			k.expression(b.Initializer)
			if in := k.name(t.Name.String(), false); in != nil {
				in.assigned = true // also of a constant: this is its one assignment
			}
			k.becomes(t.Name.String(), b.Initializer)
		case *ast.ObjectPattern:
			k.pattern(t, b.Initializer, true)
		default:
			k.fails = true
		}
	}
}

// declaredHere tells whether a name is one that the kernel's own let declares, which makes it undefined.
func (k *checker) declaredHere(name string) bool {
	in := k.plan.free[k.fn][name]
	return in != nil && in.declared
}

// pattern is the taking apart of this, or of what a function gives back.
func (k *checker) pattern(p *ast.ObjectPattern, source ast.Expression, declares bool) {
	if p.Rest != nil {
		k.fails = true
		return
	}
	var from *input
	if call, ok := source.(*ast.CallExpression); ok {
		k.expression(call)
	} else if b, ok := source.(*ast.BracketExpression); ok {
		k.row(b)
	} else if from = k.object(source); from == nil {
		k.fails = true
	}
	for _, prop := range p.Properties {
		var to ast.Expression
		name := ""
		switch x := prop.(type) {
		case *ast.PropertyShort:
			if x.Initializer != nil {
				k.fails = true
			}
			name, to = x.Name.Name.String(), &x.Name
		case *ast.PropertyKeyed:
			name, to = keyOf(x), x.Value
		}
		if name == "" || k.fails {
			k.fails = true
			return
		}
		if from != nil {
			k.property(from, name)
		}
		id, ok := to.(*ast.Identifier)
		if b, is := to.(*ast.Binding); is && b.Initializer == nil {
			id, ok = b.Target.(*ast.Identifier)
		}
		if !ok {
			k.fails = true
			return
		}
		if in := k.name(id.Name.String(), !declares); in != nil {
			in.assigned = true
			if from != nil {
				in.holds = from.children[name]
			}
		} else if from != nil && k.local(id.Name.String()) != nil {
			k.local(id.Name.String()).object = from.children[name]
		}
	}
}

// keyOf is a property's plain name, "" for any other.
func keyOf(p *ast.PropertyKeyed) string {
	if p.Computed || p.Kind != ast.PropertyKindValue {
		return ""
	}
	switch key := p.Key.(type) {
	case *ast.StringLiteral:
		return key.Value.String()
	case *ast.Identifier:
		return key.Name.String()
	}
	return ""
}

// given is what a function gives back for its caller to take apart.
func (k *checker) given(o *ast.ObjectLiteral) {
	for _, prop := range o.Value {
		switch x := prop.(type) {
		case *ast.PropertyShort:
			k.expression(&x.Name)
		case *ast.PropertyKeyed:
			if keyOf(x) == "" || keyOf(x) == "__proto__" {
				k.fails = true
				return
			}
			k.expression(x.Value)
		default:
			k.fails = true
		}
	}
}

func (k *checker) expression(e ast.Expression) {
	if k.fails {
		return
	}
	if Explain != nil {
		defer k.failsAt(e)
	}
	switch v := e.(type) {
	case *ast.Identifier:
		k.name(v.Name.String(), false)
	case *ast.ThisExpression:
		k.fails = k.object(v) == nil
	case *ast.NumberLiteral, *ast.BooleanLiteral:
		if n, ok := e.(*ast.NumberLiteral); ok {
			_, k.fails = literal(n)
			k.fails = !k.fails
		}
	case *ast.BracketExpression:
		k.plan.brackets++
		switch left := v.Left.(type) {
		case *ast.Identifier, *ast.DotExpression:
			k.expression(left)
		case *ast.BracketExpression:
			k.row(left)
		default:
			k.fails = true
			return
		}
		k.expression(v.Member)
	case *ast.DotExpression:
		k.dot(v, false)
	case *ast.BinaryExpression:
		k.fails = !operators[v.Operator]
		if of := comparedWithNull(v); of != nil {
			k.expression(of)
			return
		}
		k.expression(v.Left)
		k.expression(v.Right)
	case *ast.AssignExpression:
		k.assign(v)
	case *ast.UnaryExpression:
		switch v.Operator {
		case token.INCREMENT, token.DECREMENT:
			k.target(v.Operand)
		case token.PLUS, token.MINUS, token.NOT, token.BITWISE_NOT, token.VOID:
			k.expression(v.Operand)
		default:
			k.fails = true
		}
	case *ast.ConditionalExpression:
		k.expression(v.Test)
		k.expression(v.Consequent)
		k.expression(v.Alternate)
	case *ast.SequenceExpression:
		for _, x := range v.Sequence {
			k.expression(x)
		}
	case *ast.CallExpression:
		k.callExpression(v)
	default:
		k.fails = true
	}
}

// dot is a property of an object around the kernel, a length, or a field of what a function gave back.
func (k *checker) dot(v *ast.DotExpression, written bool) {
	name := v.Identifier.Name.String()
	o := k.object(v.Left)
	_, this := v.Left.(*ast.ThisExpression)
	if name == "length" && !written && !this {
		k.plan.lengths = true
		switch v.Left.(type) {
		case *ast.Identifier, *ast.DotExpression:
			k.expression(v.Left)
		default:
			k.fails = true
		}
		return
	}
	if o != nil {
		in := k.property(o, name)
		in.assigned = in.assigned || written
		return
	}
	id, ok := v.Left.(*ast.Identifier)
	if !ok || written {
		k.fails = true
		return
	}
	k.expression(id)
}

func (k *checker) assign(v *ast.AssignExpression) {
	if p, ok := v.Left.(*ast.ObjectPattern); ok && v.Operator == token.ASSIGN {
		k.pattern(p, v.Right, false)
		return
	}
	if id, ok := v.Left.(*ast.Identifier); ok && k.fn == nil && k.local(id.Name.String()) == nil &&
		k.givesObject(v.Right) {
		k.fails = true // others could see the object
		return
	}
	k.target(v.Left)
	k.expression(v.Right)
	if id, ok := v.Left.(*ast.Identifier); ok && v.Operator == token.ASSIGN {
		k.becomes(id.Name.String(), v.Right)
	}
	_, compares := comparisons[v.Operator]
	k.fails = k.fails || v.Operator != token.ASSIGN && (!operators[v.Operator] || compares ||
		v.Operator == token.LOGICAL_AND || v.Operator == token.LOGICAL_OR)
}

func (k *checker) target(e ast.Expression) {
	switch t := e.(type) {
	case *ast.Identifier:
		k.name(t.Name.String(), true)
	case *ast.BracketExpression:
		_, row := t.Left.(*ast.BracketExpression)
		k.fails = k.fails || row // which can only be read
		k.expression(t)
	case *ast.DotExpression:
		k.dot(t, true)
	default:
		k.fails = true
	}
}

func (k *checker) callExpression(v *ast.CallExpression) {
	for _, a := range v.ArgumentList {
		k.expression(a)
	}
	switch c := v.Callee.(type) {
	case *ast.Identifier:
		k.call(c.Name.String(), v.ArgumentList)
	case *ast.DotExpression:
		name := c.Identifier.Name.String()
		if id, ok := c.Left.(*ast.Identifier); ok && id.Name == "Math" && k.local("Math") == nil {
			scope, _ := k.scope.find("Math", k.finder.functions)
			if !slices.Contains(k.plan.math, name) {
				k.plan.math = append(k.plan.math, name)
			}
			k.fails = k.fails || scope != nil || k.global || mathArguments[name] != len(v.ArgumentList)
			return
		}
		o := k.object(c.Left)
		switch {
		case arrayMethods[name] != 0 && len(v.ArgumentList) > 0 && len(v.ArgumentList) <= arrayMethods[name]:
			k.arrayMethod(v, o, name)
		case viewMethods[name] != 0:
			k.plan.views[name] = true
			k.expression(c.Left)
		case name == "charCodeAt" && len(v.ArgumentList) == 1:
			k.plan.texts = true
			k.expression(c.Left)
		case k.finder.methods[name] != nil && o != nil:
			k.method(o, name, v.ArgumentList)
		default:
			k.fails = true
		}
	default:
		k.fails = true
	}
}

// literal is the value of a number in the text; ok is false for a BigInt.
func literal(n *ast.NumberLiteral) (f float64, ok bool) {
	switch v := n.Value.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// operators are those that kernels know.
var operators = map[token.Token]bool{
	token.PLUS: true, token.MINUS: true, token.MULTIPLY: true, token.SLASH: true, token.REMAINDER: true,
	token.EXPONENT: true, token.AND: true, token.OR: true, token.EXCLUSIVE_OR: true, token.SHIFT_LEFT: true,
	token.SHIFT_RIGHT: true, token.UNSIGNED_SHIFT_RIGHT: true, token.LOGICAL_AND: true, token.LOGICAL_OR: true,
	token.EQUAL: true, token.NOT_EQUAL: true, token.STRICT_EQUAL: true, token.STRICT_NOT_EQUAL: true,
	token.LESS: true, token.GREATER: true, token.LESS_OR_EQUAL: true, token.GREATER_OR_EQUAL: true,
}

// givesObject tells whether an expression is a call of a function that ends with an object.
func (k *checker) givesObject(e ast.Expression) bool {
	c, ok := e.(*ast.CallExpression)
	if !ok {
		return false
	}
	id, ok := c.Callee.(*ast.Identifier)
	if !ok {
		return false
	}
	_, fn := k.scope.find(id.Name.String(), k.finder.functions)
	if fn == nil || len(fn.list) == 0 {
		return false
	}
	r, ok := fn.list[len(fn.list)-1].(*ast.ReturnStatement)
	if !ok {
		return false
	}
	_, ok = r.Argument.(*ast.ObjectLiteral)
	return ok
}
