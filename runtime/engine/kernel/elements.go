package kernel

import (
	"math"
	"strconv"

	"github.com/dop251/goja/ast"
)

// Element is the type of a typed array's elements.
type Element uint8

// The types of elements. Zero is none.
const (
	_ Element = iota
	Int8
	Uint8
	Int16
	Uint16
	Int32
	Uint32
	Float32
	Float64
	Clamped // a byte that is kept between 0 and 255
	View    // a DataView, which has bytes
	Bytes   // a text of ASCII
	Units   // any other text
)

// elementOf says how an element is kept in memory.
type elementOf struct {
	shift       int
	load, store byte
	number
}

var elementsOf = [...]elementOf{
	Int8: {0, 0x2c, 0x3a, within(-128, 127)}, Uint8: {0, 0x2d, 0x3a, within(0, 255)},
	Int16: {1, 0x2e, 0x3b, within(-32768, 32767)}, Uint16: {1, 0x2f, 0x3b, within(0, 65535)},
	Int32: {2, 0x28, 0x36, within(minInt32, maxInt32)}, Uint32: {2, 0x28, 0x36, within(0, maxUint32)},
	Float32: {2, 0x2a, 0x38, anyNumber}, Float64: {3, 0x2b, 0x39, anyNumber},
	Clamped: {0, 0x2d, 0x3a, within(0, 255)}, View: {0, 0, 0, anyNumber},
	Bytes: {0, 0x2d, 0, within(0, 127)}, Units: {1, 0x2f, 0, within(0, 65535)},
}

// array is an array among the inputs.
type array struct {
	element Element
	input   int
	at, len int  // the locals of its offset and of its length in elements
	fixed   int  // its length, -1 if that differs from call to call
	list    bool // a plain array, which was copied
	odd     bool // it may have undefined: it can only be read

	table   bool     // its elements are rows
	width   int      // of each row
	columns []string // of rows that are objects
}

// maxLength bounds arrays, so that no negative int32 is an index.
const maxLength = 1<<31 - 1

func (a *array) length() number {
	if a.fixed >= 0 {
		return exactly(float64(a.fixed))
	}
	return within(0, maxLength)
}

func (a *array) size() value {
	if a.fixed >= 0 {
		return constant(float64(a.fixed))
	}
	return value{number: a.length(), code: get(a.len), pure: true, limit: limit{length: a}}
}

func (l *lowerer) arrayOf(e ast.Expression) *array {
	x := l.expression(e)
	if x.array == nil || len(x.code) > 0 || x.array.table {
		fail("elements of something unknown")
	}
	return x.array
}

// dot is the length of an array, a property of an object, or a field of what a function gave back.
func (l *lowerer) dot(v *ast.DotExpression) value {
	name := v.Identifier.Name.String()
	x := l.expression(v.Left)
	switch {
	case l.env == nil:
		return constant(0)
	case x.array != nil && name == "length" && x.array.element != View:
		return x.array.size()
	case x.object != nil:
		return l.read(l.property(x.object, name), name)
	case x.fields[name] != nil:
		return l.read(x.fields[name], name)
	case x.row != nil && x.row.columns == nil && name == "length":
		return after(x.code, constant(float64(x.row.width)))
	case x.row != nil:
		return after(x.code, l.field(x, name))
	}
	fail("property %s", name)
	return value{}
}

// property is the variable of a property of an object.
func (l *lowerer) property(o *input, name string) *variable {
	in := o.children[name]
	if in == nil || l.inputs[in] == nil {
		fail("property %s of what was another object", name)
	}
	return l.inputs[in]
}

// place is the property that is assigned.
func (l *lowerer) place(v *ast.DotExpression) *variable {
	x := l.expression(v.Left)
	if x.object == nil {
		fail("an assignment to a property of something unknown")
	}
	return l.property(x.object, v.Identifier.Name.String())
}

// index is where an element is: the local has its number, which is less than the length where the condition holds;
// condition is nil where it always does.
func (l *lowerer) index(a *array, i value) (local int, code, condition fragment) {
	l.scalar(i)
	if i.boolean {
		fail("an index that is no number")
	}
	local = l.local(repI32)
	length := a.size()
	switch i.rep() {
	case repI32:
		code = seq(i.code, set(local))
	case repI64:
		wide := l.local(repI64)
		return local, seq(i.code, tee(wide), op(opWrap), set(local)),
			seq(get(wide), l.long(length), op(opI64LtU))
	default:
		f := l.local(repF64)
		return local, seq(i.code, tee(f), op(opSaturate, satU32FromF64), set(local)),
			seq(get(local), op(opF64FromU32), get(f), op(opF64Eq), get(local), length.code, op(opI32LtU, opI32And))
	}
	if i.plain() && i.lo >= 0 && (i.below == a || a.fixed >= 0 && i.hi < float64(a.fixed)) {
		return local, code, nil
	}
	return local, code, seq(get(local), length.code, op(opI32LtU))
}

// address is an element's.
func (a *array) address(index int) fragment {
	shift := elementsOf[a.element].shift
	if shift == 0 {
		return seq(get(a.at), get(index), op(opI32Add))
	}
	return seq(get(a.at), get(index), constI32(int32(shift)), op(opI32Shl, opI32Add))
}

// load is an element that is there, as a value.
func (a *array) load(index int) value {
	e := elementsOf[a.element]
	code := seq(a.address(index), memory(e.load, 0))
	if a.element == Float32 {
		code = seq(code, op(opPromote))
	}
	n := e.number
	n.odd = a.odd
	return value{number: n, code: code}
}

// element reads an element. One that is not there is undefined.
func (l *lowerer) element(v *ast.BracketExpression) value {
	x := l.expression(v.Left)
	if x.fields["length"] != nil {
		return l.argument(x, l.expression(v.Member))
	}
	if x.row != nil {
		return l.inRow(x, l.expression(v.Member))
	}
	if x.array == nil || len(x.code) > 0 {
		fail("elements of something unknown")
	}
	a := x.array
	if a.table {
		return l.rowOf(a, l.expression(v.Member))
	}
	if a.element >= View {
		fail("element of a view or a text")
	}
	return l.elementAt(a, l.expression(v.Member))
}

// argument is one of those that a rest parameter has; which one must be known.
func (l *lowerer) argument(rest value, i value) value {
	n, known := i.known()
	p := rest.fields[strconv.Itoa(int(n))]
	if !known || !i.pure || p == nil || n != math.Trunc(n) || len(rest.code) > 0 {
		fail("an argument, nobody knows which")
	}
	return l.read(p, "an argument")
}

func (l *lowerer) elementAt(a *array, i value) value {
	index, code, there := l.index(a, i)
	return l.orUndefined(code, there, a.load(index))
}

// orUndefined is an element behind the code that finds out where it is; undefined where a condition does not hold.
func (l *lowerer) orUndefined(code, there fragment, x value) value {
	if there == nil {
		x.code = seq(code, x.code)
		return x
	}
	low := seq(code, there, op(opIf, byte(repI32)), l.bits(x), op(opElse), constI32(0), op(opEnd))
	n := x.number
	n.odd = true
	if n.whole {
		return value{number: n, low: low, code: seq(code, there, op(opIf, byte(repI64)), l.long(x), op(opElse),
			constI64(oddValue), op(opEnd))}
	}
	return value{number: n, low: low, any: seq(code, there, op(opIf, byte(repF64)), x.code, op(opElse),
		constF64(math.NaN()), op(opEnd)), code: seq(code, there, op(opIf, byte(repF64)), l.loose(x).code,
		op(opElse), constF64(math.Float64frombits(oddDouble)), op(opEnd))}
}

// write is the code that stores a value, which is in the form that the element wants.
func (a *array) write(index int, x fragment) fragment {
	e := elementsOf[a.element]
	if e.store == 0 {
		fail("a store to what can only be read")
	}
	return seq(a.address(index), x, memory(e.store, 0))
}
