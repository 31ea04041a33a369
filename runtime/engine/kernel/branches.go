package kernel

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// branch is break or continue.
func (k *checker) branch(v *ast.BranchStatement) {
	switch {
	case v.Label != nil:
		loop, known := k.labels[v.Label.Name.String()]
		k.fails = !known || v.Token == token.CONTINUE && !loop
	case v.Token == token.CONTINUE:
		k.fails = k.loops == 0
	default:
		k.fails = k.breaks == 0
	}
}

// switchStatement looks at a switch whose cases declare nothing of their own.
func (k *checker) switchStatement(v *ast.SwitchStatement) {
	k.expression(v.Discriminant)
	k.tested(v)
	k.breaks++
	k.branches++
	for _, c := range v.Body {
		k.maybe(c.Test)
		for _, s := range c.Consequent {
			if _, declares := s.(*ast.LexicalDeclaration); declares {
				k.fails = true
			}
			k.statement(s)
		}
	}
	k.branches--
	k.breaks--
}

func (k *checker) labelled(v *ast.LabelledStatement) {
	name := v.Label.Name.String()
	if _, twice := k.labels[name]; twice {
		k.fails = true
		return
	}
	if k.labels == nil {
		k.labels = map[string]bool{}
	}
	k.labels[name] = isLoop(v.Statement)
	if k.plan.single == nil {
		k.plan.single = map[ast.Statement]bool{}
	}
	k.plan.single[v.Statement] = true // a mark would stand between it and its label
	k.block([]ast.Statement{v.Statement})
	delete(k.labels, name)
}

// branch is break or continue.
func (l *lowerer) branch(v *ast.BranchStatement) {
	f := l.frame()
	switch {
	case v.Label != nil:
		to := f.labels[v.Label.Name.String()]
		if v.Token == token.BREAK {
			l.jump(to[0])
		} else {
			l.jump(to[1])
		}
	case v.Token == token.BREAK:
		l.jump(f.breaks[len(f.breaks)-1])
	default:
		l.jump(f.goesOn[len(f.goesOn)-1])
	}
}

// labelled is a statement that break, or of a loop also continue, may name.
func (l *lowerer) labelled(v *ast.LabelledStatement) {
	f := l.frame()
	name := v.Label.Name.String()
	if f.labels == nil {
		f.labels = map[string][2]*label{}
	}
	if isLoop(v.Statement) {
		f.pending = append(f.pending, name)
		l.block([]ast.Statement{v.Statement})
		return
	}
	end := l.meet(v, 4)
	l.open(opBlock, typeVoid)
	end.depth = l.depth
	f.labels[name] = [2]*label{end, nil}
	l.block([]ast.Statement{v.Statement})
	l.edge(end)
	l.close()
	l.land(end)
	l.unreachable()
}

// switchStatement compares with the cases one after the other, and goes into the first that is equal.
func (l *lowerer) switchStatement(v *ast.SwitchStatement) {
	if l.env == nil {
		return
	}
	f := l.frame()
	on := l.hidden(v, "switch")
	l.assign(on, l.expression(v.Discriminant))
	if l.env == nil {
		return
	}
	out := l.meet(v, 4)
	l.open(opBlock, typeVoid)
	out.depth = l.depth
	cases := make([]*label, len(v.Body))
	for i := len(cases) - 1; i >= 0; i-- {
		cases[i] = l.meet(v, 10+i)
		l.open(opBlock, typeVoid)
		cases[i].depth = l.depth
	}
	for i, c := range v.Body {
		if c.Test == nil || l.env == nil {
			continue
		}
		x := l.equal(token.STRICT_EQUAL, l.read(on, "a switch"), l.expression(c.Test))
		if l.env == nil {
			break
		}
		if always, known := x.settled(); known {
			l.emit(x.code, op(opDrop))
			if always != 0 {
				l.jump(cases[i])
			}
			continue
		}
		l.emit(x.code)
		before := l.copyEnv()
		l.open(opIf, typeVoid)
		l.jump(cases[i])
		l.close()
		l.env = before
	}
	if v.Default >= 0 {
		l.jump(cases[v.Default])
	} else {
		l.jump(out)
	}
	f.breaks = append(f.breaks, out)
	l.anchor = nil
	for i, c := range v.Body {
		l.edge(cases[i])
		l.close()
		l.land(cases[i])
		l.unreachable()
		for _, s := range c.Consequent {
			l.statement(s)
		}
	}
	f.breaks = f.breaks[:len(f.breaks)-1]
	l.edge(out)
	l.close()
	l.land(out)
	l.unreachable()
}
