package bundle

import "strings"

// nameCalls removes esbuild's __name(value, "name") calls where the engine gives the same name by itself. esbuild adds
// one to every function and class, because it can't know before the end which ones it will rename. Those inside
// functions would run at each call of the function, which costs an interpreter far more than it costs V8.
//
// The forms that esbuild prints, and what becomes of them if the name is the native one:
//
//	function f() {…} __name(f, "f");                  the statement goes
//	class C { static { __name(this, "C"); } …}        the block goes
//	var f = __name(() => …, "f")                      the value remains
//	({ f: __name(function() {…}, "f") })              the value remains
type nameCalls struct {
	open    []nameCall
	classes []openClass
}

// nameCall is a call whose closing paren is still to come.
type nameCall struct {
	start, value int // offsets of __name and of its first argument
	depth        int // of the argument list
	comma        int // last comma of the argument list
	native       string
}

// openClass is a class body that is being read.
type openClass struct {
	depth int
	name  string // the name the engine gives it
}

// class is called at the keyword; it looks for `class Name` or `var Name = class`.
func (n *nameCalls) class(r *rewriter, t token) {
	s := r.scanner
	if s.top().pendingClass == 0 {
		return
	}
	name := ""
	probe := &scanner{text: s.text, pos: t.end, stack: make([]bracket, 1)}
	if next := probe.next(); next.kind == tokenName && probe.textOf(next) != "extends" {
		name = probe.textOf(next)
	} else {
		name = r.inferred()
	}
	n.classes = append(n.classes, openClass{depth: s.depth() + 1, name: name})
}

// inferred returns the name that an anonymous function or class gets at the current place, or "". The token just read
// begins the value.
func (r *rewriter) inferred() string {
	s := r.scanner
	if s.prev2.kind != tokenPunct {
		return ""
	}
	switch s.prev2.op {
	case "=":
		// An assignment to a plain name, a declaration, a default or a field; not to a member. The engine infers no
		// name for defaults of parameters.
		if s.top().kind != bracketParen && r.before[1].kind == tokenName && r.before[0].op != "." &&
			r.before[0].op != "?." {
			return s.textOf(r.before[1])
		}
	case ":":
		if s.top().kind == bracketObject && (r.before[0].op == "{" || r.before[0].op == ",") {
			switch key := r.before[1]; key.kind {
			case tokenName:
				return s.textOf(key)
			case tokenString:
				if text, err := unquote(s.textOf(key)); err == nil {
					return text
				}
			}
		}
	}
	return ""
}

// begin is called at the name __name.
func (n *nameCalls) begin(r *rewriter, t token) {
	s := r.scanner
	c, at := s.peekByte()
	if c != '(' || s.prevIsProperty() || s.prev2.kind == tokenName && s.textOf(s.prev2) == "function" {
		return
	}
	probe := &scanner{text: s.text, pos: at + 1, stack: make([]bracket, 1)}
	first := probe.next()
	if first.kind == tokenName && n.statement(r, t, probe, first) {
		return
	}
	call := nameCall{start: t.start, value: first.start, depth: s.depth() + 1, comma: -1, native: r.inferred()}
	if word := probe.textOf(first); first.kind == tokenName &&
		(word == "function" || word == "class" || word == "async") {
		named := probe.next()
		if word == "async" && probe.textOf(named) == "function" {
			named = probe.next()
		}
		if named.op == "*" {
			named = probe.next()
		}
		if named.kind == tokenName && word != "async" || named.kind == tokenName && probe.prev2.kind == tokenName &&
			probe.textOf(probe.prev2) == "function" {
			call.native = ""
			if r.valueAllowed() {
				call.native = probe.textOf(named)
			}
		}
	}
	n.open = append(n.open, call)
}

// valueAllowed reports whether a function expression may stand at the current place without parens.
func (r *rewriter) valueAllowed() bool {
	prev := r.scanner.prev2
	switch prev.kind {
	case tokenPunct:
		switch prev.op {
		case "=", ":", "(", ",", "[", "?":
			return true
		}
	case tokenName:
		return r.scanner.textOf(prev) == "return"
	}
	return false
}

// statement removes __name(f, "f"); and static { __name(this, "C"); }.
func (n *nameCalls) statement(r *rewriter, t token, probe *scanner, first token) bool {
	s := r.scanner
	word := probe.textOf(first)
	if probe.next().op != "," {
		return false
	}
	name := probe.next()
	if name.kind != tokenString || probe.next().op != ")" {
		return false
	}
	if probe.next().op != ";" {
		return false
	}
	native, end := word, probe.pos
	if s.prev2.kind != tokenPunct || s.prev2.op != ";" && s.prev2.op != "}" && s.prev2.op != "{" {
		return false
	}
	start := t.start
	if word == "this" {
		if len(n.classes) == 0 || r.before[1].kind != tokenName || s.textOf(r.before[1]) != "static" ||
			probe.next().op != "}" {
			return false
		}
		// The block stays, empty: removing it would leave the scanner's brackets unbalanced.
		class := n.classes[len(n.classes)-1]
		if class.depth != s.depth()-1 {
			return false
		}
		native = class.name
	}
	if text, err := unquote(s.textOf(name)); err != nil || text != native {
		return false
	}
	r.replace(start, end, "")
	return true
}

// punct is called at every punctuation mark.
func (n *nameCalls) punct(r *rewriter, t token) {
	depth := r.scanner.depth()
	if t.op == "}" {
		for len(n.classes) > 0 && n.classes[len(n.classes)-1].depth > depth {
			n.classes = n.classes[:len(n.classes)-1]
		}
	}
	if len(n.open) == 0 {
		return
	}
	call := &n.open[len(n.open)-1]
	switch {
	case t.op == "," && depth == call.depth:
		call.comma = t.start
	case t.op == ")" && depth == call.depth-1:
		n.finish(r, *call, t)
		n.open = n.open[:len(n.open)-1]
	}
}

func (n *nameCalls) finish(r *rewriter, call nameCall, end token) {
	if call.native == "" || call.comma < 0 {
		return
	}
	switch c, _ := r.scanner.peekByte(); c {
	case ';', ',', ')', ']', '}':
	default:
		return
	}
	name, err := unquote(strings.TrimSpace(r.text[call.comma+1 : end.start]))
	if err != nil || name != call.native {
		return
	}
	r.replace(call.start, call.value, "")
	r.replace(call.comma, end.end, "")
}
