package json

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
	"eddy/runtime/engine/gojainternals"
)

// jsonUnit is one element of JSON text: a byte where all of the text is ASCII, else a UTF-16 unit.
type jsonUnit interface{ byte | uint16 }

// jsonNode remembers the source text of primitives for a reviver's context argument.
type jsonNode struct {
	value  goja.Value
	source string
	fields map[string]*jsonNode
	items  []*jsonNode
}

type jsonParser[T jsonUnit] struct {
	e     *engine
	src   []T
	pos   int
	trace bool // build jsonNodes
	depth int
	made  int // values that were begun
	buf   []uint16
	text  string            // src, if it is short ASCII: texts within are parts of it
	names map[string]string // of properties
	ascii bool              // the name that was read last has nothing beyond ASCII
}

const jsonMaxDepth = 7000

// engine is what the functions of one runtime share.
type engine struct {
	*builtin.Builder
	shapes gojainternals.LastShapes
}

// Install puts JSON.parse on the runtime, with V8's errors and the reviver's context. JSON.stringify is goja's, except
// for plain data.
func Install(b *builtin.Builder) {
	e := &engine{Builder: b}
	json := e.Object("JSON")
	e.Method(json, "parse", 2, func(call goja.FunctionCall) goja.Value {
		text := e.ToString(call.Argument(0))
		reviver, revive := goja.AssertFunction(call.Argument(1))
		v, node := e.parseJSON(text, revive)
		if !revive {
			return v
		}
		root := e.Runtime.NewObject()
		builtin.Must(root.DefineDataProperty("", v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE))
		return e.revive(reviver, root, "", node, 0)
	})
	if n, ok := e.In.Native(json.Get("stringify").(*goja.Object)); ok {
		next := *n.Call
		*n.Call = func(call goja.FunctionCall) goja.Value {
			gap, ok := e.gap(call.Argument(2))
			if replacer := call.Argument(1); ok && (goja.IsUndefined(replacer) || goja.IsNull(replacer)) {
				if text, ok := e.In.JSON(e.Runtime, call.Argument(0), gap); ok {
					return text
				}
			}
			if !ok || gap == "" {
				return next(call)
			}
			// goja's own lines are indented too far where there are objects in lists
			text := next(goja.FunctionCall{This: call.This, Arguments: call.Arguments[:2]})
			if s, ok := text.(goja.String); ok {
				return e.indented(s, gap)
			}
			return text
		}
	}
}

// gap is the text that JSON.stringify puts before what is nested, for a space argument that is a plain value.
func (e *engine) gap(space goja.Value) (gap string, ok bool) {
	const most = 10
	if n, is := e.In.Integer(space); is {
		return strings.Repeat(" ", int(min(max(n, 0), most))), true
	}
	if _, object := space.(*goja.Object); object {
		return "", false
	}
	if _, text := space.(goja.String); text {
		s, ok := e.In.UTF8(space.(goja.String))
		for i := 0; i < len(s); i++ {
			ok = ok && s[i] < utf8.RuneSelf
		}
		return s[:min(len(s), most)], ok
	}
	if _, float := e.In.Float(space); float {
		return "", false
	}
	return "", true
}

// indented puts each value of a text of JSON into a line of its own.
func (e *engine) indented(text goja.String, gap string) goja.Value {
	s, ok := e.In.UTF8(text)
	if !ok {
		e.Throw("TypeError", "JSON with half of a surrogate pair") // they are written as escapes
	}
	var out []byte
	wide, quoted, depth := false, false, 0
	line := func() {
		out = append(out, '\n')
		for range depth {
			out = append(out, gap...)
		}
		if len(out) > cap(out)/2 {
			e.Reserve(int64(2 * cap(out)))
		}
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		wide = wide || c >= utf8.RuneSelf
		if quoted {
			if out = append(out, c); c == '\\' {
				i++
				out = append(out, s[i])
			}
			quoted = c != '"'
			continue
		}
		switch c {
		case '{', '[':
			out = append(out, c)
			if s[i+1] == c+2 { // its end: nothing is in it
				i++
				out = append(out, s[i])
				continue
			}
			depth++
			line()
		case '}', ']':
			depth--
			line()
			out = append(out, c)
		case ',':
			out = append(out, c)
			line()
		case ':':
			out = append(out, ':', ' ')
		default:
			quoted = c == '"'
			out = append(out, c)
		}
	}
	if wide {
		return e.Runtime.ToValue(string(out))
	}
	return e.In.ASCII(string(out))
}

func (e *engine) parseJSON(text goja.String, trace bool) (goja.Value, *jsonNode) {
	if !trace {
		if n := e.In.Size(text); n >= longText {
			e.Reserve(2 * int64(n))
		}
		if s, ok := e.In.UTF8(text); ok {
			if v, ok := e.parseFast(s); ok {
				return v, nil
			}
		}
	}
	if n := text.Length(); n >= longText {
		e.Reserve(2 * int64(n))
		if !builtin.ASCII(text) {
			return runJSON(e, builtin.Units(text), trace)
		}
	}
	if s := text.String(); len(s) == text.Length() {
		p := &jsonParser[byte]{e: e, src: gojainternals.BytesOf(s), trace: trace}
		if len(s) <= sharedText {
			p.text = s
		}
		return p.run()
	}
	return runJSON(e, builtin.Units(text), trace)
}

// sharedText is the length up to which the texts within a text are parts of it, so that one that is kept keeps it all.
const sharedText = 4096

// manyNames is how many names of properties are kept, so that they are not made again for the next object.
const manyNames = 256

// longText is the length from which on the memory for a text's copy is reserved.
const longText = 1 << 16

// After each pollEvery values the parser reserves what they take, valueSize each at least, and looks for an interrupt.
const pollEvery, valueSize = 4096, 16

func runJSON[T jsonUnit](e *engine, src []T, trace bool) (goja.Value, *jsonNode) {
	return (&jsonParser[T]{e: e, src: src, trace: trace}).run()
}

func (p *jsonParser[T]) run() (goja.Value, *jsonNode) {
	v, n := p.value()
	p.space()
	if p.pos < len(p.src) {
		if c := p.src[p.pos]; p.pos > 0 && isDigit(c) && p.src[p.pos-1] == '0' &&
			(p.pos == 1 || p.src[p.pos-2] == '-') {
			p.at("Unexpected number")
		}
		p.at("Unexpected non-whitespace character after JSON", true)
	}
	return v, n
}

func isDigit[T jsonUnit](c T) bool { return c >= '0' && c <= '9' }

// at throws a SyntaxError with a position.
func (p *jsonParser[T]) at(what string, bare ...bool) {
	line, col := 1, 1
	for _, c := range p.src[:min(p.pos, len(p.src))] {
		col++
		if c == '\n' {
			line, col = line+1, 1
		}
	}
	in := " in JSON"
	if len(bare) > 0 {
		in = ""
	}
	p.e.Throw("SyntaxError",
		what+in+" at position "+strconv.Itoa(p.pos)+" (line "+strconv.Itoa(line)+" column "+strconv.Itoa(col)+")")
}

func (p *jsonParser[T]) shown(from, to int) string {
	u := make([]uint16, 0, to-from)
	for _, c := range p.src[from:to] {
		u = append(u, uint16(c))
	}
	return string(utf16.Decode(u))
}

// unexpected throws V8's error for a token that can't stand here.
func (p *jsonParser[T]) unexpected() {
	if p.pos >= len(p.src) {
		p.e.Throw("SyntaxError", "Unexpected end of JSON input")
	}
	if whole := p.shown(0, len(p.src)); whole == "undefined" || whole == "[object Object]" || whole == "NaN" ||
		whole == "Infinity" {
		p.e.Throw("SyntaxError", `"`+whole+`" is not valid JSON`)
	}
	c := p.src[p.pos]
	switch {
	case c == '"':
		p.at("Unexpected string")
	case isDigit(c) || c == '-':
		p.at("Unexpected number")
	}
	// V8 shows up to ten characters on each side of the token, and all of a text of at most forty.
	const around, whole = 10, 40
	from, to := 0, len(p.src)
	before, after := "", ""
	if to > whole {
		if p.pos > around {
			from, before = p.pos-around, "..."
		}
		if to-p.pos > around {
			to, after = p.pos+around, "..."
		}
	}
	p.e.Throw("SyntaxError",
		"Unexpected token '"+p.shown(p.pos, p.pos+1)+"', "+before+`"`+p.shown(from, to)+`"`+after+" is not valid JSON")
}

func (p *jsonParser[T]) space() {
	for p.pos < len(p.src) {
		switch p.src[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

func (p *jsonParser[T]) peek() T {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

func (p *jsonParser[T]) value() (v goja.Value, n *jsonNode) {
	if p.made++; p.made%pollEvery == 0 {
		p.e.Reserve(pollEvery * valueSize)
	}
	p.space()
	start := p.pos
	switch c := p.peek(); {
	case c == '{':
		return p.object()
	case c == '[':
		return p.array()
	case c == '"':
		v = p.stringValue()
	case c == '-' || isDigit(c):
		v = p.number()
	case c == 't':
		p.word("true")
		v = p.e.Runtime.ToValue(true)
	case c == 'f':
		p.word("false")
		v = p.e.Runtime.ToValue(false)
	case c == 'n':
		p.word("null")
		v = goja.Null()
	default:
		p.unexpected()
	}
	if p.trace {
		n = &jsonNode{value: v, source: p.shown(start, p.pos)}
	}
	return v, n
}

func (p *jsonParser[T]) word(w string) {
	for i := 0; i < len(w); i++ {
		if p.pos >= len(p.src) || p.src[p.pos] != T(w[i]) {
			p.unexpected()
		}
		p.pos++
	}
}

func (p *jsonParser[T]) enter() {
	if p.depth++; p.depth > jsonMaxDepth {
		p.e.Throw("RangeError", "Maximum call stack size exceeded")
	}
}

func (p *jsonParser[T]) object() (goja.Value, *jsonNode) {
	p.enter()
	o := p.e.Runtime.NewObject()
	var node *jsonNode
	if p.trace {
		node = &jsonNode{value: o, fields: map[string]*jsonNode{}}
	}
	p.pos++
	p.space()
	if p.peek() == '}' && p.pos < len(p.src) {
		p.pos++
		p.depth--
		return o, node
	}
	for first := true; ; first = false {
		p.space()
		if p.pos >= len(p.src) || p.src[p.pos] != '"' {
			if first {
				p.at("Expected property name or '}'")
			}
			p.at("Expected double-quoted property name")
		}
		key, whole := p.key()
		ascii := p.ascii
		p.space()
		if p.pos >= len(p.src) || p.src[p.pos] != ':' {
			p.at("Expected ':' after property name")
		}
		p.pos++
		v, n := p.value()
		switch {
		case whole != nil:
			p.e.define(o, whole, v)
		case ascii:
			p.e.In.Put(o, key, v)
		default:
			builtin.Must(o.DefineDataProperty(key, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE))
		}
		if node != nil {
			node.fields[key] = n
		}
		p.space()
		switch {
		case p.pos < len(p.src) && p.src[p.pos] == ',':
			p.pos++
		case p.pos < len(p.src) && p.src[p.pos] == '}':
			p.pos++
			p.depth--
			return o, node
		default:
			p.at("Expected ',' or '}' after property value")
		}
	}
}

func (p *jsonParser[T]) array() (goja.Value, *jsonNode) {
	p.enter()
	var items []goja.Value
	var node *jsonNode
	if p.trace {
		node = &jsonNode{}
	}
	p.pos++
	p.space()
	if p.pos < len(p.src) && p.src[p.pos] == ']' {
		p.pos++
	} else {
		for {
			v, n := p.value()
			if len(items) == cap(items) && len(items) >= pollEvery {
				p.e.Reserve(valueSize * int64(len(items)+len(items)/2))
			}
			items = append(items, v)
			if node != nil {
				node.items = append(node.items, n)
			}
			p.space()
			if p.pos < len(p.src) && p.src[p.pos] == ',' {
				p.pos++
				continue
			}
			if p.pos < len(p.src) && p.src[p.pos] == ']' {
				p.pos++
				break
			}
			p.at("Expected ',' or ']' after array element")
		}
	}
	p.depth--
	if len(items) >= pollEvery {
		p.e.Reserve(valueSize * int64(len(items)))
	}
	a := p.e.In.NewArray(p.e.Runtime, items)
	if node != nil {
		node.value = a
	}
	return a, node
}

func (p *jsonParser[T]) number() goja.Value {
	start := p.pos
	integer := true
	if p.peek() == '-' {
		p.pos++
		if !isDigit(p.peek()) {
			p.at("No number after minus sign")
		}
	}
	if p.peek() == '0' {
		p.pos++
		if isDigit(p.peek()) {
			p.at("Unexpected number")
		}
	} else {
		p.digits()
	}
	if p.peek() == '.' {
		integer = false
		p.pos++
		if !isDigit(p.peek()) {
			p.at("Unterminated fractional number")
		}
		p.digits()
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		integer = false
		p.pos++
		if c := p.peek(); c == '+' || c == '-' {
			p.pos++
		}
		if !isDigit(p.peek()) {
			p.at("Exponent part is missing a number")
		}
		p.digits()
	}
	if integer && p.pos-start < 16 {
		n, neg := int64(0), false
		for _, c := range p.src[start:p.pos] {
			if c == '-' {
				neg = true
				continue
			}
			n = n*10 + int64(c-'0')
		}
		if !neg {
			return p.e.Runtime.ToValue(n)
		}
		if n != 0 {
			return p.e.Runtime.ToValue(-n)
		}
		return p.e.Runtime.ToValue(math.Copysign(0, -1))
	}
	f, _ := strconv.ParseFloat(p.shown(start, p.pos), 64) // out of range gives ±Inf, as in JavaScript
	return p.e.Runtime.ToValue(f)
}

func (p *jsonParser[T]) digits() {
	for p.pos < len(p.src) && isDigit(p.src[p.pos]) {
		p.pos++
	}
}
