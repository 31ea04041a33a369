package dialect

import (
	"strconv"
	"strings"
)

// maxDepth bounds how deep expressions and subqueries nest, maxNodes how many parts a statement has.
const (
	maxDepth = 100
	maxNodes = 5000
)

// Parse reads a statement. What it returns as an error is a [*Mistake].
func Parse(text string) (*Statement, error) {
	p := &parser{scanner: scanner{src: text}}
	if len(text) > maxText {
		return nil, &Mistake{Text: "a statement has at most 1 MiB"}
	}
	p.advance()
	st := p.statement()
	if p.failed != nil {
		return nil, p.failed
	}
	return st, nil
}

// parser is one look ahead. After the first mistake, which it keeps, it sees only the end.
type parser struct {
	scanner
	tok    token
	depth  int
	nodes  int
	failed *Mistake
}

func (p *parser) advance() {
	if p.failed != nil {
		return
	}
	tok, m := p.next()
	if m != nil {
		p.fail(m)
		return
	}
	p.tok = tok
}

func (p *parser) fail(m *Mistake) {
	if p.failed == nil {
		p.failed, p.tok = m, token{kind: endToken}
	}
}

func (p *parser) unexpected(wanted string) {
	if p.tok.kind == endToken {
		p.fail(p.mistake(p.tok.at, "expected %s, but the statement ends", wanted))
		return
	}
	p.fail(p.mistake(p.tok.at, "expected %s, not %q", wanted, p.tok.text))
}

// word takes a keyword if it is next.
func (p *parser) word(words ...string) bool {
	was := *p
	for _, w := range words {
		if p.tok.kind != nameToken || !strings.EqualFold(p.tok.text, w) {
			if p.failed == nil {
				*p = was
			}
			return false
		}
		p.advance()
	}
	return true
}

func (p *parser) sign(s string) bool {
	if p.tok.kind != signToken || p.tok.text != s {
		return false
	}
	p.advance()
	return true
}

func (p *parser) need(s string) {
	if !p.sign(s) {
		p.unexpected(strconv.Quote(s))
	}
}

func (p *parser) deeper() (up func()) {
	if p.depth++; p.depth > maxDepth {
		p.fail(p.mistake(p.tok.at, "nested more than %d deep", maxDepth))
	}
	return func() { p.depth-- }
}

func (p *parser) statement() *Statement {
	st := &Statement{format: "JSON", src: p.src}
	switch {
	case p.word("SHOW"):
		for _, what := range []string{"TABLES", "TIMEZONES", "TIMEZONE"} {
			if p.word(what) {
				st.show = what
			}
		}
		if st.show == "" {
			p.unexpected("TABLES, TIMEZONES or TIMEZONE")
		}
	case p.word("SELECT"):
		st.query = p.query()
	default:
		p.unexpected("SELECT or SHOW")
	}
	if p.word("FORMAT") {
		st.format = ""
		for _, f := range formats {
			if p.word(f) {
				st.format = f
			}
		}
		if st.format == "" {
			p.unexpected("one of the formats " + strings.Join(formats, ", "))
		}
	}
	p.sign(";")
	if p.tok.kind != endToken {
		p.refuse()
	}
	return st
}

// refuse names what the dialect does not have, where something else stands than could.
func (p *parser) refuse() {
	for _, w := range []string{"UNION", "JOIN", "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "WITH", "PREWHERE", "SAMPLE",
		"SETTINGS", "WINDOW", "OVER", "INTERSECT", "EXCEPT"} {
		if p.tok.kind == nameToken && strings.EqualFold(p.tok.text, w) {
			p.fail(p.mistake(p.tok.at, "%s is not part of the SQL API", w))
		}
	}
	p.unexpected("the end of the statement")
}

func (p *parser) query() *query {
	defer p.deeper()()
	q := &query{limit: -1}
	if p.tok.kind == nameToken && strings.EqualFold(p.tok.text, "DISTINCT") {
		p.fail(p.mistake(p.tok.at, "SELECT DISTINCT is not part of the SQL API: use GROUP BY"))
	}
	for more := true; more && p.failed == nil; more = p.sign(",") {
		s := selected{expr: p.selectable()}
		if p.word("AS") {
			s.alias = p.name("an alias")
		} else if p.tok.kind == quotedName || p.tok.kind == nameToken && !clause(p.tok.text) {
			s.alias = p.name("an alias")
		}
		q.list = append(q.list, s)
	}
	if p.word("FROM") {
		q.at = p.tok.at
		if p.sign("(") {
			if !p.word("SELECT") {
				p.unexpected("SELECT")
			}
			q.below = p.query()
			p.need(")")
			if p.word("AS") || p.tok.kind == nameToken && !clause(p.tok.text) {
				p.name("an alias")
			}
		} else {
			q.table = p.name("a table or a subquery in parentheses")
		}
		if p.tok.kind == signToken && p.tok.text == "," {
			p.fail(p.mistake(p.tok.at, "a query can only be over a single table"))
		}
	}
	p.clauses(q)
	return q
}

func (p *parser) clauses(q *query) {
	if p.word("WHERE") {
		q.where = p.expr()
	}
	if p.word("GROUP", "BY") {
		for more := true; more && p.failed == nil; more = p.sign(",") {
			q.groups = append(q.groups, p.expr())
		}
	}
	if p.word("HAVING") {
		q.having = p.expr()
	}
	if p.word("ORDER", "BY") {
		for more := true; more && p.failed == nil; more = p.sign(",") {
			o := ordered{expr: p.expr()}
			o.down = p.word("DESC")
			if !o.down {
				p.word("ASC")
			}
			q.order = append(q.order, o)
		}
	}
	if p.word("LIMIT") && !p.word("ALL") {
		q.limit = p.count("a number of rows, or ALL")
	}
	if p.word("OFFSET") {
		q.offset = p.count("a number of rows")
	}
}

// clause tells whether a word begins what follows an expression, so that it is no alias.
func clause(word string) bool {
	switch strings.ToUpper(word) {
	case "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "FORMAT", "AS", "ASC", "DESC", "AND",
		"OR", "NOT",
		"IN", "BETWEEN", "LIKE", "ILIKE", "UNION", "JOIN", "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "OVER",
		"PREWHERE", "SAMPLE", "SETTINGS", "WINDOW", "INTERSECT", "EXCEPT", "IS":
		return true
	}
	return false
}

func (p *parser) name(wanted string) string {
	if p.tok.kind != quotedName && (p.tok.kind != nameToken || clause(p.tok.text)) {
		p.unexpected(wanted)
		return ""
	}
	text := p.tok.text
	p.advance()
	return text
}

func (p *parser) count(wanted string) int {
	n, err := strconv.Atoi(p.tok.text)
	if p.tok.kind != numberToken || err != nil {
		p.unexpected(wanted)
		return 0
	}
	p.advance()
	return n
}

func (p *parser) selectable() *node {
	if at := p.tok.at; p.sign("*") {
		return &node{kind: starNode, text: "*", at: at, src: "*"}
	}
	return p.expr()
}
