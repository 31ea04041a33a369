package ecma

import (
	"strings"
	"unicode/utf8"
)

// tokenKind is what a piece of a date text is to V8's parser.
type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenNumber
	tokenSymbol // one of : - + . )
	tokenSpace  // one character of white space
	tokenOther  // punctuation without a meaning, or text in parentheses
	tokenInvalid
	// words: those without a meaning, and those with one
	tokenWord
	tokenMonth
	tokenHalf // AM and PM
	tokenZone
	tokenT // between date and time
)

// dateToken is a piece of a date text. value is a number, a symbol, or what a word means: a month from 1, hours.
type dateToken struct {
	kind   tokenKind
	value  int
	length int // in characters
}

func (t dateToken) symbol(c byte) bool { return t.kind == tokenSymbol && t.value == int(c) }
func (t dateToken) sign() bool         { return t.symbol('+') || t.symbol('-') }
func (t dateToken) utc() bool          { return t.kind == tokenZone && t.length == 1 }
func (t dateToken) word() bool         { return t.kind >= tokenWord }

// digits tells whether it is a number of that many digits.
func (t dateToken) digits(n int) bool { return t.kind == tokenNumber && t.length == n }

// dateWords are the words that V8 knows. A month may go on after its three letters.
var dateWords = map[string]dateToken{
	"jan": {kind: tokenMonth, value: 1}, "feb": {kind: tokenMonth, value: 2}, "mar": {kind: tokenMonth, value: 3},
	"apr": {kind: tokenMonth, value: 4}, "may": {kind: tokenMonth, value: 5}, "jun": {kind: tokenMonth, value: 6},
	"jul": {kind: tokenMonth, value: 7}, "aug": {kind: tokenMonth, value: 8}, "sep": {kind: tokenMonth, value: 9},
	"oct": {kind: tokenMonth, value: 10}, "nov": {kind: tokenMonth, value: 11}, "dec": {kind: tokenMonth, value: 12},
	"am": {kind: tokenHalf}, "pm": {kind: tokenHalf, value: 12}, "t": {kind: tokenT},
	"ut": {kind: tokenZone}, "utc": {kind: tokenZone}, "gmt": {kind: tokenZone}, "z": {kind: tokenZone},
	"est": {kind: tokenZone, value: -5}, "edt": {kind: tokenZone, value: -4}, "cst": {kind: tokenZone, value: -6},
	"cdt": {kind: tokenZone, value: -5}, "mst": {kind: tokenZone, value: -7}, "mdt": {kind: tokenZone, value: -6},
	"pst": {kind: tokenZone, value: -8}, "pdt": {kind: tokenZone, value: -7},
}

// dateScanner cuts a text into tokens and looks one ahead.
type dateScanner struct {
	rest string
	peek dateToken
}

func newDateScanner(s string) *dateScanner {
	s, _, _ = strings.Cut(s, "\x00") // V8 reads no further
	d := &dateScanner{rest: s}
	d.peek = d.scan()
	return d
}

func (d *dateScanner) next() dateToken {
	t := d.peek
	d.peek = d.scan()
	return t
}

// skip takes the symbol if it is next.
func (d *dateScanner) skip(c byte) bool {
	if d.peek.symbol(c) {
		d.next()
		return true
	}
	return false
}

func (d *dateScanner) scan() dateToken {
	if d.rest == "" {
		return dateToken{kind: tokenEnd}
	}
	c, size := utf8.DecodeRuneInString(d.rest)
	switch {
	case c >= '0' && c <= '9':
		return d.number()
	case strings.ContainsRune(":-+.)", c):
		d.rest = d.rest[1:]
		return dateToken{kind: tokenSymbol, value: int(c), length: 1}
	case dateSpace(c):
		d.rest = d.rest[size:]
		return dateToken{kind: tokenSpace, length: 1}
	case c >= 'A':
		return d.letters()
	case c == '(':
		d.parentheses()
	default:
		d.rest = d.rest[size:]
	}
	return dateToken{kind: tokenOther}
}

// number reads digits. Nine of them count, without zeros in front.
func (d *dateScanner) number() dateToken {
	t, significant := dateToken{kind: tokenNumber}, 0
	for ; t.length < len(d.rest) && d.rest[t.length] >= '0' && d.rest[t.length] <= '9'; t.length++ {
		if digit := int(d.rest[t.length] - '0'); digit+significant > 0 {
			if significant++; significant <= significantDigits {
				t.value = t.value*10 + digit
			}
		}
	}
	d.rest = d.rest[t.length:]
	return t
}

const significantDigits = 9

// letters reads a word: everything from A on up to white space.
func (d *dateScanner) letters() dateToken {
	length, end := 0, len(d.rest)
	for i, c := range d.rest {
		if c < 'A' || dateSpace(c) {
			end = i
			break
		}
		length++
	}
	text := strings.ToLower(d.rest[:min(end, 3)])
	d.rest = d.rest[end:]
	t, ok := dateWords[text]
	if !ok || length > 3 && t.kind != tokenMonth {
		t = dateToken{kind: tokenWord}
	}
	t.length = length
	return t
}

// parentheses reads a comment, to the end if it is not closed.
func (d *dateScanner) parentheses() {
	depth := 0
	for i, c := range []byte(d.rest) {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			d.rest = d.rest[i+1:]
			return
		}
	}
	d.rest = ""
}

// dateSpace tells whether a character is white space or ends a line (ECMA-262, 12.2 and 12.3).
func dateSpace(c rune) bool {
	return c >= '\t' && c <= '\r' || c >= 0x2000 && c <= 0x200a ||
		strings.ContainsRune(" \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff", c)
}
