package url

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// partKind is a part type of https://urlpattern.spec.whatwg.org/#parts.
type partKind uint8

const (
	fixedText partKind = iota
	regexpPart
	segmentWildcard
	fullWildcard
)

// part is one piece of a parsed pattern; modifier is "", "?", "*" or "+".
type part struct {
	kind                                  partKind
	value, modifier, name, prefix, suffix string
}

// dialect is the options of a component: what a segment wildcard stops at, and what binds to a group as its prefix.
type dialect struct {
	delimiter, prefix string
	ignoreCase        bool
}

func (d dialect) segment() string { return "[^" + escapeRegexp(d.delimiter) + "]+?" }

const anything = ".*"

// partParser is the pattern parser.
type partParser struct {
	tokens  []token
	pos     int
	dialect dialect
	encode  func(string) (string, error)
	parts   []part
	pending strings.Builder // fixed text that is not a part yet
	names   map[string]bool
	number  int
}

// parseParts parses a pattern string into parts whose fixed text is canonical.
func parseParts(in string, d dialect, encode func(string) (string, error)) ([]part, error) {
	tokens, err := tokenize([]rune(in), true)
	if err != nil {
		return nil, err
	}
	p := &partParser{tokens: tokens, dialect: d, encode: encode, names: map[string]bool{}}
	for p.tokens[p.pos].kind != tokEnd {
		if err := p.step(); err != nil {
			return nil, err
		}
	}
	return p.parts, p.flush()
}

func (p *partParser) take(kind tokenKind) *token {
	if t := &p.tokens[p.pos]; t.kind == kind {
		p.pos++
		return t
	}
	return nil
}

// takeMatcher takes what a group matches: a regexp, or an asterisk unless the group has a name.
func (p *partParser) takeMatcher(name *token) *token {
	t := p.take(tokRegexp)
	if t == nil && name == nil {
		t = p.take(tokAsterisk)
	}
	return t
}

func (p *partParser) takeModifier() string {
	t := p.take(tokModifier)
	if t == nil {
		t = p.take(tokAsterisk)
	}
	if t == nil {
		return ""
	}
	return t.value
}

func (p *partParser) takeText() string {
	var b strings.Builder
	for {
		t := p.take(tokChar)
		if t == nil {
			t = p.take(tokEscaped)
		}
		if t == nil {
			return b.String()
		}
		b.WriteString(t.value)
	}
}

func (p *partParser) step() error {
	char := p.take(tokChar)
	name := p.take(tokName)
	matcher := p.takeMatcher(name)
	if name != nil || matcher != nil {
		prefix := ""
		if char != nil {
			prefix = char.value
		}
		if prefix != p.dialect.prefix {
			p.pending.WriteString(prefix)
			prefix = ""
		}
		if err := p.flush(); err != nil {
			return err
		}
		return p.add(prefix, name, matcher, "", p.takeModifier())
	}
	if char == nil {
		char = p.take(tokEscaped)
	}
	if char != nil {
		p.pending.WriteString(char.value)
		return nil
	}
	if p.take(tokOpen) == nil {
		return errPattern
	}
	prefix := p.takeText()
	name = p.take(tokName)
	matcher = p.takeMatcher(name)
	suffix := p.takeText()
	if p.take(tokClose) == nil {
		return errPattern
	}
	return p.add(prefix, name, matcher, suffix, p.takeModifier())
}

// flush makes pending text a part.
func (p *partParser) flush() error {
	if p.pending.Len() == 0 {
		return nil
	}
	text, err := p.encode(p.pending.String())
	p.pending.Reset()
	p.parts = append(p.parts, part{kind: fixedText, value: text})
	return err
}

func (p *partParser) add(prefix string, name, matcher *token, suffix, modifier string) error {
	if name == nil && matcher == nil && modifier == "" {
		p.pending.WriteString(prefix)
		return nil
	}
	if err := p.flush(); err != nil {
		return err
	}
	if name == nil && matcher == nil {
		if prefix == "" {
			return nil
		}
		text, err := p.encode(prefix)
		p.parts = append(p.parts, part{kind: fixedText, value: text, modifier: modifier})
		return err
	}
	n := part{kind: regexpPart, modifier: modifier}
	switch {
	case matcher == nil || matcher.kind == tokRegexp && matcher.value == p.dialect.segment():
		n.kind = segmentWildcard
	case matcher.kind == tokAsterisk || matcher.value == anything:
		n.kind = fullWildcard
	default:
		n.value = matcher.value
	}
	if name != nil {
		n.name = name.value
	} else {
		n.name = strconv.Itoa(p.number)
		p.number++
	}
	if p.names[n.name] {
		return errPattern
	}
	p.names[n.name] = true
	var err error
	if n.prefix, err = p.encode(prefix); err != nil {
		return err
	}
	n.suffix, err = p.encode(suffix)
	p.parts = append(p.parts, n)
	return err
}

func escapeWith(s, special string) string {
	if !strings.ContainsAny(s, special) {
		return s
	}
	var b strings.Builder
	for _, c := range s {
		if strings.ContainsRune(special, c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

func escapeRegexp(s string) string { return escapeWith(s, `.+*?^${}()[]|/\`) }

func escapePattern(s string) string { return escapeWith(s, `+*?:{}()\`) }

// regexpSource is the regular expression of the parts and the names of its groups.
func regexpSource(parts []part, d dialect) (source string, names []string) {
	var b strings.Builder
	add := func(s ...string) {
		for _, t := range s {
			b.WriteString(t)
		}
	}
	add("^")
	for _, p := range parts {
		if p.kind == fixedText {
			if p.modifier == "" {
				add(escapeRegexp(p.value))
			} else {
				add("(?:", escapeRegexp(p.value), ")", p.modifier)
			}
			continue
		}
		names = append(names, p.name)
		re := p.value
		switch p.kind {
		case segmentWildcard:
			re = d.segment()
		case fullWildcard:
			re = anything
		}
		prefix, suffix := escapeRegexp(p.prefix), escapeRegexp(p.suffix)
		once := p.modifier == "" || p.modifier == "?"
		switch {
		case prefix == "" && suffix == "" && once:
			add("(", re, ")", p.modifier)
		case prefix == "" && suffix == "":
			add("((?:", re, ")", p.modifier, ")")
		case once:
			add("(?:", prefix, "(", re, ")", suffix, ")", p.modifier)
		default:
			add("(?:", prefix, "((?:", re, ")(?:", suffix, prefix, "(?:", re, "))*)", suffix, ")")
			if p.modifier == "*" {
				add("?")
			}
		}
	}
	add("$")
	return b.String(), names
}

// patternString is the shortest pattern string for the parts.
func patternString(parts []part, d dialect) string {
	var b strings.Builder
	for i := range parts {
		p := &parts[i]
		if p.kind == fixedText {
			if p.modifier == "" {
				b.WriteString(escapePattern(p.value))
			} else {
				b.WriteString("{" + escapePattern(p.value) + "}" + p.modifier)
			}
			continue
		}
		var prev, next *part
		if i > 0 {
			prev = &parts[i-1]
		}
		if i+1 < len(parts) {
			next = &parts[i+1]
		}
		group := needsGroup(p, prev, next, d)
		custom := !digit(p.name[0])
		if group {
			b.WriteByte('{')
		}
		b.WriteString(escapePattern(p.prefix))
		if custom {
			b.WriteString(":" + p.name)
		}
		switch {
		case p.kind == regexpPart:
			b.WriteString("(" + p.value + ")")
		case p.kind == segmentWildcard && !custom:
			b.WriteString("(" + d.segment() + ")")
		case p.kind == fullWildcard && !custom &&
			(prev == nil || prev.kind == fixedText || prev.modifier != "" || group || p.prefix != ""):
			b.WriteByte('*')
		case p.kind == fullWildcard:
			b.WriteString("(" + anything + ")")
		}
		if p.kind == segmentWildcard && custom && startsName(p.suffix) {
			b.WriteByte('\\')
		}
		b.WriteString(escapePattern(p.suffix))
		if group {
			b.WriteByte('}')
		}
		b.WriteString(p.modifier)
	}
	return b.String()
}

func startsName(s string) bool {
	c, n := utf8.DecodeRuneInString(s)
	return n > 0 && nameRune(c, false)
}

// needsGroup tells whether a part must be written in braces to be read back as itself.
func needsGroup(p, prev, next *part, d dialect) bool {
	if p.suffix != "" || p.prefix != "" && p.prefix != d.prefix {
		return true
	}
	if !digit(p.name[0]) && p.kind == segmentWildcard && p.modifier == "" && next != nil && next.prefix == "" &&
		next.suffix == "" {
		if next.kind == fixedText && startsName(next.value) || next.kind != fixedText && digit(next.name[0]) {
			return true
		}
	}
	return p.prefix == "" && prev != nil && prev.kind == fixedText && d.prefix != "" &&
		strings.HasSuffix(prev.value, d.prefix)
}
