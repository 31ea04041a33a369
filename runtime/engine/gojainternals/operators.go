package gojainternals

import (
	"reflect"
	"strings"
	"unsafe"

	"github.com/dop251/goja"
)

// Operators are looked at before goja carries them out, where a result can take any amount of memory or time.

// Operator is an operation of a program that Watch looks at.
type Operator string

// The operators that [Preparation.Watched] knows.
const (
	Add        Operator = "_add"
	Multiply   Operator = "_mul"
	Divide     Operator = "_div"
	Remainder  Operator = "_mod"
	Power      Operator = "_exp"
	ShiftLeft  Operator = "_sal"
	ShiftRight Operator = "_sar"
	Equal      Operator = "_op_eq"
	NotEqual   Operator = "_op_neq"
	// These four compare by order. They are looked at only in programs that may have BigInts, and cost nothing in
	// others.
	Less         Operator = "_op_lt"
	LessEqual    Operator = "_op_lte"
	Greater      Operator = "_op_gt"
	GreaterEqual Operator = "_op_gte"
	// Concatenate is what a template literal does. Its operands are all the parts.
	Concatenate Operator = "concatStrings"
	// Spread is what ...x does in a list of arguments. It is looked at afterwards; its operands are the arguments that
	// it has added.
	Spread Operator = "_pushSpread"
	// CopySpread copies the properties of its operand, in { ...o }; TakeApart is before const { a, ...rest } = o, which
	// copies the rest. They are looked at if the operand is an object or a long string.
	CopySpread Operator = "_copySpread"
	TakeApart  Operator = "_createDestructSrc"
	// SetPrototype is { __proto__: p }. It is looked at afterwards; its operand is the object.
	SetPrototype Operator = "_setProto"
)

// Watched is what is called before an operator that has a BigInt or a long string among its operands. It may replace
// operands, and panic with what the operator throws.
type Watched func(rt *goja.Runtime, op Operator, operands []goja.Value)

const (
	longString = 1 << 16 // bytes or units
	manyValues = 1 << 16
)

// operandKinds are the types of values that matter here. Each is known by the first word of the interface value.
type operandKinds struct {
	bigint, ascii, unicode, integer, imported unsafe.Pointer
	text                                      uintptr // of an imported string
}

func kindOf(v goja.Value) unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(&v))[0] }

func (l *Layout) readOperators(r *reader) {
	value := func(source string, kind reflect.Kind) unsafe.Pointer {
		v, err := r.rt.RunString(source)
		if err != nil {
			r.fail("probe %s failed: %v", source, err)
			return nil
		}
		if t := reflect.TypeOf(v); t.Kind() != kind {
			r.fail("value of %s is a %s", source, t)
		}
		return kindOf(v)
	}
	l.operands = operandKinds{
		bigint: value("1n", reflect.Pointer), ascii: value("'x' + 'y'", reflect.String),
		unicode: value("'\u1234' + '\u1235'", reflect.Slice),
		integer: value("1 + 70000", reflect.Int64),
	}
	imported := r.rt.ToValue("a text of Go that goja has not looked at yet")
	l.operands.imported = kindOf(imported)
	if t := reflect.TypeOf(imported); t.Kind() == reflect.Pointer {
		l.operands.text, _ = r.field(t.Elem(), "s", reflect.TypeFor[string]())
		r.likeImported(t.Elem())
	} else {
		r.fail("text of Go is a %s", t)
	}
}

// heavy tells whether Watched must hear of an operand.
func (l *Layout) heavy(v goja.Value) bool {
	pair := (*[2]unsafe.Pointer)(unsafe.Pointer(&v))
	switch pair[0] {
	case l.operands.integer:
		return false
	case l.operands.bigint:
		return true
	case l.operands.ascii:
		return len(*(*string)(pair[1])) >= longString
	case l.operands.imported:
		return len(*(*string)(unsafe.Add(pair[1], l.operands.text))) >= longString
	case l.operands.unicode:
		return len(*(*[]uint16)(pair[1])) >= longString
	}
	return false
}

// Long tells whether a value is a long string: going over it takes time.
func (l *Layout) Long(v goja.Value) bool {
	return kindOf(v) != l.operands.bigint && l.heavy(v)
}

// hasBigInts tells whether a source has what a program makes BigInts with: their name, or a literal.
func hasBigInts(source string) bool {
	if strings.Contains(source, "BigInt") {
		return true
	}
	word := func(i int) bool {
		c := source[i]
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
	}
	for end := 0; ; end++ {
		i := strings.IndexByte(source[end:], 'n')
		if i < 0 {
			return false
		}
		end += i // an n, with which a literal may end
		if end == 0 || end+1 < len(source) && word(end+1) || strings.IndexByte(sixteen, source[end-1]) < 0 {
			continue
		}
		begin := end
		for begin > 0 && word(begin-1) {
			begin--
		}
		digits, base := source[begin:end], ten
		if len(digits) > 2 && digits[0] == '0' && bases[digits[1]|' '] != "" {
			digits, base = digits[2:], bases[digits[1]|' ']
		} else if digits[0] == '_' {
			continue
		}
		if strings.Trim(digits, base) == "" {
			return true
		}
	}
}

const ten, sixteen = "0123456789_", "0123456789_abcdefABCDEF"

var bases = map[byte]string{'x': sixteen, 'o': "01234567_", 'b': "01_"}

// operators are those that may make something long, or take long.
var operators = map[Operator]bool{Less: true, LessEqual: true, Greater: true, GreaterEqual: true, Add: true,
	Multiply: true, Divide: true, Remainder: true, Power: true, ShiftLeft: true, ShiftRight: true, Equal: true,
	NotEqual: true, Concatenate: true, CopySpread: true, TakeApart: true, Spread: true, SetPrototype: true}

// watchOperator makes an operator of a program call f before it does anything. ordering tells that BigInts may be
// compared.
func (l *Layout) watchOperator(place *instruction, in instruction, op Operator, f Watched, ordering bool) {
	switch op {
	case Less, LessEqual, Greater, GreaterEqual:
		if ordering {
			*place = &operator{goja: *place, layout: l, op: op, n: 2, hook: f}
		}
	case Add, Multiply, Divide, Remainder, Power, ShiftLeft, ShiftRight, Equal, NotEqual:
		*place = &operator{goja: *place, layout: l, op: op, n: 2, hook: f}
	case Concatenate:
		*place = &operator{goja: *place, layout: l, op: op, n: int(reflect.ValueOf(in).Int()), hook: f}
	case CopySpread, TakeApart:
		*place = &copying{goja: *place, layout: l, op: op, hook: f}
	case Spread:
		*place = &spreading{goja: *place, layout: l, hook: f}
	case SetPrototype:
		*place = &inheriting{goja: *place, layout: l, hook: f}
	}
}

type operator struct {
	goja   instruction
	layout *Layout
	op     Operator
	n      int
	hook   Watched
}

func (o *operator) wrapped() instruction { return o.goja }

func (o *operator) exec(vm unsafe.Pointer) {
	l := o.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	operands := stack[*sp-o.n : *sp]
	for _, v := range operands {
		if !l.heavy(v) {
			continue
		}
		o.hook(*(**goja.Runtime)(unsafe.Add(vm, l.machine.runtime)), o.op, operands)
		if o.op != Add {
			break
		}
		if sum := l.added(vm, operands[0], operands[1]); sum != nil {
			operands[0] = sum
			*sp--
			*(*int)(unsafe.Add(vm, l.quick.pc))++
			return
		}
		break
	}
	o.goja.exec(vm)
}

type spreading struct {
	goja   instruction
	layout *Layout
	hook   Watched
}

func (s *spreading) wrapped() instruction { return s.goja }

func (s *spreading) exec(vm unsafe.Pointer) {
	l := s.layout
	before := *(*int)(unsafe.Add(vm, l.machine.sp)) - 1
	s.goja.exec(vm)
	if after := *(*int)(unsafe.Add(vm, l.machine.sp)); after-before > manyValues {
		stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
		s.hook(*(**goja.Runtime)(unsafe.Add(vm, l.machine.runtime)), Spread, stack[before:after])
	}
}

type copying struct {
	goja   instruction
	layout *Layout
	op     Operator
	hook   Watched
}

func (c *copying) wrapped() instruction { return c.goja }

func (c *copying) exec(vm unsafe.Pointer) {
	l := c.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := *(*int)(unsafe.Add(vm, l.machine.sp))
	operands := stack[sp-1 : sp]
	if _, object := operands[0].(*goja.Object); object || l.heavy(operands[0]) {
		c.hook(*(**goja.Runtime)(unsafe.Add(vm, l.machine.runtime)), c.op, operands)
	}
	c.goja.exec(vm)
}

type inheriting struct {
	goja   instruction
	layout *Layout
	hook   Watched
}

func (i *inheriting) wrapped() instruction { return i.goja }

func (i *inheriting) exec(vm unsafe.Pointer) {
	l := i.layout
	i.goja.exec(vm)
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := *(*int)(unsafe.Add(vm, l.machine.sp))
	i.hook(*(**goja.Runtime)(unsafe.Add(vm, l.machine.runtime)), SetPrototype, stack[sp-1:sp])
}
