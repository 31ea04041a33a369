package kernel

import (
	"maps"
	"slices"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/unistring"
)

// What scopes around an exit declare. The mark in front of the exit names it, so that goja's compiler tells where it
// lies, and the kernel has an input for each name, which gets its value where the kernel ends there.

// maxScoped bounds the names around all exits of a kernel.
const maxScoped = 80

// enters looks at what follows with the names of another scope, that of these statements, until leaves. What hides
// another name, or what a closure may keep, gets no value at an exit.
func (k *checker) enters(names map[string]*own, of ...ast.Statement) {
	hides := 0
	if k.fn == nil && len(names) > 0 {
		k.named += len(names)
		for name := range names {
			if k.local(name) != nil {
				hides++
			}
		}
		if k.finder.makesFunction(int(begins(of[0])), int(of[len(of)-1].Idx1())) {
			hides++
		}
	}
	k.hidden += hides
	k.hides = append(k.hides, hides)
	k.locals = append(k.locals, names)
}

func (k *checker) leaves() {
	names := k.locals[len(k.locals)-1]
	k.locals = k.locals[:len(k.locals)-1]
	if k.fn == nil {
		k.named -= len(names)
	}
	k.hidden -= k.hides[len(k.hides)-1]
	k.hides = k.hides[:len(k.hides)-1]
}

// makesFunction tells whether a function begins between two places.
func (f *Finder) makesFunction(from, to int) bool {
	i, _ := slices.BinarySearch(f.starts, from)
	return i < len(f.starts) && f.starts[i] < to
}

// addScoped makes inputs of what scopes around exits declare: they are nobody's but get values where the kernel ends.
func (p *plan) addScoped() {
	for _, exit := range slices.Sorted(maps.Keys(p.scoped)) {
		for slot, name := range p.scoped[exit] {
			p.inputs = append(p.inputs, &input{name: name, index: len(p.inputs), slot: slot, exit: exit + 1,
				declared: true, assigned: true})
		}
	}
}

// exitMark is the mark in front of an exit.
func (k *Kernel) exitMark(at file.Idx, n int) ast.Statement {
	var names []ast.Expression
	for _, name := range k.plan.scoped[n] {
		names = append(names, &ast.Identifier{Idx: at, Name: unistring.NewFromString(name)})
	}
	return markOf(at, exitBase+int64(k.id)*exitsEach+int64(n), names...)
}

// declaring is a list with marks in front of those of its declarations that are exits. They stay in the list, whose
// names they declare.
func (k *Kernel) declaring(list []ast.Statement) []ast.Statement {
	if !slices.ContainsFunc(list, func(s ast.Statement) bool {
		_, is := k.plan.exits[s]
		return is && isDeclaration(s)
	}) {
		return list
	}
	out := make([]ast.Statement, 0, len(list)+1)
	for _, s := range list {
		if n, is := k.plan.exits[s]; is && isDeclaration(s) {
			out = append(out, k.exitMark(begins(s), n))
		}
		out = append(out, s)
	}
	return out
}

func isDeclaration(s ast.Statement) bool {
	_, is := s.(*ast.LexicalDeclaration)
	return is
}

// scoped gives the input that stands for a name around an exit the name's value, if it has one there.
func (l *lowerer) scoped(in *input) {
	var from *variable
	for _, names := range l.frames[0].names {
		if v := names[in.name]; v != nil {
			from = v
		}
	}
	to := l.inputs[in]
	switch b, there := l.held(from); {
	case from == nil || !there:
	case b.mixed:
		l.emit(get(l.slot(from, repF64)), set(l.slot(to, repF64)), get(l.tag(from)), set(l.tag(to)))
		l.env[to] = bound{bad: true, mixed: true}
	default:
		l.assign(to, l.read(from, in.name))
	}
}
