package kernel

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// block lowers statements with names of their own.
func (l *lowerer) block(list []ast.Statement) {
	f := l.frame()
	f.names = append(f.names, map[string]*variable{})
	l.statements(list)
	l.forget(f.names[len(f.names)-1])
	f.names = f.names[:len(f.names)-1]
}

func (l *lowerer) statements(list []ast.Statement) {
	names := l.frame().names[len(l.frame().names)-1]
	for _, s := range list {
		if d, ok := s.(*ast.LexicalDeclaration); ok {
			l.declare(names, d)
		}
	}
	for _, s := range list {
		l.statement(s)
	}
}

// declare makes the names of let and const known; they hold nothing yet. Those of the kernel's own list are inputs.
func (l *lowerer) declare(names map[string]*variable, d *ast.LexicalDeclaration) {
	f := l.frame()
	if len(l.frames) == 1 && len(f.names) == 1 {
		return
	}
	for _, b := range d.List {
		patternNames(b.Target, func(name string) {
			v := l.facts.variable(f.context, b, name)
			names[name] = v
			delete(l.env, v)
			if d.Token == token.CONST {
				l.consts[v] = true
			}
		})
	}
}

// look is the variable that a name means.
func (l *lowerer) look(name string) *variable {
	f := l.frame()
	for i := len(f.names) - 1; i >= 0; i-- {
		if v := f.names[i][name]; v != nil {
			return v
		}
	}
	if in := l.plan.free[f.fn][name]; in != nil {
		if v := l.inputs[in]; v != nil {
			return v
		}
	}
	fail("free variable %s", name)
	return nil
}

func (l *lowerer) statement(s ast.Statement) {
	if l.env == nil || l.exits(s) {
		return
	}
	l.at = s
	l.anchoring(s, func() { l.tried(s, func() { l.one(s) }) })
}

func (l *lowerer) one(s ast.Statement) {
	switch v := s.(type) {
	case nil, *ast.EmptyStatement:
	case *ast.BlockStatement:
		l.block(v.List)
	case *ast.ExpressionStatement:
		if !isMark(v) {
			l.effect(v.Expression)
		}
	case *ast.LexicalDeclaration:
		l.bindings(v.List, true)
	case *ast.VariableStatement:
		l.bindings(v.List, false)
	case *ast.IfStatement:
		l.ifStatement(v)
	case *ast.ForStatement:
		l.forLoop(v)
	case *ast.ForOfStatement:
		l.unroll(v)
	case *ast.WhileStatement:
		l.loop(v, v.Test, nil, v.Body, false)
	case *ast.DoWhileStatement:
		l.loop(v, v.Test, nil, v.Body, true)
	case *ast.BranchStatement:
		l.branch(v)
	case *ast.SwitchStatement:
		l.switchStatement(v)
	case *ast.LabelledStatement:
		if !isAgain(v) {
			l.labelled(v)
		}
	case *rounds:
		l.furtherRounds(v)
	case *ast.ReturnStatement:
		l.give(v)
	default:
		fail("statement %T", s)
	}
}

func (l *lowerer) bindings(list []*ast.Binding, lexical bool) {
	for _, b := range list {
		if l.env == nil {
			return
		}
		switch t := b.Target.(type) {
		case *ast.Identifier:
			v := l.look(t.Name.String())
			switch {
			case b.Initializer != nil:
				x, effects := l.expression(b.Initializer), l.effects
				if l.assign(v, x); lexical && v.ofBlock() {
					l.effects = effects // nobody else has it yet
				}
			case lexical:
				l.assign(v, value{number: undefined, code: constI64(oddValue)})
			}
		case *ast.ObjectPattern:
			l.take(t, b.Initializer)
		default:
			fail("pattern")
		}
	}
}

// take takes this or a function's result apart.
func (l *lowerer) take(p *ast.ObjectPattern, source ast.Expression) {
	fields := map[string]*variable{}
	x := l.expression(source)
	l.emit(x.code)
	switch {
	case x.object != nil:
		for name, in := range x.object.children {
			if v := l.inputs[in]; v != nil {
				fields[name] = v
			}
		}
	case x.fields != nil:
		fields = x.fields
	case x.row != nil:
	default:
		fail("taking something unknown apart")
	}
	for _, prop := range p.Properties {
		var to ast.Expression
		name := ""
		switch x := prop.(type) {
		case *ast.PropertyShort:
			name, to = x.Name.Name.String(), &x.Name
		case *ast.PropertyKeyed:
			name, to = keyOf(x), x.Value
		}
		if b, is := to.(*ast.Binding); is {
			to = b.Target
		}
		if x.row != nil {
			l.assign(l.look(to.(*ast.Identifier).Name.String()), l.field(x, name))
			continue
		}
		from := fields[name]
		if from == nil {
			fail("field %s", name)
		}
		l.assign(l.look(to.(*ast.Identifier).Name.String()), l.read(from, name))
	}
	if call, ok := source.(*ast.CallExpression); ok && l.env != nil {
		context := l.facts.contexts[meetingKey{l.frame().context, call, 0}]
		for _, v := range x.fields { // nobody else has the object
			if v.key.context == context && l.env[v].scalar() {
				delete(l.env, v)
			}
		}
	}
}

func (l *lowerer) ifStatement(v *ast.IfStatement) {
	c := l.condition(v.Test)
	if l.env == nil {
		return
	}
	if always, known := c.settled(); known {
		if !c.pure {
			l.emit(c.code, op(opDrop))
		}
		if always != 0 {
			l.block([]ast.Statement{v.Consequent})
		} else if v.Alternate != nil {
			l.block([]ast.Statement{v.Alternate})
		}
		return
	}
	l.emit(c.code)
	end := l.meet(v, 0)
	before := l.copyEnv()
	l.open(opIf, typeVoid)
	l.refine(v.Test, true)
	l.block([]ast.Statement{v.Consequent})
	l.edge(end)
	l.env = before
	l.out = append(l.out, opElse)
	l.refine(v.Test, false)
	if v.Alternate != nil {
		l.block([]ast.Statement{v.Alternate})
	}
	l.edge(end)
	l.close()
	l.land(end)
	l.unreachable()
}

// unreachable tells WebAssembly that nothing gets here.
func (l *lowerer) unreachable() {
	if l.env == nil {
		l.out = append(l.out, opUnreachable)
	}
}

func (l *lowerer) forLoop(v *ast.ForStatement) {
	f := l.frame()
	f.names = append(f.names, map[string]*variable{})
	switch i := v.Initializer.(type) {
	case nil:
	case *ast.ForLoopInitializerExpression:
		l.effect(i.Expression)
	case *ast.ForLoopInitializerLexicalDecl:
		names := f.names[len(f.names)-1]
		l.declare(names, &i.LexicalDeclaration)
		l.bindings(i.LexicalDeclaration.List, true)
	case *ast.ForLoopInitializerVarDeclList:
		l.bindings(i.List, false)
	default:
		fail("for")
	}
	l.loop(v, v.Test, v.Update, v.Body, false)
	l.forget(f.names[len(f.names)-1])
	f.names = f.names[:len(f.names)-1]
}

// loop is any loop; late has its test at the end.
func (l *lowerer) loop(node ast.Node, test, update ast.Expression, body ast.Statement, late bool) {
	f := l.frame()
	labels := f.pending
	f.pending = nil
	l.settle(func() { l.turn(node, labels, test, update, body, late) })
}

// turn lowers a loop once.
func (l *lowerer) turn(node ast.Node, labels []string, test, update ast.Expression, body ast.Statement, late bool) {
	f := l.frame()
	out := l.meet(node, 0)
	l.open(opBlock, typeVoid)
	out.depth = l.depth
	head := l.meet(node, 1)
	head.head = true
	l.edge(head)
	l.open(opLoop, typeVoid)
	head.depth = l.depth
	l.land(head)
	if test != nil && !late {
		l.leaveUnless(test, out)
	}
	next := l.meet(node, 2)
	l.open(opBlock, typeVoid)
	next.depth = l.depth
	for _, name := range labels {
		f.labels[name] = [2]*label{out, next}
	}
	f.breaks, f.goesOn = append(f.breaks, out), append(f.goesOn, next)
	l.block([]ast.Statement{body})
	f.breaks, f.goesOn = f.breaks[:len(f.breaks)-1], f.goesOn[:len(f.goesOn)-1]
	l.edge(next)
	l.close()
	l.land(next)
	if l.env != nil {
		if update != nil {
			l.effect(update)
		}
		if test != nil && late {
			l.leaveUnless(test, out)
		}
		l.poll()
		l.jump(head)
	}
	l.close()
	l.out = append(l.out, opUnreachable)
	l.close()
	l.land(out)
	l.unreachable()
}

// leaveUnless leaves a loop where its test fails.
func (l *lowerer) leaveUnless(test ast.Expression, out *label) {
	c := l.condition(test)
	if l.env == nil {
		return
	}
	if f, known := c.settled(); known {
		l.emit(c.code, op(opDrop))
		if f == 0 {
			l.jump(out)
		}
		return
	}
	before := l.copyEnv()
	l.emit(c.code, op(opI32Eqz))
	l.open(opIf, typeVoid)
	l.refine(test, false)
	l.jump(out)
	l.close()
	l.env = before
	l.refine(test, true)
}

// poll looks for interrupts every few thousand rounds.
func (l *lowerer) poll() {
	l.emit(get(l.fuel), constI32(1), op(opI32Sub), tee(l.fuel), op(opI32Eqz, opIf, typeVoid),
		constI32(pollEvery), set(l.fuel), opN(opCall, functionPoll), op(opIf, typeVoid, opUnreachable, opEnd, opEnd))
}

// pollEvery is how many rounds of loops lie between two looks for interrupts: some tenths of a millisecond, in which
// Go's collector waits.
const pollEvery = 1 << 15

func (l *lowerer) give(v *ast.ReturnStatement) {
	f := l.frame()
	x := value{number: undefined, code: constI64(oddValue)}
	if o, ok := v.Argument.(*ast.ObjectLiteral); ok {
		x = l.object(o)
	} else if v.Argument != nil {
		x = l.expression(v.Argument)
	}
	if l.env == nil {
		return
	}
	l.assign(f.result, x)
	if len(l.frames) == 1 {
		l.leave(1)
		return
	}
	f.returns.keep(l.env[f.result])
	l.jump(f.returns)
}

// object is an object that only its caller sees.
func (l *lowerer) object(o *ast.ObjectLiteral) value {
	fields := map[string]*variable{}
	var order []string
	for _, prop := range o.Value {
		var x value
		name := ""
		switch p := prop.(type) {
		case *ast.PropertyShort:
			name = p.Name.Name.String()
			x = l.expression(&p.Name)
		case *ast.PropertyKeyed:
			name = keyOf(p)
			x = l.expression(p.Value)
		}
		if fields[name] != nil {
			fail("two fields of one name")
		}
		order = append(order, name)
		fields[name] = l.hidden(prop, name)
		l.assign(fields[name], x)
	}
	return value{fields: fields, order: order}
}
