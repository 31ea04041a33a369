package v8text

import (
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/json"

	"eddy/runtime/engine/script"
)

// nativeName is the name of the native function that raised the error.
func (t *Texts) nativeName() string {
	frames := t.rt.CaptureCallStack(1, nil)
	if len(frames) == 0 {
		return ""
	}
	return frames[0].FuncName()
}

func nullish(v goja.Value) bool { return v != nil && (goja.IsUndefined(v) || goja.IsNull(v)) }

// nullWord says which of undefined and null the failed access met. The operand lies below its key if the key was
// computed.
func (t *Texts) nullWord(key string) string {
	for i := 0; i < 3; i++ {
		v := t.in.Operand(t.rt, i)
		if nullish(v) && !(i == 0 && v.String() == key && nullish(t.in.Operand(t.rt, 1))) {
			return v.String()
		}
	}
	return "undefined"
}

func (t *Texts) readOf(key string) string {
	if s, ok := t.in.Operand(t.rt, 0).(*goja.Symbol); ok {
		if s == goja.SymIterator {
			if v := t.in.Operand(t.rt, 1); nullish(v) {
				return t.defaultSite(v) + " is not iterable (cannot read property Symbol(Symbol.iterator))"
			}
		}
		key = "Symbol(" + strings.TrimSuffix(strings.TrimPrefix(s.String(), "Symbol("), ")") + ")"
	}
	p := t.here()
	if s := p.idx.Find(p.offset, script.Destructure); p.script && s != nil && !p.afterDot() && s.Prop == key {
		return t.destructure(p, s)
	}
	return "Cannot read properties of " + t.nullWord(key) + " (reading '" + key + "')"
}

func (t *Texts) sourceHasIn(p place) bool {
	if p.idx == nil {
		return false
	}
	s := p.idx.Source[p.offset:]
	if i := strings.IndexAny(s, ";\n"); i >= 0 {
		s = s[:i]
	}
	return strings.Contains(s, " in ") || strings.Contains(s, "in(")
}

func (t *Texts) notInOperand(string) string {
	v, k := t.in.Operand(t.rt, 0), t.in.Operand(t.rt, 1)
	if v == nil || k == nil {
		return ""
	}
	return "Cannot use 'in' operator to search for '" + t.Render(k) + "' in " + t.Render(v)
}

func (t *Texts) nullToObject(string) string {
	p := t.here()
	if !p.script {
		switch t.nativeName() {
		case "call":
			if f, ok := t.in.Argument(t.rt, -2).(*goja.Object); ok && t.arrayMethod(f) {
				return "Array.prototype." + f.Get("name").String() + " called on null or undefined"
			}
		case "all", "race", "any", "allSettled", "from":
			return t.defaultSite(t.firstArgument()) + " is not iterable (cannot read property Symbol(Symbol.iterator))"
		}
		return "Cannot convert undefined or null to object"
	}
	if nullish(t.in.Operand(t.rt, 0)) {
		if s := p.idx.Find(p.offset, script.Destructure); s != nil {
			return t.destructure(p, s)
		}
		if s := p.idx.Find(p.offset, script.Iterate); s != nil {
			return t.notIterable("")
		}
		if text, ok := t.elementsSource(p); ok {
			return text + " is not iterable"
		}
		f := p.idx.Enclosing(p.offset)
		if p.idx.Find(p.offset, script.Elements) != nil || f != nil && f.Elements && !p.afterDot() {
			return t.defaultSite(t.in.Operand(t.rt, 0)) +
				" is not iterable (cannot read property Symbol(Symbol.iterator))"
		}
	}
	if s := p.idx.Find(p.offset, script.Iterate); s != nil && t.spreadCall(p, s) {
		return p.text(s) + " is not iterable (cannot read property undefined)"
	}
	top := t.in.Operand(t.rt, 0)
	if strings.HasPrefix(p.doing, "delete") {
		return "Cannot convert undefined or null to object"
	}
	if p.afterDot() {
		return "Cannot set properties of " + t.nullWord("\x00") + " (setting '" + p.word() + "')"
	}
	if nullish(top) && p.idx != nil {
		if s := p.idx.Find(p.offset, script.Iterate); s != nil {
			return t.notIterable("")
		}
	}
	if key := t.in.Operand(t.rt, 1); key != nil && nullish(t.in.Operand(t.rt, 2)) {
		return "Cannot set properties of " + t.in.Operand(t.rt, 2).String() + " (setting '" + t.Render(key) + "')"
	}
	if nullish(t.in.Operand(t.rt, 1)) {
		return "Cannot set properties of " + t.in.Operand(t.rt, 1).String() + " (setting '" + p.word() + "')"
	}
	return ""
}

// arrayMethod tells whether f is one of those methods of Array.prototype that V8 names when they are called on null.
func (t *Texts) arrayMethod(f *goja.Object) bool {
	name := f.Get("name")
	if name == nil || t.b.Object("Array", "prototype").Get(name.String()) != goja.Value(f) {
		return false
	}
	switch name.String() {
	case "concat", "find", "findIndex", "findLast", "findLastIndex", "indexOf", "forEach", "filter", "map", "every",
		"some", "reduce", "reduceRight":
		return true
	}
	return false
}

func (t *Texts) notCoercible(string) string {
	p := t.here()
	if !p.script {
		switch name := t.nativeName(); name {
		case "setPrototypeOf":
			return "Object.setPrototypeOf called on null or undefined"
		case "fromEntries":
			return t.Render(t.firstArgument()) + " is not iterable"
		case "call":
			if f, ok := t.in.Argument(t.rt, -2).(*goja.Object); ok && f.Get("name") != nil {
				return "String.prototype." + f.Get("name").String() + " called on null or undefined"
			}
		}
		return "Cannot convert undefined or null to object"
	}
	if s := p.idx.Find(p.offset, script.Destructure); s != nil {
		return t.destructure(p, s)
	}
	word := t.nullWord("\x00")
	if s := p.idx.Find(p.offset, script.Elements); s != nil {
		if prop, ok := t.innerPattern(s.Inner); ok {
			return "Cannot read properties of " + word + " (reading '" + prop + "')"
		}
	}
	if s := p.idx.Literal(p.offset, word, script.Destructure); s != nil {
		return t.destructure(p, s)
	}
	if f := p.idx.Enclosing(p.offset); f != nil && f.Pattern != "" {
		if prop, ok := t.innerPattern(f.Inner); ok {
			return "Cannot read properties of " + word + " (reading '" + prop + "')"
		}
		text := word
		if word == "null" {
			text = "object null"
		}
		return "Cannot destructure property '" + f.Pattern + "' of '" + text + "' as it is " + word + "."
	}
	return "Cannot destructure '" + word + "' as it is " + word + "."
}

// receiver is the object of a failed assignment or deletion of key: the first object among the operands.
func (t *Texts) receiver(p place) goja.Value {
	if !p.script {
		if v := t.thisArgument(); v != nil {
			return v
		}
		return t.firstArgument()
	}
	if p.afterDot() {
		return t.in.Operand(t.rt, 1)
	}
	return t.in.Operand(t.rt, 2)
}

func (t *Texts) stringReceiver() string {
	p := t.here()
	for i := 1; i < 3; i++ {
		if v := t.in.Operand(t.rt, i); v != nil && goja.IsString(v) && (i == 2 || p.afterDot()) {
			return v.String()
		}
	}
	return ""
}

func (t *Texts) toBigInt(rest string) string {
	if s, ok := t.firstArgument().(*goja.Symbol); ok {
		rest = t.Render(s)
	}
	if v := t.firstArgument(); v != nil && goja.IsNumber(v) {
		return "The number " + v.String() + " cannot be converted to a BigInt because it is not an integer"
	}
	return "Cannot convert " + rest + " to a BigInt"
}

// incompatible words "Method X called on incompatible receiver Y" with the receiver as V8 shows it.
func (t *Texts) incompatible(rest string) string {
	rest = strings.Replace(rest, " is called on incompatible", " called on incompatible", 1)
	if strings.HasPrefix(rest, "Date.prototype.") {
		return "this is not a Date object."
	}
	i := strings.Index(rest, " called on incompatible receiver")
	if i < 0 {
		return ""
	}
	return "Method " + rest[:i] + " called on incompatible receiver " + t.Render(t.thisArgument())
}

// firstArgument is the first argument of the native function that raised the error, or of the construction that did.
func (t *Texts) firstArgument() goja.Value {
	if t.in.InScript(t.rt) {
		return t.in.Operand(t.rt, 0)
	}
	if v := t.in.Argument(t.rt, 0); v != nil {
		return v
	}
	return goja.Undefined()
}

func (t *Texts) thisArgument() goja.Value {
	if t.in.InScript(t.rt) {
		return nil
	}
	if t.nativeName() == "call" {
		return t.in.Argument(t.rt, 0)
	}
	return t.in.Argument(t.rt, -2)
}

func (t *Texts) invalidIndex(rest string) string {
	p := t.here()
	const ofView = "Offset is outside the bounds of the DataView"
	if !p.script {
		if name := t.nativeName(); strings.HasPrefix(name, "get") || strings.HasPrefix(name, "set") {
			return ofView
		}
		return "Invalid index : " + rest
	}
	if s := p.idx.Find(p.offset, script.New); s != nil {
		switch class := p.text(s); {
		case strings.HasSuffix(class, "ArrayBuffer"):
			return "Invalid array buffer length"
		case strings.HasSuffix(class, "Array"):
			return "Invalid typed array length: " + rest
		}
		return ""
	}
	if p.idx.Find(p.offset, script.Call) != nil { // a kernel's, which has no frame of its own
		return ofView
	}
	return ""
}

func (t *Texts) circularText(string) string {
	return json.CircularText(t.rt, t.firstArgument(), t.constructorName)
}
