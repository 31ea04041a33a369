package kernel

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"

	"eddy/runtime/engine/native"
)

// A table is a plain array of rows: plain arrays of as many numbers each, or objects that have numbers under the same
// names. A kernel has a copy of all its numbers, one row behind the other, and changes none. A row that is not there is
// goja's: the kernel ends in front of the statement that wants it.

// rows are those of a table that a kernel has begun with.
type rows struct {
	list  []goja.Value
	bytes []byte
}

const (
	maxTable   = 1 << 14 // numbers
	maxColumns = 8
)

// row looks at an element of a table, whose own elements or properties are read.
func (k *checker) row(b *ast.BracketExpression) {
	switch b.Left.(type) {
	case *ast.Identifier, *ast.DotExpression:
	default:
		k.fails = true
		return
	}
	in := k.object(b.Left)
	if in == nil || k.fn != nil && !k.can {
		k.fails = true
		return
	}
	in.table, k.plan.tables = true, true
	k.expression(b)
	k.wants = true // it may not be there
	k.plan.brackets += minExitBrackets
}

// manyRounds tells whether a statement has a loop of which nobody knows that its rounds are few.
func manyRounds(s ast.Statement) bool {
	v, is := s.(*ast.ForStatement)
	if !is {
		if b, block := s.(*ast.BlockStatement); block {
			return slices.ContainsFunc(b.List, manyRounds)
		}
		return hasLoop(s)
	}
	if t, is := v.Test.(*ast.BinaryExpression); is {
		if n, is := t.Right.(*ast.NumberLiteral); is {
			if f, _ := literal(n); f <= minTableRounds {
				return manyRounds(v.Body)
			}
		}
	}
	return true
}

// table copies the numbers of a table. The kind is unknown where it has something else.
func (e *entry) table(n int, list []goja.Value) (k kind, ok bool) {
	first, is := list[0].(*goja.Object)
	if !is || len(list) > maxTable {
		return kind{}, true
	}
	width := 0
	var names []string
	if row, is := e.frame.List(first); is {
		width = len(row)
	} else {
		names = e.columns(n, first)
		width = len(names)
	}
	if width == 0 || width*len(list) > maxTable {
		return kind{}, true
	}
	numbers := make([]float64, 0, width*len(list))
	low, high, whole := 0.0, 0.0, true
	add := func(v goja.Value) bool {
		f, integer, is := e.number(v)
		if is {
			whole = whole && integer
			low, high = min(low, f), max(high, f)
			numbers = append(numbers, f)
		}
		return is
	}
	for _, v := range list {
		o, is := v.(*goja.Object)
		if !is {
			return kind{}, true
		}
		if names != nil {
			for _, name := range names {
				if x := e.frame.Field(o, name); x == nil || !add(x) {
					return kind{}, true
				}
			}
			continue
		}
		row, is := e.frame.List(o)
		if !is || len(row) != width {
			return kind{}, true
		}
		for _, x := range row {
			if x == nil || !add(x) {
				return kind{}, true
			}
		}
	}
	k = kind{sort: sortTable, element: Float64, list: true, width: width, columns: strings.Join(names, ","),
		fixed: e.kernel.fixed(n, len(list))}
	switch {
	case whole && low >= minInt32 && high <= maxInt32:
		k.element = Int32
	case whole && low >= 0 && high <= maxUint32:
		k.element = Uint32
	}
	e.copied += int64(len(numbers))
	bytes := inBytes(numbers, k.element)
	at, reached := native.Offset(bytes)
	if !reached {
		return k, false
	}
	e.tables = append(e.tables, rows{list, bytes})
	e.params = append(e.params, uint64(at), uint64(len(list)))
	e.size = max(e.size, int64(len(list)))
	return k, true
}

// inBytes are numbers as the elements of a typed array.
func inBytes(numbers []float64, el Element) []byte {
	bytes := make([]byte, 0, len(numbers)<<elementsOf[el].shift)
	for _, f := range numbers {
		if el == Float64 {
			bytes = binary.LittleEndian.AppendUint64(bytes, bitsOf(f))
		} else {
			bytes = binary.LittleEndian.AppendUint32(bytes, uint32(int64(f)))
		}
	}
	return bytes
}

// columns are the names under which a table's rows have numbers: those that the first row that was ever seen there has.
func (e *entry) columns(n int, row *goja.Object) []string {
	k := e.kernel
	if names, known := k.columns[n]; known {
		return names
	}
	names, _ := e.frame.Names(row)
	var out []string
	for _, name := range names {
		if strings.Contains(name, ",") {
			continue
		}
		if _, _, is := e.number(e.frame.Field(row, name)); is {
			out = append(out, name)
		}
	}
	if len(out) > maxColumns {
		out = nil
	}
	if k.columns == nil {
		k.columns = map[int][]string{}
	}
	k.columns[n] = out
	return out
}

// still tells that nothing which a kernel changes is a row of a table.
func (e *entry) still(v *version) bool {
	for _, t := range e.tables {
		for _, x := range t.list {
			o := x.(*goja.Object)
			for _, out := range v.outputs {
				if out.input.parent != nil && e.values[out.input.parent.index] == x {
					return false
				}
			}
			row, _ := e.frame.List(o)
			for _, c := range e.copies {
				if v.written[c.input] && len(row) > 0 && len(c.list) > 0 && &row[0] == &c.list[0] {
					return false
				}
			}
		}
	}
	return true
}

// rowOf is a row of a table.
func (l *lowerer) rowOf(a *array, i value) value {
	index, code, there := l.index(a, i)
	if there != nil {
		code = seq(code, l.goesBack(seq(there, op(opI32Eqz))))
	}
	return value{row: a, at: index, code: code}
}

// goesBack is code that ends the kernel in front of its statement where a condition holds. It may stand in loops of
// functions that are taken in as long as nothing happens in them.
func (l *lowerer) goesBack(condition fragment) fragment {
	a := l.anchor
	if a == nil || a.effects != l.effects {
		fail("a row that may not be there, behind effects")
	}
	if n := len(l.turns); n > a.turns {
		a.deep = max(a.deep, n)
	}
	env := l.copyEnv()
	code := l.apart(func() {
		l.emit(condition)
		l.open(opIf, typeVoid)
		l.leaveBy(a.exit)
		l.close()
	})
	l.env = env
	return code
}

// turned looks at the end of a loop whether one may go back from it to the statement around: nothing must have happened
// in an earlier round.
func (l *lowerer) turned() {
	a, n := l.anchor, len(l.turns)
	if a == nil || a.deep < n {
		return
	}
	if a.deep = n - 1; a.effects != l.effects {
		fail("a row that may not be there, in a loop with effects")
	}
}

// inRow is an element of a row.
func (l *lowerer) inRow(row, i value) value {
	a := row.row
	if a.columns != nil {
		fail("an element of an object")
	}
	index, code, there := l.index(&array{element: a.element, fixed: a.width}, i)
	at, x := a.cell(row.at, seq(get(index)), l.local(repI32))
	return l.orUndefined(seq(row.code, code, at), there, x)
}

// field is a property of a row, whose code has run.
func (l *lowerer) field(row value, name string) value {
	for i, column := range row.row.columns {
		if column == name {
			at, x := row.row.cell(row.at, constI32(int32(i)), l.local(repI32))
			return after(at, x)
		}
	}
	fail("property %s of a row", name)
	return value{}
}

// cell is a number of a table, behind the code that finds out where it is.
func (a *array) cell(row int, column fragment, at int) (code fragment, x value) {
	code = seq(get(row), constI32(int32(a.width)), op(opI32Mul), column, op(opI32Add), set(at))
	return code, (&array{element: a.element, at: a.at}).load(at)
}
