package v8text

import (
	"strings"

	"eddy/runtime/engine/script"
)

// place is where goja stood when it raised an error.
type place struct {
	script bool   // it stood in JavaScript, not in a native function that a script called
	doing  string // goja's name of the instruction
	offset int
	idx    *script.Index
}

func (t *Texts) here() place {
	frames := t.rt.CaptureCallStack(1, nil)
	if len(frames) == 0 {
		return place{}
	}
	src, offset, _ := t.in.FrameParts(&frames[0])
	doing := strings.TrimPrefix(t.in.FrameInstruction(&frames[0]), "_")
	return place{script: src != nil, doing: doing, offset: offset, idx: script.IndexOf(src)}
}

func (p place) text(s *script.Site) string {
	start, end := int(s.Start), int(s.End)
	// The syntax tree leaves out parentheses around an expression. Take back those that the text closes.
	for depth := closing(p.idx.Source[start:end]); depth > 0 && start > 0; {
		start--
		if p.idx.Source[start] == '(' {
			depth--
		}
	}
	return renderSource(p.idx.Source[start:end])
}

// closing counts the parentheses that text closes without having opened them.
func closing(text string) int {
	depth, lack := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth < -lack {
				lack = -depth
			}
		}
	}
	return lack
}

// word is the identifier that stands at the place.
func (p place) word() string {
	if p.idx == nil {
		return ""
	}
	s := p.idx.Source[min(p.offset, len(p.idx.Source)):]
	end := strings.IndexFunc(s, func(r rune) bool {
		return r != '$' && r != '_' && r != '#' && (r < '0' || r > '9') && (r < 'a' || r > 'z') &&
			(r < 'A' || r > 'Z') && r < 0x80
	})
	if end < 0 {
		end = len(s)
	}
	return s[:end]
}

// afterDot tells whether the place is the property of a dotted member.
func (p place) afterDot() bool {
	if p.idx == nil || p.offset > len(p.idx.Source) {
		return false
	}
	return strings.HasSuffix(strings.TrimRight(p.idx.Source[:p.offset], " \t\r\n"), ".")
}

// exact maps goja's fixed texts to V8's. class is given where V8's error has another class.
var exact = map[string]struct{ text, class string }{
	"toFixed() precision must be between 0 and 100": {
		text: "toFixed() digits argument must be between 0 and 100"},
	"toExponential() precision must be between 0 and 100": {
		text: "toExponential() argument must be between 0 and 100"},
	"toPrecision() precision must be between 1 and 100": {
		text: "toPrecision() argument must be between 1 and 100"},
	"radix must be an integer between 2 and 36": {
		text: "toString() radix must be between 2 and 36"},
	"exponent must be positive": {
		text: "Exponent must be positive"},
	"No initial value": {
		text: "Reduce of empty array with no initial value"},
	"Malformed URI": {text: "URI malformed"},
	"The normalization form should be one of NFC, NFD, NFKC, NFKD": {
		text: "The normalization form should be one of NFC, NFD, NFKC, NFKD."},
	"Must call super constructor in derived class before accessing 'this'": {
		text: "Must call super constructor in derived class before accessing 'this' or returning from derived " +
			"constructor"},
	"Must call super constructor in derived class before returning from derived constructor": {
		text: "Must call super constructor in derived class before accessing 'this' or returning from derived " +
			"constructor"},
	"Promise self-resolution": {
		text: "Chaining cycle detected for promise #<Promise>"},
	"Immutable prototype object 'Object.prototype' cannot have their prototype set": {
		text: "Immutable prototype object 'Object.prototype' cannot have their prototype set"},
	"length is not writable": {
		text: "Cannot assign to read only property 'length' of object '[object Array]'"},
	"getter must be a function": {
		text: "Getter must be a function"},
	"setter must be a function": {
		text: "Setter must be a function"},
	"Private getter has already been declared": {
		text: "Cannot initialize private methods of class twice on the same object"},
	"Private fields for the class have already been set": {
		text: "Cannot initialize private methods of class twice on the same object"},
	"Illegal generator state": {
		text: "Generator is already running"},
	"RegExp doesn't have global flag set": {
		text: "String.prototype.matchAll called with a non-global RegExp argument"},
	"String.prototype.replaceAll called with a non-global RegExp argument": {
		text: "replaceAll must be called with a global RegExp"},
	"Proxy already revoked": {
		text: "Cannot perform 'get' on a proxy that has been revoked"},
	"proxy has been revoked": {
		text: "Cannot perform 'get' on a proxy that has been revoked"},
	"resolve is already set": {
		text: "Promise executor has already been invoked with non-undefined arguments"},
	"reject is already set": {
		text: "Promise executor has already been invoked with non-undefined arguments"},
	"Cannot convert object to primitive value": {
		text: "Cannot convert object to primitive value"},
	"Value is not a Symbol": {
		text: "Cannot convert object to primitive value"},
	"Species is not a constructor": {
		text: "object.constructor[Symbol.species] is not a constructor"},
	"ArrayBuffer is detached": {
		text: "Cannot perform Construct on a detached ArrayBuffer"},
	"Maximum call stack size exceeded": {
		text: "Maximum call stack size exceeded", class: "RangeError"},
	"wrong callee type for super()": {
		text: "'super' keyword unexpected here", class: "SyntaxError"},
	"Integer value overflows 32-bit int": {
		text: "Invalid array length", class: "RangeError"},
	"Source is too large": {
		text: "offset is out of bounds"},
	"offset should be >= 0": {
		text: "offset is out of bounds"},
	"Object is not a Set": {
		text: "Receiver is not a Set"},
	"Derived TypedArray constructor created an array which was too small": {
		text: "Derived TypedArray constructor created an array which was too small"},
	"iterator.next is missing or not a function": {
		text: "undefined is not a function"},
	"Constructor Promise requires 'new'": {
		text: "Promise constructor cannot be invoked without 'new'"},
	"The iterator does not provide a 'throw' method": {
		text: "The iterator does not provide a 'throw' method"},
}

// cut returns what stands between prefix and suffix.
func cut(s, prefix, suffix string) (string, bool) {
	if !strings.HasPrefix(s, prefix) || !strings.HasSuffix(s, suffix) || len(s) < len(prefix)+len(suffix) {
		return "", false
	}
	return s[len(prefix) : len(s)-len(suffix)], true
}

// rewrite turns the text of an error that goja raised just now into V8's (RT11). Unknown texts stay.
func (t *Texts) rewrite(class, text string) (string, string) {
	if x, ok := exact[text]; ok {
		if x.class != "" {
			class = x.class
		}
		return class, x.text
	}
	if text == "" && class == "TypeError" {
		if key := t.assignedKey(); key != "" {
			return class, t.readOnly(key)
		}
	}
	for _, r := range rules {
		if rest, ok := cut(text, r.prefix, r.suffix); ok {
			if out := r.apply(t, rest); out != "" {
				if r.class != "" {
					class = r.class
				}
				return class, out
			}
		}
	}
	return class, text
}

type rule struct {
	prefix, suffix string
	class          string
	apply          func(t *Texts, rest string) string
}

var rules []rule

func init() {
	rules = []rule{
		{"Cannot read property '", "' of undefined or null", "", (*Texts).readOf},
		{"Cannot read property '", "' of undefined", "", (*Texts).readOf},
		{"Object has no member '", "'", "", (*Texts).notCallable},
		{"Value is not an object: ", "", "", (*Texts).notObject},
		{"Not a function: ", "", "", (*Texts).notCallable},
		{"Value is not callable: ", "", "", (*Texts).notCallable},
		{"Value is not a constructor", "", "", (*Texts).notConstructor},
		{"Not a constructor: ", "", "", (*Texts).notConstructor},
		{"object is not iterable", "", "", (*Texts).notIterable},
		{"Value is not iterable", "", "", (*Texts).notIterable},
		{"Cannot convert undefined or null to object", "", "", (*Texts).nullToObject},
		{"Value is not object coercible", "", "", (*Texts).notCoercible},
		{"Could not convert ", " to primitive", "",
			func(*Texts, string) string { return "Cannot convert object to primitive value" }},
		{"Cannot access a variable before initialization", "", "", func(t *Texts, _ string) string {
			if w := t.here().word(); w != "" {
				return "Cannot access '" + w + "' before initialization"
			}
			return ""
		}},
		{"Class constructor cannot be invoked without 'new'", "", "", (*Texts).classCalled},
		{"Class extends value is not a constructor or null", "", "", func(t *Texts, _ string) string {
			return "Class extends value " + t.Render(t.in.Operand(t.rt, 0)) + " is not a constructor or null"
		}},
		{"Class extends value does not have valid prototype property", "", "", func(t *Texts, _ string) string {
			return "Class extends value does not have valid prototype property undefined"
		}},
		{"Super constructor is not a constructor", "", "", (*Texts).superNotConstructor},
		{"Receiver is not an object: ", "", "", (*Texts).primitiveReceiver},
		{"Cannot read private member #", " from an object whose class did not declare it", "", (*Texts).privateRead},
		{"", " is not extensible", "", func(t *Texts, rest string) string {
			if strings.Contains(rest, "object ") {
				return t.Render(t.firstArgument()) + " is not extensible"
			}
			return ""
		}},
		{"Cannot assign to read only property '", "' of a String", "", func(t *Texts, rest string) string {
			return "Cannot assign to read only property '" + rest + "' of string '" + t.stringReceiver() + "'"
		}},
		{"Cannot assign to read only property '#", "'", "", func(t *Texts, rest string) string {
			return "'#" + rest + "' was defined without a setter"
		}},
		{"Cannot assign to read only property '", "'", "", (*Texts).readOnly},
		{"Cannot delete property '", "", "", (*Texts).undeletable},
		{"Cannot add property ", ", object is not extensible", "", (*Texts).notExtensible},
		{"Cannot write private member #", " from an object whose class did not declare it", "",
			func(t *Texts, rest string) string {
				return "Cannot write private member #" + rest + " to an object whose class did not declare it"
			}},
		{"Expecting a function in instanceof check, but got ", "", "", func(t *Texts, rest string) string {
			return "Right-hand side of 'instanceof' is not callable"
		}},
		{"Value is not an Object", "", "", (*Texts).notInOperand},
		{"Invalid count value", "", "", func(t *Texts, _ string) string {
			if v := t.firstArgument(); v != nil {
				return "Invalid count value: " + t.Render(v)
			}
			return ""
		}},
		{"Cannot convert ", " to a BigInt", "", (*Texts).toBigInt},
		{"Property '", "' of object %s is not a function", "", nil},
		{"Object prototype may only be an Object or null: ", "", "", func(t *Texts, rest string) string {
			return "Object prototype may only be an Object or null: " + rest
		}},
		{"Invalid property descriptor. Cannot both specify accessors and a value or writable attribute", "", "",
			func(t *Texts, _ string) string {
				return "Invalid property descriptor. Cannot both specify accessors and a value or writable " +
					"attribute, " +
					t.Render(t.in.Argument(t.rt, 2))
			}},
		{"Cannot define property ", ", object is not extensible", "", func(t *Texts, rest string) string {
			return "Cannot define property " + rest + ", object is not extensible"
		}},
		{"The comparison function must be either a function or undefined", "", "", func(t *Texts, _ string) string {
			return "The comparison function must be either a function or undefined: " + t.Render(t.firstArgument())
		}},
		{"Object does not have a valid '", "' method", "",
			func(_ *Texts, rest string) string { return `string "` + rest + `" is not a function` }},
		{"value is not an Object", "", "", func(t *Texts, _ string) string {
			return "Set.prototype." + t.nativeName() + " argument must be an object"
		}},
		{"Value is not a number", "", "", func(t *Texts, _ string) string {
			if n := t.nativeName(); n != "call" {
				return "Number.prototype." + n + " requires that 'this' be a Number"
			}
			return "Number.prototype.toString requires that 'this' be a Number"
		}},
		{"Method Symbol.prototype.toString is called on incompatible receiver", "", "", func(*Texts, string) string {
			return "Symbol.prototype.toString requires that 'this' be a Symbol"
		}},
		{"Invalid index ", "", "", (*Texts).invalidIndex},
		{"Index ", " is out of bounds", "",
			func(*Texts, string) string { return "Offset is outside the bounds of the DataView" }},
		{"invalid base64 character", "", "", func(*Texts, string) string {
			return "Found a character that cannot be part of a valid base64 string."
		}},
		{"encoding/hex: odd length hex string", "", "", func(*Texts, string) string {
			return "Input string must contain hex characters in even length"
		}},
		{"Byte length of ", "", "", func(_ *Texts, rest string) string { return "byte length of " + rest }},
		{"Start offset of ", "", "", func(_ *Texts, rest string) string { return "start offset of " + rest }},
		{"Invalid buffer size: ", "", "", func(*Texts, string) string { return "Invalid array buffer length" }},
		{"Buffer size is too large: ", "", "",
			func(*Texts, string) string { return "Array buffer allocation failed" }},
		{"Method ", "", "", (*Texts).incompatible},
		{"Converting circular structure to JSON", "", "", (*Texts).circularText},
		{"First argument to String.prototype.", " must not be a regular expression", "",
			func(t *Texts, rest string) string {
				return "First argument to String.prototype." + rest + " must not be a regular expression"
			}},
		{"Cannot supply flags when constructing one RegExp from another", "", "", func(*Texts, string) string {
			return "Invalid flags supplied to RegExp constructor"
		}},
		{"Cannot convert a Symbol value to a number", "", "", nil},
		{"prototype is not an object", "", "", func(*Texts, string) string {
			return "Function has non-object prototype 'undefined' in instanceof check"
		}},
	}
	kept := rules[:0]
	for _, r := range rules {
		if r.apply != nil {
			kept = append(kept, r)
		}
	}
	rules = kept
}
