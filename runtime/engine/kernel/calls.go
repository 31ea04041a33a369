package kernel

import (
	"github.com/dop251/goja/ast"
)

// small is the declaration that a call means, and its body if that is one expression over its parameters, which takes
// the place of the call.
func (l *lowerer) small(v *ast.CallExpression) (Decl, ast.Expression) {
	id, ok := v.Callee.(*ast.Identifier)
	if !ok {
		fail("call of an expression")
	}
	name := id.Name.String()
	for i := len(l.names) - 1; i >= 0; i-- {
		if l.names[i][name] != nil {
			fail("call of a variable")
		}
	}
	d, ok := l.scope.find(name, l.fn)
	if !ok {
		fail("call of " + name)
	}
	if d.Function.ParameterList.Rest != nil || len(v.ArgumentList) < len(d.Function.ParameterList.List) {
		fail("arguments")
	}
	if len(d.Function.Body.List) != 1 || len(d.Function.DeclarationList) > 0 {
		return d, nil
	}
	r, ok := d.Function.Body.List[0].(*ast.ReturnStatement)
	if !ok || r.Argument == nil || !simple(r.Argument) {
		return d, nil
	}
	return d, r.Argument
}

// simple tells whether an expression has neither calls nor assignments nor elements.
func simple(e ast.Expression) bool {
	switch v := e.(type) {
	case *ast.NumberLiteral, *ast.Identifier:
		return true
	case *ast.BinaryExpression:
		return simple(v.Left) && simple(v.Right)
	case *ast.UnaryExpression:
		return !v.Postfix && simple(v.Operand) && (v.Operator.String() == "~" || v.Operator.String() == "-")
	}
	return false
}

func (l *lowerer) call(v *ast.CallExpression, used bool) value {
	d, body := l.small(v)
	for _, f := range l.stack {
		if f == d.Function {
			fail("recursion")
		}
	}
	if body != nil {
		return l.inline(d, body, v.ArgumentList)
	}
	arrays, ok := l.scope.parameters(d.Function)
	if !ok {
		fail("parameters")
	}
	k := call{}
	var elements []Element
	for i, arg := range v.ArgumentList {
		if i >= len(arrays) {
			l.effect(arg)
			continue
		}
		if !arrays[i] {
			x := l.expression(arg)
			if x.odd {
				fail("an argument may be undefined")
			}
			k.nums = append(k.nums, l.kept(l.asNum(x), v.ArgumentList[i+1:]...).reg)
			continue
		}
		id, plain := arg.(*ast.Identifier)
		if !plain {
			fail("an expression as an array")
		}
		x := l.look(id.Name.String())
		if x.array < 0 {
			fail("a number as an array")
		}
		k.arrays = append(k.arrays, uint8(x.array))
		elements = append(elements, l.elements[x.array])
	}
	c, err := l.scope.lowered(d.Function, arrays, elements, l.stack)
	if err != nil {
		fail(err.Error())
	}
	if l.out.depth = max(l.out.depth, c.depth+1); l.out.depth >= maxNesting {
		fail("calls nest too deep")
	}
	k.code = c
	k.result = l.alloc()
	l.out.calls = append(l.out.calls, k)
	l.emit(ins{op: opCall, imm: int32(len(l.out.calls) - 1)})
	if used && !c.gives {
		fail("a call without a result")
	}
	return value{reg: k.result, kind: kindNum, own: true}
}

// inline evaluates the body of a small function with its parameters being the arguments.
func (l *lowerer) inline(d Decl, body ast.Expression, args []ast.Expression) value {
	if l.inlined++; l.inlined > 2000 {
		fail("too many calls")
	}
	names := map[string]*variable{}
	for i, arg := range args {
		if i >= len(d.Function.ParameterList.List) {
			l.effect(arg)
			continue
		}
		id, ok := d.Function.ParameterList.List[i].Target.(*ast.Identifier)
		if !ok || d.Function.ParameterList.List[i].Initializer != nil || names[id.Name.String()] != nil {
			fail("parameter")
		}
		v := &variable{key: d.Function.ParameterList.List[i], array: -1}
		if f, known := l.fixed(arg); known {
			v.fixed = &f
		} else {
			x := l.kept(l.expression(arg), args[i+1:]...)
			v.param = &x
		}
		names[id.Name.String()] = v
	}
	outer := l.names
	l.names = []map[string]*variable{names}
	out := l.expression(body)
	l.names = outer
	return out
}
