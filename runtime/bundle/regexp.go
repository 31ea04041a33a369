package bundle

import "strings"

// needsHostRegExp reports whether the engine may refuse a regular expression literal or, worse, match something else
// than the language says. Such literals are built by the host, which translates them.
//
// The engine runs a pattern on Go's regexp, or on regexp2 if the pattern has assertions or back references, if the
// match starts behind the string's begin, or if the string isn't ASCII. Each of the two is wrong in places of its own,
// and which one runs depends on the subject, so that only what both get right stays native. TestRegExpTraps is the list
// of what was found wrong, against answers known to be right.
func needsHostRegExp(source, flags string) bool {
	if strings.ContainsAny(flags, "ivd") {
		// i: without u, ſ matches s, K (the Kelvin sign) matches k and ẞ matches ß; with u, \W and [^\W] are wrong.
		return true
	}
	p := regexpScan{
		source: source, unicode: strings.Contains(flags, "u"), multiline: strings.Contains(flags, "m"),
		dotAll: strings.Contains(flags, "s")}
	p.alternatives()
	return p.trap || p.pos < len(source)
}

// regexpScan reads a pattern and looks for traps. Unknown syntax is a trap too.
type regexpScan struct {
	source                     string
	pos                        int
	unicode, multiline, dotAll bool
	trap                       bool
}

// regexpPart is what matters of a part when a quantifier follows.
type regexpPart struct {
	nullable bool // may match the empty string
	captures bool // is or holds a capturing group
}

func (p *regexpScan) peek() byte {
	if p.pos < len(p.source) {
		return p.source[p.pos]
	}
	return 0
}

// alternatives reads up to the end or a closing paren.
func (p *regexpScan) alternatives() regexpPart {
	var all regexpPart
	for {
		part := p.sequence()
		all.nullable = all.nullable || part.nullable
		all.captures = all.captures || part.captures
		if p.trap || p.peek() != '|' {
			return all
		}
		p.pos++
	}
}

func (p *regexpScan) sequence() regexpPart {
	all := regexpPart{nullable: true}
	for !p.trap && p.pos < len(p.source) {
		if c := p.peek(); c == '|' || c == ')' {
			break
		}
		part := p.term()
		if p.trap {
			break
		}
		_, optional := p.quantifier()
		all.nullable = all.nullable && (part.nullable || optional)
		all.captures = all.captures || part.captures
	}
	return all
}

func (p *regexpScan) term() regexpPart {
	c := p.source[p.pos]
	switch c {
	case '^', '$':
		// The engine lets lines end at \n only when the flag is m; \r, U+2028 and U+2029 must end them, too.
		p.trap = p.trap || p.multiline
		p.pos++
		return regexpPart{nullable: true}
	case '.':
		// regexp2 lets the dot match U+2028 and U+2029.
		p.trap = p.trap || !p.dotAll
		p.pos++
		return regexpPart{}
	case '(':
		return p.groupTerm()
	case '[':
		p.class()
		return regexpPart{}
	case '\\':
		p.escape(false)
		return regexpPart{}
	case '*', '+', '?', '{', '}', ']':
		p.trap = true
		return regexpPart{}
	}
	p.literal(c)
	return regexpPart{}
}

// literal takes one character. Outside of unicode mode a character beyond U+FFFF is two units, which the engine forgets
// in front of a quantifier and in a class.
func (p *regexpScan) literal(c byte) {
	if c >= 0xF0 && !p.unicode {
		p.trap = true
	}
	p.pos++
	for p.pos < len(p.source) && p.source[p.pos]&0xC0 == 0x80 {
		p.pos++
	}
}

func (p *regexpScan) groupTerm() regexpPart {
	p.pos++
	captures := true
	if p.peek() == '?' {
		if !hasAt(p.source, p.pos, "?:") {
			p.trap = true // assertions, names, modifiers
			return regexpPart{}
		}
		p.pos += 2
		captures = false
	}
	inner := p.alternatives()
	if p.peek() != ')' {
		p.trap = true
		return regexpPart{}
	}
	p.pos++
	// In a loop, captures inside keep the text of an earlier round, where they must be reset, and an empty round ends
	// the loop too early or too late. A loop over a capture that holds none is fine: each round sets it anew.
	if p.loopFollows() && (inner.captures || inner.nullable) {
		p.trap = true
	}
	return regexpPart{nullable: inner.nullable, captures: inner.captures || captures}
}

// loopFollows reports whether the next thing is a quantifier that allows more than one round.
func (p *regexpScan) loopFollows() bool {
	at := p.pos
	loops, _ := p.quantifier()
	p.pos = at
	return loops
}

// quantifier takes a quantifier if there is one. loops: more than one round is possible; optional: none is.
func (p *regexpScan) quantifier() (loops, optional bool) {
	switch p.peek() {
	case '*':
		p.pos++
		loops, optional = true, true
	case '+':
		p.pos++
		loops = true
	case '?':
		p.pos++
		optional = true
	case '{':
		end := strings.IndexByte(p.source[p.pos:], '}')
		if end < 0 {
			p.trap = true
			return false, false
		}
		low, high, ranged := strings.Cut(p.source[p.pos+1:p.pos+end], ",")
		if low == "" || strings.Trim(low+high, "0123456789") != "" {
			p.trap = true // a literal brace
			return false, false
		}
		p.pos += end + 1
		optional = strings.Trim(low, "0") == ""
		loops = ranged && high != "0" && high != "1" || !ranged && low != "0" && low != "1"
	default:
		return false, false
	}
	if p.peek() == '?' {
		p.pos++
	}
	return loops, optional
}

// class reads [...]. A bracket inside is refused: the engines read [[:alpha:]] and [a-[b]] in ways of their own.
func (p *regexpScan) class() {
	p.pos++
	if p.peek() == '^' {
		p.pos++
	}
	for !p.trap && p.pos < len(p.source) {
		switch c := p.source[p.pos]; c {
		case ']':
			p.pos++
			return
		case '[':
			p.trap = true
		case '\\':
			p.escape(true)
		default:
			p.literal(c)
		}
	}
	p.trap = true
}

// escape takes an escape sequence. Only those that mean the same everywhere pass: \a \e \A \z \Z \G are special to
// regexp2, \c without a letter and octal numbers are read wrong, \b knows Unicode letters there and not here.
func (p *regexpScan) escape(inClass bool) {
	p.pos++
	c := p.peek()
	p.pos++
	switch c {
	case 'd', 'D', 'w', 'W', 's', 'n', 'r', 't', 'f', 'v':
	case 'S':
		p.trap = p.trap || inClass // forces regexp2, and then all of its faults
	case 'b':
		p.trap = p.trap || !inClass
	case '0':
		p.trap = p.trap || isDigit(p.peek())
	case 'x':
		p.hex(2)
	case 'u':
		if p.peek() == '{' && p.unicode {
			p.pos = indexFrom(p.source, "}", p.pos)
			return
		}
		if hasAt(p.source, p.pos, "d") || hasAt(p.source, p.pos, "D") {
			p.trap = p.trap || !p.unicode // a surrogate
		}
		p.hex(4)
	default:
		if c == 0 || c == '_' && p.unicode || isDigit(c) || c != '_' && c != '$' && isNameStart(c) {
			p.trap = true
		}
	}
}

func (p *regexpScan) hex(n int) {
	for ; n > 0; n-- {
		c := p.peek() | 0x20
		if !isDigit(p.peek()) && (c < 'a' || c > 'f') {
			p.trap = true
			return
		}
		p.pos++
	}
}
