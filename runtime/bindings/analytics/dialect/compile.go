package dialect

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"eddy/wrangler"
)

// maxCompiled bounds what aliases that stand in aliases can grow to.
const maxCompiled = 50_000

// frame is what an expression is computed from: a row, or a group's keys and aggregates.
type frame struct {
	row        []any
	keys, aggs []any
}

// expr is a compiled expression. constant is set if it is the same in every frame.
type expr struct {
	kind     kind
	constant bool
	eval     func(*frame) any
}

func fixed(k kind, v any) expr { return expr{k, true, func(*frame) any { return v }} }

// value is a constant's.
func (e expr) value() any { return e.eval(&frame{}) }

// scope compiles the expressions of one query.
type scope struct {
	src     *scanner // for places
	now     int64    // seconds since 1970
	columns []column
	aliases map[string]*node
	// open are the aliases that are being compiled: in its own expression an alias is a column.
	open map[string]bool
	size int
	// grouped queries compute from keys and aggregates; keys are those of GROUP BY by node.key.
	grouped     bool
	keys        map[string]int
	keyKinds    []kind
	aggregates  []aggregate
	inAggregate bool
}

// column is a column of what a query is over.
type column struct {
	name string
	kind kind
}

func (s *scope) bad(n *node, format string, args ...any) {
	panic(s.src.mistake(n.at, format, args...))
}

// compile makes an expression. It panics with a [*Mistake].
func (s *scope) compile(n *node) expr {
	if s.size++; s.size > maxCompiled {
		s.bad(n, "the statement is too large with its aliases filled in")
	}
	if s.grouped && !s.inAggregate && len(s.keys) > 0 {
		if i, ok := s.keys[n.key()]; ok {
			return expr{s.keyKinds[i], false, func(f *frame) any { return f.keys[i] }}
		}
	}
	switch n.kind {
	case numberNode:
		return s.number(n)
	case stringNode:
		return fixed(stringKind, n.text)
	case boolNode:
		return fixed(boolKind, bit(n.text == "true"))
	case intervalNode:
		return fixed(intervalKind, interval{whole(s.number(n.args[0]).value()), n.text})
	case operatorNode:
		return s.operate(n)
	case callNode:
		if made, ok := accumulators[n.text]; ok {
			return s.aggregate(n, made)
		}
		return s.call(n)
	case starNode:
		s.bad(n, "* stands for columns, in a SELECT list or in count(*) only")
	}
	return s.column(n)
}

func (s *scope) number(n *node) expr {
	if i, err := strconv.ParseInt(n.text, 10, 64); err == nil {
		return fixed(literal(i), i)
	}
	x, err := strconv.ParseFloat(n.text, 64)
	if err != nil && !math.IsInf(x, 0) {
		s.bad(n, "%q is no number", n.text)
	}
	return fixed(floatKind, x)
}

// column is a column or an alias. The alias comes first, as in ClickHouse, but not within its own expression, and not
// within an aggregate if it is one itself.
func (s *scope) column(n *node) expr {
	at := -1
	for i, c := range s.columns {
		if c.name == n.text {
			at = i
		}
	}
	if a := s.aliases[n.text]; a != nil && !s.open[n.text] && (at < 0 || !s.inAggregate || !aggregated(a)) {
		s.open[n.text] = true
		defer delete(s.open, n.text)
		return s.compile(a)
	}
	switch {
	case at < 0:
		var names []string
		for _, c := range s.columns {
			names = append(names, c.name)
		}
		text := fmt.Sprintf("unable to find the column %q", n.text)
		if meant := wrangler.DidYouMean(n.text, names); meant != "" {
			text += ": did you mean " + meant + "?"
		}
		s.bad(n, "%s", text)
	case s.grouped && !s.inAggregate:
		s.bad(n, "the column %q is neither in GROUP BY nor within an aggregate function", n.text)
	}
	return expr{s.columns[at].kind, false, func(f *frame) any { return f.row[at] }}
}

// aggregated tells whether an expression has an aggregate function in it.
func aggregated(n *node) bool {
	if n == nil {
		return false
	}
	if _, ok := accumulators[n.text]; ok && n.kind == callNode {
		return true
	}
	for _, a := range n.args {
		if aggregated(a) {
			return true
		}
	}
	return false
}

// function is a function of the dialect: how many arguments it takes, and how it is made of them.
type function struct {
	least, most int // most is -1 for any number
	make        func(c *called) expr
}

// called is a call of a function.
type called struct {
	*scope
	node *node
	args []expr
}

func (c *called) refuse(format string, args ...any) {
	c.bad(c.node, c.name()+"(): "+format, args...)
}

// name is the function's as it was written.
func (c *called) name() string {
	if at := c.node.at; at+len(c.node.text) <= len(c.src.src) {
		return c.src.src[at : at+len(c.node.text)]
	}
	return c.node.text
}

// wants checks an argument; what names the kind.
func (c *called) wants(i int, what string, fits bool) {
	if !fits {
		c.refuse("argument %d should be %s, not %s", i+1, what, c.args[i].kind)
	}
}

func (c *called) numeric(i int) {
	c.wants(i, "a number", c.args[i].kind.numeric())
}

func (c *called) strings() {
	for i := range c.args {
		c.wants(i, "a String", c.args[i].kind.name == "String")
	}
}

// gives makes an expression of a function of the arguments' values.
func (c *called) gives(k kind, f func(args []any) any) expr {
	args := c.args
	constant := true
	for _, a := range args {
		constant = constant && a.constant
	}
	eval := func(fr *frame) any {
		values := make([]any, len(args))
		for i, a := range args {
			values[i] = a.eval(fr)
		}
		return f(values)
	}
	if constant {
		return fixed(k, eval(&frame{}))
	}
	return expr{k, false, eval}
}

func (s *scope) call(n *node) expr {
	f, ok := functions[n.text]
	if !ok {
		var names []string
		for name := range functions {
			names = append(names, name)
		}
		for name := range accumulators {
			names = append(names, name)
		}
		text := fmt.Sprintf("the SQL API has no function %q", n.text)
		if meant := wrangler.DidYouMean(n.text, names); meant != "" {
			text += ": did you mean " + meant + "?"
		}
		s.bad(n, "%s", text)
	}
	c := &called{scope: s, node: n}
	if n.distinct {
		c.refuse("DISTINCT belongs into aggregate functions")
	}
	if len(n.params) > 0 && n.text != "extract" {
		c.refuse("it takes no parameters in parentheses of their own")
	}
	if len(n.args) < f.least || f.most >= 0 && len(n.args) > f.most {
		c.refuse("it takes %s, not %d", amount(f.least, f.most), len(n.args))
	}
	for _, a := range n.args {
		c.args = append(c.args, s.compile(a))
	}
	return f.make(c)
}

func amount(least, most int) string {
	switch {
	case least == most && least == 1:
		return "1 argument"
	case least == most:
		return fmt.Sprintf("%d arguments", least)
	case most < 0:
		return fmt.Sprintf("at least %d arguments", least)
	}
	return fmt.Sprintf("%d to %d arguments", least, most)
}

var functions = map[string]function{}

// register adds functions under several names, written with spaces between.
func register(names string, least, most int, make func(c *called) expr) {
	for _, name := range strings.Fields(names) {
		functions[strings.ToLower(name)] = function{least, most, make}
	}
}
