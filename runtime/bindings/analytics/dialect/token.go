package dialect

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText bounds a statement, in bytes.
const maxText = 1 << 20

// Mistake is what is wrong with a statement. Line and Column begin at 1 and are 0 where no place is to blame.
type Mistake struct {
	Text         string
	Line, Column int
}

// Error implements error.
func (m *Mistake) Error() string {
	if m.Line == 0 {
		return m.Text
	}
	return fmt.Sprintf("line %d, column %d: %s", m.Line, m.Column, m.Text)
}

type tokenKind uint8

const (
	endToken tokenKind = iota
	nameToken
	quotedName
	numberToken
	stringToken
	signToken
)

// token is a word of a statement; text is what it means, without quotes.
type token struct {
	kind tokenKind
	text string
	at   int // offset in the statement
}

// scanner cuts a statement into tokens.
type scanner struct {
	src string
	pos int
}

func (s *scanner) mistake(at int, format string, args ...any) *Mistake {
	before := s.src[:min(at, len(s.src))]
	line := strings.Count(before, "\n") + 1
	return &Mistake{fmt.Sprintf(format, args...), line,
		utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1}
}

// blank skips white space and comments.
func (s *scanner) blank() *Mistake {
	for s.pos < len(s.src) {
		rest := s.src[s.pos:]
		r, n := utf8.DecodeRuneInString(rest)
		switch {
		case unicode.IsSpace(r):
			s.pos += n
		case strings.HasPrefix(rest, "--"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			s.pos += end
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return s.mistake(s.pos, "a comment that does not end")
			}
			s.pos += end + 4
		default:
			return nil
		}
	}
	return nil
}

func letter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

func (s *scanner) next() (token, *Mistake) {
	if m := s.blank(); m != nil {
		return token{}, m
	}
	at := s.pos
	if at == len(s.src) {
		return token{endToken, "", at}, nil
	}
	switch c := s.src[at]; {
	case letter(c):
		for s.pos < len(s.src) && (letter(s.src[s.pos]) || digit(s.src[s.pos])) {
			s.pos++
		}
		return token{nameToken, s.src[at:s.pos], at}, nil
	case digit(c) || c == '.' && at+1 < len(s.src) && digit(s.src[at+1]):
		return token{numberToken, s.number(), at}, nil
	case c == '\'':
		text, m := s.quoted('\'')
		return token{stringToken, text, at}, m
	case c == '"' || c == '`':
		text, m := s.quoted(c)
		return token{quotedName, text, at}, m
	}
	for _, sign := range []string{"<=", ">=", "<>", "!=", "=="} {
		if strings.HasPrefix(s.src[at:], sign) {
			s.pos += 2
			return token{signToken, sign, at}, nil
		}
	}
	if strings.IndexByte("()+-*/%=<>,;.", s.src[at]) < 0 {
		r, _ := utf8.DecodeRuneInString(s.src[at:])
		return token{}, s.mistake(at, "unexpected character %q", r)
	}
	s.pos++
	return token{signToken, s.src[at : at+1], at}, nil
}

func (s *scanner) number() string {
	at := s.pos
	digits := func() {
		for s.pos < len(s.src) && digit(s.src[s.pos]) {
			s.pos++
		}
	}
	digits()
	if s.pos < len(s.src) && s.src[s.pos] == '.' {
		s.pos++
		digits()
	}
	if s.pos < len(s.src) && s.src[s.pos]|0x20 == 'e' {
		was := s.pos
		s.pos++
		if s.pos < len(s.src) && (s.src[s.pos] == '+' || s.src[s.pos] == '-') {
			s.pos++
		}
		if s.pos < len(s.src) && digit(s.src[s.pos]) {
			digits()
		} else {
			s.pos = was
		}
	}
	return s.src[at:s.pos]
}

// quoted reads a string or a quoted name. A quote in it is doubled or has a backslash in front.
func (s *scanner) quoted(quote byte) (string, *Mistake) {
	at := s.pos
	var b strings.Builder
	for s.pos++; s.pos < len(s.src); s.pos++ {
		c := s.src[s.pos]
		switch {
		case c == '\\' && s.pos+1 < len(s.src):
			s.pos++
			if known := strings.IndexByte(`ntr0`, s.src[s.pos]); known >= 0 {
				b.WriteByte("\n\t\r\x00"[known])
			} else {
				b.WriteByte(s.src[s.pos])
			}
		case c == quote && s.pos+1 < len(s.src) && s.src[s.pos+1] == quote:
			s.pos++
			b.WriteByte(quote)
		case c == quote:
			s.pos++
			return b.String(), nil
		default:
			b.WriteByte(c)
		}
	}
	return "", s.mistake(at, "a quote that does not end")
}
