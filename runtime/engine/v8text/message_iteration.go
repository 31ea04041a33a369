package v8text

import (
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/script"
)

// These rules word the errors for values that a script takes apart or iterates, and that do not allow it.

func (t *Texts) destructure(p place, s *script.Site) string {
	word := t.nullWord("")
	if prop, ok := t.innerPattern(s.Inner); ok {
		return "Cannot read properties of " + word + " (reading '" + prop + "')"
	}
	text := word
	if s.End > s.Start {
		text = p.text(s)
	} else if word == "null" {
		text = "object null"
	}
	if s.Prop == "" {
		return "Cannot destructure '" + text + "' as it is " + word + "."
	}
	return "Cannot destructure property '" + s.Prop + "' of '" + text + "' as it is " + word + "."
}

// innerPattern tells whether a pattern within the pattern met undefined or null, and what its first property is. The
// object that the value was taken from lies below the value then.
func (t *Texts) innerPattern(inner []script.Nested) (prop string, ok bool) {
	from, ok := t.in.Operand(t.rt, 1).(*goja.Object)
	if !ok || !nullish(t.in.Operand(t.rt, 0)) {
		return "", false
	}
	for _, n := range inner {
		if n.Prop == "" {
			continue
		}
		if n.Key == "" {
			return n.Prop, true
		}
		if d, err := t.getDescriptor(goja.Undefined(), from, t.rt.ToValue(n.Key)); err == nil {
			desc, own := d.(*goja.Object)
			if !own || nullish(desc.Get("value")) {
				return n.Prop, true
			}
		}
	}
	return "", false
}

func (t *Texts) notIterable(string) string {
	p := t.here()
	if p.script {
		if s := p.idx.Find(p.offset, script.Iterate); s != nil {
			if t.spreadCall(p, s) {
				if v := t.in.Operand(t.rt, 0); nullish(v) {
					return p.text(s) + " is not iterable (cannot read property Symbol(Symbol.iterator))"
				}
				return "Spread syntax requires ...iterable[Symbol.iterator] to be a function"
			}
			return p.text(s) + " is not iterable"
		}
		if text, ok := t.elementsSource(p); ok {
			return text + " is not iterable"
		}
		if v := t.in.Operand(t.rt, 0); v != nil {
			return t.defaultSite(v) + " is not iterable (cannot read property Symbol(Symbol.iterator))"
		}
		return ""
	}
	if v := t.firstArgument(); v != nil {
		return t.defaultSite(v) + " is not iterable (cannot read property Symbol(Symbol.iterator))"
	}
	return "undefined is not iterable (cannot read property Symbol(Symbol.iterator))"
}

// elementsSource is the source text of the value that an array pattern takes apart. It reports false if that value
// could be iterated, and a part of it could not.
func (t *Texts) elementsSource(p place) (string, bool) {
	v := t.in.Operand(t.rt, 0)
	if v == nil {
		return "", false
	}
	if s := p.idx.Find(p.offset, script.Elements); s != nil {
		if _, part := t.in.Operand(t.rt, 1).(*goja.Object); part && len(s.Inner) > 0 {
			return "", false
		}
		return p.text(s), s.Plain
	}
	if _, isObj := v.(*goja.Object); !isObj && !goja.IsString(v) {
		for _, kind := range []script.Kind{script.Elements, script.Iterate} {
			if s := p.idx.Literal(p.offset, v.String(), kind); s != nil && (kind == script.Iterate || s.Plain) &&
				!(kind == script.Iterate && t.spreadCall(p, s)) {
				return p.text(s), true
			}
		}
	}
	return "", false
}

// spreadCall tells whether the operand is spread into a call's arguments, which V8 words in its own way.
func (t *Texts) spreadCall(p place, s *script.Site) bool {
	before := strings.TrimRight(p.idx.Source[:s.Start], " \t\r\n")
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
