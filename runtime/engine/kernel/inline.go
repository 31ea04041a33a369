package kernel

import (
	"github.com/dop251/goja/ast"
)

// method is a call of a method: of one of those that have its name in the script.
func (k *checker) method(o *input, name string, args []ast.Expression) {
	in := k.property(o, name)
	if k.fails {
		return // what a failed look at a method leaves behind is no place for this
	}
	if in.callees == nil {
		in.callees = k.finder.methods[name]
	}
	k.oneOf(in, o, args)
}

// oneOf looks at the functions of which one is called.
func (k *checker) oneOf(in, o *input, args []ast.Expression) {
	fits := false
	for i, fn := range in.callees {
		if fn == nil || i >= maxMethods {
			break
		}
		before, guarded := k.state(), k.guard
		k.guard = &guard{method: in, callee: i, outer: guarded}
		k.inline(in, fn, o, args)
		k.guard = guarded
		if k.fails {
			k.restore(before)
		} else {
			fits = true
		}
	}
	k.fails = k.fails || !fits
}

// maxMethods bounds how many methods of one name are looked at.
const maxMethods = 8

// state is what a failed look at a method leaves behind otherwise.
type state struct {
	inputs, slots   int
	loops, brackets int
	returns, wants  bool
	exits           int
}

func (k *checker) state() state {
	p := k.plan
	return state{len(p.inputs), len(p.slots), p.loops, p.brackets, p.returns, k.wants, len(p.exits)}
}

func (k *checker) restore(s state) {
	p := k.plan
	gone := func(in *input) bool { return in != nil && in.index >= s.inputs }
	for _, names := range p.free {
		for name, in := range names {
			if gone(in) {
				delete(names, name)
			}
		}
	}
	for _, in := range p.inputs[:s.inputs] {
		for name, child := range in.children {
			if gone(child) {
				delete(in.children, name)
			}
		}
		if gone(in.holds) {
			in.holds = nil
		}
	}
	for _, names := range k.locals {
		for _, o := range names {
			if gone(o.object) {
				o.object = nil
			}
		}
	}
	if gone(p.this) {
		p.this = nil
	}
	if gone(k.this) {
		k.this = nil
	}
	p.inputs, p.slots = p.inputs[:s.inputs], p.slots[:s.slots]
	p.loops, p.brackets, p.returns = s.loops, s.brackets, s.returns
	k.wants, k.why = s.wants, nil
	for of, n := range p.exits {
		if n >= s.exits {
			delete(p.exits, of)
			p.named -= len(p.scoped[n])
			delete(p.scoped, n)
			delete(p.anchors, of)
			delete(p.trials, of)
		}
	}
	k.fails, k.elsewhere = false, false
}

// plainDefault tells whether a parameter's default value is a constant.
func plainDefault(e ast.Expression) bool {
	switch v := e.(type) {
	case *ast.BooleanLiteral:
		return true
	case *ast.NumberLiteral:
		_, ok := literal(v)
		return ok
	}
	return false
}

// maxCalls bounds how many bodies are looked at for a kernel: methods have many.
const maxCalls = 400

// inline looks at the body of a function that is taken in.
func (k *checker) inline(in *input, fn *function, this *input, args []ast.Expression) {
	k.plan.calls++
	if !fn.fits || fn.refused || fn.outer == nil || len(k.stack) > 12 || k.plan.calls > maxCalls {
		k.fails, k.why = true, fn.why
		return
	}
	for _, other := range k.stack {
		if other == fn {
			k.fails = true
			return
		}
	}
	objects := make([]*input, len(args))
	for i, a := range args {
		switch a.(type) {
		case *ast.ThisExpression, *ast.Identifier, *ast.DotExpression:
			objects[i] = k.object(a)
		}
	}
	outer := *k
	defer func() {
		fn.refused = fn.refused || k.fails && this == nil && !k.elsewhere
		if k.fails {
			fn.why = k.why
		}
		k.fn, k.scope, k.stack, k.locals, k.this = outer.fn, outer.scope, outer.stack, outer.locals, outer.this
		k.loops, k.breaks, k.labels = outer.loops, outer.breaks, outer.labels
		k.branches, k.nested, k.inList = outer.branches, outer.nested, outer.inList
	}()
	if fn.arrow {
		this = nil
	}
	k.fn, k.scope, k.stack, k.this = fn, fn.outer, append(k.stack, fn), this
	k.nested = k.nested || k.fn != outer.fn && outer.fn != nil && k.loops > 0
	k.loops, k.breaks, k.labels = 0, 0, nil
	k.branches, k.inList = 0, false
	names := map[string]*own{}
	k.locals = []map[string]*own{names}
	for i, b := range fn.params {
		id, ok := b.Target.(*ast.Identifier)
		if !ok || b.Initializer != nil && !plainDefault(b.Initializer) || names[id.Name.String()] != nil {
			k.fails = true
			return
		}
		names[id.Name.String()] = &own{}
		if i < len(objects) {
			names[id.Name.String()].object = objects[i]
		}
	}
	if fn.rest != nil {
		if name := fn.rest.Name.String(); names[name] != nil {
			k.fails = true
			return
		}
		names[fn.rest.Name.String()] = &own{}
	}
	for _, d := range fn.vars {
		for _, b := range d.List {
			patternNames(b.Target, func(n string) {
				if names[n] == nil {
					names[n] = &own{}
				}
			})
		}
	}
	if fn.result != nil {
		k.expression(fn.result)
	} else {
		returns := k.plan.returns
		k.block(fn.list)
		k.plan.returns = returns
	}
	in.free = in.free || len(k.plan.free[fn]) > 0
}
