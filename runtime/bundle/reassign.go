package bundle

import (
	"slices"
	"strings"

	"eddy/runtime/lazyregexp"
)

// reassigns tells whether a script of units assigns to a variable that a unit gives away, after the module that
// declares it has run: whoever imports it would have to see the new value. Assignments in functions count, but not
// those of a module that esbuild has put into a function as a whole.
func reassigns(code string, given map[string]bool) bool {
	if assignsInPattern(code, given) {
		return true
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

// assignsInPattern tells whether a variable may be assigned to by a pattern ([a, b] = …) or the head of a loop. It
// finds too many: any use of a name in brackets before an equals sign counts, wherever it is.
func assignsInPattern(code string, given map[string]bool) bool {
	for at := strings.Index(code, loopWord); at >= 0; {
		if found := loopHead.FindStringSubmatch(code[at:]); found != nil && given[found[1]] &&
			(at == 0 || !isWord(code[at-1])) {
			return true
		}
		next := strings.Index(code[at+1:], loopWord)
		if next < 0 {
			break
		}
		at += 1 + next
	}
	for at := range len(code) {
		if !endsPattern(code[at:]) {
			continue
		}
		open := patternStart(code, at)
		if open <= 0 || code[open] == '[' && isOperandEnd(code[open-1]) {
			continue // of a property
		}
		head := strings.TrimRight(code[:open], " (")
		if declares(head[strings.LastIndexAny(head, " \n;({")+1:]) {
			continue
		}
		for _, name := range nameInPattern.FindAllString(code[open:at], -1) {
			if given[name] {
				return true
			}
		}
	}
	return false
}

// loopWord begins the head of a loop. It is looked for by itself: no expression over a whole script is as quick.
const loopWord = "for "

var (
	loopHead      = lazyregexp.New(`^for (?:await )?\(([\pL_$][\pL\pN_$]*) (?:of|in)\b`)
	nameInPattern = lazyregexp.New(`[\pL_$][\pL\pN_$]*`)
)

// endsPattern tells whether code goes on with the end of a pattern that is assigned to, or of anything like it.
func endsPattern(code string) bool {
	if code[0] != ']' && code[0] != '}' {
		return false
	}
	rest := code[1:]
	return strings.HasPrefix(rest, " = ") || strings.HasPrefix(rest, " of ") || strings.HasPrefix(rest, " in ")
}

// isWord tells whether a byte is one of a word, as regular expressions see it.
func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// patternStart is where the bracket begins that ends at a place, -1 if that is further away than a pattern is long. It
// takes brackets in texts for real ones.
func patternStart(code string, end int) int {
	depth := 0
	for at := end; at >= max(0, end-4096); at-- {
		switch code[at] {
		case ']', '}':
			depth++
		case '[', '{':
			if depth--; depth == 0 {
				return at
			}
		}
	}
	return -1
}

// isOperandEnd tells whether a bracket behind a byte reads a property.
func isOperandEnd(c byte) bool {
	return c == ')' || c == ']' || c == '"' || c == '$' || c >= 0x80 || isWord(c)
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
