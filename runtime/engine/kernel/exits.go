package kernel

import (
	"maps"
	"slices"

	"github.com/dop251/goja/ast"
)

// An exit is a statement within a kernel's loops that goja runs: it throws, makes a larger buffer, or has what no
// kernel has. The kernel ends in front of it, where everything is as goja would have it, and goja goes on there. An
// exit stands in the kernel's own function. Where scopes lie between, goja enters them: the mark in front of the exit
// names what they declare, which gets the values that it would have.
// A function that is taken in has exits too, as long as nothing has happened since the statement of the kernel's own
// that calls it: that statement is run from its start.

// maxExits bounds the exits of a kernel, minExitBrackets is how many elements one with exits has at least: loops
// without them are no arithmetic.
const (
	maxExits        = 100
	minExitBrackets = 8
)

// exitBase is what is added to the numbers of the marks in front of exits, and exitsEach how many each kernel has.
const (
	exitBase  = 1 << 32
	exitsEach = 1 << 8
)

// exit notes that a statement which no kernel has is goja's, if it may be an exit. before is from before the look at
// it.
func (k *checker) exit(s ast.Statement, before state) {
	switch s.(type) {
	case *ast.FunctionDeclaration, *ast.ClassDeclaration:
		return
	}
	if k.fn == nil && !k.mayLeave(s) || k.branches == 0 || k.plan.single[s] {
		return
	}
	if k.fn != nil && (k.loops > 0 || k.nested || !k.can) {
		k.elsewhere = k.elsewhere || k.loops == 0
		return
	}
	k.restore(before)
	if k.fn != nil {
		k.wants = true
		if k.plan.inlined == nil {
			k.plan.inlined = map[ast.Statement]bool{}
		}
		k.plan.inlined[s] = true
		return
	}
	k.mayExit(s)
}

// mayExit gives a statement of the kernel's own its number.
func (k *checker) mayExit(s ast.Statement) {
	if _, known := k.plan.exits[s]; known {
		return
	}
	if k.plan.exits == nil {
		k.plan.exits = map[ast.Statement]int{}
	}
	n := len(k.plan.exits)
	k.plan.exits[s] = n
	if k.named == 0 {
		return
	}
	if k.plan.scoped == nil {
		k.plan.scoped = map[int][]string{}
	}
	var names []string
	for _, level := range k.locals[1:] {
		names = slices.AppendSeq(names, maps.Keys(level))
	}
	slices.Sort(names)
	k.plan.scoped[n] = names
	k.plan.named += len(names)
}

// mayLeave tells whether the kernel may end in front of a statement of its own.
func (k *checker) mayLeave(s ast.Statement) bool {
	if k.loops == 0 || len(k.plan.exits) >= maxExits || k.plan.single[s] {
		return false
	}
	return k.hidden == 0 && (k.named == 0 || k.plan.named+k.named <= maxScoped) // what is hidden cannot be named
}

// anchored lets a statement of the kernel's own be the one that is run again where a function that it calls has an
// exit.
func (k *checker) anchored(s ast.Statement) {
	if !k.wants || k.fn != nil || k.fails {
		return
	}
	k.wants = false
	if !k.mayAnchor(s) {
		k.fails = true
		return
	}
	if k.plan.anchors == nil {
		k.plan.anchors = map[ast.Statement]bool{}
	}
	k.plan.anchors[s] = true
	k.mayExit(s)
}

// mayAnchor tells whether a statement of the kernel's own can be run again from its start.
func (k *checker) mayAnchor(s ast.Statement) bool {
	switch s.(type) {
	case *ast.ExpressionStatement, *ast.VariableStatement, *ast.IfStatement, *ast.ReturnStatement, *ast.SwitchStatement,
		*ast.LexicalDeclaration:
		return k.mayLeave(s)
	}
	return false
}

// markExits puts the marks in front of the exits into the tree.
func (k *Kernel) markExits() {
	if len(k.plan.exits) == 0 {
		return
	}
	for i := range k.plan.list {
		k.markIn(&k.plan.list[i])
	}
}

func (k *Kernel) markIn(s *ast.Statement) {
	if n, is := k.plan.exits[*s]; is && !isDeclaration(*s) {
		of, at := *s, begins(*s)
		defer func() {
			*s = &ast.BlockStatement{LeftBrace: at, RightBrace: of.Idx1() - 1,
				List: []ast.Statement{k.exitMark(at, n), of}}
		}()
		if !k.plan.anchors[of] && !k.plan.trials[of] {
			return
		}
	}
	list := func(l []ast.Statement) {
		for i := range l {
			k.markIn(&l[i])
		}
	}
	switch v := (*s).(type) {
	case *ast.BlockStatement:
		list(v.List)
		v.List = k.declaring(v.List)
	case *ast.IfStatement:
		k.markIn(&v.Consequent)
		if v.Alternate != nil {
			k.markIn(&v.Alternate)
		}
	case *ast.ForStatement:
		k.markIn(&v.Body)
	case *rounds:
		k.markIn(v.body)
	case *ast.WhileStatement:
		k.markIn(&v.Body)
	case *ast.DoWhileStatement:
		k.markIn(&v.Body)
	case *ast.LabelledStatement:
		k.markIn(&v.Statement)
	case *ast.SwitchStatement:
		for _, c := range v.Body {
			list(c.Consequent)
		}
	}
}

// anchor is the statement of the kernel's own that is lowered, which an exit may go back to.
type anchor struct {
	exit    int
	effects int // that were there at its start
	turns   int // loops around it
	deep    int // and around what may go back to it, of those in functions
}

// exits lowers a statement that is an exit; false if it is none.
func (l *lowerer) exits(s ast.Statement) bool {
	if len(l.frames) > 1 {
		if !l.plan.inlined[s] {
			return false
		}
		if a := l.anchor; a == nil || a.effects != l.effects || a.turns != len(l.turns) {
			fail("an exit behind effects")
		}
		l.leaveBy(l.anchor.exit)
		return true
	}
	n, is := l.plan.exits[s]
	if !is || l.plan.anchors[s] || l.plan.trials[s] {
		return false
	}
	l.leaveBy(n)
	return true
}

// trial looks at a branch, which may still not fit to what there is when the kernel begins: then it is an exit.
func (k *checker) trial(s ast.Statement) {
	p := k.plan
	before := p.calls + len(p.inputs)
	k.block([]ast.Statement{s})
	if k.fails || k.fn != nil || !k.mayLeave(s) || p.calls+len(p.inputs) == before {
		return
	}
	if _, known := p.exits[s]; known {
		return
	}
	if p.trials == nil {
		p.trials = map[ast.Statement]bool{}
	}
	p.trials[s] = true
	k.mayExit(s)
}

// tried lowers a branch, or an exit where it does not fit.
func (l *lowerer) tried(s ast.Statement, lower func()) {
	if len(l.frames) > 1 || !l.plan.trials[s] || l.env == nil {
		lower()
		return
	}
	f := l.frame()
	frame, out, depth, effects, grown := *f, l.out, l.depth, l.effects, l.facts.grown
	locals, made, throws, size := len(l.locals), len(l.made), len(l.version.throws), l.size
	env := l.copyEnv()
	defer func() {
		switch x := recover().(type) {
		case nil:
			return
		case unfit:
		default:
			panic(x)
		}
		for _, key := range l.made[made:] {
			delete(l.slots, key)
		}
		labels := f.labels
		*f = frame
		f.labels = labels
		l.out, l.depth, l.effects = out, depth, effects
		l.locals, l.made = l.locals[:locals], l.made[:made]
		l.version.throws = l.version.throws[:throws]
		l.size, l.env = size, env
		if l.facts.grown != grown { // it may be that too little was known
			l.growAround()
		}
		l.leaveBy(l.plan.exits[s])
	}()
	lower()
}

// leaveBy ends the kernel in front of an exit.
func (l *lowerer) leaveBy(exit int) {
	t := Throw{View: -1, Source: -1, Exit: exit + 1}
	effects := l.effects // what is told here nobody sees who goes on
	defer func() { l.effects = effects }()
	for n, in := range l.plan.inputs {
		if !in.declared || l.inputs[in] == nil {
			continue
		}
		if in.exit == exit+1 {
			l.scoped(in)
		}
		if b, there := l.env[l.inputs[in]]; there && (!b.bad || b.mixed) {
			t.live = append(t.live, n)
		}
	}
	l.version.throws = append(l.version.throws, t)
	l.emit(get(l.fuel), op(opExtendU), set(l.offset)) // which tells how many rounds there were
	l.leave(int32(len(l.version.throws) + 1))
}

// anchoring runs f, which lowers a statement of the kernel's own.
func (l *lowerer) anchoring(s ast.Statement, f func()) {
	if len(l.frames) > 1 {
		f()
		return
	}
	outer := l.anchor
	l.anchor = nil
	if n, is := l.plan.exits[s]; is {
		l.anchor = &anchor{exit: n, effects: l.effects, turns: len(l.turns)}
	}
	f()
	l.anchor = outer
}

// tested notes that a statement's own test needs it to be an anchor, before its branches are looked at.
func (k *checker) tested(s ast.Statement) {
	if k.wants {
		k.anchored(s)
	}
}

// few tells whether a kernel ended after few rounds: at an exit, or such that to copy its tables took longer.
func (e *entry) few(out Result) bool {
	rounds := pollEvery - out.Offset
	if out.Outcome == Exited && rounds < minRounds {
		return true
	}
	return e.kernel.plan.tables && out.Outcome != Threw &&
		(rounds < minTableRounds || float64(e.copied) > rounds*copiedEach)
}

// left notes that the kernel has ended at an exit after so many rounds, or at its end. One that mostly ends after a few
// rests, since to begin it costs more than they do, and is tried now and then: what it works on may be other then.
func (k *Kernel) left(out Result, few bool) {
	k.refused.Store(0)
	if out.Outcome == Exited {
		k.arm()
	}
	if !few {
		k.useless.Store(0)
		return
	}
	if out.Outcome == Exited && len(k.again) > 0 && k.armed == nil && !k.inVain() {
		return // the others do the work
	}
	if k.useless.Add(1) > maxUseless {
		k.rests.Store(restsFor)
		if k.plan.tables {
			k.rests.Store(restsFor * restsFor)
		}
	}
}

// resting tells whether goja runs the kernel this time because it rests.
func (k *Kernel) resting() bool { return k.rests.Load() > 0 && k.rests.Add(-1) >= 0 }

const (
	minRounds = 24
	// A round of a kernel with tables spares as much as so many numbers cost to copy.
	minTableRounds, copiedEach = 8, 16

	maxUseless = 32 // in a row
	restsFor   = 16
)
