package kernel

import (
	"strconv"

	"github.com/dop251/goja/ast"
)

// call takes the body of the function in.
func (l *lowerer) call(v *ast.CallExpression) value {
	var in *input
	this := value{}
	name := ""
	switch c := v.Callee.(type) {
	case *ast.DotExpression:
		name = c.Identifier.Name.String()
		if id, ok := c.Left.(*ast.Identifier); ok && id.Name == "Math" && l.plan.free[l.frame().fn]["Math"] == nil {
			return l.math(name, v.ArgumentList)
		}
		if this = l.expression(c.Left); this.object == nil && name == "charCodeAt" {
			return l.charCode(this, v.ArgumentList[0])
		}
		if this.array != nil && arrayMethods[name] != 0 {
			return l.method(this.array, name, v)
		}
		if this.object == nil {
			return l.view(this, name, v)
		}
		in = this.object.children[name]
	case *ast.Identifier:
		name = c.Name.String()
		in = l.plan.free[l.frame().fn][name]
	}
	if in == nil || in.assigned || l.kinds[in.index].sort != sortFunction {
		fail("call of %s", name)
	}
	fn := in.callees[l.kinds[in.index].fixed]
	if fn.arrow {
		this = value{}
	}
	key := meetingKey{l.frame().context, v, 0}
	context, known := l.facts.contexts[key]
	if !known {
		context = len(l.facts.contexts) + 1
		l.facts.contexts[key] = context
	}
	f := &frame{fn: fn, call: int(v.LeftParenthesis) - 1, context: context, this: this,
		names: []map[string]*variable{{}}}
	code := l.apart(func() {
		args := make([]*variable, 0, len(v.ArgumentList))
		rest := value{fields: map[string]*variable{}}
		for i, a := range v.ArgumentList {
			x := l.expression(a)
			switch {
			case i >= len(fn.params) && fn.rest != nil:
				name := strconv.Itoa(i - len(fn.params))
				p := l.facts.variable(context, fn.rest, name)
				l.assign(p, x)
				rest.fields[name], rest.order = p, append(rest.order, name)
				continue
			case i >= len(fn.params):
				l.drop(x)
				continue
			}
			p := l.facts.variable(context, fn.params[i], "")
			if x.odd && fn.params[i].Initializer != nil {
				fail("a parameter that may take its default")
			}
			l.assign(p, x)
			args = append(args, p)
		}
		for i, b := range fn.params {
			p := l.facts.variable(context, b, "")
			switch {
			case i < len(args):
			case b.Initializer != nil:
				l.assign(p, l.expression(b.Initializer))
			default:
				l.assign(p, value{number: undefined, code: constI64(oddValue)})
			}
			f.names[0][b.Target.(*ast.Identifier).Name.String()] = p
		}
		if fn.rest != nil {
			length, p := l.facts.variable(context, fn.rest, "length"), l.facts.variable(context, fn.rest, "")
			l.assign(length, constant(float64(len(rest.order))))
			rest.fields["length"], rest.order = length, append(rest.order, "length")
			l.assign(p, rest)
			f.names[0][fn.rest.Name.String()] = p
		}
	})
	l.frames = append(l.frames, f)
	defer func() { l.frames = l.frames[:len(l.frames)-1] }()
	if fn.result != nil {
		x := l.expression(fn.result)
		l.forgetCall(context, x)
		return after(code, x)
	}
	code = append(code, l.apart(func() { l.body(f) })...)
	if l.env == nil {
		fail("%s never returns", name) // nobody would emit its code
	}
	x := l.read(f.result, name)
	l.forgetCall(context, x)
	return after(code, x)
}

// body lowers the body of a function that is taken in; its result is in a variable then.
func (l *lowerer) body(f *frame) {
	fn := f.fn
	for _, d := range fn.vars {
		for _, b := range d.List {
			id, ok := b.Target.(*ast.Identifier)
			if !ok {
				fail("pattern")
			}
			name := id.Name.String()
			if f.names[0][name] == nil {
				v := l.facts.variable(f.context, b, name)
				f.names[0][name] = v
				l.assign(v, value{number: undefined, code: constI64(oddValue)})
			}
		}
	}
	f.result = l.hidden(fn, "result")
	f.returns = l.meet(fn, 3, f.result)
	l.open(opBlock, typeVoid)
	f.returns.depth = l.depth
	f.names = append(f.names, map[string]*variable{})
	l.statements(fn.list)
	if l.env != nil {
		l.assign(f.result, value{number: undefined, code: constI64(oddValue)})
		l.edge(f.returns)
	}
	l.close()
	l.land(f.returns)
	l.unreachable()
}

// drop evaluates for the effects alone.
func (l *lowerer) drop(x value) {
	if l.env == nil {
		return
	}
	l.emit(x.code)
	if x.scalar() {
		l.emit(op(opDrop))
	}
}
