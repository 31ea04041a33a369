package kernel

import (
	"maps"
	"slices"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// arrayMethods are the methods of typed arrays that kernels know, with the most arguments that they may have.
var arrayMethods = map[string]int{"fill": 3, "set": 2}

// ArrayMethods are the names of those methods.
func ArrayMethods() []string { return slices.Sorted(maps.Keys(arrayMethods)) }

// arrayMethod looks at a call of a method of a typed array, which may also be one of the script's own.
func (k *checker) arrayMethod(v *ast.CallExpression, o *input, name string) {
	if !slices.Contains(k.plan.fills, name) {
		k.plan.fills = append(k.plan.fills, name)
	}
	k.expression(v.Callee.(*ast.DotExpression).Left)
	if k.fails || o == nil || k.finder.methods[name] == nil {
		return
	}
	before := k.state()
	if k.method(o, name, v.ArgumentList); k.fails {
		k.restore(before)
	}
}

// method is fill or set of a typed array.
func (l *lowerer) method(a *array, name string, v *ast.CallExpression) value {
	if a.list || a.element >= View || len(v.ArgumentList) == 0 || len(v.ArgumentList) > arrayMethods[name] {
		fail("%s of something unknown", name)
	}
	defer func() { l.effects++ }()
	if name == "set" {
		return l.setAll(a, v)
	}
	code := l.fill(a, v.ArgumentList)
	return value{array: a, code: code}
}

// kept puts an integer, or nothing, into a local of its own; other values do not fit.
func (l *lowerer) kept(args []ast.Expression, n int, otherwise value) (local int, code fragment, number number) {
	x := otherwise
	if n < len(args) {
		x = l.expression(args[n])
	}
	if l.scalar(x); !x.plain() {
		fail("an offset that may be no integer")
	}
	local = l.local(repI64)
	return local, seq(l.long(x), set(local)), x.number
}

// fill is the code of a call of fill.
func (l *lowerer) fill(a *array, args []ast.Expression) fragment {
	x := l.expression(args[0])
	l.scalar(x)
	bits, rep := l.stored(a, x)
	filler := l.local(rep)
	size := a.size()
	length := l.local(repI64)
	from, start, first := l.kept(args, 1, constant(0))
	to, end, last := l.kept(args, 2, size)
	code := seq(bits, set(filler), start, end, l.long(size), set(length))
	for i, p := range []struct {
		local int
		number
	}{{from, first}, {to, last}} {
		if len(args) < i+2 {
			continue
		}
		if p.lo < 0 { // from the end
			code = seq(code, get(p.local), constI64(0), op(opI64LtS, opIf, typeVoid), get(p.local), get(length),
				op(opI64Add), set(p.local), op(opEnd),
				constI64(0), get(p.local), get(p.local), constI64(0), op(opI64LtS, opSelect), set(p.local))
		}
		code = seq(code, get(length), get(p.local), get(length), get(p.local), op(opI64LtS, opSelect), set(p.local))
	}
	shift := int32(elementsOf[a.element].shift)
	at := l.local(repI32)
	code = seq(code, get(from), get(to), op(opI64LtS, opIf, typeVoid),
		get(a.at), get(from), op(opWrap), constI32(shift), op(opI32Shl, opI32Add), set(at))
	if f, known := x.known(); known && f == 0 && x.pure && x.whole || shift == 0 {
		filled := get(filler)
		if shift != 0 {
			filled = constI32(0)
		}
		return seq(code, get(at), filled, get(to), get(from), op(opI64Sub, opWrap), constI32(shift), op(opI32Shl),
			op(opMemory, memoryFill, 0), op(opEnd))
	}
	return seq(code, op(opLoop, typeVoid), get(at), get(filler), memory(elementsOf[a.element].store, 0),
		get(at), constI32(1<<shift), op(opI32Add), set(at), l.apart(l.poll),
		get(from), constI64(1), op(opI64Add), tee(from), get(to), op(opI64LtS), opN(opBranchIf, 0), op(opEnd, opEnd))
}

// setAll is a call of set with a typed array whose elements have the same bytes.
func (l *lowerer) setAll(a *array, v *ast.CallExpression) value {
	source := l.arrayOf(v.ArgumentList[0])
	from, to := source.element, a.element
	clamped := from == Clamped || to == Clamped
	if source.list || from >= View || elementsOf[from].shift != elementsOf[to].shift ||
		from != to && (from == Float32 || to == Float32) || clamped && from != to && (from == Int8 || to != Uint8) {
		fail("set of other elements")
	}
	offset, code, n := l.kept(v.ArgumentList, 1, constant(0))
	room, length := a.size(), source.size()
	if n.lo < 0 || a.fixed < 0 || source.fixed < 0 || n.hi+float64(source.fixed) > float64(a.fixed) {
		if len(l.frames) > 1 {
			fail("set in a function that is taken in, which may throw") // its frame would be missing
		}
		// It throws where offset + length > room, or the offset is negative: offset > room - length, unsigned.
		code = seq(code, get(offset), constI64(0), op(opI64LtS), get(offset), l.long(length), op(opI64Add),
			l.long(room), comparisonOf(token.GREATER), op(opI32Or), l.throws(v, a, offset, source.input, false))
	}
	shift := constI32(int32(elementsOf[to].shift))
	return value{number: undefined, code: seq(code,
		get(a.at), get(offset), op(opWrap), shift, op(opI32Shl, opI32Add),
		get(source.at), length.code, shift, op(opI32Shl), op(opMemory, memoryCopy, 0, 0), constI64(oddValue))}
}

func comparisonOf(t token.Token) fragment { return op(comparisons[t].s64) }
