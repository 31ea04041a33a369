package dialect

import (
	"math"
	"regexp"
	"strings"
)

// operate compiles an operator.
func (s *scope) operate(n *node) expr {
	c := &called{scope: s, node: n}
	for _, a := range n.args {
		c.args = append(c.args, s.compile(a))
	}
	switch n.text {
	case "and", "or", "not":
		for i := range c.args {
			c.numeric(i)
		}
		a := c.args
		switch n.text {
		case "not":
			return c.gives(byteKind, func(v []any) any { return bit(!truth(v[0])) })
		case "and":
			return expr{byteKind, a[0].constant && a[1].constant, func(f *frame) any {
				return bit(truth(a[0].eval(f)) && truth(a[1].eval(f)))
			}}
		}
		return expr{byteKind, a[0].constant && a[1].constant, func(f *frame) any {
			return bit(truth(a[0].eval(f)) || truth(a[1].eval(f)))
		}}
	case "+", "-", "*", "/", "%":
		if len(c.args) == 1 {
			return c.negated()
		}
		return c.arithmetic(n.text)
	case "like", "ilike":
		return c.like(n.text == "ilike")
	case "in":
		first := c.args[0]
		rest := c.args[1:]
		var tests []expr
		for i := range rest {
			tests = append(tests, (&called{s, n, []expr{first, rest[i]}}).compared(func(o int) bool { return o == 0 }))
		}
		return expr{byteKind, false, func(f *frame) any {
			for _, t := range tests {
				if truth(t.eval(f)) {
					return bit(true)
				}
			}
			return bit(false)
		}}
	case "between":
		low := (&called{s, n, []expr{c.args[0], c.args[1]}}).compared(func(o int) bool { return o >= 0 })
		high := (&called{s, n, []expr{c.args[0], c.args[2]}}).compared(func(o int) bool { return o <= 0 })
		return expr{byteKind, false, func(f *frame) any { return bit(truth(low.eval(f)) && truth(high.eval(f))) }}
	}
	return c.compared(map[string]func(int) bool{
		"=": func(o int) bool { return o == 0 }, "!=": func(o int) bool { return o != 0 },
		"<": func(o int) bool { return o < 0 }, "<=": func(o int) bool { return o <= 0 },
		">": func(o int) bool { return o > 0 }, ">=": func(o int) bool { return o >= 0 },
	}[n.text])
}

func (c *called) negated() expr {
	switch k := c.args[0].kind; {
	case k.integer():
		return c.gives(integerOf(min(64, 2*k.bits()), true), func(v []any) any { return -whole(v[0]) })
	case k.name == "Float64":
		return c.gives(floatKind, func(v []any) any { return -number(v[0]) })
	case k.name == "Interval":
		return c.gives(k, func(v []any) any { s, _ := v[0].(interval); return interval{-s.n, s.unit} })
	}
	c.bad(c.node, "there is no - of %s", c.args[0].kind)
	return expr{}
}

func (c *called) arithmetic(sign string) expr {
	a, b := c.args[0].kind, c.args[1].kind
	switch {
	case a.timed() && b.name == "Interval" && (sign == "+" || sign == "-"):
		return c.shifted(a, 0, 1, sign == "-")
	case b.timed() && a.name == "Interval" && sign == "+":
		return c.shifted(b, 1, 0, false)
	case a.timed() && b.timed() && sign == "-":
		return c.gives(intKind, func(v []any) any { return a.moment(v[0]).Unix() - b.moment(v[1]).Unix() })
	case a.name == "DateTime" && b.integer() && (sign == "+" || sign == "-"),
		a.name == "Date" && b.integer() && (sign == "+" || sign == "-"):
		return c.gives(a, func(v []any) any {
			if sign == "-" {
				return whole(v[0]) - whole(v[1])
			}
			return whole(v[0]) + whole(v[1])
		})
	case !a.numeric() || !b.numeric():
		c.bad(c.node, "there is no %s %s %s", a, sign, b)
	case sign == "/":
		return c.gives(floatKind, func(v []any) any { return number(v[0]) / number(v[1]) })
	case sign == "%" && a.integer() && b.integer():
		k := integerOf(b.bits(), a.signed())
		return c.gives(k, func(v []any) any {
			if d := whole(v[1]); d != 0 && d != -1 {
				return k.wrap(whole(v[0]) % d)
			}
			return int64(0)
		})
	case a.integer() && b.integer():
		k := integerOf(min(64, 2*max(a.bits(), b.bits())), a.signed() || b.signed() || sign == "-")
		return c.gives(k, func(v []any) any {
			x, y := whole(v[0]), whole(v[1])
			switch sign {
			case "+":
				x += y
			case "-":
				x -= y
			default:
				x *= y
			}
			return k.wrap(x)
		})
	}
	return c.gives(floatKind, func(v []any) any {
		x, y := number(v[0]), number(v[1])
		switch sign {
		case "+":
			return x + y
		case "-":
			return x - y
		case "*":
			return x * y
		}
		return math.Mod(x, y)
	})
}

// shifted moves a time by an interval.
func (c *called) shifted(k kind, at, by int, back bool) expr {
	result := k
	if span, ok := c.args[by].value().(interval); ok && k.name == "Date" && strings.Contains("HOUR MINUTE SECOND",
		span.unit) {
		result = timeKind
	}
	return c.gives(result, func(v []any) any {
		span, _ := v[by].(interval)
		if back {
			span.n = -span.n
		}
		t := add(k.moment(v[at]), span).Unix()
		if result.name == "Date" {
			return floorDiv(t, daySecs)
		}
		return t
	})
}

// compared compares two arguments. A String beside a time is read as one.
func (c *called) compared(holds func(order int) bool) expr {
	a, b := c.args[0].kind, c.args[1].kind
	read := func(i int, k kind) {
		c.args[i] = (&called{c.scope, c.node, []expr{c.args[i]}}).timeOf(k)
	}
	switch {
	case a.timed() && b.name == "String":
		read(1, a)
		b = c.args[1].kind
	case b.timed() && a.name == "String":
		read(0, b)
		a = c.args[0].kind
	}
	if a.timed() && b.timed() && a.name != b.name {
		return c.gives(byteKind, func(v []any) any {
			return bit(holds(a.moment(v[0]).Compare(b.moment(v[1]))))
		})
	}
	_, ok := common(a, b)
	if !ok && !(a.timed() && b.integer() || b.timed() && a.integer()) || a.name == "Interval" {
		c.bad(c.node, "%s and %s cannot be compared", a, b)
	}
	return c.gives(byteKind, func(v []any) any {
		x, isFloat := v[0].(float64)
		y, isAlso := v[1].(float64)
		if isFloat && math.IsNaN(x) || isAlso && math.IsNaN(y) {
			return bit(false)
		}
		return bit(holds(compare(v[0], v[1])))
	})
}

// pattern is the regular expression of LIKE: % is anything, _ one character, and a backslash takes a meaning away.
func pattern(like string, fold bool) (*regexp.Regexp, error) {
	var b strings.Builder
	b.WriteString("(?s")
	if fold {
		b.WriteByte('i')
	}
	b.WriteString(")^")
	escaped := false
	for _, r := range like {
		switch {
		case escaped:
			b.WriteString(regexp.QuoteMeta(string(r)))
			escaped = false
		case r == '\\':
			escaped = true
		case r == '%':
			b.WriteString(".*")
		case r == '_':
			b.WriteByte('.')
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	if escaped {
		b.WriteString(`\\`)
	}
	b.WriteByte('$')
	return regexp.Compile(b.String())
}

func (c *called) like(fold bool) expr {
	return c.matching(func(p string) (*regexp.Regexp, error) { return pattern(p, fold) })
}

// matching matches the first argument against what the second one, a constant, is a pattern of.
func (c *called) matching(compile func(string) (*regexp.Regexp, error)) expr {
	c.strings()
	if !c.args[1].constant {
		c.bad(c.node, "the pattern should be a constant")
	}
	text, _ := c.args[1].value().(string)
	re, err := compile(text)
	if err != nil {
		c.bad(c.node, "the pattern %q: %v", text, err)
	}
	return c.gives(byteKind, func(v []any) any { s, _ := v[0].(string); return bit(re.MatchString(s)) })
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}
