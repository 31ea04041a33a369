package jsregexp

// escape reads a backslash outside of classes.
func (p *parser) escape() *node {
	p.pos++
	if !p.more() {
		p.fail("\\ at end of pattern")
	}
	c := p.peek()
	switch {
	case c == 'b' || c == 'B':
		p.pos++
		n := p.node(nBoundary)
		n.neg = c == 'B'
		return n
	case c >= '1' && c <= '9':
		if n := p.backref(); n != nil {
			return n
		}
	case c == 'k':
		if p.named {
			p.pos++
			if !p.eat('<') {
				p.fail("Invalid named reference")
			}
			n := p.node(nBackref)
			p.pending = append(p.pending, pendingRef{n, p.groupName("Invalid named reference")})
			return n
		}
		p.pos++
		return p.char('k')
	}
	if s, invert, ok := p.classEscape(); ok {
		if len(s.strings) > 0 {
			return p.withStrings(s)
		}
		n := p.node(nSet)
		n.set, n.invert = s.chars, invert
		return n
	}
	return p.char(p.charEscape(false))
}

func (p *parser) backref() *node {
	start, n := p.pos, 0
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		if n <= maxGroups {
			n = n*10 + int(c-'0')
		}
		p.pos++
	}
	if n <= p.total {
		ref := p.node(nBackref)
		ref.refs = []int{n}
		return ref
	}
	if p.u {
		p.fail("Invalid escape")
	}
	p.pos = start
	return nil
}

// classEscape reads \d \D \s \S \w \W \p{} \P{} from the letter on. For other letters ok is false and nothing is read.
func (p *parser) classEscape() (c content, invert, ok bool) {
	letter := p.peek()
	switch letter {
	case 'd', 'D':
		c.chars = digits
	case 's', 'S':
		c.chars = spaces
	case 'w', 'W':
		c.chars = words
		if p.u && p.flags.IgnoreCase {
			c.chars = wordsFolded
		}
	case 'p', 'P':
		if !p.u {
			return c, false, false
		}
		p.pos++
		return p.property(letter == 'P'), false, true
	default:
		return c, false, false
	}
	p.pos++
	if letter >= 'A' && letter <= 'Z' {
		c.chars = c.chars.complement()
	}
	return c, false, true
}

// property reads {Name} or {Name=Value}.
func (p *parser) property(negated bool) content {
	const problem = "Invalid property name"
	if !p.eat('{') {
		p.fail(problem)
	}
	var name, value []rune
	target := &name
	hasValue := false
	for !p.eat('}') {
		r := p.peek()
		if r < 0 {
			p.fail(problem)
		}
		p.pos++
		if r == '=' && !hasValue {
			target, hasValue = &value, true
			continue
		}
		*target = append(*target, r)
	}
	if !hasValue && p.v {
		if list, known := stringProperty(string(name)); known {
			if negated {
				p.fail(problem)
			}
			return list
		}
	}
	s, ok := lookupProperty(string(name), string(value), hasValue)
	if !ok {
		p.fail(problem)
	}
	if p.v && p.flags.IgnoreCase {
		s = s.closed()
	}
	if negated {
		s = s.complement()
	}
	return content{chars: s}
}

// charEscape reads the rest of an escape that stands for one character.
func (p *parser) charEscape(inClass bool) rune {
	c := p.peek()
	if c < 0 {
		p.fail("\\ at end of pattern")
	}
	p.pos++
	switch c {
	case 't':
		return '\t'
	case 'n':
		return '\n'
	case 'v':
		return '\v'
	case 'f':
		return '\f'
	case 'r':
		return '\r'
	case 'c':
		l := p.peek()
		if l >= 'a' && l <= 'z' || l >= 'A' && l <= 'Z' || !p.u && inClass && (l >= '0' && l <= '9' || l == '_') {
			p.pos++
			return l % 32
		}
		if p.u {
			p.fail("Invalid Unicode escape")
		}
		p.pos--
		return '\\'
	case 'x':
		if r := p.hex(2); r >= 0 {
			return r
		}
		if p.u {
			p.fail("Invalid escape")
		}
		return 'x'
	case 'u':
		if r := p.unicodeEscape(p.u); r >= 0 {
			return r
		}
		if p.u {
			p.fail("Invalid Unicode escape")
		}
		return 'u'
	case '0', '1', '2', '3', '4', '5', '6', '7':
		next := p.peek()
		if p.u {
			if c == '0' && (next < '0' || next > '9') {
				return 0
			}
			p.fail("Invalid decimal escape")
		}
		return p.octal(c)
	}
	if p.u {
		switch c {
		case '^', '$', '\\', '.', '*', '+', '?', '(', ')', '[', ']', '{', '}', '|', '/':
			return c
		case '-':
			if inClass {
				return c
			}
		}
		p.fail("Invalid escape")
	}
	return c
}

// octal reads a legacy octal escape whose first digit is c.
func (p *parser) octal(c rune) rune {
	r := c - '0'
	for i := 0; i < 2; i++ {
		d := p.peek()
		if d < '0' || d > '7' || r*8+d-'0' > 255 {
			break
		}
		r = r*8 + d - '0'
		p.pos++
	}
	return r
}
