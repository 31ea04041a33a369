package dialect

import (
	"slices"
	"strconv"
	"strings"
)

// expr reads an expression: OR binds least, then AND, NOT, comparisons, sums, products and signs.
func (p *parser) expr() *node {
	defer p.deeper()()
	at := p.tok.at
	n := p.and()
	for p.failed == nil && p.word("OR") {
		n = p.operator("or", at, n, p.and())
	}
	p.keep(n, at)
	return n
}

// keep notes how an expression was written.
func (p *parser) keep(n *node, at int) {
	if p.failed == nil && n.src == "" {
		n.src = strings.TrimSpace(p.src[at:min(p.tok.at, len(p.src))])
	}
}

func (p *parser) operator(sign string, at int, args ...*node) *node {
	p.another()
	return &node{kind: operatorNode, text: sign, args: args, at: at}
}

// another counts the nodes.
func (p *parser) another() {
	if p.nodes++; p.nodes > maxNodes {
		p.fail(p.mistake(p.tok.at, "a statement has at most %d operators and operands", maxNodes))
	}
}

func (p *parser) and() *node {
	at := p.tok.at
	n := p.not()
	for p.failed == nil && p.word("AND") {
		n = p.operator("and", at, n, p.not())
	}
	return n
}

func (p *parser) not() *node {
	if at := p.tok.at; p.word("NOT") {
		defer p.deeper()()
		return p.operator("not", at, p.not())
	}
	return p.comparison()
}

func (p *parser) comparison() *node {
	n := p.sum()
	for p.failed == nil {
		at := p.tok.at
		if p.tok.kind == signToken && slices.Contains([]string{"=", "==", "<", ">", "<=", ">=", "<>", "!="},
			p.tok.text) {
			sign := map[string]string{"==": "=", "<>": "!="}[p.tok.text]
			if sign == "" {
				sign = p.tok.text
			}
			p.advance()
			n = p.operator(sign, at, n, p.sum())
			continue
		}
		not := p.word("NOT")
		switch {
		case p.word("IN"):
			p.need("(")
			list := []*node{n}
			for more := true; more && p.failed == nil; more = p.sign(",") {
				list = append(list, p.expr())
			}
			p.need(")")
			n = p.operator("in", at, list...)
		case p.word("BETWEEN"):
			low := p.sum()
			if !p.word("AND") {
				p.unexpected("AND")
			}
			n = p.operator("between", at, n, low, p.sum())
		case p.word("LIKE"):
			n = p.operator("like", at, n, p.sum())
		case p.word("ILIKE"):
			n = p.operator("ilike", at, n, p.sum())
		case not:
			p.unexpected("IN, BETWEEN, LIKE or ILIKE")
		default:
			return n
		}
		if not {
			n = p.operator("not", at, n)
		}
	}
	return n
}

func (p *parser) sum() *node {
	at := p.tok.at
	n := p.product()
	for p.failed == nil {
		switch {
		case p.sign("+"):
			n = p.operator("+", at, n, p.product())
		case p.sign("-"):
			n = p.operator("-", at, n, p.product())
		default:
			return n
		}
	}
	return n
}

func (p *parser) product() *node {
	at := p.tok.at
	n := p.signed()
	for p.failed == nil {
		sign := p.tok.text
		if p.tok.kind != signToken || sign != "*" && sign != "/" && sign != "%" {
			return n
		}
		p.advance()
		n = p.operator(sign, at, n, p.signed())
	}
	return n
}

func (p *parser) signed() *node {
	at := p.tok.at
	if !p.sign("-") {
		return p.primary()
	}
	defer p.deeper()()
	if p.tok.kind == numberToken {
		n := &node{kind: numberNode, text: "-" + p.tok.text, at: at}
		p.advance()
		return n
	}
	return p.operator("-", at, p.signed())
}

func (p *parser) primary() *node {
	p.another()
	at, tok := p.tok.at, p.tok
	switch {
	case tok.kind == numberToken:
		p.advance()
		return &node{kind: numberNode, text: tok.text, at: at}
	case tok.kind == stringToken:
		p.advance()
		return &node{kind: stringNode, text: tok.text, at: at}
	case p.sign("("):
		n := p.expr()
		p.need(")")
		return n
	case tok.kind == quotedName:
		p.advance()
		return &node{kind: columnNode, text: tok.text, at: at}
	case tok.kind != nameToken || clause(tok.text) && !p.function():
		p.unexpected("an expression")
		return &node{at: at}
	}
	p.advance()
	lower := strings.ToLower(tok.text)
	switch {
	case lower == "interval" && (p.tok.kind == stringToken || p.tok.kind == numberToken):
		return p.interval(at)
	case p.sign("("):
		return p.call(lower, at)
	case lower == "true" || lower == "false":
		return &node{kind: boolNode, text: lower, at: at}
	case lower == "case" || lower == "cast" || lower == "null":
		p.fail(p.mistake(at, "%s is not part of the SQL API", strings.ToUpper(lower)))
	}
	return &node{kind: columnNode, text: tok.text, at: at}
}

// function tells whether a word that begins a clause elsewhere is the name of a function here.
func (p *parser) function() bool {
	switch strings.ToLower(p.tok.text) {
	case "format", "like", "ilike":
		ahead := p.scanner
		next, m := ahead.next()
		return m == nil && next.text == "(" && next.kind == signToken
	}
	return false
}

var units = []string{"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"}

func (p *parser) unit() string {
	for _, u := range units {
		if p.word(u) || p.word(u+"S") {
			return u
		}
	}
	p.unexpected("one of " + strings.Join(units, ", "))
	return "SECOND"
}

func (p *parser) interval(at int) *node {
	n, err := strconv.ParseInt(strings.TrimSpace(p.tok.text), 10, 32)
	if err != nil {
		p.fail(p.mistake(p.tok.at, "expected a whole number of units, not %q", p.tok.text))
	}
	count := &node{kind: numberNode, text: strconv.FormatInt(n, 10), at: p.tok.at}
	p.advance()
	return &node{kind: intervalNode, text: p.unit(), args: []*node{count}, at: at}
}

// call reads the arguments of a function, behind the first parenthesis.
func (p *parser) call(name string, at int) *node {
	n := &node{kind: callNode, text: name, at: at}
	if name == "extract" {
		n.params = []*node{{kind: stringNode, text: p.unit(), at: p.tok.at}}
		if !p.word("FROM") {
			p.unexpected("FROM")
		}
		n.args = []*node{p.expr()}
		p.need(")")
		return n
	}
	if name == "position" {
		needle := p.sum()
		if p.word("IN") {
			n.args = []*node{p.sum(), needle}
		} else {
			p.need(",")
			n.args = []*node{needle, p.sum()}
		}
		p.need(")")
		return n
	}
	n.distinct = p.word("DISTINCT")
	n.args = p.arguments()
	if p.sign("(") {
		n.params, n.args = n.args, p.arguments()
	}
	return n
}

func (p *parser) arguments() (args []*node) {
	if p.sign(")") {
		return nil
	}
	for more := true; more && p.failed == nil; more = p.sign(",") {
		args = append(args, p.selectable())
	}
	p.need(")")
	return args
}
