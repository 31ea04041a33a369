package gojainternals

import (
	"math"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// What operators give for values of the frequent kinds, and what plain objects hold.

// float is a number as a double.
func (l *Layout) float(v *[2]unsafe.Pointer) (f float64, ok bool) {
	switch v[0] {
	case l.operands.integer:
		return float64(*(*int64)(v[1])), true
	case l.plain.float:
		return *(*float64)(v[1]), true
	}
	return 0, false
}

// calculated is the sum, difference or product of two numbers, nil if goja must find it.
func (l *Layout) calculated(how byte, left, right goja.Value) (v goja.Value) {
	a, b := pair(&left), pair(&right)
	if a[0] == l.operands.integer && b[0] == l.operands.integer {
		x, y := *(*int64)(a[1]), *(*int64)(b[1])
		n := x + y
		switch how {
		case 's':
			n = x - y
		case 'm':
			const small = 1 << 26
			if n = x * y; x >= small || x <= -small || y >= small || y <= -small {
				return nil
			}
			if n == 0 && x|y < 0 { // -0, which goja gives for -1 alone
				return l.floating(math.Copysign(0, -1))
			}
		}
		if n > maxSafe || n < -maxSafe {
			return nil
		}
		return l.integer(n)
	}
	x, ok := l.float(a)
	y, too := l.float(b)
	if !ok || !too {
		return nil
	}
	f := x + y
	switch how {
	case 's':
		f = x - y
	case 'm':
		f = x * y
	}
	if f == 0 || f-f != 0 { // -0, infinite or no number
		return nil
	}
	if f == math.Trunc(f) {
		if f > maxSafe || f < -maxSafe {
			return nil
		}
		return l.integer(int64(f))
	}
	return l.floating(f)
}

// floating is a number that is no integer as a value.
func (l *Layout) floating(f float64) (v goja.Value) {
	p := new(float64)
	*p = f
	*pair(&v) = [2]unsafe.Pointer{l.plain.float, unsafe.Pointer(p)}
	return v
}

// truth is what a value is where it decides.
func (l *Layout) truth(v goja.Value) (yes, known bool) {
	switch p := pair(&v); p[0] {
	case l.quick.boolean:
		return *(*bool)(p[1]), true
	case l.quick.object:
		return true, true
	case l.quick.undefined, l.quick.null:
		return false, true
	case l.operands.integer:
		return *(*int64)(p[1]) != 0, true
	case l.operands.ascii:
		return len(*(*string)(p[1])) > 0, true
	}
	return false, false
}

// compared is whether one value is less than another one, and so on, or the same.
func (l *Layout) compared(op order, left, right goja.Value) (yes, known bool) {
	a, b := pair(&left), pair(&right)
	if a[0] == l.operands.integer && b[0] == l.operands.integer {
		x, y := *(*int64)(a[1]), *(*int64)(b[1])
		switch op {
		case less:
			return x < y, true
		case lessEqual:
			return x <= y, true
		case greater:
			return x > y, true
		case greaterEqual:
			return x >= y, true
		}
		return (x == y) == (op == same), true
	}
	if op < same {
		x, ok := l.float(a)
		y, too := l.float(b)
		switch {
		case !ok || !too:
			return false, false
		case op == less:
			return x < y, true
		case op == lessEqual:
			return x <= y, true
		case op == greater:
			return x > y, true
		}
		return x >= y, true
	}
	switch {
	case a[0] == l.operands.ascii && b[0] == l.operands.ascii:
		return (*(*string)(a[1]) == *(*string)(b[1])) == (op == same), true
	case !l.identity(a[0]) && !l.identity(b[0]):
		return false, false
	case a[0] == l.quick.object && b[0] == l.quick.object && a[1] != b[1]: // objects of Go may be equal
		return false, false
	}
	return (a[0] == b[0]) == (op == same), true
}

// held is a property that an object, or one of its prototypes, keeps as a value, nil if there is none. rest is where
// goja must go on looking: the end of a chain of prototypes, where it looks for an interrupt, or what has a getter.
// The name is no number.
func (l *Layout) held(o *goja.Object, name string) (v goja.Value, rest *goja.Object) {
	if z, ok := l.literal(o); ok {
		if at := z.find(name); at != nil {
			return *at, nil
		}
		o = l.root(o)
	}
	for {
		keeps := l.keepers.of(l.kind(o))
		if keeps == keepsElsewhere || keeps == keepsNames && name == "length" ||
			keeps == keepsFunction && name == "prototype" || keeps == keepsWords && !word(name) {
			return nil, o
		}
		b := l.baseOf(o)
		if v = b.values[unistring.String(name)]; v != nil {
			if p := pair(&v); p[0] == l.quick.accessor { // or a value with attributes, as methods of classes are
				has := (*propertyMirror)(p[1])
				if v = has.value; v == nil || has.accessor { // goja keeps what is assigned to some accessors
					return nil, o
				}
			}
			return v, nil
		}
		if keeps == keepsFound {
			return nil, o
		}
		if o = b.prototype; o == nil {
			return nil, nil
		}
	}
}
