package url

import (
	"errors"
	"unicode"
)

// errPattern is the refusal of every pattern that is not valid; the platform's text does not say which.
var errPattern = errors.New("invalid URL pattern")

// tokenKind is a token type of https://urlpattern.spec.whatwg.org/#tokens.
type tokenKind uint8

const (
	tokOpen tokenKind = iota
	tokClose
	tokRegexp
	tokName
	tokChar
	tokEscaped
	tokModifier
	tokAsterisk
	tokEnd
	tokInvalid
)

// token is one token; index counts code points of the input.
type token struct {
	kind  tokenKind
	index int
	value string
}

// tokenize splits a pattern string. A strict run fails on what is malformed, a lenient one makes it an invalid token.
func tokenize(in []rune, strict bool) ([]token, error) {
	var out []token
	for i := 0; i < len(in); {
		next, tok := scan(in, i)
		if tok.kind == tokInvalid && strict {
			return nil, errPattern
		}
		out = append(out, tok)
		i = next
	}
	return append(out, token{kind: tokEnd, index: len(in)}), nil
}

// scan reads the token at i and tells where the next one starts.
func scan(in []rune, i int) (next int, tok token) {
	one := func(kind tokenKind) (int, token) { return i + 1, token{kind, i, string(in[i : i+1])} }
	switch in[i] {
	case '*':
		return one(tokAsterisk)
	case '+', '?':
		return one(tokModifier)
	case '{':
		return one(tokOpen)
	case '}':
		return one(tokClose)
	case '\\':
		if i+1 == len(in) {
			return one(tokInvalid)
		}
		return i + 2, token{tokEscaped, i, string(in[i+1 : i+2])}
	case ':':
		end := i + 1
		for end < len(in) && nameRune(in[end], end == i+1) {
			end++
		}
		if end == i+1 {
			return one(tokInvalid)
		}
		return end, token{tokName, i, string(in[i+1 : end])}
	case '(':
		if end, ok := regexpEnd(in, i+1); ok {
			return end, token{tokRegexp, i, string(in[i+1 : end-1])}
		}
		return one(tokInvalid)
	}
	return one(tokChar)
}

// regexpEnd finds the end of a regexp group that starts at i: the place behind its closing parenthesis.
func regexpEnd(in []rune, i int) (end int, ok bool) {
	depth := 1
	for p := i; p < len(in); p++ {
		c := in[p]
		switch {
		case c > unicode.MaxASCII, p == i && c == '?':
			return 0, false
		case c == '\\':
			p++
			if p == len(in) || in[p] > unicode.MaxASCII {
				return 0, false
			}
		case c == ')':
			if depth--; depth == 0 {
				return p + 1, p > i
			}
		case c == '(':
			// A group of the user's own may not capture: it would shift the numbers of ours.
			if depth++; p+1 == len(in) || in[p+1] != '?' {
				return 0, false
			}
		}
	}
	return 0, false
}

// nameRune tells whether c can stand in a group name, first or later (ECMAScript's identifier rules).
func nameRune(c rune, first bool) bool {
	switch {
	case c == '$', c == '_', unicode.IsLetter(c), unicode.Is(unicode.Nl, c), unicode.Is(unicode.Other_ID_Start, c):
		return true
	case first:
		return false
	}
	return c == 0x200c || c == 0x200d ||
		unicode.In(c, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
}
