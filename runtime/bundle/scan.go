package bundle

// The scanner splits JavaScript that esbuild printed into tokens. It is no parser: it knows just enough of the grammar
// to tell a regular expression from a division, a class body from a block, and a block from an object literal. It
// relies on what esbuild guarantees: valid syntax, and a semicolon after each statement and field.

type tokenKind uint8

const (
	tokenEOF tokenKind = iota
	tokenName
	tokenPrivate
	tokenNumber
	tokenString
	tokenTemplate // one chunk of a template, from ` or } to ` or ${
	tokenRegExp
	tokenPunct
)

// token is text[start:end]. op is set for punctuation only.
type token struct {
	kind       tokenKind
	start, end int
	op         string
	// closed is the bracket that this token closed, for ) ] and }.
	closed bracketKind
}

type bracketKind uint8

const (
	bracketNone    bracketKind = iota
	bracketParen               // ( of a call, of parameters or of grouping
	bracketControl             // ( after if, while, for, with: an expression can't end at its )
	bracketFor                 // ( after for, where "of" is an operator
	bracketSquare
	bracketBlock
	bracketObject
	bracketClass
	bracketTemplate // ${ in a template
)

type bracket struct {
	kind bracketKind
	// ternaries counts the ? of this level that still wait for their colon.
	ternaries int
	// pendingClass counts class keywords of this level whose body is still to come.
	pendingClass int
}

type scanner struct {
	text  string
	pos   int
	stack []bracket // stack[0] is the program
	prev  token     // last token returned
	prev2 token     // the one before
	// exprColon: the last colon ended a ternary or belongs to a property, so that an expression follows.
	exprColon bool
	// unterminated is set when a string, template or regular expression doesn't end.
	unterminated bool
}

func newScanner(text string) *scanner {
	return &scanner{text: text, stack: make([]bracket, 1, 64)}
}

func (s *scanner) top() *bracket { return &s.stack[len(s.stack)-1] }

// depth is the number of open brackets.
func (s *scanner) depth() int { return len(s.stack) - 1 }

func (s *scanner) textOf(t token) string { return s.text[t.start:t.end] }

// next returns the next token, skipping white space and comments.
func (s *scanner) next() token {
	s.skipSpace()
	t := s.scan()
	s.prev2, s.prev = s.prev, t
	return t
}

// peekByte returns the first byte after white space and comments behind the current position and its offset; 0 at the
// end.
func (s *scanner) peekByte() (byte, int) {
	save := s.pos
	s.skipSpace()
	at := s.pos
	s.pos = save
	if at < len(s.text) {
		return s.text[at], at
	}
	return 0, at
}

func (s *scanner) skipSpace() {
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f':
			s.pos++
		case c == '/' && s.pos+1 < len(s.text) && s.text[s.pos+1] == '/':
			s.skipLine()
		case c == '/' && s.pos+1 < len(s.text) && s.text[s.pos+1] == '*':
			s.pos = indexFrom(s.text, "*/", s.pos+2)
		case c == '#' && s.pos == 0 && len(s.text) > 1 && s.text[1] == '!':
			s.skipLine()
		case c == 0xEF && hasAt(s.text, s.pos, "\uFEFF"),
			c == 0xE2 && (hasAt(s.text, s.pos, "\u2028") || hasAt(s.text, s.pos, "\u2029")):
			s.pos += 3
		default:
			return
		}
	}
}

func (s *scanner) skipLine() {
	for s.pos < len(s.text) && s.text[s.pos] != '\n' && s.text[s.pos] != '\r' {
		s.pos++
	}
}

func (s *scanner) scan() token {
	start := s.pos
	if start >= len(s.text) {
		return token{kind: tokenEOF, start: start, end: start}
	}
	c := s.text[start]
	switch {
	case isNameStart(c):
		return s.scanName(start)
	case c >= '0' && c <= '9', c == '.' && start+1 < len(s.text) && isDigit(s.text[start+1]):
		return s.scanNumber(start)
	case c == '"' || c == '\'':
		return s.scanString(start, c)
	case c == '`':
		s.pos++
		return s.scanTemplate(start)
	case c == '#':
		s.pos++
		s.skipName()
		return token{kind: tokenPrivate, start: start, end: s.pos}
	case c == '/' && s.regExpAllowed():
		return s.scanRegExp(start)
	case c == '}' && s.top().kind == bracketTemplate:
		s.pop()
		s.pos++
		return s.scanTemplate(start)
	}
	return s.scanPunct(start)
}

func (s *scanner) scanName(start int) token {
	s.skipName()
	t := token{kind: tokenName, start: start, end: s.pos}
	if s.text[start:s.pos] == "class" && !s.isMember() {
		// {class: 1} and class() {} are names of properties, not the keyword.
		if c, _ := s.peekByte(); c != ':' && c != '(' && c != '=' && c != ';' && c != ',' {
			s.top().pendingClass++
		}
	}
	return t
}

// isMember reports whether a name at the current place follows a dot.
func (s *scanner) isMember() bool {
	return s.prev.kind == tokenPunct && (s.prev.op == "." || s.prev.op == "?.")
}

func (s *scanner) skipName() {
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		if c == '\\' && s.pos+1 < len(s.text) && s.text[s.pos+1] == 'u' {
			s.pos += 2
			if s.pos < len(s.text) && s.text[s.pos] == '{' {
				s.pos = indexFrom(s.text, "}", s.pos)
			}
			continue
		}
		if !isNameStart(c) && !isDigit(c) {
			return
		}
		s.pos++
	}
}

func (s *scanner) scanNumber(start int) token {
	s.pos++
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		switch {
		case isDigit(c) || c == '.' || isNameStart(c):
			s.pos++
		case (c == '+' || c == '-') && (s.text[s.pos-1] == 'e' || s.text[s.pos-1] == 'E') &&
			!hasHexPrefix(s.text[start:]):
			s.pos++
		default:
			return token{kind: tokenNumber, start: start, end: s.pos}
		}
	}
	return token{kind: tokenNumber, start: start, end: s.pos}
}

func (s *scanner) scanString(start int, quote byte) token {
	s.pos++
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case '\\':
			s.pos += 2
		case quote:
			s.pos++
			return token{kind: tokenString, start: start, end: s.pos}
		default:
			s.pos++
		}
	}
	return s.cut(tokenString, start)
}

// scanTemplate reads on behind ` or behind the } of a substitution.
func (s *scanner) scanTemplate(start int) token {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case '\\':
			s.pos += 2
		case '`':
			s.pos++
			return token{kind: tokenTemplate, start: start, end: s.pos}
		case '$':
			s.pos++
			if s.pos < len(s.text) && s.text[s.pos] == '{' {
				s.pos++
				s.stack = append(s.stack, bracket{kind: bracketTemplate})
				return token{kind: tokenTemplate, start: start, end: s.pos, op: "${"}
			}
		default:
			s.pos++
		}
	}
	return s.cut(tokenTemplate, start)
}

func (s *scanner) scanRegExp(start int) token {
	s.pos++
	class := false
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; {
		case c == '\\':
			s.pos += 2
			continue
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '\n':
			return s.cut(tokenRegExp, start)
		case c == '/' && !class:
			s.pos++
			s.skipName() // flags
			return token{kind: tokenRegExp, start: start, end: s.pos}
		}
		s.pos++
	}
	return s.cut(tokenRegExp, start)
}

func (s *scanner) cut(kind tokenKind, start int) token {
	s.unterminated = true
	s.pos = len(s.text)
	return token{kind: kind, start: start, end: s.pos}
}

func isNameStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c == '\\' || c >= 0x80
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func hasHexPrefix(s string) bool { return len(s) > 1 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') }

func hasAt(s string, at int, part string) bool {
	return at+len(part) <= len(s) && s[at:at+len(part)] == part
}
