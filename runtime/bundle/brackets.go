package bundle

import "strings"

// This file is the scanner's knowledge of brackets: what kind each one is, and what may follow it.

// operators in order of length, so that the first that fits is the right one.
var operators = [...]string{
	">>>=",
	"...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=",
	"=>", "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
	"<<", ">>", "**",
}

func (s *scanner) scanPunct(start int) token {
	t := token{kind: tokenPunct, start: start, end: start + 1}
	t.op = s.text[start : start+1]
	switch s.text[start] {
	case '(':
		s.push(s.parenKind())
	case '[':
		s.push(bracketSquare)
	case '{':
		s.push(s.braceKind())
	case ')', ']', '}':
		t.closed = s.pop()
	case ';', ',':
	case ':':
		top := s.top()
		s.exprColon = top.ternaries > 0 || top.kind == bracketObject || top.kind == bracketParen ||
			top.kind == bracketSquare
		if top.ternaries > 0 {
			top.ternaries--
		}
	default:
		for _, op := range operators {
			if op[0] != s.text[start] || !strings.HasPrefix(s.text[start:], op) {
				continue
			}
			if op == "?." && start+2 < len(s.text) && isDigit(s.text[start+2]) {
				continue // a ? .5 : b
			}
			t.op = op
			t.end = start + len(op)
			break
		}
		if t.op == "?" {
			s.top().ternaries++
		}
	}
	s.pos = t.end
	return t
}

func (s *scanner) push(kind bracketKind) { s.stack = append(s.stack, bracket{kind: kind}) }

func (s *scanner) pop() bracketKind {
	if len(s.stack) == 1 {
		return bracketNone
	}
	kind := s.top().kind
	s.stack = s.stack[:len(s.stack)-1]
	return kind
}

// parenKind is asked before a ( is taken.
func (s *scanner) parenKind() bracketKind {
	if s.prev.kind != tokenName || s.prevIsProperty() {
		return bracketParen
	}
	switch s.textOf(s.prev) {
	case "for":
		return bracketFor
	case "await": // for await (
		if s.prev2.kind == tokenName && s.textOf(s.prev2) == "for" {
			return bracketFor
		}
	case "if", "while", "with":
		// A method may have such a name: {if() {}}. Then a { follows its ) in any case.
		return bracketControl
	}
	return bracketParen
}

// prevIsProperty reports whether the previous token is a name behind a dot.
func (s *scanner) prevIsProperty() bool {
	return s.prev2.kind == tokenPunct && (s.prev2.op == "." || s.prev2.op == "?.")
}

// braceKind is asked before a { is taken.
func (s *scanner) braceKind() bracketKind {
	if top := s.top(); top.pendingClass > 0 && s.operandEnded() {
		top.pendingClass--
		return bracketClass
	}
	switch s.prev.kind {
	case tokenEOF:
		return bracketBlock
	case tokenName:
		if s.prevIsProperty() {
			return bracketBlock
		}
		switch s.textOf(s.prev) {
		case "return", "typeof", "case", "in", "of", "instanceof", "delete", "void", "new", "throw", "yield", "await",
			"default", "extends":
			return bracketObject
		}
		return bracketBlock // else, do, try, finally, catch, static
	case tokenTemplate:
		return bracketObject
	case tokenPunct:
		switch s.prev.op {
		case ")", ";", "{", "}", "=>":
			return bracketBlock
		case ":":
			if s.exprColon {
				return bracketObject
			}
			return bracketBlock
		}
		return bracketObject
	}
	return bracketBlock
}

// operandEnded tells `class extends f() {`, where the brace opens the body, from `class extends {`.
func (s *scanner) operandEnded() bool {
	return s.prev.kind != tokenName || s.prevIsProperty() || s.textOf(s.prev) != "extends"
}

// regExpAllowed reports whether a slash at the current place begins a regular expression.
func (s *scanner) regExpAllowed() bool {
	switch s.prev.kind {
	case tokenEOF:
		return true
	case tokenName:
		if s.prevIsProperty() {
			return false
		}
		switch s.textOf(s.prev) {
		case "return", "typeof", "case", "in", "instanceof", "delete", "void", "new", "do", "else", "throw", "yield",
			"await", "extends":
			return true
		case "of":
			return s.top().kind == bracketFor
		}
		return false
	case tokenTemplate:
		return s.prev.op == "${"
	case tokenPunct:
		switch s.prev.op {
		case ")":
			return s.prev.closed == bracketControl || s.prev.closed == bracketFor
		case "]":
			return false
		case "}":
			return s.prev.closed != bracketObject
		case "++", "--":
			return false
		}
		return true
	}
	return false
}

// indexFrom returns the offset behind the first part at or after from, or the end of s.
func indexFrom(s, part string, from int) int {
	if from >= len(s) {
		return len(s)
	}
	i := strings.Index(s[from:], part)
	if i < 0 {
		return len(s)
	}
	return from + i + len(part)
}
