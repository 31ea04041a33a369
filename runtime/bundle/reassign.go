package bundle

import (
	"slices"
	"strings"
)

// reassigns tells whether a script of units assigns to something that a unit gives away, after the module that declares
// it has run: whoever imports it would have to see the new value. Assignments in functions count, but not those of a
// module that esbuild has put into a function as a whole.
func reassigns(code string) bool {
	given := map[string]bool{}
	for rest := code; ; {
		_, after, found := strings.Cut(rest, "\n"+unitMark)
		if !found {
			break
		}
		line, _, _ := strings.Cut(after, "\n")
		for _, part := range strings.Split(strings.TrimSuffix(line, " });"), ", ") {
			_, value, _ := strings.Cut(part, ": ")
			given[value] = true
		}
		rest = after
	}
	if !mayAssign(code, given) {
		return false
	}
	s := newScanner(code)
	whole, arrow := false, false // in a module that is a function; behind an arrow on the same statement
	var before token
	for {
		t := s.next()
		depth := s.depth()
		if depth == 0 && (t.op == ";" || t.op == "}") {
			whole, arrow = false, false
		}
		switch {
		case t.kind == tokenEOF:
			return false
		case t.op == "=>":
			arrow = true
		case t.kind != tokenName:
		case depth == 0 && s.textOf(t) == "__esm":
			whole = true
		case given[s.textOf(t)] && before.op != "." && before.op != "?." && !declares(s.textOf(before)) &&
			s.top().kind != bracketClass && (before.op == "++" || before.op == "--" || assigns(s)):
			inner := s.stack[1:]
			if whole {
				inner = inner[min(3, len(inner)):]
			}
			if arrow || slices.ContainsFunc(inner, func(b bracket) bool {
				return b.kind == bracketBlock || b.kind == bracketClass || b.kind == bracketObject
			}) {
				return true
			}
		}
		before = t
	}
}

// mayAssign looks for assignments to names without reading the script, which takes ten times as long. It finds too
// many.
func mayAssign(code string, names map[string]bool) bool {
	for name := range names {
		for at := 0; name != ""; at += len(name) {
			next := strings.Index(code[at:], name)
			if next < 0 {
				break
			}
			at += next
			before, s := strings.TrimRight(code[:at], " "), &scanner{text: code, pos: at + len(name)}
			word := before[strings.LastIndexAny(before, " \n;({")+1:]
			if strings.HasSuffix(before, "++") || strings.HasSuffix(before, "--") || assigns(s) && !declares(word) {
				return true
			}
		}
	}
	return false
}

func declares(word string) bool { return word == "var" || word == "let" || word == "const" }

// assigns tells whether an operator follows that assigns.
func assigns(s *scanner) bool {
	_, at := s.peekByte()
	rest := s.text[at:]
	if strings.HasPrefix(rest, "++") || strings.HasPrefix(rest, "--") {
		return true
	}
	operator := rest[:len(rest)-len(strings.TrimLeft(rest, "+-*/%&|^<>?="))]
	return strings.HasSuffix(operator, "=") && operator != "==" && operator != "===" && operator != "<=" &&
		operator != ">="
}
