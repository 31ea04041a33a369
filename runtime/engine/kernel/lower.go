package kernel

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/dop251/goja/ast"
)

// value is an expression's code, which leaves the value on the stack, and what is known of the value.
type value struct {
	number
	code fragment
	low  fragment // leaves ToInt32 of the value instead; nil if that must be made of code
	any  fragment // leaves a double instead where undefined is any NaN; nil if that must be made of code
	pure bool     // the code has no effects: it may be left out
	// Of an array, an object and of what a function gives back the code leaves nothing.
	array  *array
	object *input
	fields map[string]*variable
	order  []string
	null   bool   // nor of null
	row    *array // of a table, whose number a local has
	at     int
	limit
}

// limit is what is known of an integer and the length of an array.
type limit struct {
	below  *array // it is less than its length
	length *array // it is its length
}

// scalar tells that it is a number, a boolean or undefined.
func (x value) scalar() bool {
	return x.array == nil && x.object == nil && x.fields == nil && !x.null && x.row == nil
}

// variable is one of JavaScript's, or a hidden one. It is the same in all rounds.
type variable struct {
	key variableKey
	id  int // the order in which they were met
}

type variableKey struct {
	context int
	node    any
	name    string
}

// bound is what a variable holds at some place.
type bound struct {
	number
	array  *array
	object *input
	fields map[string]*variable
	order  []string
	null   bool
	row    *array // its number is an int32
	limit
	bad bool // nobody knows what: who reads it is no kernel
	// A mixed one is bad for readers, but a tag and a double keep what it is, for the kernel's end.
	mixed bool
}

func (b bound) same(c bound) bool {
	if b.array != c.array || b.object != c.object || b.null != c.null || b.row != c.row ||
		b.bad != c.bad || b.mixed != c.mixed || len(b.fields) != len(c.fields) {
		return false
	}
	for name, v := range b.fields {
		if c.fields[name] != v {
			return false
		}
	}
	return true
}

func (b bound) scalar() bool {
	return b.array == nil && b.object == nil && b.fields == nil && !b.null && b.row == nil && !b.bad
}

// form is in what code brings the value of a variable to where ways meet.
type form struct {
	scalar, bad, mixed, loose bool
	rep
}

func (b bound) form() form {
	if !b.scalar() {
		return form{bad: b.bad, mixed: b.mixed}
	}
	return form{scalar: true, rep: b.rep(), loose: b.odd && b.rep() == repF64}
}

// creeps tells whether a number looks like one that grows a little in each turn of a loop.
func creeps(a, b number) bool {
	return a.plain() && b.plain() && b.hi-a.hi <= maxStep/4 && a.lo-b.lo <= maxStep/4
}

// kept tells that a tag can say what it is.
func (b bound) kept() bool {
	return b.scalar() || b.array != nil || b.object != nil || b.null || b.mixed
}

// merged is what is known of a variable that is one of two things.
func merged(a, b bound) bound {
	if a.same(b) && !a.scalar() {
		return a
	}
	if !a.scalar() || !b.scalar() {
		return bound{bad: true, mixed: a.kept() && b.kept()}
	}
	n, ok := join(a.number, b.number)
	if !ok {
		return bound{bad: true, mixed: true}
	}
	out := bound{number: n}
	if a.below == b.below {
		out.below = a.below
	}
	if a.length == b.length {
		out.length = a.length
	}
	return out
}

// place is where ways meet: the head of a loop, the end of a block.
type meetingKey struct {
	context int
	node    any
	part    int
}

// facts are what is known of variables where ways meet. They grow from round to round until they hold.
type facts struct {
	variables map[variableKey]*variable
	contexts  map[meetingKey]int
	meetings  map[meetingKey]*meeting
	arrays    map[int]*array
	grown     int // how often they have grown
}

type meeting struct {
	held  map[*variable]bound
	grown map[*variable]int
}

// label is a meeting that code can jump to.
type label struct {
	*meeting
	vars  []*variable
	depth int
	met   bool // in this round
	head  bool // of a loop, which goes on there before all ways have come
}

// frame is a function whose body is lowered: the kernel's own or one that is taken in.
type frame struct {
	fn      *function // nil for the kernel's own
	call    int       // where it is called
	context int
	this    value
	names   []map[string]*variable
	returns *label
	result  *variable
	breaks  []*label
	goesOn  []*label
	labels  map[string][2]*label // where break and continue go that name one
	pending []string             // the labels of the loop that follows
}

// lowerer makes code of a plan, for inputs of certain kinds.
type lowerer struct {
	plan   *plan
	facts  *facts
	out    fragment
	env    map[*variable]bound // nil where nothing gets to
	fixed  map[*variable]bound // inputs that nothing changes; env has what is known of them beyond that
	frames []*frame
	inputs map[*input]*variable
	kinds  []kind
	consts map[*variable]bool
	depth  int

	locals []rep
	params int
	slots  map[localKey]int
	made   []localKey // the keys of slots, in the order in which they came
	fuel   int
	size   int

	turns          []turns
	again          bool // all is lowered once more
	version        *version
	end            *label // of the kernel
	status, offset int
	anchor         *anchor
	effects        int // how much was lowered that others see
	signature      [2][]rep
	at             ast.Statement // that is lowered
}

type localKey struct {
	v *variable
	r rep
}

// unfit is how lowering ends where statements are no kernel after all.
type unfit struct{ reason string }

func fail(format string, args ...any) { panic(unfit{fmt.Sprintf(format, args...)}) }

// errLimit is for what never settles.
var errLimit = errors.New("kernel: facts do not settle")

const (
	maxRounds = 60
	maxSize   = 1 << 20 // bytes of code
	growths   = 1       // after which a range is widened
)

func (f *facts) variable(context int, node any, name string) *variable {
	key := variableKey{context, node, name}
	v := f.variables[key]
	if v == nil {
		v = &variable{key, len(f.variables)}
		f.variables[key] = v
	}
	return v
}

func (l *lowerer) frame() *frame { return l.frames[len(l.frames)-1] }

func (l *lowerer) emit(parts ...fragment) {
	if l.env == nil {
		return
	}
	for _, p := range parts {
		l.out = append(l.out, p...)
		l.size += len(p)
	}
	if l.size > maxSize {
		fail("too long")
	}
}

// local is a new local, temporary one that is never given back; spare ones are reused.
func (l *lowerer) local(r rep) int {
	l.locals = append(l.locals, r)
	return l.params + len(l.locals) - 1
}

// slot is the local of a variable in a representation.
func (l *lowerer) slot(v *variable, r rep) int {
	key := localKey{v, r}
	n, ok := l.slots[key]
	if !ok {
		n = l.local(r)
		l.slots[key] = n
		l.made = append(l.made, key)
	}
	return n
}

// hidden is a variable of the lowerer's own, the same in each round.
func (l *lowerer) hidden(node any, name string) *variable {
	return l.facts.variable(l.frame().context, node, name)
}

// assign gives a variable a value.
func (l *lowerer) assign(v *variable, x value) {
	if l.env == nil {
		return
	}
	if v.own() {
		l.effects++
	}
	if _, fixed := l.fixed[v]; fixed {
		fail("an assignment that nobody saw")
	}
	if !x.scalar() {
		if l.emit(x.code); x.row != nil {
			l.emit(get(x.at), set(l.slot(v, repI32)))
		}
		l.env[v] = bound{row: x.row, array: x.array, object: x.object, fields: x.fields, order: x.order, null: x.null}
		return
	}
	l.emit(x.code, set(l.slot(v, x.rep())))
	l.env[v] = bound{number: x.number, limit: x.limit}
}

// own tells whether a variable is one that the kernel's own statements name, be it declared by a block within: they
// are run again where a function that they call has an exit.
func (v *variable) own() bool {
	switch v.key.node.(type) {
	case *input:
		return true
	case *ast.Binding:
		return v.key.context == 0
	}
	return false
}

// ofBlock tells whether a block declares it.
func (v *variable) ofBlock() bool { _, is := v.key.node.(*ast.Binding); return is }

// held is what is known of a variable.
func (l *lowerer) held(v *variable) (bound, bool) {
	if b, ok := l.env[v]; ok {
		return b, true
	}
	b, ok := l.fixed[v]
	return b, ok
}

// forget lets go of the variables that can be seen no more, so that ways that meet need not agree about them.
func (l *lowerer) forget(names map[string]*variable) {
	for _, v := range names {
		delete(l.env, v)
	}
}

// forgetCall does so for those of a function that has given x back.
func (l *lowerer) forgetCall(context int, x value) {
	kept := map[*variable]bool{}
	var keep func(fields map[string]*variable)
	keep = func(fields map[string]*variable) {
		for _, v := range fields {
			kept[v] = true
			keep(l.env[v].fields)
		}
	}
	keep(x.fields)
	for v := range l.env {
		if v.key.context == context && !kept[v] {
			delete(l.env, v)
		}
	}
}

// read is the value of a variable.
func (l *lowerer) read(v *variable, name string) value {
	if l.env == nil {
		return constant(0)
	}
	b, ok := l.held(v)
	switch {
	case !ok:
		fail("%s is used before its declaration", name)
	case b.bad:
		fail("%s may be of two kinds", name)
	case b.row != nil:
		return value{row: b.row, at: l.slot(v, repI32)}
	case !b.scalar():
		return value{array: b.array, object: b.object, fields: b.fields, order: b.order, null: b.null}
	}
	if f, known := b.known(); known {
		x := constant(f)
		x.limit = b.limit
		return x
	}
	return value{number: b.number, code: get(l.slot(v, b.rep())), pure: true, limit: b.limit}
}

// constant is a known number.
func constant(f float64) value {
	n := exactly(f)
	x := value{number: n, low: constI32(toInt32(f)), pure: true}
	switch n.rep() {
	case repI32:
		x.code, x.low = constI32(int32(uint32(int64(f)))), nil
	case repI64:
		x.code = constI64(int64(f))
	default:
		x.code = constF64(f)
	}
	return x
}

// after is a value whose code runs after other code.
func after(code fragment, x value) value {
	if len(code) == 0 {
		return x
	}
	x.pure = false
	x.code = seq(code, x.code)
	if x.low != nil {
		x.low = seq(code, x.low)
	}
	if x.any != nil {
		x.any = seq(code, x.any)
	}
	return x
}

func (l *lowerer) scalar(x value) {
	if !x.scalar() {
		fail("an array or object as a number")
	}
}

// meet makes a label where variables that live now are known.
func (l *lowerer) meet(node any, part int, more ...*variable) *label {
	key := meetingKey{l.frame().context, node, part}
	m := l.facts.meetings[key]
	if m == nil {
		m = &meeting{held: map[*variable]bound{}, grown: map[*variable]int{}}
		l.facts.meetings[key] = m
	}
	b := &label{meeting: m, depth: l.depth}
	for v := range l.env {
		b.vars = append(b.vars, v)
	}
	for _, v := range more {
		if _, there := l.env[v]; !there {
			b.vars = append(b.vars, v)
		}
	}
	slices.SortFunc(b.vars, func(x, y *variable) int { return x.id - y.id })
	return b
}

// edge brings every variable into the form that a label wants.
func (l *lowerer) edge(b *label) {
	if l.env == nil {
		return
	}
	later := b.met // code was made before that brought variables into the form known then
	b.met = true
	for _, v := range b.vars {
		now, ok := l.held(v)
		if !ok && b == l.end {
			continue
		}
		if !ok {
			now = bound{bad: true}
		}
		held, known := b.held[v]
		if !known {
			b.held[v], held = now, now
			if later {
				l.grow(b)
			}
		}
		want := merged(held, now)
		if want.scalar() != held.scalar() || want.bad != held.bad ||
			want.mixed != held.mixed || want.scalar() && (want.number != held.number || want.limit != held.limit) {
			if b.head && later && want.scalar() && held.scalar() && !want.empty() {
				if b.grown[v]++; b.grown[v] > growths || creeps(held.number, want.number) {
					want.number = want.widen()
				}
			}
			b.held[v] = want
			if later && (b.head || held.form() != want.form()) {
				l.grow(b)
			}
		}
		if want.mixed && !now.mixed {
			l.mix(v, now)
		}
		if want.scalar() && now.scalar() && (want.rep() != now.rep() || want.rep() == repF64 && want.odd && !now.odd) {
			x := value{number: now.number, code: get(l.slot(v, now.rep()))}
			switch {
			case want.rep() == repF64 && want.odd:
				x = l.loose(x)
			case want.rep() == repF64:
				x = l.double(x)
			default:
				x.code = l.long(x)
			}
			l.emit(x.code, set(l.slot(v, want.rep())))
		}
	}
}

// land goes on where a label's ways have met.
func (l *lowerer) land(b *label) {
	if !b.met {
		l.env = nil
		return
	}
	l.env = make(map[*variable]bound, len(b.vars))
	for _, v := range b.vars {
		l.env[v] = b.held[v]
	}
}

// keep lets a label know the fields of what a variable holds.
func (b *label) keep(x bound) {
	for _, name := range x.order {
		if field := x.fields[name]; !slices.Contains(b.vars, field) {
			b.vars = append(b.vars, field)
		}
	}
}

// jump goes to a label whose block ends there.
func (l *lowerer) jump(b *label) {
	l.edge(b)
	l.emit(opN(opBranch, l.depth-b.depth))
	l.env = nil
}

// open begins a block, close ends it, also where nothing gets to.
func (l *lowerer) open(code ...byte) {
	l.out = append(l.out, code...)
	l.depth++
}

func (l *lowerer) close() {
	l.out = append(l.out, opEnd)
	l.depth--
}

func (l *lowerer) copyEnv() map[*variable]bound { return maps.Clone(l.env) }

// settle lowers something again until what is known where its ways meet has stopped growing, so that what comes behind
// it begins with facts that hold.
func (l *lowerer) settle(once func()) {
	if l.env == nil {
		return
	}
	l.turns = append(l.turns, turns{depth: l.depth})
	defer func() { l.turns = l.turns[:len(l.turns)-1] }()
	for range maxTurns {
		out, locals, made, throws, size := len(l.out), len(l.locals), len(l.made), len(l.version.throws), l.size
		env := l.copyEnv()
		l.turns[len(l.turns)-1].grown = 0
		l.version.turns++
		once()
		if l.turned(); l.turns[len(l.turns)-1].grown == 0 {
			return
		}
		for _, key := range l.made[made:] {
			delete(l.slots, key)
		}
		l.out, l.locals, l.made = l.out[:out], l.locals[:locals], l.made[:made]
		l.version.throws = l.version.throws[:throws]
		l.size, l.env = size, env
	}
	fail("facts do not settle")
}

// turns are those of something that is lowered until it settles: how often its own facts have grown in this one.
type turns struct {
	depth int // around it
	grown int
}

// grow notes that facts of a label have grown after code was made of them: the innermost loop around the label is
// lowered again, or all is where there is none. Loops within it have no part in that.
func (l *lowerer) grow(b *label) {
	l.facts.grown++
	for i := len(l.turns) - 1; i >= 0; i-- {
		if b.depth > l.turns[i].depth {
			l.turns[i].grown++
			return
		}
	}
	l.again = true
}

// growAround lets the innermost loop be lowered again, or all.
func (l *lowerer) growAround() {
	if n := len(l.turns); n > 0 {
		l.turns[n-1].grown++
		return
	}
	l.again = true
}

// maxTurns bounds how often a loop is lowered within one round.
const maxTurns = 60

// apart lowers something into code of its own.
func (l *lowerer) apart(f func()) fragment {
	out := l.out
	l.out = nil
	f()
	code := l.out
	l.out = out
	return code
}
