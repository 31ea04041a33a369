package htmlrewriter

import (
	"bytes"
	"strings"
)

// tagState is where in a tag the scanner stands (https://html.spec.whatwg.org/#tokenization).
type tagState uint8

const (
	inTagName tagState = iota
	beforeAttribute
	inAttributeName
	afterAttributeName
	beforeValue
	inDoubleQuotes
	inSingleQuotes
	inUnquoted
	afterQuotes
	afterSlash
)

// span is a piece of the input. It counts from the start of the tag.
type span struct{ from, to int }

func (s span) of(b []byte) []byte { return b[s.from:s.to] }

// rawAttribute is an attribute where it stands: whole is all of it, value without quotes.
type rawAttribute struct{ whole, name, value span }

// tagScanner finds the end of a tag. When more input comes it goes on where it stopped, so that a long tag in small
// pieces is looked at only once.
type tagScanner struct {
	state       tagState
	at          int
	end         bool // an end tag
	name        span
	attrs       []rawAttribute
	selfClosing bool
}

// start begins a new tag. The input begins with "</" if end is set, else with "<".
func (t *tagScanner) start(end bool) {
	*t = tagScanner{end: end, attrs: t.attrs[:0], at: 1}
	if end {
		t.at = 2
	}
	t.name.from = t.at
}

func (t *tagScanner) last() *rawAttribute { return &t.attrs[len(t.attrs)-1] }

// scan reads until the closing ">"; done is false when in ends first.
func (t *tagScanner) scan(in []byte) (done bool) {
	for ; t.at < len(in); t.at++ {
		c := in[t.at]
		switch t.state {
		case inTagName:
			switch {
			case space(c):
				t.name.to, t.state = t.at, beforeAttribute
			case c == '/':
				t.name.to, t.state = t.at, afterSlash
			case c == '>':
				t.name.to = t.at
				return t.finish()
			}
		case afterSlash:
			if c == '>' {
				t.selfClosing = true
				return t.finish()
			}
			t.state = beforeAttribute
			t.at--
		case beforeAttribute, afterQuotes:
			switch {
			case space(c):
			case c == '/':
				t.state = afterSlash
			case c == '>':
				return t.finish()
			default:
				t.attrs = append(t.attrs, rawAttribute{whole: span{t.at, t.at}, name: span{t.at, t.at}})
				// An equals sign here begins the name.
				t.state = inAttributeName
			}
		case inAttributeName:
			if space(c) || c == '/' || c == '>' || c == '=' {
				t.last().name.to, t.last().whole.to = t.at, t.at
				t.last().value = span{t.at, t.at}
				t.state = afterAttributeName
				t.at--
			}
		case afterAttributeName:
			switch {
			case space(c):
			case c == '=':
				t.state = beforeValue
			default:
				t.state = beforeAttribute
				t.at--
			}
		case beforeValue:
			switch {
			case space(c):
			case c == '"', c == '\'':
				t.last().value = span{t.at + 1, t.at + 1}
				t.state = inDoubleQuotes
				if c == '\'' {
					t.state = inSingleQuotes
				}
			case c == '>':
				t.last().whole.to = t.at
				return t.finish()
			default:
				t.last().value = span{t.at, t.at}
				t.state = inUnquoted
			}
		case inDoubleQuotes, inSingleQuotes:
			quote := byte('"')
			if t.state == inSingleQuotes {
				quote = '\''
			}
			i := bytes.IndexByte(in[t.at:], quote)
			if i < 0 {
				t.at = len(in)
				return false
			}
			t.at += i
			t.last().value.to, t.last().whole.to = t.at, t.at+1
			t.state = afterQuotes
		case inUnquoted:
			if space(c) || c == '>' {
				t.last().value.to, t.last().whole.to = t.at, t.at
				t.state = beforeAttribute
				t.at--
			}
		}
	}
	return false
}

func (t *tagScanner) finish() bool {
	t.at++
	return true
}

// lower is a name in lower case.
func lower(b []byte) string {
	for _, c := range b {
		if c >= 'A' && c <= 'Z' {
			return strings.ToLower(string(b))
		}
	}
	return string(b)
}
