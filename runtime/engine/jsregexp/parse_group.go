package jsregexp

import (
	"strings"
	"unicode"
	"unicode/utf16"
)

// group reads from an opening parenthesis. repeatable is false if no quantifier may follow.
func (p *parser) group() (n *node, repeatable bool) {
	p.pos++
	if !p.eat('?') {
		return p.capture(""), true
	}
	switch p.peek() {
	case ':':
		p.pos++
		return p.inner(), true
	case '=', '!':
		neg := p.peek() == '!'
		p.pos++
		return p.look(neg, false), !p.u
	case '<':
		if c := p.at(1); c == '=' || c == '!' {
			p.pos += 2
			return p.look(c == '!', true), false
		}
		p.pos++
		return p.capture(p.groupName("Invalid capture group name")), true
	}
	return p.modifiers(), true
}

func (p *parser) inner() *node {
	n := p.alternatives()
	if !p.eat(')') {
		p.fail("Unterminated group")
	}
	// A wrapper keeps the alternatives from joining the sequence around.
	g := p.node(nGroup)
	g.kids = []*node{n}
	return g
}

func (p *parser) look(neg, behind bool) *node {
	n := p.node(nLook)
	n.neg, n.behind = neg, behind
	n.capFrom = len(p.groups)
	n.kids = []*node{p.alternatives()}
	n.capTo = len(p.groups)
	if !p.eat(')') {
		p.fail("Unterminated group")
	}
	return n
}

func (p *parser) capture(name string) *node {
	n := p.node(nGroup)
	n.index = len(p.groups)
	marks := append([]altMark(nil), p.alts...)
	if name != "" {
		for _, g := range p.groups {
			if g.name == name && !exclusive(g.alts, marks) {
				p.fail("Duplicate capture group name")
			}
		}
	}
	p.groups = append(p.groups, group{name: name, alts: marks})
	n.kids = []*node{p.alternatives()}
	if !p.eat(')') {
		p.fail("Unterminated group")
	}
	return n
}

// exclusive tells whether two groups stand in different branches of one alternation, so that both can't take part.
func exclusive(a, b []altMark) bool {
	for i := 0; i < len(a) && i < len(b) && a[i].alternation == b[i].alternation; i++ {
		if a[i].branch != b[i].branch {
			return true
		}
	}
	return false
}

// modifiers reads (?ims-ims:…) from after the question mark.
func (p *parser) modifiers() *node {
	old := p.flags
	var seen, minus, any bool
	var used string
	for !p.eat(':') {
		c := p.peek()
		p.pos++
		if c == '-' {
			if minus {
				p.fail("Multiple dashes in flag group")
			}
			minus = true
			continue
		}
		var flag *bool
		switch c {
		case 'i':
			flag = &p.flags.IgnoreCase
		case 'm':
			flag = &p.flags.Multiline
		case 's':
			flag = &p.flags.DotAll
		default:
			p.fail("Invalid group")
		}
		if strings.ContainsRune(used, c) {
			p.fail("Repeated flag in flag group")
		}
		used += string(c)
		any, seen = true, true
		*flag = !minus
	}
	if minus && !any || !seen && !minus {
		p.fail("Invalid flag group")
	}
	n := p.inner()
	p.flags = old
	return n
}

// groupName reads a name and its closing bracket.
func (p *parser) groupName(problem string) string {
	var name []rune
	for {
		r := p.peek()
		if r < 0 {
			p.fail(problem)
		}
		p.pos++
		if r == '>' {
			break
		}
		if r == '\\' {
			if !p.eat('u') {
				p.fail("Invalid Unicode escape")
			}
			r = p.unicodeEscape(true)
			if r < 0 {
				p.fail("Invalid Unicode escape")
			}
		} else if utf16.IsSurrogate(r) && utf16.IsSurrogate(p.peek()) {
			r = utf16.DecodeRune(r, p.peek())
			p.pos++
		}
		letter := r == '$' || r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) ||
			unicode.Is(unicode.Other_ID_Start, r)
		if !letter && (len(name) == 0 ||
			!unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue) && r != 0x200C &&
				r != 0x200D) {
			p.fail(problem)
		}
		name = append(name, r)
	}
	if len(name) == 0 {
		p.fail(problem)
	}
	return string(name)
}

// unicodeEscape reads what follows \u: four digits or, if full is set, also {…} and a surrogate pair of two escapes. It
// returns -1, with the position unmoved, if there is none.
func (p *parser) unicodeEscape(full bool) rune {
	start := p.pos
	if full && p.eat('{') {
		var r rune
		digits := 0
		for {
			c := p.peek()
			p.pos++
			if c == '}' && digits > 0 {
				return r
			}
			d := hexValue(c)
			if d < 0 || r > maxRune {
				p.pos = start
				return -1
			}
			if r = r<<4 | d; r > maxRune {
				p.pos = start
				return -1
			}
			digits++
		}
	}
	r := p.hex(4)
	if r < 0 {
		p.pos = start
		return -1
	}
	if full && r >= 0xD800 && r < 0xDC00 && p.peek() == '\\' && p.at(1) == 'u' {
		back := p.pos
		p.pos += 2
		if low := p.hex(4); low >= 0xDC00 && low < 0xE000 {
			return utf16.DecodeRune(r, low)
		}
		p.pos = back
	}
	return r
}

func hexValue(c rune) rune {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return -1
}

// hex reads exactly n hexadecimal digits, or returns -1 with the position unmoved.
func (p *parser) hex(n int) rune {
	var r rune
	for i := 0; i < n; i++ {
		d := hexValue(p.at(i))
		if d < 0 {
			return -1
		}
		r = r<<4 | d
	}
	p.pos += n
	return r
}
