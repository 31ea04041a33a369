package sqlite

import "strings"

// token is one word, name, literal, parameter or sign of a statement.
type token struct {
	kind       tokenKind
	start, end int // bytes in the text
	depth      int // of parentheses around it
}

type tokenKind int

const (
	tokenWord tokenKind = iota // a keyword or a name without quotes
	tokenName                  // a name in quotes
	tokenParameter
	tokenSemicolon
	tokenDot
	tokenOther
)

// tokens cuts the first statement of a text, without white space and comments, as SQLite does (tokenize.c). The last
// token is the semicolon, if there is one.
func tokens(sql string) (list []token) {
	depth := 0
	for at := 0; at < len(sql); {
		kind, end := nextToken(sql, at)
		switch {
		case kind < 0:
			at = end
			continue
		case sql[at] == '(':
			depth++
		case sql[at] == ')':
			depth--
		}
		list = append(list, token{kind, at, end, depth})
		if kind == tokenSemicolon {
			break
		}
		at = end
	}
	return list
}

// nextToken returns the kind and the end of what begins at a byte; the kind of white space and comments is -1.
func nextToken(sql string, at int) (kind tokenKind, end int) {
	rest := sql[at:]
	through := func(close string) int {
		if i := strings.Index(rest[2:], close); i >= 0 {
			return at + 2 + i + len(close)
		}
		return len(sql)
	}
	c := rest[0]
	switch {
	case strings.IndexByte(" \t\n\f\r", c) >= 0:
		return -1, at + 1
	case strings.HasPrefix(rest, "--"):
		return -1, through("\n")
	case strings.HasPrefix(rest, "/*"):
		return -1, through("*/")
	case c == '\'':
		return tokenOther, quoted(sql, at, c)
	case c == '"' || c == '`':
		return tokenName, quoted(sql, at, c)
	case c == '[':
		if i := strings.IndexByte(rest, ']'); i >= 0 {
			return tokenName, at + i + 1
		}
		return tokenName, len(sql)
	case c == ';':
		return tokenSemicolon, at + 1
	case c == '.' && !(len(rest) > 1 && digit(rest[1])):
		return tokenDot, at + 1
	case c == '?':
		return tokenParameter, word(sql, at+1, digit)
	case (c == ':' || c == '@' || c == '$' || c == '#') && len(rest) > 1 && inName(rest[1]):
		return tokenParameter, word(sql, at+1, inName)
	case digit(c) || c == '.':
		return tokenOther, word(sql, at, func(c byte) bool { return inName(c) || c == '.' })
	case inName(c):
		return tokenWord, word(sql, at, inName)
	}
	return tokenOther, at + 1
}

// quoted is the end of a literal or name in quotes; a quote that stands twice is part of it.
func quoted(sql string, at int, quote byte) int {
	for i := at + 1; i < len(sql); i++ {
		if sql[i] != quote {
			continue
		}
		if i+1 < len(sql) && sql[i+1] == quote {
			i++
			continue
		}
		return i + 1
	}
	return len(sql)
}

func word(sql string, at int, in func(byte) bool) int {
	for at < len(sql) && in(sql[at]) {
		at++
	}
	return at
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func inName(c byte) bool {
	return digit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c >= 0x80
}

// unquote is the name that a token writes.
func unquote(text string) string {
	switch text[0] {
	case '"', '`':
		return strings.ReplaceAll(text[1:max(len(text)-1, 1)], text[:1]+text[:1], text[:1])
	case '[':
		return strings.TrimSuffix(text[1:], "]")
	}
	return text
}

// quote writes a name so that nothing in it has a meaning.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
