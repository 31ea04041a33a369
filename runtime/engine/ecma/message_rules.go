package ecma

import (
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/json"
)

// nativeName is the name of the native function that raised the error.
func (e *Engine) nativeName() string {
	frames := e.rt.CaptureCallStack(1, nil)
	if len(frames) == 0 {
		return ""
	}
	return frames[0].FuncName()
}

func nullish(v goja.Value) bool { return v != nil && (goja.IsUndefined(v) || goja.IsNull(v)) }

// nullWord says which of undefined and null the failed access met. The operand lies below its key if the key was
// computed.
func (e *Engine) nullWord(key string) string {
	for i := 0; i < 3; i++ {
		v := e.in.Operand(e.rt, i)
		if nullish(v) && !(i == 0 && v.String() == key && nullish(e.in.Operand(e.rt, 1))) {
			return v.String()
		}
	}
	return "undefined"
}

func (e *Engine) readOf(key string) string {
	if s, ok := e.in.Operand(e.rt, 0).(*goja.Symbol); ok {
		if s == goja.SymIterator {
			if v := e.in.Operand(e.rt, 1); nullish(v) {
				return e.defaultSite(v) + " is not iterable (cannot read property Symbol(Symbol.iterator))"
			}
		}
		key = "Symbol(" + strings.TrimSuffix(strings.TrimPrefix(s.String(), "Symbol("), ")") + ")"
	}
	p := e.here()
	if s := p.idx.find(p.offset, siteDestructure); p.script && s != nil && !p.afterDot() && s.prop == key {
		return e.destructure(p, s)
	}
	return "Cannot read properties of " + e.nullWord(key) + " (reading '" + key + "')"
}

func (e *Engine) sourceHasIn(p place) bool {
	if p.idx == nil {
		return false
	}
	s := p.idx.src[p.offset:]
	if i := strings.IndexAny(s, ";\n"); i >= 0 {
		s = s[:i]
	}
	return strings.Contains(s, " in ") || strings.Contains(s, "in(")
}

func (e *Engine) notInOperand(string) string {
	v, k := e.in.Operand(e.rt, 0), e.in.Operand(e.rt, 1)
	if v == nil || k == nil {
		return ""
	}
	return "Cannot use 'in' operator to search for '" + e.render(k) + "' in " + e.render(v)
}

func (e *Engine) nullToObject(string) string {
	p := e.here()
	if !p.script {
		switch e.nativeName() {
		case "call":
			if f, ok := e.in.Argument(e.rt, -2).(*goja.Object); ok && e.arrayMethod(f) {
				return "Array.prototype." + f.Get("name").String() + " called on null or undefined"
			}
		case "all", "race", "any", "allSettled", "from":
			return e.defaultSite(e.firstArgument()) + " is not iterable (cannot read property Symbol(Symbol.iterator))"
		}
		return "Cannot convert undefined or null to object"
	}
	if nullish(e.in.Operand(e.rt, 0)) {
		if s := p.idx.find(p.offset, siteDestructure); s != nil {
			return e.destructure(p, s)
		}
		if s := p.idx.find(p.offset, siteIterate); s != nil {
			return e.notIterable("")
		}
		if text, ok := e.elementsSource(p); ok {
			return text + " is not iterable"
		}
		f := p.idx.enclosing(p.offset)
		if p.idx.find(p.offset, siteElements) != nil || f != nil && f.elements && !p.afterDot() {
			return e.defaultSite(e.in.Operand(e.rt, 0)) +
				" is not iterable (cannot read property Symbol(Symbol.iterator))"
		}
	}
	if s := p.idx.find(p.offset, siteIterate); s != nil && e.spreadCall(p, s) {
		return p.text(s) + " is not iterable (cannot read property undefined)"
	}
	top := e.in.Operand(e.rt, 0)
	if p.afterDot() {
		return "Cannot set properties of " + e.nullWord("\x00") + " (setting '" + p.word() + "')"
	}
	if nullish(top) && p.idx != nil {
		if s := p.idx.find(p.offset, siteIterate); s != nil {
			return e.notIterable("")
		}
	}
	if key := e.in.Operand(e.rt, 1); key != nil && nullish(e.in.Operand(e.rt, 2)) {
		return "Cannot set properties of " + e.in.Operand(e.rt, 2).String() + " (setting '" + e.render(key) + "')"
	}
	if nullish(e.in.Operand(e.rt, 1)) {
		return "Cannot set properties of " + e.in.Operand(e.rt, 1).String() + " (setting '" + p.word() + "')"
	}
	return ""
}

// arrayMethod tells whether f is one of those methods of Array.prototype that V8 names when they are called on null.
func (e *Engine) arrayMethod(f *goja.Object) bool {
	name := f.Get("name")
	if name == nil || e.object("Array", "prototype").Get(name.String()) != goja.Value(f) {
		return false
	}
	switch name.String() {
	case "concat", "find", "findIndex", "findLast", "findLastIndex", "indexOf", "forEach", "filter", "map", "every",
		"some", "reduce", "reduceRight":
		return true
	}
	return false
}

func (e *Engine) notCoercible(string) string {
	p := e.here()
	if !p.script {
		switch name := e.nativeName(); name {
		case "setPrototypeOf":
			return "Object.setPrototypeOf called on null or undefined"
		case "fromEntries":
			return e.render(e.firstArgument()) + " is not iterable"
		case "call":
			if f, ok := e.in.Argument(e.rt, -2).(*goja.Object); ok && f.Get("name") != nil {
				return "String.prototype." + f.Get("name").String() + " called on null or undefined"
			}
		}
		return "Cannot convert undefined or null to object"
	}
	if s := p.idx.find(p.offset, siteDestructure); s != nil {
		return e.destructure(p, s)
	}
	word := e.nullWord("\x00")
	if s := p.idx.find(p.offset, siteElements); s != nil {
		if prop, ok := e.innerPattern(s.inner); ok {
			return "Cannot read properties of " + word + " (reading '" + prop + "')"
		}
	}
	if s := p.idx.literal(p.offset, word, siteDestructure); s != nil {
		return e.destructure(p, s)
	}
	if f := p.idx.enclosing(p.offset); f != nil && f.pattern != "" {
		if prop, ok := e.innerPattern(f.inner); ok {
			return "Cannot read properties of " + word + " (reading '" + prop + "')"
		}
		text := word
		if word == "null" {
			text = "object null"
		}
		return "Cannot destructure property '" + f.pattern + "' of '" + text + "' as it is " + word + "."
	}
	return "Cannot destructure '" + word + "' as it is " + word + "."
}

// receiver is the object of a failed assignment or deletion of key: the first object among the operands.
func (e *Engine) receiver(p place) goja.Value {
	if !p.script {
		if v := e.thisArgument(); v != nil {
			return v
		}
		return e.firstArgument()
	}
	if p.afterDot() {
		return e.in.Operand(e.rt, 1)
	}
	return e.in.Operand(e.rt, 2)
}

func (e *Engine) stringReceiver() string {
	p := e.here()
	for i := 1; i < 3; i++ {
		if v := e.in.Operand(e.rt, i); v != nil && goja.IsString(v) && (i == 2 || p.afterDot()) {
			return v.String()
		}
	}
	return ""
}

func (e *Engine) toBigInt(rest string) string {
	if s, ok := e.firstArgument().(*goja.Symbol); ok {
		rest = e.render(s)
	}
	if v := e.firstArgument(); v != nil && goja.IsNumber(v) {
		return "The number " + v.String() + " cannot be converted to a BigInt because it is not an integer"
	}
	return "Cannot convert " + rest + " to a BigInt"
}

// incompatible gives the receiver of "Method X called on incompatible receiver Y" V8's rendering.
func (e *Engine) incompatible(rest string) string {
	rest = strings.Replace(rest, " is called on incompatible", " called on incompatible", 1)
	if strings.HasPrefix(rest, "Date.prototype.") {
		return "this is not a Date object."
	}
	i := strings.Index(rest, " called on incompatible receiver")
	if i < 0 {
		return ""
	}
	return "Method " + rest[:i] + " called on incompatible receiver " + e.render(e.thisArgument())
}

// firstArgument is the first argument of the native function that raised the error, or of the construction that did.
func (e *Engine) firstArgument() goja.Value {
	if e.in.InScript(e.rt) {
		return e.in.Operand(e.rt, 0)
	}
	if v := e.in.Argument(e.rt, 0); v != nil {
		return v
	}
	return goja.Undefined()
}

func (e *Engine) thisArgument() goja.Value {
	if e.in.InScript(e.rt) {
		return nil
	}
	if e.nativeName() == "call" {
		return e.in.Argument(e.rt, 0)
	}
	return e.in.Argument(e.rt, -2)
}

func (e *Engine) invalidIndex(rest string) string {
	p := e.here()
	if !p.script {
		return "Invalid index : " + rest
	}
	if s := p.idx.find(p.offset, siteNew); s != nil {
		switch class := p.text(s); {
		case strings.HasSuffix(class, "ArrayBuffer"):
			return "Invalid array buffer length"
		case strings.HasSuffix(class, "Array"):
			return "Invalid typed array length: " + rest
		}
	}
	return ""
}

func (e *Engine) circularText(string) string {
	return json.CircularText(e.rt, e.firstArgument(), e.constructorName)
}
