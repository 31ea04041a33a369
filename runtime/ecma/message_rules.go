package ecma

import (
	"strconv"
	"strings"

	"github.com/dop251/goja"
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
		v := e.in.operand(e.rt, i)
		if nullish(v) && !(i == 0 && v.String() == key && nullish(e.in.operand(e.rt, 1))) {
			return v.String()
		}
	}
	return "undefined"
}

func (e *Engine) readOf(key string) string {
	if s, ok := e.in.operand(e.rt, 0).(*goja.Symbol); ok {
		if s == goja.SymIterator {
			if v := e.in.operand(e.rt, 1); nullish(v) {
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

// innerPattern tells whether it was a pattern within the pattern that met undefined or null, and its first property. The
// object it was taken from lies below the value then.
func (e *Engine) innerPattern(inner []nested) (prop string, ok bool) {
	from, ok := e.in.operand(e.rt, 1).(*goja.Object)
	if !ok || !nullish(e.in.operand(e.rt, 0)) {
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

func (e *Engine) notCallable(rest string) string {
	p := e.here()
	if p.script {
		if s := p.idx.find(p.offset, siteCall); s != nil {
			return p.text(s) + " is not a function"
		}
		if s := p.idx.find(p.offset, siteNew); s != nil {
			return p.text(s) + " is not a constructor"
		}
	}
	if !p.script {
		switch e.nativeName() {
		case "flatMap", "from":
			for i := 0; i < 2; i++ {
				if v := e.in.argument(e.rt, i); v != nil && e.render(v) == rest {
					return e.defaultSite(v) + " is not a function"
				}
			}
		}
	}
	if v := e.firstArgument(); !p.script && v != nil {
		if _, ok := goja.AssertFunction(v); !ok && (v.String() == rest || rest == "") {
			return e.render(v) + " is not a function"
		}
	}
	return rest + " is not a function"
}

func (e *Engine) notObject(rest string) string {
	p := e.here()
	if p.script {
		if s := p.idx.find(p.offset, siteCall); s != nil {
			return p.text(s) + " is not a function"
		}
		if s := p.idx.find(p.offset, siteNew); s != nil {
			switch text := p.text(s); text {
			case "Map", "WeakMap":
				return "Iterator value " + rest + " is not an entry object"
			case "WeakSet":
				return "Invalid value used in weak set"
			default:
				return text + " is not a constructor"
			}
		}
		if w := p.word(); strings.HasPrefix(w, "#") && !p.afterDot() {
			return "Cannot use 'in' operator to search for '" + w + "' in " + rest
		}
		if v := e.in.operand(e.rt, 0); v != nil && v.String() == rest {
			if k := e.in.operand(e.rt, 1); k != nil && e.sourceHasIn(p) {
				return "Cannot use 'in' operator to search for '" + e.render(k) + "' in " + rest
			}
			return "Right-hand side of 'instanceof' is not an object"
		}
		return ""
	}
	switch e.nativeName() {
	case "ownKeys", "getPrototypeOf", "has", "get", "set", "deleteProperty", "isExtensible", "preventExtensions", "getOwnPropertyDescriptor":
		return "Reflect." + e.nativeName() + " called on non-object"
	case "defineProperty", "defineProperties", "create":
		return "Getter must be a function: " + rest
	case "fromEntries":
		return "Iterator value " + rest + " is not an entry object"
	case "flatMap", "from":
		for i := range 2 {
			if v := e.in.argument(e.rt, i); v != nil && v.String() == rest {
				return e.defaultSite(v) + " is not a function"
			}
		}
	case "construct":
		return rest + " is not a constructor"
	}
	if v := e.firstArgument(); v != nil && v.String() == rest {
		return e.render(v) + " is not a function"
	}
	return "Iterator result " + rest + " is not an object"
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
	v, k := e.in.operand(e.rt, 0), e.in.operand(e.rt, 1)
	if v == nil || k == nil {
		return ""
	}
	return "Cannot use 'in' operator to search for '" + e.render(k) + "' in " + e.render(v)
}

func (e *Engine) notConstructor(string) string {
	p := e.here()
	if p.script {
		if s := p.idx.find(p.offset, siteNew); s != nil {
			return p.text(s) + " is not a constructor"
		}
	}
	if v := e.firstArgument(); v != nil {
		return e.render(v) + " is not a constructor"
	}
	return ""
}

func (e *Engine) notIterable(string) string {
	p := e.here()
	if p.script {
		if s := p.idx.find(p.offset, siteIterate); s != nil {
			if e.spreadCall(p, s) {
				if v := e.in.operand(e.rt, 0); nullish(v) {
					return p.text(s) + " is not iterable (cannot read property Symbol(Symbol.iterator))"
				}
				return "Spread syntax requires ...iterable[Symbol.iterator] to be a function"
			}
			return p.text(s) + " is not iterable"
		}
		if text, ok := e.elementsSource(p); ok {
			return text + " is not iterable"
		}
		if v := e.in.operand(e.rt, 0); v != nil {
			return e.defaultSite(v) + " is not iterable (cannot read property Symbol(Symbol.iterator))"
		}
		return ""
	}
	if v := e.firstArgument(); v != nil {
		return e.defaultSite(v) + " is not iterable (cannot read property Symbol(Symbol.iterator))"
	}
	return "undefined is not iterable (cannot read property Symbol(Symbol.iterator))"
}

// elementsSource is the source text that an array pattern takes apart, if it was that, and not a part of it, which could
// not be iterated.
func (e *Engine) elementsSource(p place) (string, bool) {
	v := e.in.operand(e.rt, 0)
	if v == nil {
		return "", false
	}
	if s := p.idx.find(p.offset, siteElements); s != nil {
		if _, part := e.in.operand(e.rt, 1).(*goja.Object); part && len(s.inner) > 0 {
			return "", false
		}
		return p.text(s), s.plain
	}
	if _, isObj := v.(*goja.Object); !isObj && !goja.IsString(v) {
		for _, kind := range []siteKind{siteElements, siteIterate} {
			if s := p.idx.literal(p.offset, v.String(), kind); s != nil && (kind == siteIterate || s.plain) && !(kind == siteIterate && e.spreadCall(p, s)) {
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

func (e *Engine) nullToObject(string) string {
	p := e.here()
	if !p.script {
		switch e.nativeName() {
		case "call":
			if f, ok := e.in.argument(e.rt, -2).(*goja.Object); ok && e.arrayMethod(f) {
				return "Array.prototype." + f.Get("name").String() + " called on null or undefined"
			}
		case "all", "race", "any", "allSettled", "from":
			return e.defaultSite(e.firstArgument()) + " is not iterable (cannot read property Symbol(Symbol.iterator))"
		}
		return "Cannot convert undefined or null to object"
	}
	if nullish(e.in.operand(e.rt, 0)) {
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
			return e.defaultSite(e.in.operand(e.rt, 0)) + " is not iterable (cannot read property Symbol(Symbol.iterator))"
		}
	}
	if s := p.idx.find(p.offset, siteIterate); s != nil && e.spreadCall(p, s) {
		return p.text(s) + " is not iterable (cannot read property undefined)"
	}
	top := e.in.operand(e.rt, 0)
	if p.afterDot() {
		return "Cannot set properties of " + e.nullWord("\x00") + " (setting '" + p.word() + "')"
	}
	if nullish(top) && p.idx != nil {
		if s := p.idx.find(p.offset, siteIterate); s != nil {
			return e.notIterable("")
		}
	}
	if key := e.in.operand(e.rt, 1); key != nil && nullish(e.in.operand(e.rt, 2)) {
		return "Cannot set properties of " + e.in.operand(e.rt, 2).String() + " (setting '" + e.render(key) + "')"
	}
	if nullish(e.in.operand(e.rt, 1)) {
		return "Cannot set properties of " + e.in.operand(e.rt, 1).String() + " (setting '" + p.word() + "')"
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
	case "concat", "find", "findIndex", "findLast", "findLastIndex", "indexOf", "forEach", "filter", "map", "every", "some", "reduce", "reduceRight":
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
			if f, ok := e.in.argument(e.rt, -2).(*goja.Object); ok && f.Get("name") != nil {
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

func (e *Engine) classCalled(string) string {
	if name, ok := e.classOperand(); ok {
		return "Class constructor " + name + " cannot be invoked without 'new'"
	}
	return ""
}

// superNotConstructor words the construction of a class whose parent is null.
func (e *Engine) superNotConstructor(string) string {
	if name, ok := e.classOperand(); ok && name != "" {
		return "Super constructor null of " + name + " is not a constructor"
	}
	return "Super constructor null of anonymous class"
}

// classOperand is the name of the class nearest to the top of the stack.
func (e *Engine) classOperand() (string, bool) {
	for i := 0; i < 64; i++ {
		o, ok := e.in.operand(e.rt, i).(*goja.Object)
		if !ok {
			continue
		}
		if t, _ := selfOf(o); strings.HasSuffix(t.String(), "classFuncObject") {
			name := ""
			if n := o.Get("name"); n != nil {
				name = n.String()
			}
			return name, true
		}
	}
	return "", false
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
		return e.in.operand(e.rt, 1)
	}
	return e.in.operand(e.rt, 2)
}

func (e *Engine) stringReceiver() string {
	p := e.here()
	for i := 1; i < 3; i++ {
		if v := e.in.operand(e.rt, i); v != nil && goja.IsString(v) && (i == 2 || p.afterDot()) {
			return v.String()
		}
	}
	return ""
}

func (e *Engine) readOnly(key string) string {
	p := e.here()
	v := e.receiver(p)
	if v == nil {
		return ""
	}
	o, ok := v.(*goja.Object)
	if !ok {
		if _, err := strconv.Atoi(key); p.script && key != "length" && (err != nil || !goja.IsString(v)) {
			return "Cannot create property '" + key + "' on " + typeOf(v) + " '" + e.render(v) + "'"
		}
		return "Cannot assign to read only property '" + key + "' of " + typeOf(v) + " '" + e.render(v) + "'"
	}
	for at := o; at != nil; at = at.Prototype() {
		d, err := e.getDescriptor(goja.Undefined(), at, e.rt.ToValue(key))
		if err != nil {
			break
		}
		if desc, ok := d.(*goja.Object); ok {
			if desc.Get("get") != nil {
				return "Cannot set property " + key + " of " + e.render(o) + " which has only a getter"
			}
			break
		}
	}
	return "Cannot assign to read only property '" + key + "' of " + typeOf(v) + " '" + e.render(v) + "'"
}

func (e *Engine) undeletable(rest string) string {
	i := strings.Index(rest, "' of ")
	if i < 0 {
		return ""
	}
	p := e.here()
	var v goja.Value
	if p.script {
		v = e.in.operand(e.rt, 0)
		if !p.afterDot() {
			v = e.in.operand(e.rt, 1)
		}
	} else {
		v = e.receiver(p)
	}
	if v == nil {
		return ""
	}
	return "Cannot delete property '" + rest[:i] + "' of " + e.render(v)
}

func (e *Engine) notExtensible(key string) string {
	p := e.here()
	if p.script {
		if v := e.receiver(p); v != nil {
			if _, ok := v.(*goja.Object); !ok && !nullish(v) {
				return "Cannot create property '" + key + "' on " + typeOf(v) + " '" + e.render(v) + "'"
			}
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
	if e.in.inScript(e.rt) {
		return e.in.operand(e.rt, 0)
	}
	if v := e.in.argument(e.rt, 0); v != nil {
		return v
	}
	return goja.Undefined()
}

func (e *Engine) thisArgument() goja.Value {
	if e.in.inScript(e.rt) {
		return nil
	}
	if e.nativeName() == "call" {
		return e.in.argument(e.rt, 0)
	}
	return e.in.argument(e.rt, -2)
}

// assignedKey is the property that a failed assignment was for.
func (e *Engine) assignedKey() string {
	p := e.here()
	if p.afterDot() {
		return p.word()
	}
	if v := e.in.operand(e.rt, 1); v != nil {
		return e.render(v)
	}
	return ""
}

func (e *Engine) primitiveReceiver(string) string {
	p := e.here()
	if v := e.receiver(p); p.script && v != nil {
		return "Cannot create property '" + e.assignedKey() + "' on " + typeOf(v) + " '" + e.render(v) + "'"
	}
	return ""
}

func (e *Engine) privateRead(name string) string {
	p := e.here()
	if p.idx != nil {
		if class, ok := p.idx.privateMethods[name]; ok {
			if class == "" {
				class = "anonymous"
			}
			return "Receiver must be an instance of class " + class
		}
	}
	return ""
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
