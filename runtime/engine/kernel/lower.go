package kernel

import (
	"errors"
	"math"
	"slices"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// kind is what a register holds, as far as is known before anything runs.
type kind uint8

const (
	kindNone kind = iota // a variable to which nothing has been assigned yet
	kindLit              // an int that is not negative, so that it is the same as an int32 and as a uint32
	kindInt              // the bits of an int32
	kindUint             // the bits of a uint32
	kindNum              // a double
)

func join(a, b kind) kind {
	switch {
	case a == kindNone || a == b:
		return b
	case b == kindNone:
		return a
	case a == kindLit && b != kindNum:
		return b
	case b == kindLit && a != kindNum:
		return a
	}
	return kindNum
}

// value is where the result of an expression is.
type value struct {
	reg  uint8
	kind kind
	own  bool // a register of nobody else's: nothing that is evaluated later changes it
	odd  bool // it may be undefined where the register says NaN
}

// variable is what a name means in a function.
type variable struct {
	key      any // what declares it, the same in each round of lower
	reg      uint8
	array    int // index of the array, -1 for a number
	constant bool
	fixed    *float64 // the value of a parameter that an inlined call gives as a constant
	param    *value   // an inlined call's argument
	dead     bool     // declared further down
}

// facts are what is known of variables. They grow from round to round until they hold.
type facts struct {
	kinds   map[any]kind
	odd     map[any]bool
	changed bool
}

// lowerer makes code of one function.
type lowerer struct {
	scope    *scope
	fn       *ast.FunctionLiteral
	facts    *facts
	elements []Element
	out      *code
	names    []map[string]*variable
	next     int // first free register
	top      int // first register of a constant
	consts   map[constKey]uint8
	label    int // where the last jump goes to, at least: instructions before it are not joined with later ones
	breaks   [][]int
	goesOn   [][]int
	stack    []*ast.FunctionLiteral // functions that call each other
	inlined  int
	void     bool // a return without a value was met
}

type constKey struct {
	number bool
	bits   uint64
}

// unfit is how lowering ends where a function is no kernel.
type unfit struct{ reason string }

func fail(reason string) { panic(unfit{reason}) }

// errLimit is for what never settles.
var errLimit = errors.New("kernel: facts do not settle")

// lower makes code of a function, for arrays of these elements. The stack are the functions that call it.
func lower(s *scope, fn *ast.FunctionLiteral, arrays []bool, elements []Element, stack []*ast.FunctionLiteral) (
	*code, error) {
	known := &facts{kinds: map[any]kind{}, odd: map[any]bool{}}
	for range 12 {
		known.changed = false
		l := &lowerer{scope: s, fn: fn, facts: known, elements: elements, out: &code{}, top: maxRegisters,
			consts: map[constKey]uint8{}, stack: append(slices.Clone(stack), fn)}
		if err := l.function(arrays); err != nil {
			return nil, err
		}
		if !known.changed {
			return l.out, nil
		}
	}
	return nil, errLimit
}

func (l *lowerer) function(arrays []bool) (err error) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case unfit:
			err = errors.New("kernel: " + x.reason)
		default:
			panic(x)
		}
	}()
	l.names = []map[string]*variable{{}}
	if l.fn.ParameterList.Rest != nil {
		fail("rest parameter")
	}
	a := 0
	for i, b := range l.fn.ParameterList.List {
		id, ok := b.Target.(*ast.Identifier)
		if !ok || b.Initializer != nil || l.names[0][id.Name.String()] != nil {
			fail("parameter")
		}
		v := &variable{key: b, array: -1}
		if arrays[i] {
			v.array = a
			a++
		} else {
			v.reg = l.alloc()
			l.assigned(v, kindNum, false)
		}
		l.names[0][id.Name.String()] = v
	}
	if a > maxArrays {
		fail("too many arrays")
	}
	for _, d := range l.fn.DeclarationList {
		for _, b := range d.List {
			l.declareVar(b)
		}
	}
	l.statements(l.fn.Body.List)
	if l.out.gives {
		list := l.fn.Body.List
		if r, ok := list[len(list)-1].(*ast.ReturnStatement); !ok || r.Argument == nil || l.void {
			fail("some ways give no result")
		}
	}
	l.emit(ins{op: opEnd})
	return nil
}

// declareVar is for var, which is undefined from the start of the function.
func (l *lowerer) declareVar(b *ast.Binding) {
	id, ok := b.Target.(*ast.Identifier)
	if !ok {
		fail("pattern")
	}
	name := id.Name.String()
	if l.names[0][name] != nil {
		return // var x of a parameter x, or a second var x, changes nothing
	}
	v := &variable{key: b, array: -1, reg: l.alloc()}
	l.names[0][name] = v
	l.assigned(v, kindNum, true)
	l.emit(ins{op: opMove, a: v.reg, b: l.number(math.NaN())})
}

func (l *lowerer) alloc() uint8 {
	if l.next+1 >= l.top {
		fail("too many registers")
	}
	l.next++
	return uint8(l.next - 1)
}

func (l *lowerer) emit(in ins) int {
	if len(l.out.list) > 1<<14 {
		fail("too long")
	}
	l.out.list = append(l.out.list, in)
	return len(l.out.list) - 1
}

// number is the register of a constant double, integer that of a constant int.
func (l *lowerer) number(f float64) uint8 { return l.constant(constKey{true, math.Float64bits(f)}) }

func (l *lowerer) integer(i int64) uint8 { return l.constant(constKey{false, uint64(uint32(i))}) }

func (l *lowerer) constant(k constKey) uint8 {
	if r, ok := l.consts[k]; ok {
		return r
	}
	if l.top-1 <= l.next {
		fail("too many registers")
	}
	l.top--
	r := uint8(l.top)
	l.consts[k] = r
	l.out.consts = append(l.out.consts, constant{r, k.bits})
	return r
}

// assigned notes what a variable may hold.
func (l *lowerer) assigned(v *variable, k kind, odd bool) {
	if now := join(l.facts.kinds[v.key], k); now != l.facts.kinds[v.key] {
		l.facts.kinds[v.key], l.facts.changed = now, true
	}
	if odd && !l.facts.odd[v.key] {
		l.facts.odd[v.key], l.facts.changed = true, true
	}
}

// kindOf is what the register of a variable holds; one without assignments will not be read.
func (l *lowerer) kindOf(v *variable) kind {
	if k := l.facts.kinds[v.key]; k != kindNone {
		return k
	}
	return kindLit
}

// look finds a name.
func (l *lowerer) look(name string) *variable {
	for i := len(l.names) - 1; i >= 0; i-- {
		if v := l.names[i][name]; v != nil {
			if v.dead {
				fail("used before its declaration")
			}
			return v
		}
	}
	fail("free variable " + name)
	return nil
}

// block gives the statements of a list names of their own.
func (l *lowerer) block(list []ast.Statement) {
	next := l.next
	l.names = append(l.names, map[string]*variable{})
	l.statements(list)
	l.names = l.names[:len(l.names)-1]
	l.next = next
}

func (l *lowerer) statements(list []ast.Statement) {
	names := l.names[len(l.names)-1]
	for _, s := range list {
		if d, ok := s.(*ast.LexicalDeclaration); ok {
			l.declare(names, d)
		}
	}
	for _, s := range list {
		l.statement(s)
	}
}

// declare makes the names of let and const known, as dead ones.
func (l *lowerer) declare(names map[string]*variable, d *ast.LexicalDeclaration) {
	for _, b := range d.List {
		id, ok := b.Target.(*ast.Identifier)
		if !ok || names[id.Name.String()] != nil {
			fail("declaration")
		}
		names[id.Name.String()] = &variable{key: b, array: -1, dead: true, constant: d.Token == token.CONST}
	}
}

func (l *lowerer) statement(s ast.Statement) {
	switch v := s.(type) {
	case *ast.EmptyStatement:
	case *ast.BlockStatement:
		l.block(v.List)
	case *ast.ExpressionStatement:
		next := l.next
		l.effect(v.Expression)
		l.next = next
	case *ast.LexicalDeclaration:
		for _, b := range v.List {
			l.initialise(b)
		}
	case *ast.VariableStatement:
		for _, b := range v.List {
			if b.Initializer != nil {
				next := l.next
				l.assign(l.look(b.Target.(*ast.Identifier).Name.String()), b.Initializer)
				l.next = next
			}
		}
	case *ast.IfStatement:
		next := l.next
		no := l.condition(v.Test, false)
		l.next = next
		l.block([]ast.Statement{v.Consequent})
		if v.Alternate == nil {
			l.here(no)
			return
		}
		end := []int{l.emit(ins{op: opJump})}
		l.here(no)
		l.block([]ast.Statement{v.Alternate})
		l.here(end)
	case *ast.ForStatement:
		l.forLoop(v)
	case *ast.WhileStatement:
		l.loop(v.Test, nil, v.Body)
	case *ast.BranchStatement:
		if v.Label != nil || len(l.breaks) == 0 {
			fail("label")
		}
		list := &l.goesOn[len(l.goesOn)-1]
		if v.Token == token.BREAK {
			list = &l.breaks[len(l.breaks)-1]
		}
		*list = append(*list, l.emit(ins{op: opJump}))
	case *ast.ReturnStatement:
		l.give(v)
	default:
		fail("statement")
	}
}

func (l *lowerer) give(v *ast.ReturnStatement) {
	if v.Argument == nil {
		if l.out.gives {
			fail("some ways give no result")
		}
		l.void = true
		l.emit(ins{op: opEnd})
		return
	}
	next := l.next
	r := l.expression(v.Argument)
	if r.odd {
		fail("the result may be undefined")
	}
	l.out.gives = true
	l.emit(ins{op: opGive, a: l.asNum(r).reg})
	l.next = next
}

// initialise is let or const, whose register is known from here on.
func (l *lowerer) initialise(b *ast.Binding) {
	v := l.names[len(l.names)-1][b.Target.(*ast.Identifier).Name.String()]
	if v == nil {
		fail("declaration")
	}
	v.reg = l.alloc()
	next := l.next
	if b.Initializer == nil {
		l.assigned(v, kindNum, true)
		l.emit(ins{op: opMove, a: v.reg, b: l.number(math.NaN())})
	} else {
		l.into(v, l.expression(b.Initializer))
	}
	v.dead = false
	l.next = next
}

func (l *lowerer) forLoop(v *ast.ForStatement) {
	next := l.next
	l.names = append(l.names, map[string]*variable{})
	switch i := v.Initializer.(type) {
	case nil:
	case *ast.ForLoopInitializerExpression:
		n := l.next
		l.effect(i.Expression)
		l.next = n
	case *ast.ForLoopInitializerLexicalDecl:
		l.declare(l.names[len(l.names)-1], &i.LexicalDeclaration)
		for _, b := range i.LexicalDeclaration.List {
			l.initialise(b)
		}
	case *ast.ForLoopInitializerVarDeclList:
		for _, b := range i.List {
			l.statement(&ast.VariableStatement{List: []*ast.Binding{b}})
		}
	default:
		fail("for")
	}
	l.loop(v.Test, v.Update, v.Body)
	l.names = l.names[:len(l.names)-1]
	l.next = next
}

func (l *lowerer) loop(test, update ast.Expression, body ast.Statement) {
	start := len(l.out.list)
	l.label = start
	l.breaks, l.goesOn = append(l.breaks, nil), append(l.goesOn, nil)
	var out []int
	next := l.next
	if test != nil {
		out = l.condition(test, false)
		l.next = next
	}
	l.block([]ast.Statement{body})
	last := len(l.breaks) - 1
	l.here(l.goesOn[last])
	if update != nil {
		l.effect(update)
		l.next = next
	}
	l.emit(ins{op: opLoop, imm: int32(start)})
	l.here(out)
	l.here(l.breaks[last])
	l.breaks, l.goesOn = l.breaks[:last], l.goesOn[:last]
}

// here lets jumps go to the next instruction.
func (l *lowerer) here(jumps []int) {
	for _, at := range jumps {
		l.out.list[at].imm = int32(len(l.out.list))
	}
	l.label = len(l.out.list)
}
