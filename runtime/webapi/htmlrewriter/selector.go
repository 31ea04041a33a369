package htmlrewriter

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// These are the refusals of selectors.
var (
	// the platform's texts
	errEmptySelector   = errors.New("The selector is empty.")
	errSelectorToken   = errors.New("Unexpected token in selector.")
	errSelectorEnd     = errors.New("Unexpected end of selector.")
	errAttributeName   = errors.New("Missing attribute name in attribute selector.")
	errAttributeToken  = errors.New("Unexpected token in the attribute selector.")
	errDangling        = errors.New("Dangling combinator in selector.")
	errPseudo          = errors.New("Unsupported pseudo-class or pseudo-element in selector.")
	errNestedNegation  = errors.New("Nested negation in selector.")
	errEmptyNegation   = errors.New("Empty negation in selector.")
	errNamespace       = errors.New("Selectors with explicit namespaces are not supported.")
	errClassName       = errors.New("Invalid or unescaped class name in selector.")
	errPlusCombinator  = errors.New("Unsupported combinator `+` in selector.")
	errTildeCombinator = errors.New("Unsupported combinator `~` in selector.")
)

// Selector is a list of complex selectors, one of which must match.
type Selector struct{ list []complexSelector }

// complexSelector is compounds from right to left: the first is the element's own.
type complexSelector []compound

// compound is what one element must fulfil; child tells that the next compound is its parent and not any ancestor.
type compound struct {
	conditions []condition
	child      bool
}

// condition is one simple selector.
type condition interface{ matches(s *subject) bool }

type (
	typeIs    string
	idIs      string
	classIs   string
	not       []compound // of these none may match
	attribute struct {
		name, value string
		op          byte // 0 for presence, '=', or the character before '='
		fold        bool
	}
	nth struct {
		a, b   int
		ofType bool
	}
)

type selectorParser struct {
	s  string
	at int
}

// ParseSelector parses a selector list.
func ParseSelector(s string) (*Selector, error) {
	p := &selectorParser{s: s}
	out := &Selector{}
	for {
		c, err := p.complex()
		if err != nil {
			return nil, err
		}
		out.list = append(out.list, c)
		if p.at == len(p.s) {
			return out, nil
		}
		p.at++ // the comma
	}
}

func space(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }

func (p *selectorParser) skipSpace() bool {
	start := p.at
	for p.at < len(p.s) && space(p.s[p.at]) {
		p.at++
	}
	return p.at > start
}

func (p *selectorParser) peek() byte {
	if p.at < len(p.s) {
		return p.s[p.at]
	}
	return 0
}

// complex parses up to a comma or the end.
func (p *selectorParser) complex() (complexSelector, error) {
	var out complexSelector
	p.skipSpace()
	child := false
	for {
		c, err := p.compound(false)
		if err != nil {
			if len(out) > 0 && (errors.Is(err, errEmptySelector)) {
				return nil, errDangling
			}
			return nil, err
		}
		c.child = child
		out = append(out, c)
		spaced := p.skipSpace()
		switch p.peek() {
		case 0, ',':
			// Each compound says how it hangs on the one to its left, which now comes next.
			slices.Reverse(out)
			return out, nil
		case '>':
			p.at++
			p.skipSpace()
			child = true
		case '+':
			return nil, errPlusCombinator
		case '~':
			return nil, errTildeCombinator
		default:
			if !spaced {
				return nil, errSelectorToken
			}
			child = false
		}
	}
}

// compound parses simple selectors without space between them.
func (p *selectorParser) compound(negated bool) (compound, error) {
	var c compound
	any := false
	for {
		switch ch := p.peek(); {
		case ch == '*' && !any:
			p.at++
			if p.peek() == '|' {
				return c, errNamespace
			}
		case ch == '#':
			p.at++
			id, ok := p.ident()
			if !ok {
				return c, errSelectorToken
			}
			c.conditions = append(c.conditions, idIs(id))
		case ch == '.':
			p.at++
			class, ok := p.ident()
			if !ok {
				return c, errClassName
			}
			c.conditions = append(c.conditions, classIs(class))
		case ch == '[':
			a, err := p.attribute()
			if err != nil {
				return c, err
			}
			c.conditions = append(c.conditions, a)
		case ch == ':':
			cond, err := p.pseudo(negated)
			if err != nil {
				return c, err
			}
			c.conditions = append(c.conditions, cond)
		case ch == '|':
			return c, errNamespace
		default:
			name, ok := "", false
			if !any {
				name, ok = p.ident()
			}
			if !ok {
				if any {
					return c, nil
				}
				if ch == 0 || ch == ',' || ch == ')' {
					return c, errEmptySelector
				}
				return c, errSelectorToken
			}
			if p.peek() == '|' {
				return c, errNamespace
			}
			c.conditions = append(c.conditions, typeIs(strings.ToLower(name)))
		}
		any = true
	}
}

// ident parses a CSS identifier with its escapes.
func (p *selectorParser) ident() (string, bool) {
	var b strings.Builder
	for p.at < len(p.s) {
		r, n := utf8.DecodeRuneInString(p.s[p.at:])
		first := b.Len() == 0
		switch {
		case r == '_' || r == '-' || r >= 0x80 || r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9' && !first:
			b.WriteRune(r)
			p.at += n
		case r == '\\' && p.at+1 < len(p.s) && p.s[p.at+1] != '\n':
			p.at++
			b.WriteRune(p.escape())
		default:
			return b.String(), !first && b.String() != "-"
		}
	}
	return b.String(), b.Len() > 0 && b.String() != "-"
}

// escape reads what follows a backslash: up to six hexadecimal digits and a space, or one character.
func (p *selectorParser) escape() rune {
	end := p.at
	for end < len(p.s) && end < p.at+6 && strings.IndexByte("0123456789abcdefABCDEF", p.s[end]) >= 0 {
		end++
	}
	if end == p.at {
		r, n := utf8.DecodeRuneInString(p.s[p.at:])
		p.at += n
		return r
	}
	v, err := strconv.ParseUint(p.s[p.at:end], 16, 32)
	p.at = end
	if p.at < len(p.s) && space(p.s[p.at]) {
		p.at++
	}
	if err != nil || v == 0 || v > utf8.MaxRune || !utf8.ValidRune(rune(v)) {
		return utf8.RuneError
	}
	return rune(v)
}

func (p *selectorParser) attribute() (attribute, error) {
	p.at++
	p.skipSpace()
	name, ok := p.ident()
	if !ok {
		return attribute{}, errAttributeName
	}
	a := attribute{name: strings.ToLower(name)}
	p.skipSpace()
	switch c := p.peek(); c {
	case ']':
		p.at++
		return a, nil
	case '=':
		a.op = '='
		p.at++
	case '~', '|', '^', '$', '*':
		if p.at+1 >= len(p.s) || p.s[p.at+1] != '=' {
			return a, errAttributeToken
		}
		a.op = c
		p.at += 2
	case 0:
		return a, errSelectorEnd
	default:
		return a, errAttributeToken
	}
	p.skipSpace()
	if q := p.peek(); q == '"' || q == '\'' {
		p.at++
		var b strings.Builder
		for p.peek() != q {
			if p.at >= len(p.s) {
				return a, errSelectorEnd
			}
			if p.peek() == '\\' && p.at+1 < len(p.s) {
				p.at++
				b.WriteRune(p.escape())
				continue
			}
			b.WriteByte(p.s[p.at])
			p.at++
		}
		p.at++
		a.value = b.String()
	} else if a.value, ok = p.ident(); !ok {
		return a, errAttributeToken
	}
	p.skipSpace()
	switch p.peek() {
	case 'i', 'I':
		a.fold = true
		p.at++
	case 's', 'S':
		p.at++
	}
	p.skipSpace()
	if p.peek() != ']' {
		if p.at >= len(p.s) {
			return a, errSelectorEnd
		}
		return a, errAttributeToken
	}
	p.at++
	return a, nil
}

func (p *selectorParser) pseudo(negated bool) (condition, error) {
	p.at++
	name, ok := p.ident()
	if !ok {
		return nil, errPseudo
	}
	name = strings.ToLower(name)
	switch name {
	case "first-child":
		return nth{b: 1}, nil
	case "first-of-type":
		return nth{b: 1, ofType: true}, nil
	case "nth-child", "nth-of-type", "not":
	default:
		return nil, errPseudo
	}
	if p.peek() != '(' {
		return nil, errPseudo
	}
	p.at++
	if name == "not" {
		if negated {
			return nil, errNestedNegation
		}
		return p.negation()
	}
	end := strings.IndexByte(p.s[p.at:], ')')
	if end < 0 {
		return nil, errSelectorEnd
	}
	n, ok := parseNth(p.s[p.at : p.at+end])
	if !ok {
		return nil, errSelectorToken
	}
	p.at += end + 1
	n.ofType = name == "nth-of-type"
	return n, nil
}

func (p *selectorParser) negation() (condition, error) {
	var list not
	for {
		p.skipSpace()
		c, err := p.compound(true)
		if errors.Is(err, errEmptySelector) {
			return nil, errEmptyNegation
		}
		if err != nil {
			return nil, err
		}
		list = append(list, c)
		p.skipSpace()
		switch p.peek() {
		case ')':
			p.at++
			return list, nil
		case ',':
			p.at++
		case 0:
			return nil, errSelectorEnd
		default:
			return nil, errSelectorToken
		}
	}
}

// parseNth parses the an+b of :nth-child.
func parseNth(s string) (nth, bool) {
	s = strings.ToLower(strings.Join(strings.Fields(s), ""))
	switch s {
	case "even":
		return nth{a: 2}, true
	case "odd":
		return nth{a: 2, b: 1}, true
	}
	before, after, hasN := strings.Cut(s, "n")
	if !hasN {
		b, err := strconv.Atoi(s)
		return nth{b: b}, err == nil
	}
	var n nth
	var err error
	switch before {
	case "", "+":
		n.a = 1
	case "-":
		n.a = -1
	default:
		if n.a, err = strconv.Atoi(before); err != nil {
			return n, false
		}
	}
	if after != "" {
		if after[0] != '+' && after[0] != '-' {
			return n, false
		}
		if n.b, err = strconv.Atoi(after); err != nil {
			return n, false
		}
	}
	return n, true
}
