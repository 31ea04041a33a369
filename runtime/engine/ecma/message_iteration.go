package ecma

import (
	"strings"

	"github.com/dop251/goja"
)

// Rules for what is taken apart or iterated.

func (e *Engine) destructure(p place, s *site) string {
	word := e.nullWord("")
	if prop, ok := e.innerPattern(s.inner); ok {
		return "Cannot read properties of " + word + " (reading '" + prop + "')"
	}
	text := word
	if s.end > s.start {
		text = p.text(s)
	} else if word == "null" {
		text = "object null"
	}
	if s.prop == "" {
		return "Cannot destructure '" + text + "' as it is " + word + "."
	}
	return "Cannot destructure property '" + s.prop + "' of '" + text + "' as it is " + word + "."
}

// innerPattern tells whether it was a pattern within the pattern that met undefined or null, and its first property.
// The object it was taken from lies below the value then.
func (e *Engine) innerPattern(inner []nested) (prop string, ok bool) {
	from, ok := e.in.Operand(e.rt, 1).(*goja.Object)
	if !ok || !nullish(e.in.Operand(e.rt, 0)) {
		return "", false
	}
	for _, n := range inner {
		if n.prop == "" {
			continue
		}
		if n.key == "" {
			return n.prop, true
		}
		if d, err := e.getDescriptor(goja.Undefined(), from, e.rt.ToValue(n.key)); err == nil {
			desc, own := d.(*goja.Object)
			if !own || nullish(desc.Get("value")) {
				return n.prop, true
			}
		}
	}
	return "", false
}

func (e *Engine) notIterable(string) string {
	p := e.here()
	if p.script {
		if s := p.idx.find(p.offset, siteIterate); s != nil {
			if e.spreadCall(p, s) {
				if v := e.in.Operand(e.rt, 0); nullish(v) {
					return p.text(s) + " is not iterable (cannot read property Symbol(Symbol.iterator))"
				}
				return "Spread syntax requires ...iterable[Symbol.iterator] to be a function"
			}
			return p.text(s) + " is not iterable"
		}
		if text, ok := e.elementsSource(p); ok {
			return text + " is not iterable"
		}
		if v := e.in.Operand(e.rt, 0); v != nil {
			return e.defaultSite(v) + " is not iterable (cannot read property Symbol(Symbol.iterator))"
		}
		return ""
	}
	if v := e.firstArgument(); v != nil {
		return e.defaultSite(v) + " is not iterable (cannot read property Symbol(Symbol.iterator))"
	}
	return "undefined is not iterable (cannot read property Symbol(Symbol.iterator))"
}

// elementsSource is the source text that an array pattern takes apart, if it was that, and not a part of it, which
// could not be iterated.
func (e *Engine) elementsSource(p place) (string, bool) {
	v := e.in.Operand(e.rt, 0)
	if v == nil {
		return "", false
	}
	if s := p.idx.find(p.offset, siteElements); s != nil {
		if _, part := e.in.Operand(e.rt, 1).(*goja.Object); part && len(s.inner) > 0 {
			return "", false
		}
		return p.text(s), s.plain
	}
	if _, isObj := v.(*goja.Object); !isObj && !goja.IsString(v) {
		for _, kind := range []siteKind{siteElements, siteIterate} {
			if s := p.idx.literal(p.offset, v.String(), kind); s != nil && (kind == siteIterate || s.plain) &&
				!(kind == siteIterate && e.spreadCall(p, s)) {
				return p.text(s), true
			}
		}
	}
	return "", false
}

// spreadCall tells whether the operand is spread into a call's arguments, which V8 words in its own way.
func (e *Engine) spreadCall(p place, s *site) bool {
	before := strings.TrimRight(p.idx.src[:s.start], " \t\r\n")
	if !strings.HasSuffix(before, "...") {
		return false
	}
	depth := 0
	for i := len(before) - 4; i >= 0; i-- {
		switch before[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth == 0 {
				return before[i] == '('
			}
			depth--
		case ';':
			return false
		}
	}
	return false
}
