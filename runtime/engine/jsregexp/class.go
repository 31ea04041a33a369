package jsregexp

import "sort"

// content is what a class contains: characters and, under v, strings of other lengths than one.
type content struct {
	chars   set
	strings [][]rune
}

// class reads a bracketed class.
func (p *parser) class() *node {
	if p.v {
		c, invert := p.nestedClass()
		if len(c.strings) > 0 {
			return p.withStrings(c)
		}
		n := p.node(nSet)
		n.set, n.invert = c.chars, invert
		return n
	}
	p.pos++
	n := p.node(nSet)
	n.invert = p.eat('^')
	var all set
	for {
		if !p.more() {
			p.fail("Unterminated character class")
		}
		if p.eat(']') {
			break
		}
		first, firstSet := p.classAtom()
		if p.peek() == '-' && p.at(1) != ']' && p.at(1) >= 0 {
			p.pos++
			last, lastSet := p.classAtom()
			if firstSet != nil || lastSet != nil {
				if p.u {
					p.fail("Invalid character class")
				}
				all = append(all, firstSet...)
				all = append(all, lastSet...)
				if firstSet == nil {
					all = append(all, interval{first, first})
				}
				if lastSet == nil {
					all = append(all, interval{last, last})
				}
				all = append(all, interval{'-', '-'})
				continue
			}
			if first > last {
				p.fail("Range out of order in character class")
			}
			all = append(all, interval{first, last})
			continue
		}
		if firstSet != nil {
			all = append(all, firstSet...)
		} else {
			all = append(all, interval{first, first})
		}
	}
	n.set = normalize(all)
	return n
}

func (p *parser) classAtom() (rune, set) {
	c := p.peek()
	if c < 0 {
		p.fail("Unterminated character class")
	}
	p.pos++
	if c != '\\' {
		return c, nil
	}
	switch p.peek() {
	case 'b':
		p.pos++
		return '\b', nil
	case 'k':
		if !p.u {
			p.pos++
			return 'k', nil
		}
	}
	if e, _, ok := p.classEscape(); ok {
		if e.chars == nil {
			e.chars = set{}
		}
		return 0, e.chars
	}
	return p.charEscape(true), nil
}

// withStrings makes the alternation that a class with strings stands for: longest first, then the characters.
func (p *parser) withStrings(c content) *node {
	list := append([][]rune(nil), c.strings...)
	sort.SliceStable(list, func(i, j int) bool { return len(list[i]) > len(list[j]) })
	alt := p.node(nAlt)
	chars := p.node(nSet)
	chars.set = c.chars
	added := false
	for _, s := range list {
		if len(s) == 0 && !added {
			alt.kids = append(alt.kids, chars)
			added = true
		}
		seq := p.node(nSeq)
		for _, r := range s {
			seq.kids = append(seq.kids, p.char(r))
		}
		alt.kids = append(alt.kids, seq)
	}
	if !added {
		alt.kids = append(alt.kids, chars)
	}
	g := p.node(nGroup)
	g.kids = []*node{alt}
	return g
}

// nestedClass reads a class in the grammar of the v flag.
func (p *parser) nestedClass() (c content, invert bool) {
	if p.depth++; p.depth > maxDepth {
		p.fail("Regular expression too large")
	}
	defer func() { p.depth-- }()
	p.pos++
	invert = p.eat('^')
	if p.eat(']') {
		return c, invert
	}
	first, isChar := p.operand()
	switch {
	case p.peek() == '-' && p.at(1) == '-', p.peek() == '&' && p.at(1) == '&':
		op := p.peek()
		c = first
		for !p.eat(']') {
			if !p.more() {
				p.fail("Unterminated character class")
			}
			if p.peek() != op || p.at(1) != op {
				p.fail("Invalid set operation in character class")
			}
			p.pos += 2
			if op == '&' && p.peek() == '&' || p.peek() == ']' {
				p.fail("Invalid character in character class")
			}
			next, _ := p.operand()
			if op == '-' {
				c = c.minus(next, p.flags.IgnoreCase)
			} else {
				c = c.and(next, p.flags.IgnoreCase)
			}
		}
	default:
		c = p.unionRest(first, isChar)
	}
	if invert && len(c.strings) > 0 {
		p.fail("Negated character class may contain strings")
	}
	if invert && p.flags.IgnoreCase {
		c.chars = c.chars.closed()
	}
	return c, invert
}

func (p *parser) unionRest(c content, isChar bool) content {
	// Later operands are appended to copies, because sets are shared.
	c.chars, c.strings = append(set(nil), c.chars...), append([][]rune(nil), c.strings...)
	for {
		if p.peek() == '-' && p.at(1) != '-' && p.at(1) >= 0 && !isChar {
			p.fail("Invalid character class")
		}
		if isChar && p.peek() == '-' && p.at(1) != '-' {
			p.pos++
			lo := c.chars[len(c.chars)-1].lo
			last, lastIsChar := p.operand()
			if !lastIsChar {
				p.fail("Invalid character class")
			}
			hi := last.chars[0].lo
			if lo > hi {
				p.fail("Range out of order in character class")
			}
			c.chars = append(c.chars, interval{lo, hi})
		}
		if p.eat(']') {
			c.chars = normalize(c.chars)
			return c
		}
		if !p.more() {
			p.fail("Unterminated character class")
		}
		if p.peek() == '-' && p.at(1) == '-' || p.peek() == '&' && p.at(1) == '&' {
			p.fail("Invalid set operation in character class")
		}
		var next content
		next, isChar = p.operand()
		// A range may begin with this character, so its interval stays the last one.
		c.chars = append(c.chars, next.chars...)
		c.strings = append(c.strings, next.strings...)
	}
}

// operand reads one class operand; isChar tells that it is a single character, which may begin a range.
func (p *parser) operand() (c content, isChar bool) {
	r := p.peek()
	switch {
	case r < 0:
		p.fail("Unterminated character class")
	case r == '[':
		inner, invert := p.nestedClass()
		if invert {
			inner.chars = inner.chars.complement()
		}
		return inner, false
	case r == '\\':
		p.pos++
		switch q := p.peek(); q {
		case 'b':
			p.pos++
			return content{chars: single('\b')}, true
		case 'q':
			p.pos++
			if !p.eat('{') {
				p.fail("Invalid escape")
			}
			return p.quoted(), false
		case '&', '-', '!', '#', '%', ',', ':', ';', '<', '=', '>', '@', '`', '~':
			p.pos++
			return content{chars: single(q)}, true
		}
		if e, _, ok := p.classEscape(); ok {
			return e, false
		}
		return content{chars: single(p.charEscape(true))}, true
	}
	switch r {
	case '(', ')', '{', '}', '/', '-', '|':
		p.fail("Invalid character in character class")
	}
	if p.at(1) == r {
		switch r {
		case '&', '!', '#', '$', '%', '*', '+', ',', '.', ':', ';', '<', '=', '>', '?', '@', '^', '`', '~':
			p.fail("Invalid set operation in character class")
		}
	}
	p.pos++
	return content{chars: single(r)}, true
}

// quoted reads the rest of \q{a|bc|}.
func (p *parser) quoted() (c content) {
	var cur []rune
	flush := func() {
		if len(cur) == 1 {
			c.chars = union(c.chars, single(cur[0]))
		} else {
			c.strings = append(c.strings, cur)
		}
		cur = nil
	}
	for {
		r := p.peek()
		if r < 0 {
			p.fail("Invalid escape")
		}
		switch r {
		case '}':
			p.pos++
			flush()
			return c
		case '|':
			p.pos++
			flush()
		case '\\':
			p.pos++
			if p.eat('b') {
				cur = append(cur, '\b')
				continue
			}
			cur = append(cur, p.charEscape(true))
		default:
			p.pos++
			cur = append(cur, r)
		}
	}
}

func sameString(a, b []rune, fold bool) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && (!fold || foldUnicode(a[i]) != foldUnicode(b[i])) {
			return false
		}
	}
	return true
}

func (c content) pick(other content, fold, want bool) [][]rune {
	var out [][]rune
	for _, s := range c.strings {
		found := false
		for _, t := range other.strings {
			if sameString(s, t, fold) {
				found = true
				break
			}
		}
		if found == want {
			out = append(out, s)
		}
	}
	return out
}

func (c content) minus(o content, fold bool) content {
	a, b := c.chars, o.chars
	if fold {
		a, b = a.closed(), b.closed()
	}
	return content{chars: subtract(a, b), strings: c.pick(o, fold, false)}
}

func (c content) and(o content, fold bool) content {
	a, b := c.chars, o.chars
	if fold {
		a, b = a.closed(), b.closed()
	}
	return content{chars: intersect(a, b), strings: c.pick(o, fold, true)}
}
