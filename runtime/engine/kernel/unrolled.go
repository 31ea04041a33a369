package kernel

import (
	"strconv"

	"github.com/dop251/goja/ast"
)

// A loop over a list that is written there (for (const word of [a, b, c, d])) is its body once for each. It stands in a
// function that is taken in: goja could not go on in its middle. Nothing leaves it early, which would ask the iterator.

// maxUnrolled bounds the elements of such a list.
const maxUnrolled = 8

// unrolls looks at such a loop.
func (k *checker) unrolls(v *ast.ForOfStatement) {
	list, isList := v.Source.(*ast.ArrayLiteral)
	d, declares := v.Into.(*ast.ForDeclaration)
	if k.fn == nil || !isList || !declares || len(list.Value) == 0 || len(list.Value) > maxUnrolled {
		k.fails = true
		return
	}
	id, plain := d.Target.(*ast.Identifier)
	if !plain {
		k.fails = true
		return
	}
	for _, e := range list.Value {
		if e == nil {
			k.fails = true
			return
		}
		k.expression(e)
	}
	k.plan.iterates = true
	loops, breaks, labels, inList := k.loops, k.breaks, k.labels, k.inList
	k.loops, k.breaks, k.labels, k.inList = 1, 0, nil, true
	k.enters(map[string]*own{id.Name.String(): {}}, v)
	k.block([]ast.Statement{v.Body})
	k.leaves()
	k.loops, k.breaks, k.labels, k.inList = loops, breaks, labels, inList
}

// unroll lowers such a loop.
func (l *lowerer) unroll(v *ast.ForOfStatement) {
	f, d, list := l.frame(), v.Into.(*ast.ForDeclaration), v.Source.(*ast.ArrayLiteral).Value
	elements := make([]*variable, len(list))
	for i, e := range list {
		elements[i] = l.hidden(v, strconv.Itoa(i))
		l.assign(elements[i], l.expression(e))
	}
	name := d.Target.(*ast.Identifier).Name.String()
	to := l.facts.variable(f.context, d, name)
	l.consts[to] = d.IsConst
	names := map[string]*variable{name: to}
	for i, from := range elements {
		if l.env == nil {
			return
		}
		f.names = append(f.names, names)
		l.assign(to, l.read(from, name))
		delete(l.env, from)
		next := l.meet(v, i)
		l.open(opBlock, typeVoid)
		next.depth = l.depth
		f.goesOn = append(f.goesOn, next)
		l.block([]ast.Statement{v.Body})
		f.goesOn = f.goesOn[:len(f.goesOn)-1]
		l.edge(next)
		l.close()
		l.land(next)
		l.unreachable()
		l.forget(names)
		f.names = f.names[:len(f.names)-1]
	}
}
