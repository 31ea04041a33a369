package kernel

import (
	"sync/atomic"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// A kernel that ends at an exit leaves goja in the middle of a loop, which may have most of its rounds before it: a
// buffer that grew will do for the rest. So the loop has a kernel of its further rounds, which begins in front of its
// body, behind its test, once another one has ended within it.

// rounds is a loop from the beginning of its body on.
type rounds struct {
	ast.Statement // the loop
	test, update  ast.Expression
	body          *ast.Statement
	late          bool // its test must not be evaluated once more where it has just held
	labels        []string
	heads         []ast.Node // names that the loop itself declares
	fixed         bool       // which are constants
}

// roundsOf are those of a loop, nil if a statement is none.
func roundsOf(s ast.Statement) *rounds {
	var labels []string
	for {
		l, is := s.(*ast.LabelledStatement)
		if !is {
			break
		}
		labels = append(labels, l.Label.Name.String())
		s = l.Statement
	}
	r := &rounds{Statement: s, labels: labels}
	switch v := s.(type) {
	case *ast.ForStatement:
		r.test, r.update, r.body = v.Test, v.Update, &v.Body
		if i, ok := v.Initializer.(*ast.ForLoopInitializerLexicalDecl); ok {
			r.fixed = i.LexicalDeclaration.Token == token.CONST
			for _, b := range i.LexicalDeclaration.List {
				r.heads = append(r.heads, b.Target)
			}
		}
	case *ast.WhileStatement:
		r.test, r.body = v.Test, &v.Body
	case *ast.DoWhileStatement:
		r.test, r.body, r.late = v.Test, &v.Body, true
	default:
		return nil
	}
	r.late = r.late || !repeatable(r.test)
	return r
}

// repeatable tells whether an expression may be evaluated twice: nothing but reading happens.
func repeatable(e ast.Expression) bool {
	switch v := e.(type) {
	case nil, *ast.Identifier, *ast.NumberLiteral, *ast.BooleanLiteral, *ast.ThisExpression:
		return true
	case *ast.DotExpression:
		return repeatable(v.Left)
	case *ast.BracketExpression:
		return repeatable(v.Left) && repeatable(v.Member)
	case *ast.BinaryExpression:
		return repeatable(v.Left) && repeatable(v.Right)
	case *ast.UnaryExpression:
		return v.Operator != token.INCREMENT && v.Operator != token.DECREMENT && repeatable(v.Operand)
	}
	return false
}

// again gives a loop in which kernels may end a kernel of its further rounds.
func (f *Finder) again(c candidate, s ast.Statement, of ...*Kernel) {
	r := roundsOf(s)
	if r == nil || len(f.kernels) >= maxKernels {
		return
	}
	from, to := int(begins(r.Statement)), int(r.Idx1())
	within := false
	for x := range of[0].plan.exits {
		within = within || from <= int(begins(x)) && int(begins(x)) < to
	}
	if !within || len(r.heads) > 0 && f.makesFunction(from, to) { // each round has names of its own then
		return
	}
	if len(r.heads) > 0 {
		c.scope = &Scope{outer: c.scope, extra: r.heads, fixed: r.fixed}
	}
	c.body = false
	_, plan := f.run(c, []ast.Statement{r}, 0)
	if plan == nil {
		return
	}
	k := &Kernel{plan: plan, id: len(f.kernels), armed: &atomic.Bool{}}
	plan.lookedAt()
	f.kernels = append(f.kernels, k)
	k.markExits()
	k.again = []*Kernel{k}
	for _, o := range of {
		o.again = append(o.again, k)
	}
	*r.body = k.around(*r.body)
}

// around is a loop's body with the marks of the kernel of its further rounds. Where it has run, goja leaves the loop,
// as break does.
func (k *Kernel) around(body ast.Statement) ast.Statement {
	at := begins(body)
	name := func() *ast.Identifier { return &ast.Identifier{Idx: at, Name: againLabel} }
	block := func(list ...ast.Statement) *ast.BlockStatement {
		return &ast.BlockStatement{LeftBrace: at, RightBrace: at, List: list}
	}
	return &ast.BlockStatement{LeftBrace: at, RightBrace: body.Idx1() - 1, List: []ast.Statement{
		&ast.LabelledStatement{Label: name(), Colon: at, Statement: block(
			k.begin(at),
			&ast.BranchStatement{Idx: at, Token: token.BREAK, Label: name()},
			k.end(at),
			&ast.BranchStatement{Idx: at, Token: token.BREAK},
		)},
		body,
	}}
}

// againLabel is no name that a script can write.
const againLabel = "further rounds"

func isAgain(s *ast.LabelledStatement) bool { return s.Label.Name == againLabel }

// Armed tells whether the kernel may begin; nil if it always may. One of further rounds may where another one has
// ended in its loop.
func (k *Kernel) Armed() *atomic.Bool { return k.armed }

// furtherRounds looks at a loop from its body on.
func (k *checker) furtherRounds(v *rounds) {
	for _, name := range v.labels {
		if k.labels == nil {
			k.labels = map[string]bool{}
		}
		k.labels[name] = true
	}
	k.maybe(v.test)
	k.maybe(v.update)
	k.loop(*v.body)
}

// furtherRounds lowers a loop from its body on.
func (l *lowerer) furtherRounds(v *rounds) {
	f := l.frame()
	if f.labels == nil {
		f.labels = map[string][2]*label{}
	}
	f.pending = v.labels
	l.loop(v, v.test, v.update, *v.body, v.late)
}

// arm lets the kernels of further rounds begin.
func (k *Kernel) arm() {
	for _, a := range k.again {
		a.armed.Store(true)
	}
}

func (k *Kernel) disarm() {
	if k.armed != nil {
		k.armed.Store(false)
	}
}

// inVain tells whether those have not come far when they began last.
func (k *Kernel) inVain() bool {
	for _, a := range k.again {
		if a.useless.Load() == 0 && a.refused.Load() == 0 {
			return false
		}
	}
	return true
}
