package dialect

import (
	"strconv"
	"strings"
)

type nodeKind uint8

const (
	columnNode   nodeKind = iota // text
	numberNode                   // text
	stringNode                   // text
	boolNode                     // text: true or false
	intervalNode                 // text is the unit, args[0] the count
	callNode                     // text is the name in lower case; params are those of quantileExactWeighted(q)(…)
	operatorNode                 // text is the sign: binary, or unary with one argument
	starNode
)

// node is a part of an expression. It does not change once it is parsed.
type node struct {
	kind     nodeKind
	text     string
	args     []*node
	params   []*node
	distinct bool
	at       int
	// src is the expression as it was written: the name of a column without an alias.
	src string
}

// key is the same for expressions that compute the same, whatever their spacing.
func (n *node) key() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *node) write(b *strings.Builder) {
	b.WriteByte("cnsbifo*"[n.kind])
	b.WriteString(strconv.Quote(n.text))
	if n.distinct {
		b.WriteByte('!')
	}
	for _, p := range n.params {
		b.WriteByte('<')
		p.write(b)
	}
	b.WriteByte('(')
	for _, a := range n.args {
		a.write(b)
		b.WriteByte(',')
	}
	b.WriteByte(')')
}

// selected is one entry of a SELECT list.
type selected struct {
	expr  *node
	alias string
}

func (s selected) name() string {
	if s.alias != "" {
		return s.alias
	}
	if s.expr.kind == columnNode {
		return s.expr.text
	}
	return s.expr.src
}

type ordered struct {
	expr *node
	down bool
}

// query is a SELECT.
type query struct {
	list          []selected
	table         string
	below         *query // a subquery in the place of the table
	where, having *node
	groups        []*node
	order         []ordered
	limit, offset int // limit is -1 for all
	at            int // of the table
}

// Statement is a parsed text.
type Statement struct {
	// show is TABLES, TIMEZONES or TIMEZONE; "" for a query.
	show   string
	query  *query
	format string
	src    string
}
