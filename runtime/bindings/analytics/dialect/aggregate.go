package dialect

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// accumulator gathers the rows of a group.
type accumulator interface {
	add(args []any)
	result() any
}

// aggregate is a slot of a group: the arguments of one aggregate function, computed from each row.
type aggregate struct {
	args     []expr
	distinct bool
	start    func() accumulator
}

// maker makes an aggregate function of a call.
type maker struct {
	// plain and params are how many arguments it takes, and how many in parentheses in front of them.
	least, most, params int
	distinct            bool
	make                func(c *called) (kind, func() accumulator)
}

var accumulators = map[string]maker{}

// aggregate compiles a call of an aggregate function.
func (s *scope) aggregate(n *node, m maker) expr {
	if !s.grouped {
		s.bad(n, "%s() cannot be used here: it needs groups, which WHERE and GROUP BY do not have", n.text)
	}
	if s.inAggregate {
		s.bad(n, "%s() is within another aggregate function", n.text)
	}
	c := &called{scope: s, node: n}
	args, params := n.args, n.params
	if n.text == "count" && len(args) == 1 && args[0].kind == starNode {
		args = nil
	}
	switch {
	case n.distinct && !m.distinct:
		c.refuse("it knows no DISTINCT")
	case len(params) > m.params:
		c.refuse("it takes at most %d in parentheses of their own", m.params)
	case len(args) < m.least || len(args) > m.most:
		c.refuse("it takes %s, not %d", amount(m.least, m.most), len(args))
	}
	s.inAggregate = true
	for _, a := range args {
		c.args = append(c.args, s.compile(a))
	}
	s.inAggregate = false
	k, start := m.make(c)
	i := len(s.aggregates)
	s.aggregates = append(s.aggregates, aggregate{c.args, n.distinct, start})
	return expr{k, false, func(f *frame) any { return f.aggs[i] }}
}

// parameter is a constant number in front of the arguments; given is false if there is none.
func (c *called) parameter() (v any, given bool) {
	if len(c.node.params) == 0 {
		return nil, false
	}
	e := c.scope.compile(c.node.params[0])
	if !e.constant || !e.kind.numeric() {
		c.refuse("the number in front of its arguments should be a constant")
	}
	return e.value(), true
}

// distinctly adds each combination of arguments once.
type distinctly struct {
	accumulator
	seen map[string]bool
}

func (d distinctly) add(args []any) {
	key := keyOf(args)
	if !d.seen[key] {
		d.seen[key] = true
		d.accumulator.add(args)
	}
}

// keyOf is the same for equal values of the same kinds.
func keyOf(values []any) string {
	var b []byte
	for _, v := range values {
		switch v := v.(type) {
		case string:
			b = strconv.AppendQuote(b, v)
		case float64:
			if v == 0 {
				v = 0 // one zero
			}
			b = strconv.AppendUint(append(b, 'f'), math.Float64bits(v), 36)
		default:
			b = fmt.Append(b, v)
		}
		b = append(b, ',')
	}
	return string(b)
}

type counting struct{ n int64 }

func (a *counting) add([]any)   { a.n++ }
func (a *counting) result() any { return a.n }

type summing struct {
	floats bool
	whole  int64
	sum    float64
	n      int64
	mean   bool
}

func (a *summing) add(args []any) {
	a.n++
	if a.floats {
		a.sum += number(args[0])
		return
	}
	a.whole += whole(args[0])
}

func (a *summing) result() any {
	switch {
	case a.mean:
		return a.sum / float64(a.n) // NaN of nothing, as in ClickHouse
	case a.floats:
		return a.sum
	}
	return a.whole
}

// conditional adds the rows whose last argument is true.
type conditional struct{ accumulator }

func (a conditional) add(args []any) {
	if last := len(args) - 1; truth(args[last]) {
		a.accumulator.add(args[:last])
	}
}

// choosing keeps the value of one row: that for which better holds against the one that it has.
type choosing struct {
	value, by any
	any       bool
	better    func(now, before any) bool
}

func (a *choosing) add(args []any) {
	by := args[len(args)-1]
	if !a.any || a.better(by, a.by) {
		a.value, a.by, a.any = args[0], by, true
	}
}

func (a *choosing) result() any { return a.value }

type weighted struct {
	value  any
	weight float64
}

// quantile finds the value below which a share of all weights lies.
type quantile struct {
	level  float64
	values []weighted
	total  float64
}

func (a *quantile) add(args []any) {
	if w := number(args[1]); w > 0 && !math.IsNaN(number(args[0])) {
		a.values = append(a.values, weighted{args[0], w})
		a.total += w
	}
}

func (a *quantile) result() any {
	slices.SortStableFunc(a.values, func(x, y weighted) int { return compare(x.value, y.value) })
	sum := 0.0
	for _, v := range a.values {
		if sum += v.weight; sum >= a.level*a.total {
			return v.value
		}
	}
	return nil
}

// topping finds the most common values.
type topping struct {
	n     int64
	at    map[string]int
	found []weighted
}

func (a *topping) add(args []any) {
	weight := 1.0
	if len(args) > 1 {
		weight = number(args[1])
	}
	key := keyOf(args[:1])
	i, ok := a.at[key]
	if !ok {
		i = len(a.found)
		a.at[key] = i
		a.found = append(a.found, weighted{value: args[0]})
	}
	a.found[i].weight += weight
}

func (a *topping) result() any {
	slices.SortStableFunc(a.found, func(x, y weighted) int { return cmp.Compare(y.weight, x.weight) })
	list := []any{}
	for i := range min(int(a.n), len(a.found)) {
		list = append(list, a.found[i].value)
	}
	return list
}

func init() {
	simple := func(name string, least, most int, distinct bool, make func(c *called) (kind, func() accumulator)) {
		accumulators[name] = maker{least: least, most: most, distinct: distinct, make: make}
	}
	count := func(*called) (kind, func() accumulator) {
		return countKind, func() accumulator { return &counting{} }
	}
	sum := func(c *called) (kind, func() accumulator) {
		c.numeric(0)
		switch k := c.args[0].kind; {
		case k.name == "Float64":
			return k, func() accumulator { return &summing{floats: true} }
		case k.signed():
			return intKind, func() accumulator { return &summing{} }
		}
		return countKind, func() accumulator { return &summing{} }
	}
	avg := func(c *called) (kind, func() accumulator) {
		c.numeric(0)
		return floatKind, func() accumulator { return &summing{floats: true, mean: true} }
	}
	simple("count", 0, 1, true, count)
	simple("sum", 1, 1, true, sum)
	simple("avg", 1, 1, true, avg)
	under := func(name string, args int, of func(c *called) (kind, func() accumulator)) {
		simple(name, args, args, false, func(c *called) (kind, func() accumulator) {
			c.numeric(args - 1)
			k, start := of(c)
			return k, func() accumulator { return conditional{start()} }
		})
	}
	under("countif", 1, count)
	under("sumif", 2, sum)
	under("avgif", 2, avg)
	choose := func(name string, args int, better func(now, before any) bool) {
		simple(name, args, args, false, func(c *called) (kind, func() accumulator) {
			k := c.args[0].kind
			return k, func() accumulator { return &choosing{value: k.zero(), better: better} }
		})
	}
	less := func(now, before any) bool { return compare(now, before) < 0 }
	more := func(now, before any) bool { return compare(now, before) > 0 }
	choose("min", 1, less)
	choose("max", 1, more)
	choose("argmin", 2, less)
	choose("argmax", 2, more)
	choose("first_value", 1, func(any, any) bool { return false })
	choose("last_value", 1, func(any, any) bool { return true })
	accumulators["quantileexactweighted"] = maker{least: 2, most: 2, params: 1, make: quantileOf}
	accumulators["quantileweighted"] = maker{least: 2, most: 3, params: 1, make: quantileOf}
	top := func(c *called) (kind, func() accumulator) {
		n := int64(10)
		if v, given := c.parameter(); given {
			n = whole(v)
		}
		if n < 1 || n > 65536 {
			c.refuse("the number of values should be 1 to 65536")
		}
		if len(c.args) > 1 {
			c.numeric(1)
		}
		of := c.args[0].kind
		return kind{name: "Array", of: &of}, func() accumulator { return &topping{n: n, at: map[string]int{}} }
	}
	accumulators["topk"] = maker{least: 1, most: 1, params: 1, make: top}
	accumulators["topkweighted"] = maker{least: 2, most: 2, params: 1, make: top}
}

// quantileOf takes the level in front of the arguments, or as the first one, which is the older form.
func quantileOf(c *called) (kind, func() accumulator) {
	level, given := c.parameter()
	if len(c.args) == 3 {
		if given || !c.args[0].constant {
			c.refuse("the level should be a constant, given once")
		}
		level, c.args = c.args[0].value(), c.args[1:]
	} else if !given {
		level = 0.5
	}
	c.wants(0, "a number or a DateTime", c.args[0].kind.numeric() || c.args[0].kind.timed())
	c.numeric(1)
	q := number(level)
	if !(q >= 0 && q <= 1) {
		c.refuse("the level should be 0 to 1")
	}
	k := c.args[0].kind
	return k, func() accumulator { return orElse{&quantile{level: q}, k.none()} }
}

// orElse gives a value where there was no row.
type orElse struct {
	accumulator
	other any
}

func (o orElse) result() any {
	if v := o.accumulator.result(); v != nil {
		return v
	}
	return o.other
}

// zero is the value of a kind where there is none.
func (k kind) zero() any {
	switch k.name {
	case "String":
		return ""
	case "Float64":
		return float64(0)
	case "Array":
		return []any{}
	case "Interval":
		return interval{}
	}
	return int64(0)
}

// none is the quantile of nothing.
func (k kind) none() any {
	if k.name == "Float64" {
		return math.NaN()
	}
	return k.zero()
}
